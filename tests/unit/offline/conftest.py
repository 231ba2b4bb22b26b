"""One turn, and an interpreter to read it."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from function_calls.models import PerplexityArgs, ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs
from function_calls.tools.calls import Interpretation, ToolSpec, Turn
from function_calls.understanding import OfflineInterpreter
from services.kernel.chat import ChatAddress, ChatMessage, Person

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=ZONE)  # a Wednesday
BUILT_IN = {
    "reminder_set": ReminderArgs,
    "reminder_list": ReminderListArgs,
    "reminder_delete": ReminderDeleteArgs,
    "perplexity_search": PerplexityArgs,
    "summary": SummaryArgs,
}
TOOLS = tuple(
    ToolSpec(name=name, description=name, parameters=model.model_json_schema()) for name, model in BUILT_IN.items()
)

Say = Callable[..., Interpretation]


@pytest.fixture
def say() -> Say:
    """Say one message after another to one interpreter, by default unaddressed, as ann, in a group."""
    interpreter = OfflineInterpreter()

    def said(
        text: str,
        *,
        language: str = "en",
        is_addressed: bool = False,
        sender: str = "ann",
        chat: str = "home",
        now: datetime = NOW,
        tools: tuple[ToolSpec, ...] = TOOLS,
        mentions: tuple[str, ...] = (),
    ) -> Interpretation:
        message = ChatMessage(
            id="m1",
            address=ChatAddress(platform="console", chat_id=chat),
            sender=Person(id=sender, name=sender),
            text=text,
            sent_at=now,
            is_addressed=is_addressed,
            mentions=tuple(Person(id=name, name=name) for name in mentions),
        )
        turn = Turn(message=message, now=now, zone=ZONE, language=language, bot_name="bubbles", tools=tools)
        return interpreter.read(turn)

    return said
