"""Make messages, turns, contexts and tools for tests of interpreters and functions."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot.testing.clocks import FixedClock
from function_calls.tools.calls import ReturnStyle, Step, ToolSpec, Turn
from function_calls.tools.context import CallContext, Services
from function_calls.tools.policy import CallPolicy
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import Clock

HOME = ChatAddress(platform="test", chat_id="home")
ANN = Person(id="ann", name="Ann")
ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=ZONE)


def make_message(
    text: str, *, sender: Person = ANN, is_addressed: bool = True, is_private: bool = False, number: int = 1
) -> ChatMessage:
    """Return a message in the test chat."""
    return ChatMessage(
        id=f"m{number}",
        address=HOME,
        sender=sender,
        text=text,
        sent_at=NOW,
        is_addressed=is_addressed,
        is_private=is_private,
    )


def make_turn(
    message: ChatMessage | str,
    *,
    tools: Iterable[ToolSpec] = (),
    language: str = "en",
    recent: Iterable[ChatMessage] = (),
    steps: Iterable[Step] = (),
    state: Mapping[str, object] | None = None,
) -> Turn:
    """Return a turn at a fixed time: Friday 2026-11-20 10:00 in Shanghai."""
    return Turn(
        message=make_message(message) if isinstance(message, str) else message,
        now=NOW,
        zone=ZONE,
        language=language,
        bot_name="Bubbles",
        tools=tuple(tools),
        recent=tuple(recent),
        steps=tuple(steps),
        state=state or {},
    )


def make_context(
    message: ChatMessage | str = "hello",
    *,
    clock: Clock | None = None,
    services: Services | None = None,
    language: str = "en",
    policy: CallPolicy | None = None,
) -> CallContext:
    """Return the context of a call for `message` at the time of `clock`, by default Friday 2026-11-20 02:00 UTC."""
    clock = clock or FixedClock(NOW)
    message = make_message(message) if isinstance(message, str) else message
    return CallContext(
        call_id=f"{message.id}/0",
        message=message,
        services=services or Services(),
        clock=clock,
        now=clock.now(),
        zone=UTC,
        language=language,
        policy=policy,
    )


def make_tool(
    name: str,
    *,
    required: Iterable[str] = (),
    returns: ReturnStyle = "observation",
    examples: Iterable[str] = (),
    **properties: Mapping[str, object],
) -> ToolSpec:
    """Return a tool whose arguments are `properties` (name to JSON Schema)."""
    return ToolSpec(
        name=name,
        description=f"Do {name}.",
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        },
        examples=tuple(examples),
        returns=returns,
    )
