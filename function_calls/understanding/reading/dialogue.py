"""Remember, for each person in a chat, what the bot has last done for them."""

from datetime import datetime, timedelta
from itertools import takewhile
from typing import Literal

from msgspec import Struct

from function_calls.tools.calls import ToolCall, Turn
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatMessage

Context = Literal["none", "acted", "fired", "listed", "asked_when", "asked_content"]

LIFETIME = timedelta(minutes=30)
_FRESH = timedelta(minutes=3)
_CHANGES = frozenset(
    {"reminder_set", "reminder_update", "reminder_delete", "reminder_state", "reminder_snooze", "undo"}
)


class LastAction(Struct, frozen=True, kw_only=True):
    """The calls that answered a message of a person."""

    at: datetime
    message_id: str
    calls: tuple[ToolCall, ...]

    @property
    def is_change(self) -> bool:
        """Return whether a reminder was set or changed."""
        return any(call.name in _CHANGES for call in self.calls)


class Dialogue:
    """The last action for each person in each chat; the oldest are forgotten first."""

    def __init__(self, limit: int = 1000) -> None:
        self._last: BoundedDict[str, LastAction] = BoundedDict(limit)
        self._set: BoundedDict[str, ToolCall] = BoundedDict(limit)

    def note(self, key: str, turn: Turn, calls: tuple[ToolCall, ...]) -> None:
        """Remember that `calls` answered the message of `turn`."""
        if calls:
            self._last[key] = LastAction(at=turn.now, message_id=turn.message.id, calls=calls)
        for call in calls:
            if call.name == "reminder_set":
                self._set[key] = call

    def last(self, key: str, now: datetime) -> LastAction | None:
        """Return the last action for `key` (chat and person) if it is recent."""
        found = self._last.get(key)
        return found if found is not None and timedelta() <= now - found.at <= LIFETIME else None

    def last_set(self, key: str) -> ToolCall | None:
        """Return the call that set a reminder for `key` last."""
        return self._set.get(key)

    def context(self, key: str, turn: Turn) -> Context:
        """Return the state of the dialogue in which the message of `turn` is written."""
        last = self.last(key, turn.now)
        fired = _last_delivery(turn)
        if fired is not None and (last is None or fired > last.at):
            return "fired"
        if last is None:
            return "none"
        return "acted" if last.is_change else "listed" if last.calls[0].name == "reminder_list" else "none"

    def is_fresh(self, key: str, turn: Turn) -> bool:
        """Return whether the last action is so recent that words without a name go on with it."""
        last = self.last(key, turn.now)
        return last is not None and turn.now - last.at <= _FRESH

    def since(self, key: str, turn: Turn, question_id: str = "") -> list[ChatMessage]:
        """Return what other people have written to each other since the last action, or the question to a message."""
        last = self.last(key, turn.now)
        begin = {question_id, "" if last is None else last.message_id}
        own = turn.message.sender.id
        written = takewhile(lambda message: message.id not in begin, reversed(turn.recent))
        answered = {message.reply_to for message in turn.recent if message.sender.is_bot}
        return [
            message
            for message in written
            if not message.sender.is_bot and message.sender.id != own and message.id not in answered
        ]


def _last_delivery(turn: Turn) -> datetime | None:
    """Return when the bot last wrote here without being asked: it delivered a reminder."""
    for message in reversed(turn.recent):
        if message.sender.is_bot and message.reply_to is None:
            return message.sent_at if turn.now - message.sent_at <= LIFETIME else None
    return None
