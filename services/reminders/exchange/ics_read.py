"""Parse iCalendar files into reminders: exports of the bot exactly, other calendars as far as possible."""

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.recurrence.rules import parse_rule, with_exceptions
from services.recurrence.schedule import Schedule, rule_text
from services.reminders.exchange.ics_component import IcsItem, IcsPart, calendar_library, ics_parts, read_component
from services.reminders.exchange.ics_schedule import has_same_times, own_rule
from services.reminders.exchange.model import (
    MAX_PROBLEMS,
    MAX_REMINDERS,
    ImportRefused,
    PortableFile,
    PortableReminder,
    Problem,
    reason_of,
)
from services.reminders.exchange.record import ReminderRecord, validate_schedule
from services.reminders.model import ReminderState

# Exceptions of the library for components that are not well-formed.
_UNREADABLE = (ValueError, KeyError, IndexError, OverflowError, AttributeError, TypeError)


class ImportDefaults(Struct, frozen=True, kw_only=True):
    """The owner, zone and language of reminders from other calendars."""

    creator: Person
    zone: str
    language: str


def import_ics(text: str, *, defaults: ImportDefaults, now: datetime) -> PortableFile:
    """Parse the events and to-dos of an iCalendar file; `now` is timezone-aware.

    An event fires at its first alarm, else at its start, which is 09:00 for whole days. A moved occurrence of a
    recurring event and each date of RDATE become separate reminders.

    Raises:
        ImportRefused: some components are not valid, with one problem for each.
        ConfigError: the extra `ical` is not installed.
    """
    parts = ics_parts(text)
    if len(parts) > MAX_REMINDERS:
        raise ImportRefused([Problem(place="the file", uid="", reason=f"has more than {MAX_REMINDERS} components")])
    problems = _register_zones([part for part in parts if part.kind == "VTIMEZONE"])
    items: list[IcsItem] = []
    for part in parts:
        if part.kind != "VTIMEZONE" and len(problems) < MAX_PROBLEMS:
            try:
                items.append(_with_uid(read_component(part, defaults.zone), part))
            except _UNREADABLE as error:
                problems.append(Problem(place=f"line {part.line}", uid=_uid_in(part), reason=reason_of(error)))
    problems.extend(_find_duplicates(items))
    reminders = list(_reminders([item for item in items if not item.is_over], defaults, now, problems))
    if problems:
        raise ImportRefused(sorted(problems, key=lambda problem: int(problem.place.split()[-1])))
    return PortableFile(reminders=tuple(reminders), over=tuple(item.uid for item in items if item.is_over))


def _register_zones(parts: list[IcsPart]) -> list[Problem]:
    """Register the time zones of the file with the library, which forgets those of earlier files."""
    calendar_library().use_zoneinfo()
    problems = []
    for part in parts:
        try:
            calendar_library().Calendar.from_ical(f"BEGIN:VCALENDAR\r\n{part.text}END:VCALENDAR\r\n")
        except _UNREADABLE as error:
            problems.append(Problem(place=f"line {part.line}", uid="", reason=f"VTIMEZONE: {reason_of(error)}"))
    return problems


def _reminders(
    items: list[IcsItem], defaults: ImportDefaults, now: datetime, problems: list[Problem]
) -> Iterator[PortableReminder]:
    moved: dict[str, list[datetime]] = {}
    for item in items:
        if item.replaces is not None:
            moved.setdefault(item.uid, []).append(item.replaces)
    for item in items:
        try:
            if item.replaces is None:
                yield from _reminders_of(_without_replaced(item, moved.get(item.uid, [])), defaults, now)
            else:
                uid = f"{item.uid}#{item.replaces:%Y%m%dT%H%M%S}"
                yield from _reminders_of(replace(item, uid=uid, replaces=None), defaults, now)
        except (RequestRefused, ValueError, OverflowError) as error:
            problems.append(Problem(place=f"line {item.line}", uid=item.uid[:80], reason=reason_of(error)))


def _reminders_of(item: IcsItem, defaults: ImportDefaults, now: datetime) -> Iterator[PortableReminder]:
    if item.record:
        yield _reminder_of_record(item, now)
        return
    if not item.summary:
        raise RequestRefused("content_missing")
    yield _reminder(item, item.uid, _schedule(item), defaults, now)
    for moment in item.times.dates:
        once = replace(item, times=replace(item.times, start=moment, rule="", dates=(), exceptions=()))
        yield _reminder(item, f"{item.uid}#{moment:%Y%m%dT%H%M%S}", _schedule(once), defaults, now)


def _reminder_of_record(item: IcsItem, now: datetime) -> PortableReminder:
    """Return the reminder of an event that the bot exported, with later changes of text, times and UID (of a copy)."""
    reminder = ReminderRecord.model_validate_json(item.record, strict=True).reminder()
    if not has_same_times(reminder.schedule, item.times, now):
        reminder = replace(reminder, schedule=_schedule(item))
    if item.summary and item.summary != _normalize_line_ends(reminder.content):
        reminder = replace(reminder, content=item.summary)
    return replace(reminder, uid=item.uid)


def _normalize_line_ends(content: str) -> str:
    """Return a text like the value of a property: with line feeds, and without white space around it.

    icalendar 7.3 writes a backslash in front of "N" as a line feed.
    """
    return content.replace("\r\n", "\n").replace("\r", "\n").replace("\\N", "\n").strip()


def _reminder(item: IcsItem, uid: str, schedule: Schedule, defaults: ImportDefaults, now: datetime) -> PortableReminder:
    record = ReminderRecord.model_validate(
        {
            "uid": uid,
            "content": item.summary,
            "creator": {"id": defaults.creator.id, "name": defaults.creator.name},
            "start": schedule.start.replace(fold=0),
            "fold": schedule.start.fold,
            "zone": schedule.zone,
            "rule": rule_text(schedule),
            "language": defaults.language,
            "state": ReminderState.ACTIVE.value,
            "created_at": item.created_at or now,
        }
    )
    return record.reminder()


def _schedule(item: IcsItem) -> Schedule:
    start = _due(item).replace(tzinfo=None)
    rule = parse_rule(own_rule(item.times.rule)) if item.times.rule else None
    if rule is not None and item.times.exceptions:
        rule = with_exceptions(rule, item.times.exceptions, days_only=item.is_all_day)
    return validate_schedule(Schedule(start=start, zone=item.zone, rule=rule))


def _due(item: IcsItem) -> datetime:
    """Return the time of the alarm, or the start if the alarm would move a rule to other days or off its exceptions."""
    start = item.times.start
    midnight = start.replace(hour=0, minute=0) if item.is_all_day else start
    if item.alarm is None or item.record:
        return start
    due = midnight + item.alarm
    is_fixed = "BYHOUR" in item.times.rule or "BYMINUTE" in item.times.rule or bool(item.times.exceptions)
    if item.times.rule and (due.date() != start.date() or (is_fixed and not item.is_all_day)):
        return start
    return due


def _without_replaced(item: IcsItem, moved: list[datetime]) -> IcsItem:
    """Return the recurring event without the occurrences that other events replace."""
    if not moved:
        return item
    return replace(item, times=replace(item.times, exceptions=(*item.times.exceptions, *moved)))


def _with_uid(item: IcsItem, part: IcsPart) -> IcsItem:
    """Return the event; if it has no UID, with a hash of its text, which is the same on every import."""
    return item if item.uid else replace(item, uid=f"{sha256(part.text.encode()).hexdigest()[:24]}@bubbles")


def _find_duplicates(items: list[IcsItem]) -> Iterator[Problem]:
    seen: dict[tuple[str, datetime | None], int] = {}
    for item in items:
        first = seen.setdefault((item.uid, item.replaces), item.line)
        if first != item.line:
            reason = f"has the same UID as the component at line {first}"
            yield Problem(place=f"line {item.line}", uid=item.uid[:80], reason=reason)


def _uid_in(part: IcsPart) -> str:
    for line in part.text.split("\r\n"):
        if line.upper().startswith("UID:"):
            return line[4:84]
    return ""
