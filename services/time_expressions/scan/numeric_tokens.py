"""Find the possible senses of a run of figures: a count, a clock time, a date, a year, a fraction."""

import re
from typing import Any

from services.time_expressions.model import DateOrder
from services.time_expressions.values import Clock, Slots, is_valid_day

Sense = tuple[str, Any]
_PAIR = re.compile(r"(\d{1,2})([./·-])(\d{1,2})")
_TRIPLE = re.compile(r"(\d{1,4})([./-])(\d{1,2})([./-])(\d{1,4})")
_DECIMAL = re.compile(r"\d{1,4}[.,]\d{1,4}")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_HOUR_TO_CLOCK = re.compile(r"(\d{1,2})-(\d{1,2}):(\d\d)")
_YEAR_PAIR = re.compile(r"(\d{4})[-/](\d{2})")
_MONTH_YEAR = re.compile(r"(\d{1,2})[-/](\d{4})")
_YEAR_MONTH = re.compile(r"(\d{4})(?:[-/.](\d{1,2})|-(\d{3}))")
_ZONED = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s?(?:z|([+-])(\d\d):?(\d\d)?)")
_WEEK = re.compile(r"(\d{4})-?w(\d\d)(?:-?([1-7]))?")
_CLOCK_RANGE = re.compile(r"(\d{4})-(\d{4})")
_ROUND_MINUTES = 5
_MAX_HOURS_OFF, _LAST_MINUTE = 14, 59
_MAX_WEEKS, _MAX_DAYS = 53, 366


def clock_sense(hour: str, minute: str, second: str | None, *, marked: bool = False) -> Clock | None:
    """Return a clock written with a separator, as 24-hour time if it is `marked` or its hour is padded or above 12."""
    h, m, s = int(hour), int(minute), int(second or 0)
    if h > 24 or m > 59 or s > 59 or (h == 24 and (m or s)):
        return None
    half = "24" if marked or h > 12 or h == 0 or hour[0] == "0" else ""
    return Clock(h, m, s, half, "second" if second else "minute")


def zoned_senses(chunk: str) -> list[Sense]:
    """Return a clock with an offset from UTC: 10:00:00+01:00, 10:00Z."""
    parts = _ZONED.fullmatch(chunk)
    if parts is None:
        return []
    hour, minute, second, sign, hours, minutes = parts.groups()
    clock = clock_sense(hour, minute, second, marked=True)
    if clock is None or int(hours or 0) > _MAX_HOURS_OFF or int(minutes or 0) > _LAST_MINUTE:
        return []
    zone = f"{sign}{hours}{minutes or '00'}" if sign else "UTC"
    return [("PIECE", {"clocks": (clock,), "zone": zone, "strength": 2})]


def week_senses(chunk: str) -> list[Sense]:
    """Return an ISO 8601 week, with an optional day: 2027-W10, 2027W103."""
    parts = _WEEK.fullmatch(chunk)
    if parts is None or not 1 <= int(parts[2]) <= _MAX_WEEKS:
        return []
    made: Slots = {"year": int(parts[1]), "week_numbers": (int(parts[2]),), "strength": 2}
    return [("PIECE", {**made, "weekdays": (int(parts[3]) - 1,)} if parts[3] else made)]


def read_senses(chunk: str, order: DateOrder | None, usual: DateOrder) -> list[Sense]:
    """Return all senses of `chunk`, a run of figures with separators."""
    if chunk.isdecimal():
        return _digits(chunk)
    found: list[Sense] = []
    if _DECIMAL.fullmatch(chunk):
        found.append(("DECIMAL", float(chunk.replace(",", "."))))
    elif _THOUSANDS.fullmatch(chunk):
        return []
    if pair := _PAIR.fullmatch(chunk):
        found += _pair(pair[1], pair[2], pair[3], order, usual)
    elif triple := _TRIPLE.fullmatch(chunk):
        found += _triple(triple, order, usual)
    else:
        found += _clock_span(chunk) or _with_year(chunk)
    return found


def _clock_span(chunk: str) -> list[Sense]:
    """Read an interval of clock times: 0715-0830, 3-4:30."""
    if clocks := _CLOCK_RANGE.fullmatch(chunk):
        span = _clock_range(*clocks.groups())
        return [span] if span else []
    pair = _HOUR_TO_CLOCK.fullmatch(chunk)
    last = clock_sense(pair[2], pair[3], None) if pair else None
    return [("HOURTOCLOCK", (int(pair[1]), last))] if pair and last else []


def _with_year(chunk: str) -> list[Sense]:
    """Read a year and a month or day: 2027-03, 2027-13, 2027-070, 05-2027."""
    if (month := _YEAR_PAIR.fullmatch(chunk)) and int(month[2]) > 12:
        return [("YEARDAY", (int(month[1]), int(month[2])))]
    if month := _YEAR_MONTH.fullmatch(chunk):
        return _month(int(month[1]), int(month[2])) if month[2] else _day_of_year(int(month[1]), int(month[3]))
    if month := _MONTH_YEAR.fullmatch(chunk):  # or a day after the name of its month: dec-05-2026
        first, year = int(month[1]), int(month[2])
        return [*_month(year, first), ("YEARDAY", (year, first))]
    return []


def _clock_range(first: str, last: str) -> Sense | None:
    """Read an interval such as 0715-0830, unless both parts look like years."""
    clocks = [clock_sense(digits[:2], digits[2:], None, marked=True) for digits in (first, last)]
    if None in clocks or first >= last or all(1900 <= int(digits) < 2100 for digits in (first, last)):
        return None
    is_sure = first[0] == "0"
    return "PIECE", {"clocks": (clocks[0],), "until": {"clocks": (clocks[1],), "strength": 2}, "strength": is_sure}


def _month(year: int, month: int) -> list[Sense]:
    if not (1 <= month <= 12 and 1900 <= year < 2200):
        return []
    return [("PIECE", {"year": year, "months": (month,), "strength": 1})]


def _day_of_year(year: int, number: int) -> list[Sense]:
    """Read an ISO 8601 ordinal date: 2027-070."""
    is_day = 1 <= number <= _MAX_DAYS
    return [("PIECE", {"year": year, "day_numbers": (number,), "strength": 1})] if is_day else []


def _digits(chunk: str) -> list[Sense]:
    found: list[Sense] = []
    value = int(chunk) if len(chunk) <= 9 else 0
    if len(chunk) <= 5:
        found.append(("NUM", value))
    if len(chunk) == 2:
        found.append(("YY", 2000 + value if value < 70 else 1900 + value))
    if len(chunk) == 4 and 1900 <= value < 2200:
        found.append(("YEAR", value))
    if len(chunk) in (3, 4):
        clock = clock_sense(chunk[:-2], chunk[-2:], None)
        if clock:
            found.append((_clock_symbol(chunk, value), clock))
            if len(chunk) == 4 and chunk[0] == "0" and value:
                found.append(("PADDED", clock))
    if len(chunk) == 8:
        found += [(name, {**slots, "strength": 1}) for name, slots in _year_first(chunk[:4], chunk[4:6], chunk[6:])]
    if len(chunk) == 6:
        clock = clock_sense(chunk[:2], chunk[2:4], chunk[4:], marked=True)
        if clock:
            found.append(("PIECE", {"clocks": (clock,), "strength": 1}))
    return found


def _clock_symbol(chunk: str, value: int) -> str:
    """Return the symbol of three or four figures: a clock, a clock only beside "at" or "am", or more likely a year."""
    is_year = 1900 <= value < 2100
    if len(chunk) == 3 or (is_year and value % _ROUND_MINUTES):
        return "HMM"
    return "YEARCLOCK" if is_year else "HHMM"


def _pair(first: str, mark: str, second: str, order: DateOrder | None, usual: DateOrder) -> list[Sense]:
    found: list[Sense] = []
    a, b = int(first), int(second)
    if mark == "/" and b:
        found.append(("FRACTION", (a, b)))
    if mark == "." and len(second) == 2:
        clock = clock_sense(first, second, None)
        if clock:
            found.append(("DOTTED", clock))
    if mark == "-":
        found.append(("RANGE", (a, b)))
    is_day_first = mark == "." and order is None and usual is not DateOrder.YMD
    dates = _ordered(a, b, None, order, DateOrder.DMY if is_day_first else usual)
    # With a dot the day is first, or the month in languages with the year first; no other order is tried.
    if mark == "." and order is None and not is_valid_day(None, *((b, a) if is_day_first else (a, b))):
        dates = None
    if dates and mark == "." and not is_day_first:
        dates.pop("swapped", None)
    near: Slots = {"near": True} if mark == "-" else {}
    if dates and first != "00" and not (mark == "." and a == 0):
        found.append(("SHORTDATE" if mark == "/" else "LOOSEDATE", {**dates, **near, "strength": 1}))
    return found


def _ordered(a: int, b: int, year: int | None, order: DateOrder | None, usual: DateOrder) -> Slots | None:
    """Read two numbers as month and day; store the other order in `swapped` if it exists and `order` is unknown.

    Where the year is usually first, the month is in front of the day: Chinese 12/1 is no day of January.
    """
    month_first = (order or usual) is not DateOrder.DMY
    ways = [(a, b), (b, a)] if month_first else [(b, a), (a, b)]
    ways = [(month, day) for month, day in ways if is_valid_day(year, month, day)]
    if not ways:
        return None
    slots: Slots = {"months": (ways[0][0],), "days": (ways[0][1],)}
    if year is not None:
        slots["year"] = year
    if order is None and usual is not DateOrder.YMD and len(ways) == 2 and a != b:
        slots["swapped"] = ways[1]
    return slots


def _triple(match: re.Match[str], order: DateOrder | None, usual: DateOrder) -> list[Sense]:
    first, mark, second, mark_2, third = match.groups()
    if len(first) == 3 or len(third) == 3 or (len(first) == 4 and len(third) == 4):
        return []
    if len(first) == 4:
        return _year_first(first, second, third) if len(third) <= 2 and mark in "-/." else []
    if mark != mark_2 or len(third) not in (2, 4):
        return []
    a, b, year = int(first), int(second), int(third)
    if len(third) == 4:
        if not 1900 <= year < 2200:
            return []
        dates = _ordered(a, b, year, DateOrder.DMY if mark == "." else order, usual)
        return _full_date({**dates, "strength": 2}) if dates else []
    return _short_year(first, b, year, mark, order, usual)


def _year_first(first: str, second: str, third: str) -> list[Sense]:
    year, month, day = int(first), int(second), int(third)
    if not 1900 <= year < 2200:
        return []
    if not is_valid_day(year, month, day):
        month, day = day, month
    if not is_valid_day(year, month, day):
        return []
    return _full_date({"year": year, "months": (month,), "days": (day,), "strength": 2})


def _full_date(slots: Slots) -> list[Sense]:
    return [("PIECE", slots), ("FULLDATE", slots)]


def _short_year(first: str, b: int, year: int, mark: str, order: DateOrder | None, usual: DateOrder) -> list[Sense]:
    century = 2000 if year < 70 else 1900
    if (order is DateOrder.YMD or (order is None and mark == "-" and len(first) == 2)) and is_valid_day(
        2000 + int(first), b, year
    ):
        return [("PIECE", {"year": 2000 + int(first), "months": (b,), "days": (year,), "strength": 2})]
    dates = _ordered(int(first), b, century + year, DateOrder.DMY if mark == "." else order, usual)
    return [("PIECE", {**dates, "strength": 1 if mark == "." else 2})] if dates else []
