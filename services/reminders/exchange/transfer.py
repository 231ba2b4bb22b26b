"""Export the reminders of a chat to a file, and import those of a file."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.recurrence.fires import check
from services.reminders.exchange.ics_read import ImportDefaults, import_ics
from services.reminders.exchange.ics_write import export_ics
from services.reminders.exchange.json_form import export_json, import_json
from services.reminders.exchange.model import (
    MAX_BYTES,
    ImportedReminder,
    ImportRefused,
    PortableFile,
    PortableReminder,
    Problem,
    TransferStore,
    key_in_uid,
    reason_of,
    request_key,
    to_portable,
    uid_of,
)
from services.reminders.model import NewReminder, ReminderLimits, ReminderState, fields_of
from services.reminders.ports import ReminderReader

_EVERYTHING = 1_000_000
_OPEN = frozenset({ReminderState.ACTIVE, ReminderState.PAUSED})


class Form(StrEnum):
    """The file formats."""

    JSON = "json"
    ICS = "ics"


class ImportReport(Struct, frozen=True, kw_only=True):
    """The numbers of imported and of known reminders, and the UIDs of those that are over."""

    added: int
    known: int
    over: tuple[str, ...]


async def export_chat(reader: ReminderReader, chat: ChatAddress, form: Form, now: datetime) -> str:
    """Return the active and paused reminders of `chat` as a file; `now` is timezone-aware.

    Raises:
        ConfigError: the extra `ical` is not installed.
    """
    reminders = [to_portable(row) for row in await reader.in_chat(chat.key, _EVERYTHING)]
    write = export_json if form is Form.JSON else export_ics
    return write(reminders, chat=chat.key, now=now)


def form_of(data: bytes) -> Form:
    """Return the format of `data` by its first bytes."""
    return Form.JSON if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["} else Form.ICS


class Importer:
    """Imports the reminders of files into chats: all of a file, or nothing and a report."""

    def __init__(self, store: TransferStore, clock: Clock, limits: ReminderLimits | None = None) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits or ReminderLimits()

    async def import_file(self, data: bytes, chat: ChatAddress, defaults: ImportDefaults) -> ImportReport:
        """Import the reminders of a JSON or iCalendar file into `chat`.

        A known reminder, by its UID, stays unchanged, so a file may be imported twice. A reminder without a next fire
        counts as over, unless the file declares it as done. People have the ids in the file.

        Raises:
            ImportRefused: the file is not valid; nothing was imported.
            RequestRefused: `too_many_reminders(limit)`.
            ConfigError: the extra `ical` is not installed.
        """
        now = self._clock.now()
        imported, known, over = await self.prepare(_read(data, defaults, now), chat)
        return ImportReport(added=await self._store.add_imported(imported, now), known=known, over=over)

    async def prepare(
        self, found: PortableFile, chat: ChatAddress
    ) -> tuple[list[ImportedReminder], int, tuple[str, ...]]:
        """Return the new reminders of a parsed file, the number of known ones and the UIDs of those that are over.

        Raises as `import_file`.
        """
        now = self._clock.now()
        chosen: list[ImportedReminder] = []
        known, over, problems = 0, list(found.over), list[Problem]()
        for number, reminder in enumerate(found.reminders, start=1):
            key = await self._free_key(chat, reminder)
            if key is None:
                known += 1
                continue
            try:
                chosen.append(self._to_imported(reminder, chat, key, found.chat, now))
            except RequestRefused as refusal:
                if refusal.code in {"time_in_past", "rule_never_fires"}:
                    over.append(reminder.uid)
                else:
                    place = f"reminder {number}"
                    problems.append(Problem(place=place, uid=reminder.uid[:80], reason=reason_of(refusal)))
        if problems:
            raise ImportRefused(problems)
        open_count = len(await self._store.in_chat(chat.key, self._limits.per_chat))
        coming = sum(reminder.state in _OPEN for reminder in chosen)
        if coming and open_count + coming > self._limits.per_chat:
            raise RequestRefused("too_many_reminders", limit=self._limits.per_chat)
        return chosen, known, tuple(over)

    async def _free_key(self, chat: ChatAddress, reminder: PortableReminder) -> str | None:
        """Return the request key for `reminder`; None if it is in this chat, open or in the state of the file."""
        known = _OPEN | {reminder.state}
        number = key_in_uid(reminder.uid)
        row = None if number is None else await self._store.get(number)
        if row is not None and row.address.key == chat.key and uid_of(row) == reminder.uid and row.state in known:
            return None
        copy = 0
        while (row := await self._store.by_request(request_key(chat, reminder.uid, copy))) is not None:
            if row.state in known:
                return None
            copy += 1
        return request_key(chat, reminder.uid, copy)

    def _to_imported(
        self, reminder: PortableReminder, chat: ChatAddress, key: str, source: str, now: datetime
    ) -> ImportedReminder:
        self._limits.check_content(reminder.content)
        fires = reminder.state is ReminderState.ACTIVE
        thread_id = reminder.thread_id if source == chat.key else chat.thread_id
        return ImportedReminder(
            reminder=NewReminder(
                request_key=key,
                address=ChatAddress(platform=chat.platform, chat_id=chat.chat_id, thread_id=thread_id),
                **fields_of(reminder),
            ),
            state=reminder.state,
            next_fire_at=check(reminder.schedule, now) if fires else None,
            created_at=reminder.created_at,
        )


def _read(data: bytes, defaults: ImportDefaults, now: datetime) -> PortableFile:
    if len(data) > MAX_BYTES:
        raise ImportRefused([Problem(place="the file", uid="", reason=f"larger than {MAX_BYTES // 1_000_000} MB")])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ImportRefused([Problem(place=f"line {line}", uid="", reason="not UTF-8 text")]) from error
    if form_of(data) is Form.JSON:
        return _unique(import_json(text))
    return _unique(import_ics(text, defaults=defaults, now=now))


def _unique(found: PortableFile) -> PortableFile:
    """Return the file, unless a UID stands in it twice."""
    seen: set[str] = set()
    problems = []
    for number, reminder in enumerate(found.reminders, start=1):
        if reminder.uid in seen:
            problems.append(Problem(place=f"reminder {number}", uid=reminder.uid[:80], reason="this UID comes twice"))
        seen.add(reminder.uid)
    if problems:
        raise ImportRefused(problems)
    return found
