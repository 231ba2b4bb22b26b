"""A reminder outside the database, and what can be wrong with a file of them."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from services.chat import ChatAddress, Person
from services.errors import AssistantError
from services.reminders.model import CatchUp, ReminderAction, ReminderState, Schedule
from services.reminders.portable.uids import uid_of
from services.reminders.records import StoredReminder

MOST_BYTES = 5_000_000
MOST_REMINDERS = 10_000
MOST_PROBLEMS = 100


class PortableReminder(Struct, frozen=True, kw_only=True):
    """Everything about an open or finished reminder except its chat. `uid` is the same wherever the reminder is taken.

    `created_at` is timezone-aware. `thread_id` matters only where it is put back into the chat that it came from.
    """

    uid: str
    content: str
    creator: Person
    targets: tuple[Person, ...]
    schedule: Schedule
    language: str
    is_private: bool
    state: ReminderState
    created_at: datetime
    thread_id: str | None = None
    is_urgent: bool = False
    catch_up: CatchUp = CatchUp.LATEST
    action: ReminderAction = ReminderAction.SAY


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong in a file: where (`line 12`, `reminder 3`), with which reminder, and what."""

    place: str
    uid: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}{f' ({self.uid})' if self.uid else ''}: {self.reason}"


class ImportRefused(AssistantError):
    """A file cannot be imported, and nothing of it was; `problems` has one entry for each reminder at fault."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems[:3]))
        self.problems = tuple(problems[:MOST_PROBLEMS])


class PortableFile(Struct, frozen=True, kw_only=True):
    """What a file holds. `chat` is the key of the chat that it was taken from, empty where the file does not say.

    `over` are the UIDs of what the file itself calls finished or cancelled.
    """

    reminders: tuple[PortableReminder, ...]
    chat: str = ""
    over: tuple[str, ...] = ()


def portable(row: StoredReminder) -> PortableReminder:
    """A row of the store as it goes into a file."""
    return PortableReminder(
        uid=uid_of(row),
        content=row.content,
        creator=row.creator,
        targets=row.targets,
        schedule=row.schedule,
        language=row.language,
        is_private=row.is_private,
        state=row.state,
        created_at=row.created_at,
        thread_id=row.address.thread_id,
        is_urgent=row.is_urgent,
        catch_up=row.catch_up,
        action=row.action,
    )


def read_chat(key: str) -> ChatAddress:
    """The address that `platform:id` names.

    Raises:
        ValueError: it names none.
    """
    platform, colon, chat_id = key.partition(":")
    if not (platform and colon and chat_id):
        raise ValueError(f"{key!r} is not platform:id, such as console:home")
    return ChatAddress(platform=platform, chat_id=chat_id)
