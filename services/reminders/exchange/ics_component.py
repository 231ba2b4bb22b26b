"""Split iCalendar text into components, and parse the text and times of a VEVENT or VTODO."""

from datetime import UTC, datetime, time, timedelta, tzinfo
from types import ModuleType
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from services.kernel.errors import ConfigError
from services.reminders.exchange.ics_schedule import IcsTimes
from services.reminders.exchange.model import ImportRefused, Problem

if TYPE_CHECKING:
    from icalendar import Component


def calendar_library() -> ModuleType:
    """Return the package `icalendar`.

    Raises:
        ConfigError: the extra `ical` is not installed.
    """
    try:
        import icalendar
    except ImportError as error:
        problem = "is not installed; install it: in the project's folder, pip install -e '.[ical]'"
        raise ConfigError("iCalendar", "", problem) from error
    return icalendar


_DEEPEST = 8
_READ_COMPONENTS = frozenset({"VEVENT", "VTODO", "VTIMEZONE"})


class IcsPart(Struct, frozen=True, kw_only=True):
    """The text of a VEVENT, VTODO or VTIMEZONE, and the number of its first line."""

    kind: str
    line: int
    text: str


def ics_parts(text: str) -> tuple[IcsPart, ...]:
    """Return the components of one or several calendars, in order; other text is ignored.

    Raises:
        ImportRefused: BEGIN and END do not match, or the text is not a calendar.
    """
    splitter = _ComponentSplitter()
    # Only a line feed ends a line; `splitlines` knows other separators, which may be text.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        splitter.feed(number, line.removesuffix("\r"))
    return splitter.close()


class _ComponentSplitter:
    """Collects the lines of each component in a calendar; `_begin_line` is the number of the first one."""

    def __init__(self) -> None:
        self._parts: list[IcsPart] = []
        self._open: list[str] = []
        self._begin_line = 1
        self._lines: list[str] = []

    def feed(self, number: int, line: str) -> None:
        name, _, value = line.partition(":")
        word, value = name.upper(), value.strip().upper()
        if word == "BEGIN":
            self._begin(number, value)
        elif not self._open and line.strip():
            raise _refusal(number, "not an iCalendar file: it must begin with BEGIN:VCALENDAR")
        if len(self._open) > 1:
            self._lines.append(line)
        if word == "END":
            self._end(number, value)

    def close(self) -> tuple[IcsPart, ...]:
        if self._open:
            raise _refusal(self._begin_line, f"BEGIN:{self._open[-1][:40]} without its END")
        return tuple(self._parts)

    def _begin(self, number: int, kind: str) -> None:
        self._open.append(kind)
        if len(self._open) > _DEEPEST:
            raise _refusal(number, "components are nested too deeply")
        if len(self._open) == 2:
            self._begin_line, self._lines = number, []

    def _end(self, number: int, kind: str) -> None:
        if not self._open or self._open.pop() != kind:
            raise _refusal(number, f"END:{kind[:40]} without its BEGIN")
        if len(self._open) == 1 and kind in _READ_COMPONENTS:
            self._parts.append(IcsPart(kind=kind, line=self._begin_line, text="\r\n".join([*self._lines, ""])))


def _refusal(line: int, reason: str) -> ImportRefused:
    return ImportRefused([Problem(place=f"line {line}", uid="", reason=reason)])


_TIMES = frozenset({"DTSTART", "DUE", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "STATUS"})
_ALL_DAY_CLOCK = time(9)
_MONTHS_COMPARED = 24
_MAX_DATES = 300


class IcsItem(Struct, frozen=True, kw_only=True):
    """The parts of a component that a reminder needs; `zone` is an IANA name.

    `alarm` is the offset of its first alarm from the start, None without one. `replaces` is the occurrence of a
    recurring event that this one replaces. `record` is the JSON record of a reminder exported by the bot, else empty.
    """

    line: int
    uid: str
    summary: str
    times: IcsTimes
    zone: str
    is_all_day: bool
    is_over: bool
    alarm: timedelta | None
    replaces: datetime | None
    record: str
    created_at: datetime | None


def read_component(part: IcsPart, default_zone: str) -> IcsItem:
    """Parse one component; times without a zone, and single instants in UTC, get `default_zone`.

    Raises:
        ValueError: the component is not valid or not supported, with the reason.
    """
    library = calendar_library()
    component: Component = (library.Event if part.kind == "VEVENT" else library.Todo).from_ical(part.text)
    for name, fault in component.errors:
        if name in _TIMES:
            raise ValueError(f"{name}: {fault}"[:300])
    start = _single(component, "DUE") or _single(component, "DTSTART")
    if start is None:
        raise ValueError("there is no DTSTART" if part.kind == "VEVENT" else "there is neither DUE nor DTSTART")
    rule = _rule(component)
    reader = _TimeReader(default_zone, is_recurring=bool(rule))
    first = reader.first(start)
    dates = reader.all(component.get("RDATE"))
    if len(dates) > _MAX_DATES:
        raise ValueError(f"there are more than {_MAX_DATES} dates in RDATE")
    replaced, created = _single(component, "RECURRENCE-ID"), _single(component, "CREATED")
    if replaced is not None and replaced.params.get("RANGE"):
        raise ValueError("RECURRENCE-ID with a RANGE is not understood")
    return IcsItem(
        line=part.line,
        uid=str(component.get("UID", "")).strip(),
        summary=str(component.get("SUMMARY") or component.get("DESCRIPTION") or "").strip(),
        times=IcsTimes(start=first, rule=rule, dates=dates, exceptions=reader.all(component.get("EXDATE"))),
        zone=reader.zone,
        is_all_day=reader.is_all_day,
        is_over=str(component.get("STATUS", "")).upper() in {"CANCELLED", "COMPLETED"},
        alarm=_alarm(component, first),
        replaces=None if replaced is None else reader.instant(replaced.dt),
        record=str(component.get("X-BUBBLES-REMINDER", "")),
        created_at=created.dt if created and isinstance(created.dt, datetime) and created.dt.tzinfo else None,
    )


class _TimeReader:
    """Reads the times of one component; the first one determines its zone and `is_all_day`."""

    def __init__(self, default_zone: str, *, is_recurring: bool) -> None:
        self.zone = default_zone
        self.is_all_day = False
        self._is_recurring = is_recurring

    def first(self, value: Any) -> datetime:
        self.is_all_day = not isinstance(value.dt, datetime)
        if isinstance(value.dt, datetime) and value.dt.tzinfo is not None:
            self.zone = self._zone_of(value.dt)
        elif "TZID" in value.params:
            raise ValueError(f"there is no time zone {str(value.params['TZID'])[:80]!r}")
        return self.instant(value.dt)

    def all(self, values: Any) -> tuple[datetime, ...]:
        lists = values if isinstance(values, list) else [] if values is None else [values]
        return tuple(self.instant(entry.dt) for listed in lists for entry in listed.dts)

    def instant(self, value: Any) -> datetime:
        """Convert a date, a time or the start of a period to an instant in the zone of the component."""
        if isinstance(value, tuple):
            value = value[0]
        zone = ZoneInfo(self.zone)
        if isinstance(value, time):
            raise ValueError("a time without a date is not understood")  # noqa: TRY004 - an error of the file
        if not isinstance(value, datetime):
            return datetime.combine(value, _ALL_DAY_CLOCK, tzinfo=zone)
        if value.tzinfo is None:
            return value.replace(tzinfo=zone)
        # A wall time in a DST gap stays as written; the schedule moves it.
        return value if value.tzinfo is zone else value.astimezone(zone)

    def _zone_of(self, moment: datetime) -> str:
        if isinstance(moment.tzinfo, ZoneInfo) and moment.tzinfo.key != "UTC":
            return moment.tzinfo.key
        if not self._is_recurring:
            return self.zone  # a single instant is the same in every zone
        if moment.utcoffset() == timedelta(0) and (moment.tzinfo is UTC or isinstance(moment.tzinfo, ZoneInfo)):
            return "UTC"
        if _agree(moment, moment.tzinfo, ZoneInfo(self.zone)):
            return self.zone
        raise ValueError(f"the time zone {str(moment.tzinfo)[:80]} is not an IANA name")


def _agree(moment: datetime, first: tzinfo | None, second: tzinfo) -> bool:
    walls = [moment.replace(tzinfo=None) + timedelta(days=30 * month) for month in range(_MONTHS_COMPARED)]
    return all(wall.replace(tzinfo=first).utcoffset() == wall.replace(tzinfo=second).utcoffset() for wall in walls)


def _single(component: "Component", name: str) -> Any:
    value = component.get(name)
    if isinstance(value, list):
        raise ValueError(f"there are several {name}")  # noqa: TRY004 - an error of the file
    return value


def _rule(component: "Component") -> str:
    rule = _single(component, "RRULE")
    text: str = "" if rule is None else rule.to_ical().decode("utf-8")
    return text


def _alarm(component: "Component", start: datetime) -> timedelta | None:
    for alarm in component.walk("VALARM"):
        trigger = _single(alarm, "TRIGGER")
        if trigger is None:
            continue
        if isinstance(trigger.dt, datetime):
            return trigger.dt.astimezone(UTC) - start.astimezone(UTC)
        if isinstance(trigger.dt, timedelta) and str(trigger.params.get("RELATED", "START")).upper() == "START":
            return trigger.dt
    return None
