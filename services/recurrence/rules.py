"""Parse and format recurrence rules: RFC 5545 RRULE values, and rules of other calendars."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.calendars.lunar import LunarDays, read_lunar
from services.recurrence.calendars.workdays import Workdays

WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
ELAPSED: Final = frozenset({"MINUTELY", "HOURLY"})
MAX_OCCURRENCES: Final = 10_000
_MAX_WEEKS: Final = 5  # of a month
_MAX_POSITIONS: Final = 31  # of BYSETPOS; every period is searched for each
_FREQUENCIES: Final = ELAPSED | {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}
_NUMBERS: Final = {  # part: minimum and maximum absolute value, and True if negative values are allowed
    "BYHOUR": (0, 23, False),
    "BYMINUTE": (0, 59, False),
    "BYMONTH": (1, 12, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYSETPOS": (1, 366, True),
}
_PARTS: Final = {*_NUMBERS, "FREQ", "INTERVAL", "BYDAY", "WKST", "COUNT", "UNTIL", "RSCALE", "SKIP", "EXDATE"}
_CALENDAR_PARTS: Final = {"REGION", "BYHOUR", "BYMINUTE", "COUNT", "UNTIL", "EXDATE"}
_CALENDAR: Final = ""  # the name of the first, unnamed part in a rule of another calendar
_STAMP: Final = "%Y%m%dT%H%M%S"
_FIRST_YEAR, _LAST_YEAR = 1900, 9998


CalendarDays = LunarDays | Workdays
"""The days of a rule of another calendar; `str` is their text in the rule."""


class Rule(Struct, frozen=True, kw_only=True):
    """The recurrence rule of a schedule. An empty tuple means that the part is missing.

    `days` are (ordinal, weekday) pairs, ordinal 0 for "every", weekday 0 = Monday. `until` is naive local time or
    aware UTC. With `skip` BACKWARD a day that a month lacks is its last day (RFC 7529). `except_days` and
    `except_walls` (naive local time) are excluded, but included in COUNT. `calendar` has the days of a rule of another
    calendar; its clock times are BYHOUR and BYMINUTE. `unreadable` is the text of a stored rule that this version
    cannot read.
    """

    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    days: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    week_start: int = 0
    skip: Literal["", "OMIT", "BACKWARD"] = ""
    except_days: frozenset[date] = frozenset()
    except_walls: frozenset[datetime] = frozenset()
    calendar: CalendarDays | None = None
    unreadable: str = ""

    @property
    def is_elapsed(self) -> bool:
        """Return whether the rule counts elapsed time instead of following the wall clock."""
        limits = self.hours or self.days or self.months or self.month_days
        return self.frequency in ELAPSED and not limits and not (self.frequency == "MINUTELY" and self.minutes)

    @property
    def is_backward(self) -> bool:
        """Return whether a day that a month lacks is replaced by its last day."""
        return self.skip == "BACKWARD"

    @property
    def is_rare(self) -> bool:
        """Return whether the rule has a part that only dateutil computes."""
        return bool(self.year_days or self.weeks or self.positions)

    @property
    def has_exceptions(self) -> bool:
        """Return whether days or wall times are excluded."""
        return bool(self.except_days or self.except_walls)

    def excludes(self, wall: datetime) -> bool:
        """Return whether `wall`, naive local time, is one of the exceptions."""
        return wall.date() in self.except_days or wall in self.except_walls

    def clock_times(self, start: datetime) -> list[time]:
        """Return the clock times on a day, ascending; a missing hour or minute is that of `start`."""
        hours, minutes = self.hours or (start.hour,), self.minutes or (start.minute,)
        return sorted(time(hour, minute, start.second) for hour in hours for minute in minutes)

    @property
    def pattern(self) -> "Rule":
        """Return the rule without its end, its exceptions and SKIP."""
        return replace(self, count=None, until=None, skip="", except_days=frozenset(), except_walls=frozenset())

    @property
    def parts(self) -> dict[str, str]:
        """Return the values of the parts by name in the form of RFC 5545, without the days of another calendar."""
        written = {
            "FREQ": self.frequency if self.calendar is None else "",
            "INTERVAL": "" if self.interval == 1 else str(self.interval),
            "BYMONTH": _join(self.months),
            "BYWEEKNO": _join(self.weeks),
            "BYYEARDAY": _join(self.year_days),
            "BYMONTHDAY": _join(self.month_days),
            "BYDAY": _join(f"{ordinal or ''}{WEEKDAYS[weekday]}" for ordinal, weekday in self.days),
            "BYSETPOS": _join(self.positions),
            "BYHOUR": _join(self.hours),
            "BYMINUTE": _join(self.minutes),
            "WKST": WEEKDAYS[self.week_start] if self.week_start else "",
            "COUNT": "" if self.count is None else str(self.count),
            "UNTIL": "" if self.until is None else _end_text(self.until),
            "SKIP": self.skip,
            "EXDATE": _join(sorted([*map(_day_text, self.except_days), *map(_end_text, self.except_walls)])),
        }
        return {name: value for name, value in written.items() if value}

    def __str__(self) -> str:
        """Return the text from which `parse_rule` reads this rule."""
        if self.unreadable:
            return self.unreadable
        calendar = [] if self.calendar is None else [str(self.calendar)]
        return ";".join([*calendar, *(f"{name}={value}" for name, value in self.parts.items())])


@lru_cache(maxsize=4096)
def parse_rule(text: str) -> Rule:
    """Parse an RRULE value, or a rule of another calendar: `WORKDAYS;REGION=CN;BYHOUR=9;BYMINUTE=0`, `LUNAR 8-15`.

    Both may end in `EXDATE=20261225,20261231T090000`, the excluded days and wall times. `load_calendar` checks if the
    calendar is installed.

    Raises:
        RequestRefused: `rule_too_often` for seconds; `rule_not_understood(rule, because)` for unsupported rules.

    Source: RFC 5545 section 3.3.10, RFC 7529 section 4.1.
    """
    try:
        return _rule(_parts(text))
    except ValueError as error:
        raise RequestRefused("rule_not_understood", rule=text, because=str(error)) from error


def stored_rule(text: str) -> Rule:
    """Parse the rule of a database; one of another version that this one cannot read becomes `unreadable`."""
    try:
        return parse_rule(text)
    except RequestRefused:
        return Rule(frequency="", unreadable=text)


def load_calendar(rule: Rule) -> None:
    """Load the calendar of `rule`, which takes tenths of a second the first time.

    Raises:
        RequestRefused: `rule_not_understood(rule, because)`: it is unreadable, no calendar knows its region, or the
            calendars are not installed.
    """
    if rule.unreadable:
        parse_rule(rule.unreadable)
    if isinstance(rule.calendar, Workdays):
        try:
            rule.calendar.load()
        except ValueError as error:
            raise RequestRefused("rule_not_understood", rule=str(rule), because=str(error)) from error


def with_exceptions(rule: Rule, exceptions: Sequence[datetime], *, days_only: bool) -> Rule:
    """Exclude the wall times of `exceptions` from `rule`, or with `days_only` their whole days."""
    if days_only:
        return replace(rule, except_days=rule.except_days.union(exception.date() for exception in exceptions))
    walls = (exception.replace(tzinfo=None, fold=0, microsecond=0) for exception in exceptions)
    return replace(rule, except_walls=rule.except_walls.union(walls))


def without_exceptions_from(rule: Rule, day: date, *, days_only: bool = False) -> Rule:
    """Return `rule` without the excluded days and wall times from `day` on; with `days_only` the latter stay."""
    walls = rule.except_walls if days_only else frozenset(wall for wall in rule.except_walls if wall.date() < day)
    days = frozenset(excepted for excepted in rule.except_days if excepted < day)
    return replace(rule, except_days=days, except_walls=walls)


def check_rule(rule: Rule) -> None:
    """Validate the combination of parts.

    Raises:
        ValueError: it is not supported, with the reason.
    """
    has_ordinal = any(ordinal for ordinal, _ in rule.days)
    if max(rule.count or 0, rule.interval) > MAX_OCCURRENCES:
        raise ValueError("too large")
    if rule.is_elapsed and rule.has_exceptions:
        raise ValueError("exceptions belong to rules of the wall clock")
    if rule.frequency in ELAPSED and (rule.is_rare or has_ordinal):
        raise ValueError("a part that needs a day or more")
    if rule.frequency in {"DAILY", "WEEKLY"} and has_ordinal:
        raise ValueError("an nth weekday needs a month or a year")
    is_monthly = rule.frequency == "MONTHLY" or bool(rule.months)
    if is_monthly and any(abs(ordinal) > _MAX_WEEKS for ordinal, _ in rule.days):
        raise ValueError("a month has at most five of each weekday")
    if (rule.year_days or rule.weeks) and rule.frequency != "YEARLY":
        raise ValueError("a part that belongs to years")
    if rule.positions and rule.frequency in {"DAILY", "WEEKLY"}:
        raise ValueError("BYSETPOS needs a month or a year")
    if rule.is_backward and (rule.is_rare or rule.days or rule.frequency not in {"MONTHLY", "YEARLY"}):
        raise ValueError("SKIP belongs to days of the month")


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").strip(";").split(";"):
        name, equals, value = part.partition("=")
        if not parts and not equals:
            name, value, equals = _CALENDAR, part, part
        if not equals or not value or name in parts or (name == _CALENDAR and value != part):
            raise ValueError(part)
        parts[name] = value
    return parts


def _rule(parts: dict[str, str]) -> Rule:
    if parts.get("FREQ") == "SECONDLY" or "BYSECOND" in parts:
        raise RequestRefused("rule_too_often", minimum=timedelta(minutes=1))
    calendar = _calendar_days(parts.pop(_CALENDAR), parts.get("REGION", "")) if _CALENDAR in parts else None
    unknown = parts.keys() - (_PARTS if calendar is None else _CALENDAR_PARTS)
    if unknown:
        raise ValueError(f"unknown parts in {sorted(parts)}")
    numbers = {name: _numbers(name, parts[name]) for name in _NUMBERS if name in parts}
    if len(parts.get("BYSETPOS", "").split(",")) > _MAX_POSITIONS:
        raise ValueError("too large")
    exceptions = parts["EXDATE"].split(",") if "EXDATE" in parts else []
    _one_of(parts.get("RSCALE", "GREGORIAN"), {"GREGORIAN"})
    rule = Rule(
        frequency=_one_of(parts.get("FREQ", "" if calendar is None else "DAILY"), _FREQUENCIES),
        interval=_positive(parts.get("INTERVAL", "1")),
        count=_positive(parts["COUNT"]) if "COUNT" in parts else None,
        until=_until(parts["UNTIL"]) if "UNTIL" in parts else None,
        hours=numbers.get("BYHOUR", ()),
        minutes=numbers.get("BYMINUTE", ()),
        days=tuple(_day(item) for item in parts["BYDAY"].split(",")) if "BYDAY" in parts else (),
        month_days=numbers.get("BYMONTHDAY", ()),
        months=numbers.get("BYMONTH", ()),
        year_days=numbers.get("BYYEARDAY", ()),
        weeks=numbers.get("BYWEEKNO", ()),
        positions=numbers.get("BYSETPOS", ()),
        week_start=WEEKDAYS.index(parts.get("WKST", "MO")),
        skip=_skip(parts.get("SKIP", "")),
        except_days=frozenset(_until(exception).date() for exception in exceptions if "T" not in exception),
        except_walls=frozenset(_wall(exception) for exception in exceptions if "T" in exception),
        calendar=calendar,
    )
    check_rule(rule)
    return rule


def _calendar_days(text: str, region: str) -> CalendarDays:
    """Parse the first part of a rule, such as `LUNAR 8-15`, or `WORKDAYS` with a region.

    Raises:
        ValueError: it is not the name of a calendar.
    """
    if text in {"WORKDAYS", "RESTDAYS"} and region:
        return Workdays(region=region, is_rest=text == "RESTDAYS")
    if region:
        raise ValueError(region)
    return read_lunar(text)


def _join(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def _day_text(day: date) -> str:
    return f"{day:%Y%m%d}"


def _end_text(until: datetime) -> str:
    if until.tzinfo is not None:
        return f"{until.astimezone(UTC):{_STAMP}}Z"
    return _day_text(until) if until.time() == time.max else f"{until:{_STAMP}}"


def _one_of(value: str, allowed: frozenset[str] | set[str]) -> str:
    if value not in allowed:
        raise ValueError(value)
    return value


def _skip(text: str) -> Literal["", "OMIT", "BACKWARD"]:
    match text:
        case "" | "OMIT" | "BACKWARD":
            return text
        case _:
            raise ValueError(text)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise ValueError(text)
    return int(text)


def _numbers(name: str, text: str) -> tuple[int, ...]:
    low, high, may_be_negative = _NUMBERS[name]
    found = sorted({int(item) for item in text.split(",")})
    if any(not low <= abs(number) <= high or (number < 0 and not may_be_negative) for number in found):
        raise ValueError(text)
    return tuple(found)


def _day(text: str) -> tuple[int, int]:
    weekday = WEEKDAYS.index(text[-2:])
    ordinal = int(text[:-2]) if text[:-2] else 0
    if abs(ordinal) > 53 or (text[:-2] and ordinal == 0):
        raise ValueError(text)
    return ordinal, weekday


def _wall(text: str) -> datetime:
    return _within_years(datetime.strptime(text, _STAMP))  # noqa: DTZ007 - local wall clock


def _until(text: str) -> datetime:
    """Parse an end; a date includes the whole day."""
    if "T" not in text:
        day = _within_years(datetime.strptime(text, "%Y%m%d"))  # noqa: DTZ007 - local wall clock
        return datetime.combine(day, time.max)
    if text.endswith("Z"):
        return _within_years(datetime.strptime(text, f"{_STAMP}Z").replace(tzinfo=UTC))
    return _wall(text)


def _within_years(moment: datetime) -> datetime:
    """Return `moment` in a year from 1900 to 9998, so that it is valid in every zone; some calendars end in 9999."""
    return moment.replace(year=min(max(moment.year, _FIRST_YEAR), _LAST_YEAR))
