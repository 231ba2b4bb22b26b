"""Actions that make dates and counted days."""

from typing import Any

from services.kernel.lunar_calendar import LAST_DAY
from services.time_expressions.rules.actions.days import weekday_about
from services.time_expressions.rules.actions.general import Values
from services.time_expressions.values import Clock, Holiday, Shift, Slots, Span, is_valid_day

_LUNAR_MONTHS = 12
_MAX_WEEKS = 53
_LAST_HOUR = 24
_WEDNESDAY, _SATURDAY = 2, 5
_WEEKEND = (5, 6)
_MAX_WEEKS_OF_MONTH = 5
_MONTH_AND_YEAR = {"months", "year", "shift", "strength"}
_MID_YEAR = 7
_EARLY_DAYS = 10
_LAST_COMMON_ORDINAL = 12
_PERIODS = {"week", "month", "quarter", "year"}
_NOTHING_BUT_SHIFT = {"shift", "strength"}
_DAYS = {"days", "months", "weekdays", "holiday", "edge"}


def date(values: Values, *, form: str, strength: int = 2) -> Slots | None:
    """Return a date from its parts; `form` names them in order with the letters y, m, d."""
    parts = dict(zip(form, values, strict=True))
    made: Slots = {"strength": strength}
    days = parts.get("d")
    if days is not None:
        made["days"] = tuple(int(day) for day in (days if isinstance(days, tuple) else (days,)))
        if any(not 1 <= abs(day) <= 31 for day in made["days"]):
            return None
    if "m" in parts:
        made["months"] = parts["m"] if isinstance(parts["m"], tuple) else (int(parts["m"]),)
    if "y" in parts:
        made["year"] = parts["y"]
    for month in made.get("months", ()):
        if any(not is_valid_day(made.get("year"), month, abs(day)) for day in made.get("days", (1,))):
            return None
    return made


def no_date(values: Values) -> Slots | None:
    """13月1日, 2月30日: there is no such day."""
    return None if date(values, form="md") else {"refused": True, "strength": 2}


def dates(values: Values, *, form: str) -> Slots | None:
    """1-5 December, Nov 28 to Dec 2: from one date to another; `form` names the parts as for `date`."""
    parts = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    months = [part for part, letter in zip(parts, form, strict=True) if letter == "m"]
    days = [part for part, letter in zip(parts, form, strict=True) if letter == "d"]
    since, until = (date([month, day], form="md") for month, day in zip((months[0], months[-1]), days, strict=True))
    if since is None or until is None or (len(months) == 1 and days[0] >= days[1]):
        return None
    return {"since": since, "until": until, "strength": 2}


def day_after_months(values: Values) -> Slots | None:
    """两个月后的15号, 下月十五: a count of months and a day."""
    count, unit, day = values
    if unit != "month" or not 1 <= day <= 31:
        return None
    return {"shift": Shift("month", count), "days": (day,), "strength": 2}


def day_of_month(values: Values, *, day: int) -> Slots | None:
    """Mid next month, mid next week, mid next year; the present month needs no name, as its day may be gone."""
    inner: Slots = values[-1]
    shift = inner.get("shift")
    if shift is None or not inner.keys() <= _NOTHING_BUT_SHIFT:
        return None
    if shift.unit == "week":
        return {**inner, "weekdays": (_WEDNESDAY,), "strength": 2}
    if shift.unit == "year":
        return {**inner, "months": (_MID_YEAR,), "days": (1,), "strength": 2}
    if shift.unit != "month":
        return None
    if shift.steps:
        return {**inner, "days": (day,), "strength": 2}
    return {"days": (day,), "strength": 2}


def edge_of(values: Values, *, side: str) -> Slots | None:
    """Early next week, late this month."""
    inner: Slots = values[-1]
    shift = inner.get("shift")
    if shift is None or shift.unit not in _PERIODS or not inner.keys() <= _NOTHING_BUT_SHIFT:
        return None
    return {**inner, "edge": side, "strength": 2}


def dated(values: Values, **fixed: Any) -> Slots | None:
    """By 5 December: a piece that says on which day, behind a preposition."""
    inner: Slots = values[-1]
    is_date = inner["strength"] > 0 and bool(inner.keys() & _DAYS) and "every" not in inner
    return {**inner, **fixed} if is_date else None


def nth_weekday(values: Values, *, last: bool = False, strength: int = 1) -> Slots | None:
    """Return the second Friday, the last but one Monday; several ordinals may stand."""
    ordinals, days = values if len(values) == 2 else ((1,), values[0])
    ordinals = ordinals if isinstance(ordinals, tuple) else (ordinals,)
    days = days if isinstance(days, tuple) else (days,)
    if any(not 1 <= abs(ordinal) <= 53 for ordinal in ordinals):
        return None
    if last:
        ordinals = tuple(-ordinal for ordinal in ordinals)
    return {"ordinals": ordinals, "weekdays": days, "strength": strength}


def nth_day(values: Values, *, last: bool = False) -> Slots | None:
    """Return the 35th day, the 5th last day."""
    ordinal = values[0] if values else 1
    if not isinstance(ordinal, int) or not 1 <= abs(ordinal) <= 366:
        return None
    return {"day_numbers": (-ordinal if last else ordinal,), "strength": 2}


def spelled_day(values: Values) -> Slots | None:
    """On the fifteenth; "the first" and the like mostly count other things."""
    return date(values, form="d", strength=2 if values[0] > _LAST_COMMON_ORDINAL else 1)


def day_from_end(values: Values) -> Slots:
    """Return the fourth last."""
    return {"days": (-values[0],), "strength": 0}


def instances(values: Values, *, last: bool = False) -> Slots | None:
    """Return the first and last instance of Wednesday and Friday, the second to last working day."""
    ordinals, days = values
    ordinals = ordinals if isinstance(ordinals, tuple) else (ordinals,)
    if last:
        ordinals = tuple(-ordinal for ordinal in ordinals)
    if days == _WEEKEND:  # the last weekend begins on a Saturday
        return nth_weekday([ordinals, _SATURDAY])
    return {"positions": ordinals, "weekdays": days if isinstance(days, tuple) else (days,), "strength": 1}


def holiday(values: Values, *, strength: int) -> Slots:
    """Christmas; a day that the civil calendar does not fix is named by its kind first.

    The nth weekday of a month may be followed by the days from there to the holiday.
    """
    named, *rest = values[-1]
    if named == "nth":
        month, weekday, ordinal, *later = rest
        day: Slots = {"months": (month,), "weekdays": (weekday,), "ordinals": (ordinal,), "strength": strength}
        return {"offset": Span(days=later[0], unit="day"), "anchor": day, "strength": strength} if later else day
    if isinstance(named, str):
        return {"holiday": Holiday(named, (tuple(rest),) if rest else ()), "strength": strength}
    return {"months": (named,), "days": tuple(rest), "strength": strength}


def last_midnight(values: Values) -> Slots:
    """Return midnight at the end of New Year's Eve, not at its beginning."""
    return {**values[-1], "clocks": (Clock(_LAST_HOUR, 0, 0, "24", "hour"),), "strength": 2}


def refuse_date(values: Values) -> Slots | None:
    """Except Christmas, except in December: what no rule can leave out."""
    fields = values[-1].keys()
    return (
        {"refused": True, "strength": 2}
        if fields & (_DAYS | {"shift", "anchor", "since", "until"}) and "every" not in fields
        else None
    )


def nth_day_of(values: Values) -> Slots | None:
    """国庆第三天: two days after the first of October."""
    holiday, number = values
    if not 1 <= number <= _LUNAR_MONTHS:
        return None
    return {"offset": Span(days=number - 1, unit="day"), "anchor": holiday, "strength": 2}


def lunar_date(values: Values, *, month: int | None = None) -> Slots | None:
    """农历八月十五: a month, unless the rule names it (0 is every month), and a day or several."""
    number, days = values if month is None else (month, values[-1])
    days = days if isinstance(days, tuple) else (days,)
    if not 0 <= number <= _LUNAR_MONTHS or any(not 1 <= day <= LAST_DAY for day in days):
        return None
    return {"holiday": Holiday("lunar", tuple((number, day) for day in days)), "strength": 2}


def early_day(values: Values) -> int | None:
    """初五: only the first ten days of a lunar month are named so."""
    return values[0] if 1 <= values[0] <= _EARLY_DAYS else None


def year_day_month(values: Values) -> Slots | None:
    """2020/23/Sep, September-2020-23."""
    (year, day), month = values if isinstance(values[0], tuple) else reversed(values)
    return date([year, month, day], form="ymd")


def edge(values: Values) -> Slots:
    """月底, 下月底; 月初 alone is that of the next month, as this one has begun."""
    if len(values) == 1:
        unit, side = values[0]
        count = 1 if side == "start" else 0
    else:
        count, (unit, side) = values
    return {"shift": Shift(unit, count), "edge": side, "strength": 2}


def edge_of_month(values: Values) -> Slots | None:
    """10月底."""
    month, (unit, side) = values
    if unit != "month" or not 1 <= month <= 12:
        return None
    return {"months": (month,), "edge": side, "strength": 2}


def month_of_quarter(values: Values, *, last: bool = False, months: int = 3) -> int | None:
    """Q3, H2: the month that it begins with, or the last one; `months` is its length."""
    number = values[0]
    return number * months - (0 if last else months - 1) if 1 <= number <= _LUNAR_MONTHS // months else None


def week_of_year(values: Values, *, form: str = "w", next_year: bool = False) -> Slots | None:
    """Calendar week 32, week 32 of 2027, Monday of week 32; `form` names the parts with the letters w, y, d."""
    parts = dict(zip(form, values, strict=True))
    if not 1 <= parts["w"] <= _MAX_WEEKS:
        return None
    made: Slots = {"week_numbers": (parts["w"],), "strength": 2}
    if "d" in parts:
        made["weekdays"] = (parts["d"],)
    if next_year:
        made["shift"] = Shift("year", 1)
    return {**made, "year": parts["y"]} if "y" in parts else made


def nth_week(values: Values, *, last: bool = False, from_end: bool = False, week_last: bool = False) -> Slots | None:
    """Return the first week of October, 下月第二周: the nth one of the month is the one of its nth Monday."""
    if last:
        inner, number = values[-1], -1
    else:
        inner, number = values if week_last else (values[1], values[0])
    shift = inner.get("shift")
    is_month = "months" in inner or (shift is not None and shift.unit == "month")
    if not is_month or not inner.keys() <= _MONTH_AND_YEAR or not -1 <= number <= _MAX_WEEKS_OF_MONTH or not number:
        return None
    if shift is not None and inner["strength"] <= 0:  # of the month: the next such
        inner = {}
    monday = {**inner, "ordinals": (-number if from_end else number,), "weekdays": (0,), "strength": 2}
    return {"offset": Span(unit="week"), "anchor": monday, "strength": 2}


def nth_weekday_after(values: Values) -> Slots | None:
    """Return the third Tuesday after Christmas."""
    number, day, anchor = values
    first = weekday_about([day, anchor], side="after")
    if first is None or not 1 <= number <= _MAX_WEEKS:
        return None
    return {"offset": Span(days=7 * (number - 1), unit="week"), "anchor": first, "strength": 2}


def weekend_about(values: Values) -> Slots | None:
    """Labor Day weekend: the Saturday that is nearest to it."""
    holiday, days = values
    return weekday_about([days[0], holiday]) if days[0] == _SATURDAY else None


def spelled_year(values: Values, *, minimum: int = 1) -> int | None:
    """Two thousand and thirty two, twenty twenty seven."""
    return 2000 + values[-1] if minimum <= values[-1] <= 99 else None


def nth_day_ahead(values: Values) -> Slots | None:
    """第二天, 第三天, where nothing says of what: counted from today."""
    number = values[0]
    return {"shift": Shift("day", number - 1), "strength": 1} if 1 < number <= _LUNAR_MONTHS else None
