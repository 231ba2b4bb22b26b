"""List the reminders of a room in the form of the page, and publish their changes."""

from collections.abc import Iterable
from typing import Final

from typing_extensions import TypedDict

from bot.http.core.context import HttpContext
from bot.platforms.web.frames import format_instant
from function_calls.language import recurrence_text
from function_calls.language.messages import LANGUAGES
from services.kernel.chat import ChatAddress
from services.recurrence.schedule import rule_text
from services.reminders.model import Reminder, ReminderState

_MAX_REMINDERS: Final = 1000


class ReminderBody(TypedDict):
    """A reminder. `due_at` is its next fire (UTC); `repeat` its rule (RFC 5545 or similar), empty for once.

    `repeat_words` describes the rule by language; `created_by` and `mentions` are ids of people.
    """

    id: str
    session_id: str
    text: str
    due_at: str | None
    next: list[str]
    tz: str
    start: str
    repeat: str
    repeat_words: dict[str, str]
    created_by: str
    created_by_name: str
    mentions: list[str]
    status: str
    late_ms: int | None
    is_urgent: bool
    created_at: str


class ChangedReminderBody(ReminderBody):
    """A reminder after a change. `POST /api/reminders/undo` undoes it by `change_id`, null if it cannot be undone."""

    change_id: str | None


def reminder_body(reminder: Reminder) -> ReminderBody:
    """Return a reminder in the form of the page."""
    fires = [format_instant(each) for each in reminder.next_fires]
    rule = rule_text(reminder.schedule)
    return ReminderBody(
        id=reminder.id,
        session_id=reminder.address.chat_id,
        text=reminder.content,
        due_at=fires[0] if fires else None,
        next=fires,
        tz=reminder.schedule.zone,
        start=reminder.schedule.start.isoformat(timespec="minutes"),
        repeat=rule,
        repeat_words={language: recurrence_text.rule(language, reminder) for language in LANGUAGES} if rule else {},
        created_by=reminder.creator.id,
        created_by_name=reminder.creator.name,
        mentions=[person.id for person in reminder.targets],
        status=reminder.state.value,
        late_ms=None,
        is_urgent=reminder.is_urgent,
        created_at=format_instant(reminder.created_at),
    )


async def room_reminders(context: HttpContext, chat: ChatAddress) -> list[ReminderBody]:
    """Return the open reminders of a chat, soonest first."""
    pairs = await context.finder.open_in(chat)
    return [reminder_body(reminder) for reminder, _ in pairs[:_MAX_REMINDERS]]


async def reminders_by_id(context: HttpContext, chat: ChatAddress, ids: Iterable[str]) -> list[ReminderBody]:
    """Return the reminders of a chat with these ids, open or done."""
    rows = [await context.find_reminder(each) for each in dict.fromkeys(ids)]
    own = [row for row in rows if row is not None and row.address.key == chat.key]
    return [reminder_body(context.finder.public(row)) for row in own]


class ReminderWatch:
    """Publishes to rooms which of their reminders are new, changed or gone."""

    def __init__(self, context: HttpContext) -> None:
        self._context = context
        self._known: dict[str, dict[str, ReminderBody]] = {}

    async def publish_changes(self, chat: ChatAddress) -> None:
        """Publish to the room of `chat` the changes since the last call; the first call only stores the state."""
        now = {each["id"]: each for each in await room_reminders(self._context, chat)}
        before = self._known.get(chat.key)
        self._known[chat.key] = now
        room = self._context.room.room(chat.chat_id)
        for reminder in now.values():
            if before is None or reminder == before.get(reminder["id"]):
                continue
            kind = "reminder_updated" if reminder["id"] in before else "reminder_created"
            room.emit(kind, {"reminder": reminder})
        for gone in (before or {}).values():
            if gone["id"] not in now:
                row = await self._context.find_reminder(gone["id"])
                state = ReminderState.CANCELLED if row is None else row.state
                kind = "reminder_updated" if state is ReminderState.DONE else "reminder_cancelled"
                room.emit(kind, {"reminder": {**gone, "status": state.value, "due_at": None, "next": []}})
