"""Track the state of the dialogue with each person in a chat."""

import re
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, Turn
from function_calls.understanding.reading.names import find_members, find_name
from function_calls.understanding.tool_calls import NO_CALL
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatMessage, Person

Context = Literal["none", "acted", "fired", "listed", "asked_when", "asked_content"]

LIFETIME = timedelta(minutes=30)
"""The time within which people go on with the last action."""
MAX_STATES = 1000
"""The number of dialogues, and that of chats, whose states are in memory."""
_FRESH = timedelta(minutes=5)
"""The time within which words that name no reminder go on with the last action."""
_DELIVERED = timedelta(hours=1)
"""The time within which people go on with a reminder that has come."""
_CHANGES = frozenset(
    {"reminder_set", "reminder_update", "reminder_delete", "reminder_state", "reminder_snooze", "undo"}
    | {"summary_schedule"}
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


class DialogueState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The last exchange between one person and the bot in a chat.

    Attributes:
        action: The last action of the bot for the person.
        last_set: The call that set a reminder last.
        changed_subject: The person has written of something else since the action, so that a bare time does not change
            it. Stored under an older name.
        has_failed: The action was for a reminder that the chat does not have. A message that names no reminder, such
            as "make it 10", then changes none: it belongs to the failed request.
    """

    action: LastAction | None = None
    last_set: ToolCall | None = None
    changed_subject: bool = field(default=False, name="is_passed")
    has_failed: bool = False


class LastReminder(Struct, frozen=True, kw_only=True):
    """The call that set a reminder last in a chat: for `name`, or for the `sender` where that is empty."""

    at: datetime
    message_id: str
    sender: Person
    name: str
    call: ToolCall


class ChatState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of one chat: the reminder that anybody has set last, and the time of the last failed request."""

    last_reminder: LastReminder | None = None
    failed_at: datetime | None = None


class Dialogue:
    """The dialogue of each person in each chat; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._states: BoundedDict[str, DialogueState] = BoundedDict(MAX_STATES)
        self._chats: BoundedDict[str, ChatState] = BoundedDict(MAX_STATES)

    def state(self, key: str) -> DialogueState:
        """Return the state under `key` (chat and person)."""
        return self._states.get(key, DialogueState())

    def restore(self, key: str, state: DialogueState) -> None:
        """Set a stored state under `key`."""
        self._states[key] = state

    def chat_state(self, chat_key: str) -> ChatState:
        """Return the state of a chat."""
        return self._chats.get(chat_key, ChatState())

    def restore_chat(self, chat_key: str, state: ChatState) -> None:
        """Set a stored state of a chat."""
        self._chats[chat_key] = state

    def copy(self, key: str, turn: Turn) -> "Dialogue":
        """Return an instance with the state under `key` and that of the chat of `turn`."""
        copy, chat_key = Dialogue(), turn.message.address.key
        copy.restore(key, self.state(key))
        copy.restore_chat(chat_key, self.chat_state(chat_key))
        return copy

    def note(self, key: str, turn: Turn, calls: tuple[ToolCall, ...], *, has_failed: bool = False) -> None:
        """Record that `calls` answered the message of `turn`.

        `has_failed` if they name a reminder that the chat does not have.
        """
        action = LastAction(at=turn.now, message_id=turn.message.id, calls=calls)
        before = self.state(key).last_set
        set_calls = (call for call in reversed(calls) if call.name == "reminder_set" and not _is_lead_of(call, before))
        last_set = next(set_calls, None)
        self._states[key] = DialogueState(action=action, last_set=last_set or before, has_failed=has_failed)
        if has_failed:
            self.note_failure(turn)
        if last_set is not None:
            person = last_set.arguments.get("person")
            last_reminder = LastReminder(
                at=turn.now,
                message_id=turn.message.id,
                sender=turn.message.sender,
                name="" if person is None else str(person).removeprefix("@"),
                call=last_set,
            )
            chat_key = turn.message.address.key
            self._chats[chat_key] = replace(self.chat_state(chat_key), last_reminder=last_reminder)

    def note_failure(self, turn: Turn) -> None:
        """Record that the request of `turn` was not carried out, although it was about reminders."""
        chat_key = turn.message.address.key
        self._chats[chat_key] = replace(self.chat_state(chat_key), failed_at=turn.now)

    def _find_last_reminder(self, turn: Turn) -> LastReminder | None:
        """Return the reminder that was set last in the chat of `turn`, by anybody; None for none."""
        return self.chat_state(turn.message.address.key).last_reminder

    def find_person_of_pronoun(self, turn: Turn) -> str | None:
        """Return the person who is "him" or "her": the last for whom, or by whom, a reminder was set in the chat."""
        last = self._find_last_reminder(turn)
        if last is None or turn.now - last.at > _FRESH or last.name == "everyone":
            return None
        is_own = last.sender.id == turn.message.sender.id
        return last.name or (None if is_own else last.sender.name)

    def last_set_for(self, name: str, turn: Turn) -> ToolCall | None:
        """Return the call that set a reminder last in the chat, where "him" and "her" stand for `name`."""
        last = self._find_last_reminder(turn)
        return None if last is None or self.find_person_of_pronoun(turn) != name else last.call

    def last_set_in_chat(self, turn: Turn) -> tuple[ToolCall, Person] | None:
        """Return the call that has just set a reminder in the chat, and who asked for it.

        None if there is none, or if a later request in the chat has failed: "me too" is then about that request.
        """
        last, failed_at = self._find_last_reminder(turn), self.chat_state(turn.message.address.key).failed_at
        is_over = last is None or turn.now - last.at > _FRESH or (failed_at is not None and failed_at > last.at)
        return None if last is None or is_over else (last.call, last.sender)

    def is_last_set_by_other(self, key: str, turn: Turn) -> bool:
        """Return whether another person has set the last reminder of the chat, since the last action for the sender."""
        other, last = self._find_last_reminder(turn), self.last_action(key, turn.now)
        if other is None or other.sender.id == turn.message.sender.id:
            return False
        return last is None or other.at > last.at

    def is_reminded_by_other(self, key: str, turn: Turn) -> bool:
        """Return whether another person has just set a reminder for the sender of `turn`, who has asked nothing since.

        One for everyone does not count.
        """
        other = self._find_last_reminder(turn)
        if other is None or other.name == "everyone" or not self.is_last_set_by_other(key, turn):
            return False
        return turn.now - other.at <= _FRESH and _is_for_sender(other, turn)

    def is_reminded_since_delivery(self, key: str, turn: Turn) -> bool:
        """Return whether another person has set a reminder for the sender of `turn` behind the last delivery."""
        fired, other = _find_last_delivery(turn), self._find_last_reminder(turn)
        is_behind = fired is None or (other is not None and other.at > fired)
        return is_behind and self.is_reminded_by_other(key, turn)

    def note_other_subject(self, key: str) -> None:
        """Record that the person under `key` has written of something else."""
        if key in self._states:
            self._states[key] = replace(self._states[key], changed_subject=True)

    def last_action(self, key: str, now: datetime) -> LastAction | None:
        """Return the last action for `key` if it is recent."""
        action = self.state(key).action
        return action if action is not None and timedelta() <= now - action.at <= LIFETIME else None

    def last_call(self, key: str, now: datetime) -> ToolCall:
        """Return the last call for `key`; one without a name where there is none."""
        last = self.last_action(key, now)
        calls = (NO_CALL,) if last is None else last.calls
        return calls[0 if calls[0].name == "memory_search" else -1]

    def last_set(self, key: str, now: datetime) -> ToolCall | None:
        """Return the call that set a reminder for `key` last, if something was done for them recently."""
        is_over = self.last_action(key, now) is None or self.has_failed(key, now)
        return None if is_over else self.state(key).last_set

    def has_failed(self, key: str, now: datetime) -> bool:
        """Return whether the last request under `key`, a moment ago, was for a reminder that the chat does not have."""
        state, last = self.state(key), self.last_action(key, now)
        return state.has_failed and last is not None and now - last.at <= _FRESH

    def context(self, key: str, turn: Turn) -> Context:
        """Return the state of the dialogue in which the message of `turn` is written."""
        last = self.last_action(key, turn.now)
        fired = _find_last_delivery(turn)
        if fired is not None and (last is None or fired > last.at):
            return "fired"
        if self.is_reminded_by_other(key, turn):
            return "acted"
        if last is None:
            return "none"
        return "acted" if last.is_change else "listed" if last.calls[0].name == "reminder_list" else "none"

    @staticmethod
    def find_delivery_text(turn: Turn) -> str:
        """Return the text of the reminder delivered last in the chat; "" for none."""
        return next((message.text for message in reversed(turn.recent) if _is_delivery(message)), "")

    def is_delivery_for_others(self, turn: Turn) -> bool:
        """Return whether the reminder delivered last in the chat mentions people, but not the sender of `turn`."""
        text = self.find_delivery_text(turn)
        own = turn.message.sender.name
        mentioned = [name for name in {own, *find_members(turn)} if re.search(rf"@{re.escape(name)}(?!\w)", text)]
        return bool(mentioned) and own not in mentioned

    def is_fresh(self, key: str, turn: Turn) -> bool:
        """Return whether the last action is so recent that words without a name go on with it."""
        last = self.last_action(key, turn.now)
        return last is not None and turn.now - last.at <= _FRESH

    def list_messages_since(self, key: str, turn: Turn, question_id: str) -> list[ChatMessage]:
        """Return other people's messages to each other since the last action, delivery, or the question.

        A reminder that another person has set for the sender of `turn` is an action as well.
        """
        last, other = self.last_action(key, turn.now), self._find_last_reminder(turn)
        begin = {question_id, "" if last is None else last.message_id}
        begin |= {other.message_id} if other is not None and self.is_reminded_by_other(key, turn) else set()
        own = turn.message.sender.id
        is_fired = self.context(key, turn) == "fired"
        written = takewhile(
            lambda each: each.id not in begin and not (is_fired and _is_delivery(each)), reversed(turn.recent)
        )
        answered = list_answered(turn)
        return [
            message
            for message in written
            if not message.sender.is_bot and message.sender.id != own and message.id not in answered
        ]


def list_answered(turn: Turn) -> set[str | None]:
    """Return the ids of the recent messages that the bot has answered."""
    return {message.reply_to for message in turn.recent if message.sender.is_bot}


def _is_for_sender(other: LastReminder, turn: Turn) -> bool:
    """Return whether another person has set a reminder for the sender of `turn`, alone or with others."""
    is_named = find_name(other.name, turn.message.sender.name) is not None
    return not is_named if other.name.startswith("everyone") else is_named  # "everyone except Ann"


def _find_last_delivery(turn: Turn) -> datetime | None:
    """Return when the bot last delivered a reminder here; None where that is long ago."""
    sent_at = next((message.sent_at for message in reversed(turn.recent) if _is_delivery(message)), None)
    return None if sent_at is None or turn.now - sent_at > _DELIVERED else sent_at


def _is_delivery(message: ChatMessage) -> bool:
    """Return whether a message delivers a reminder: the bot has written it without being asked."""
    return message.sender.is_bot and message.reply_to is None


def _is_lead_of(call: ToolCall, before: ToolCall | None) -> bool:
    """Return whether `call` sets a reminder ahead of the one `before`: "and a day before as well"."""
    if before is None or before.arguments.get("content") != call.arguments.get("content"):
        return False
    times = [str(each.arguments.get("time", "")) for each in (call, before)]
    return len(times[0]) == len(times[1]) and times[0] < times[1]
