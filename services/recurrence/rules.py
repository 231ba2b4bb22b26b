"""Parse and check recurrence rules: RFC 5545 RRULE, or a rule of another calendar."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from msgspec import Struct

from services.kernel.errors import RequestRefused
from services.recurrence.calendars.ports import CalendarDays
from services.recurrence.calendars.workdays import KINDS, read_calendar_days

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
ELAPSED = frozenset({"MINUTELY", "HOURLY"})
MOST_OCCURRENCES = 10_000
_MOST_POSITIONS = 31  # of BYSETPOS; each is looked for in each period
_FREQUENCIES = ELAPSED | {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}
_NUMBERS = {  # part: smallest and largest absolute value, whether it may be negative
    "BYHOUR": (0, 23, False),
    "BYMINUTE": (0, 59, False),
    "BYMONTH": (1, 12, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYSETPOS": (1, 366, True),
}
_RARE = ("BYYEARDAY", "BYWEEKNO", "BYSETPOS")
_KIND = ""  # under this name stands the part without a name that a rule of another calendar begins with


class Rule(Struct, frozen=True, kw_only=True):
    """A parsed RRULE. Empty tuples mean that the part was not given.

    `days` are (ordinal, weekday) pairs, ordinal 0 for "every", weekday 0 = Monday. `until` is naive local time or
    aware UTC. `shape` is the rule without COUNT, UNTIL and SKIP, which are not dateutil's business here.
    `is_backward` reads a day that a month lacks as its last one (RFC 7529 SKIP=BACKWARD). `except_days` and
    `except_walls` (naive local time) are left out, though COUNT counts them. `calendar_days`, where there are any,
    are the days of the rule; its clock is BYHOUR and BYMINUTE as in every other.
    """

    frequency: str
    interval: int
    count: int | None
    until: datetime | None
    hours: tuple[int, ...]
    minutes: tuple[int, ...]
    days: tuple[tuple[int, int], ...]
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    week_start: int
    is_rare: bool
    is_backward: bool
    shape: tuple[tuple[str, str], ...]
    except_days: frozenset[date] = frozenset()
    except_walls: frozenset[datetime] = frozenset()
    calendar_days: CalendarDays | None = None

    @property
    def is_elapsed(self) -> bool:
        """Return whether the rule counts elapsed time instead of following the wall clock."""
        limits = self.hours or self.days or self.months or self.month_days
        return self.frequency in ELAPSED and not limits and not (self.frequency == "MINUTELY" and self.minutes)


@lru_cache(maxsize=4096)
def parse_rule(text: str) -> Rule:
    """Read an RRULE value, or a rule of another calendar: `WORKDAYS;REGION=CN;BYHOUR=9;BYMINUTE=0`, `LUNAR 8-15`.

    Both may end in `EXDATE=20261225,20261231T090000`, days and wall times that are left out.

    Raises:
        RequestRefused: `rule_too_often` for seconds, `rule_not_understood(rule, because)` for what is not a rule we can
            keep, a region that no calendar knows, a calendar that is not installed.

    Source: RFC 5545 section 3.3.10, RFC 7529 section 4.1.
    """
    try:
        return _rule(_parts(text))
    except ValueError as error:
        raise RequestRefused("rule_not_understood", rule=text, because=str(error)) from error


def needs_calendar(text: str) -> bool:
    """Return whether `text` is a rule of another calendar, whose first use takes tenths of a second."""
    return text.partition(";")[0].partition(" ")[0] in KINDS


def look_up(text: str) -> None:
    """Have what a rule needs of calendars read, so that the next look at it is quick."""
    if needs_calendar(text):
        with suppress(RequestRefused):  # who reads it in earnest is told
            parse_rule(text)


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").strip(";").split(";"):
        name, equals, value = part.partition("=")
        if not parts and not equals:
            name, value, equals = _KIND, part, part
        if not equals or not value or name in parts or (name == _KIND and value != part):
            raise ValueError(part)
        parts[name] = value
    return parts


def _rule(parts: dict[str, str]) -> Rule:
    if parts.get("FREQ") == "SECONDLY" or "BYSECOND" in parts:
        raise RequestRefused("rule_too_often", minimum=timedelta(minutes=1))
    numbers = {name: _numbers(name, parts[name]) for name in _NUMBERS if name in parts}
    exceptions = parts.pop("EXDATE", "")
    calendar_days = _calendar_days(parts) if _KIND in parts else None
    rule = Rule(
        frequency=_one_of(parts.pop("FREQ", ""), _FREQUENCIES),
        interval=_positive(parts.get("INTERVAL", "1")),
        count=_positive(parts.pop("COUNT")) if "COUNT" in parts else None,
        until=_until(parts.pop("UNTIL")) if "UNTIL" in parts else None,
        hours=numbers.get("BYHOUR", ()),
        minutes=numbers.get("BYMINUTE", ()),
        days=tuple(_day(each) for each in parts["BYDAY"].split(",")) if "BYDAY" in parts else (),
        month_days=numbers.get("BYMONTHDAY", ()),
        months=numbers.get("BYMONTH", ()),
        week_start=WEEKDAYS.index(parts.get("WKST", "MO")),
        is_rare=any(name in parts for name in _RARE),
        is_backward=_skip(parts),
        shape=tuple(parts.items()),
        except_days=frozenset(_until(each).date() for each in _listed(exceptions) if "T" not in each),
        except_walls=frozenset(_wall(each) for each in _listed(exceptions) if "T" in each),
        calendar_days=calendar_days,
    )
    _check(rule, parts)
    return rule


def _calendar_days(parts: dict[str, str]) -> CalendarDays:
    """Return the days of a rule of another calendar; what is left in `parts` is a daily rule with its clock."""
    days = read_calendar_days(parts.pop(_KIND), parts.pop("REGION", ""))
    if not parts.keys() <= {"BYHOUR", "BYMINUTE", "COUNT", "UNTIL"}:
        raise ValueError(f"unknown parts in {sorted(parts)}")
    parts["FREQ"] = "DAILY"
    return days


def _check(rule: Rule, parts: dict[str, str]) -> None:
    """Refuse combinations that have no meaning here, so that nothing is kept that is not understood."""
    if not parts.keys() <= {"INTERVAL", "BYDAY", "WKST", *_NUMBERS}:
        raise ValueError(f"unknown parts in {sorted(parts)}")
    positions = parts.get("BYSETPOS", "").split(",")
    if max(rule.count or 0, rule.interval) > MOST_OCCURRENCES or len(positions) > _MOST_POSITIONS:
        raise ValueError("too large")
    if rule.is_elapsed and (rule.except_days or rule.except_walls):
        raise ValueError("exceptions belong to rules of the wall clock")
    if rule.frequency in ELAPSED and (rule.is_rare or any(ordinal for ordinal, _ in rule.days)):
        raise ValueError("a part that needs a day or more")
    if rule.frequency in {"DAILY", "WEEKLY"} and any(ordinal for ordinal, _ in rule.days):
        raise ValueError("an nth weekday needs a month or a year")
    if parts.keys() & {"BYYEARDAY", "BYWEEKNO"} and rule.frequency != "YEARLY":
        raise ValueError("a part that belongs to years")
    if "BYSETPOS" in parts and rule.frequency in {"DAILY", "WEEKLY"}:
        raise ValueError("BYSETPOS is kept for months and years")
    if rule.is_backward and (rule.is_rare or rule.days or rule.frequency not in {"MONTHLY", "YEARLY"}):
        raise ValueError("SKIP belongs to days of the month")


def _skip(parts: dict[str, str]) -> bool:
    _one_of(parts.pop("RSCALE", "GREGORIAN"), {"GREGORIAN"})
    return _one_of(parts.pop("SKIP", "OMIT"), {"OMIT", "BACKWARD"}) == "BACKWARD"


def _one_of(value: str, allowed: frozenset[str] | set[str]) -> str:
    if value not in allowed:
        raise ValueError(value)
    return value


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError(text)
    return int(text)


def _numbers(name: str, text: str) -> tuple[int, ...]:
    low, high, may_be_negative = _NUMBERS[name]
    found = sorted({int(each) for each in text.split(",")})
    if any(not low <= abs(each) <= high or (each < 0 and not may_be_negative) for each in found):
        raise ValueError(text)
    return tuple(found)


def _day(text: str) -> tuple[int, int]:
    weekday = WEEKDAYS.index(text[-2:])
    ordinal = int(text[:-2]) if text[:-2] else 0
    if abs(ordinal) > 53 or (text[:-2] and ordinal == 0):
        raise ValueError(text)
    return ordinal, weekday


def _listed(text: str) -> list[str]:
    return text.split(",") if text else []


def _wall(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007 - local wall clock


def _until(text: str) -> datetime:
    """Read an end; a bare date means the whole of that day."""
    if "T" not in text:
        return datetime.combine(datetime.strptime(text, "%Y%m%d").date(), time.max)  # noqa: DTZ007 - local wall clock
    if text.endswith("Z"):
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007 - local wall clock


def rule_parts(rule: str) -> Mapping[str, str]:
    """Return the parts of an RRULE value by name (RFC 5545 section 3.3.10)."""
    return dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
