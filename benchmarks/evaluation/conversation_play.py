"""Play conversations with a bot in memory and in simulated time."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from benchmarks.conversations_adapter import CANNED, Session
from benchmarks.evaluation.conversation_cases import Conversation
from benchmarks.evaluation.conversation_scores import Comparison, Difference, Row, decide_verdict
from benchmarks.evaluation.expected_times import ReminderState
from function_calls.tools.calls import Interpreter


def play(conversation: Conversation, interpreter: Interpreter | None = None) -> Iterator[Row]:
    """Yield a row for each scored message of a conversation; the bot uses `interpreter`, or the rules without it."""
    zone = conversation.zone
    start = datetime.fromisoformat(conversation.start)
    now = (start.astimezone(ZoneInfo(zone)) if start.tzinfo else start).replace(tzinfo=None)
    before: Sequence[ReminderState] = ()
    history: list[tuple[str, Difference]] = []
    with Session(start, zone, conversation.lang, interpreter) as session:
        for place, message in enumerate(conversation.messages):
            now += timedelta(seconds=message.wait_seconds)
            answer = session.say(
                message.sender,
                message.text,
                seconds_later=message.wait_seconds,
                private=message.private,
                reply_to=message.reply_to,
            )
            replies = msgspec.convert(answer["replies"], tuple[str, ...])
            after = msgspec.convert(answer["reminders"], tuple[ReminderState, ...])
            difference = Difference(before, after, zone, now)
            results = [Comparison(difference, message.sender, history).compare(each) for each in message.expect]
            if message.expect:
                yield Row(
                    conversation=conversation.id,
                    place=place,
                    sender=message.sender,
                    kind=message.kind,
                    text=message.text,
                    note=message.note,
                    replies=replies,
                    verdict=decide_verdict(message.expect, message.kind, replies, results, difference, CANNED),
                    has_changed=bool(difference),
                )
            if difference:
                history.append((message.sender, difference))
            before = after
