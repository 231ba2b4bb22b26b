"""One turn, and an interpreter to read it."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from function_calls.models import PerplexityArgs, ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs
from function_calls.tools.calls import Interpretation, ToolSpec, Turn
from function_calls.understanding import OfflineInterpreter
from function_calls.understanding.requests.chat_reminders import ChatReminders
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.reminders.model import Reminder
from services.time_expressions import parse_all
from tests.support.reminders import make_reminder

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


def interpret_text(
    interpreter: OfflineInterpreter,
    text: str,
    *,
    language: str = "en",
    is_addressed: bool = False,
    sender: str = "ann",
    chat: str = "home",
    now: datetime = NOW,
    tools: tuple[ToolSpec, ...] = TOOLS,
    mentions: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    delivered: str = "",
) -> Interpretation:
    """Return what `interpreter` makes of a message.

    `known` are the texts of the reminders of the chat, `delivered` is that of the one that the bot sent last.
    """
    message = ChatMessage(
        id="m1",
        address=ChatAddress(platform="console", chat_id=chat),
        sender=Person(id=sender, name=sender),
        text=text,
        sent_at=now,
        is_addressed=is_addressed,
        mentions=tuple(Person(id=name, name=name) for name in mentions),
    )
    bot = Person(id="bot", name="bubbles", is_bot=True)
    sent = replace(message, id="b1", sender=bot, text=f"⏰ {delivered}", is_addressed=False)
    recent = (sent,) if delivered else ()
    turn = Turn(message=message, now=now, zone=ZONE, language=language, bot_name="bubbles", tools=tools, recent=recent)
    return interpreter.read(turn, ChatReminders(tuple(map(reminder, known)), now, parse_all) if known else None)


def reminder(content: str) -> Reminder:
    """Return a reminder of ann that is due on Friday at 17:00."""
    return make_reminder(content, datetime(2026, 3, 6, 17, 0, tzinfo=ZONE))


@pytest.fixture
def say() -> Say:
    """Say one message after another to one interpreter, by default unaddressed, as ann, in a group."""
    return partial(interpret_text, OfflineInterpreter())


def names(person: object) -> list[str]:
    """Return the names in `person`, without the marks and joints between them."""
    return [name for name in re.split(r"\s*(?:,|、|\band\b|和)\s*", str(person or "").replace("@", "")) if name]
