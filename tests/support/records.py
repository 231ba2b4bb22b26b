"""Make the turns and calls that records are tested with."""

from datetime import UTC, datetime, timedelta

from services.call_log.model import CallRecord, CompletionRecord, Ending, Status, TurnRecord, UsageCost
from services.kernel.chat import ChatAddress, Person
from services.language_model.ports import RequestedCall

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HOME = ChatAddress(platform="fake", chat_id="home", thread_id="t")


def make_turn_record(
    number: int = 1,
    *,
    person: str = "ann",
    address: ChatAddress = HOME,
    text: str = "提醒我喝茶",
    completions: tuple[CompletionRecord, ...] = (),
    reply: str = "✅ tea",
    fallback: str = "",
) -> TurnRecord:
    """Make the turn of message `m<number>`, `number` minutes after START."""
    return TurnRecord(
        address=address,
        message_id=f"m{number}",
        person=Person(id=person, name=person.title(), is_admin=True),
        text=text,
        at=START + timedelta(minutes=number),
        zone="Asia/Shanghai",
        language="zh",
        route="model" if completions else "offline",
        rounds=1,
        outcome="answered" if reply else "silent",
        is_addressed=True,
        completions=completions,
        reply=reply,
        fallback=fallback,
        duration_ms=12.5,
    )


def make_call_record(
    number: int = 1,
    *,
    address: ChatAddress = HOME,
    identity: str = "",
    tool: str = "reminder_set",
    arguments: str = '{"content":"茶"}',
    status: Status = "success",
    ending: Ending = "reply",
    said: str = "✅ tea",
) -> CallRecord:
    """Make a call for message `m<number>`."""
    is_good = status == "success"
    return CallRecord(
        id=identity or f"tc_{address.chat_id}_{number}",
        address=address,
        message_id=f"m{number}",
        person_id="ann",
        user_message="提醒我喝茶",
        tool_name=tool,
        arguments=arguments,
        result='{"id":"r1"}' if is_good else None,
        error=None if is_good else "it broke",
        status=status,
        duration_ms=45.4,
        at=START + timedelta(minutes=number),
        route="model",
        round=1,
        repairs=("tool name ReminderSet read as reminder_set",),
        said=said,
        ending=ending,
        receipts=(("set", "r1"),) if is_good else (),
        model="m",
        charge=UsageCost(prompt_tokens=100, completion_tokens=20, cached_tokens=60, cost=0.5),
        spawn_task='{"agent":"scout"}',
    )


def make_completion_record(*, tokens: int = 120, cost: float = 0.5, round_number: int = 1) -> CompletionRecord:
    """Make a request that used `tokens` and `cost` and chose one call."""
    return CompletionRecord(
        model="m",
        round=round_number,
        charge=UsageCost(prompt_tokens=tokens - 20, completion_tokens=20, cached_tokens=60, cost=cost),
        finish_reason="tool_calls",
        requested=(RequestedCall(id="1", name="reminder_set", arguments='{"content":"茶"}'),),
    )
