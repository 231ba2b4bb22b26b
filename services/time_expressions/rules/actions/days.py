"""Actions that make weekdays and days relative to the present."""

from operator import lt
from typing import Any

from services.time_expressions.rules.actions.clocks import half_day
from services.time_expressions.rules.actions.general import Values
from services.time_expressions.rules.actions.lengths import measure, offset
from services.time_expressions.values import SECONDS_OF, Every, Shift, Slots, Span, names_day

_NOON, _LAST_HOUR = 12, 24
_WEEK, _FIVE_WEEKS = 6, 35
_DAYS_OF_WEEK = 7


def weekday_range(values: Values) -> Any:
    """Tuesday to Saturday."""
    first, last = values
    return tuple((first + step) % 7 for step in range((last - first) % 7 + 1))


def figure_days(values: Values) -> tuple[int, ...] | None:
    """每周1、3、5 and 每周135: weekdays as figures, in their order."""
    figures = "".join(str(value) for value in values)
    days = tuple(int(figure) - 1 for figure in figures if figure in "1234567")
    return days if len(days) == len(figures) and all(map(lt, days, days[1:])) else None


def figure_range(values: Values) -> Slots | None:
    """每周1-5."""
    first, last = values[0]
    if not 1 <= first < last <= _DAYS_OF_WEEK:
        return None
    return {"weekdays": tuple(range(first - 1, last)), "every": Every(1, "week"), "strength": 2}


def figure_day(values: Values) -> int | None:
    """周3."""
    return values[0] - 1 if 1 <= values[0] <= _DAYS_OF_WEEK else None


def named_days_ahead(values: Values, *, which: int = 2) -> Slots | None:
    """Two sundays from now; a week on sunday is the second from now, a fortnight the third."""
    count, weekday = values if len(values) > 1 else (which, values[0])
    if not 1 <= count <= 60:
        return None
    return {"weekdays": (weekday,), "shift": Shift("occurrence", int(count)), "strength": 2}


def this_or_next(values: Values, *, count: int, strength: int | None = None) -> Slots | None:
    """Next week, this month; the next hour is one from now."""
    name = values[-1]
    if name == "day" and count < 0:
        return None
    if name in SECONDS_OF:
        return offset([measure(count, name)]) if count > 0 else None
    name, factor = {"fortnight": ("week", 2), "decade": ("year", 10)}.get(name, (name, 1))
    if strength is None:
        strength = 2 if count or name == "day" else 1
    return {"shift": Shift(name, count * factor), "strength": strength}


def shifted(values: Values, *, unit: str = "") -> Slots | None:
    """Today, tomorrow, 下周: the count comes with the word.

    当天 and 这天 are the day that was named before, which need not be today.
    """
    if unit:
        return {"shift": Shift(unit, values[0]), "strength": 2}
    count, name = values
    if name == "day" and count == 0:
        return None
    return {"shift": Shift(name, count), "strength": 2 if count else 1}


def weekday(values: Values, *, strength: int = 2, week: int | None = None, **fixed: Any) -> Slots:
    """Return a weekday: bare, or of the present calendar week plus `week`."""
    made: Slots = {"weekdays": values[-1] if isinstance(values[-1], tuple) else (values[-1],), "strength": strength}
    if week is not None:
        made["shift"] = Shift("week", week)
    made.update(fixed)
    return made


def weekday_of_week(values: Values) -> Slots | None:
    """下周三, 下周二四: a count of weeks and a weekday, or several side by side."""
    count, day = values
    if isinstance(day, tuple):
        made: Slots = {"weekdays": day, "shift": Shift("week", count), "every": Every(1, "week"), "strength": 2}
        return made if count >= 0 else None
    if count == 0:
        return {"weekdays": (day,), "this_week": True, "strength": 2}
    return {"weekdays": (day,), "shift": Shift("week", count), "strength": 2}


def days_of_week(values: Values) -> Slots | None:
    """下周一到(下)周五: every day from one weekday of a calendar week to another."""
    count, first, *again, last = values
    if again not in ([], [count]):
        return None
    since, until = weekday_of_week([count, first]), weekday_of_week([count, last])
    if first >= last or since is None or until is None:
        return None
    return {"every": Every(1, "day"), "since": since, "until": until, "strength": 2}


def weekday_day(values: Values, *, maximum: int = 0, near: int = _FIVE_WEEKS) -> Slots | None:
    """Tuesday 19th; a number up to `maximum` is a day of the month within `near` days, and otherwise an hour."""
    day, number = values
    if not 1 <= number <= 31:
        return None
    made: Slots = {"weekdays": (day,), "days": (number,), "strength": 2}
    return {**made, "near": near} if number <= maximum else made


def weekday_number(values: Values) -> Slots | None:
    """Friday 4: the day of the month where the next Friday is the 4th, and otherwise an hour."""
    return weekday_day(values, maximum=_LAST_HOUR, near=_WEEK if values[1] <= _NOON else _FIVE_WEEKS)


def weekday_half(values: Values) -> Slots:
    """Sat am."""
    day, half = values
    return {**weekday([day]), **half_day([half]), "strength": 2}


def weekday_about(values: Values, *, side: str = "nearest", day_last: bool = False) -> Slots | None:
    """Return the Monday closest to a date, before it or after it."""
    day, anchor = reversed(values) if day_last else values
    if anchor.keys() & {"every", "offset", "clocks", "parts", "since", "until", "refused"} or not names_day(anchor):
        return None
    return {"weekdays": (day,), "anchor": anchor, "side": side, "strength": 2}


def week_later(values: Values) -> Slots | None:
    """Tomorrow week, today week."""
    shift = values[0].get("shift")
    if shift is None or shift.unit != "day" or shift.steps < 0:
        return None
    return {"shift": Shift("day", shift.steps + _DAYS_OF_WEEK), "strength": 2}


def part_before(values: Values) -> Slots | None:
    """Return the night before Christmas, the eve of the fifth, 五号前一晚."""
    anchor = next(value for value in values if isinstance(value, dict))
    if anchor.keys() & {"every", "offset", "clocks", "parts", "since", "until", "refused"} or not names_day(anchor):
        return None
    parts = tuple(value for value in values if value is not anchor)
    return {"anchor": anchor, "eve": True, **({"parts": parts} if parts else {}), "strength": 2}


def part_after(values: Values) -> Slots | None:
    """Return the morning after Christmas: of the next day."""
    slots = part_before(values)
    if slots is None:
        return None
    del slots["eve"]
    return {**slots, "offset": Span(days=1, unit="day")}


def day_and_part(values: Values) -> Slots:
    """明晚."""
    count, part = values[0]
    return {"shift": Shift("day", count), "parts": (part,), "strength": 2}
