"""Actions that make recurrences and their bounds."""

from itertools import pairwise
from typing import Any

from services.time_expressions.rules.actions.clocks import clock_piece
from services.time_expressions.rules.actions.dates import date, holiday, instances, nth_weekday
from services.time_expressions.rules.actions.general import Values, both, typed
from services.time_expressions.values import SECONDS_OF, Every, Shift, Slots, Span, is_loose, names_day

_UNIT_OF_PERIOD = {"fortnight": ("week", 2), "half": ("month", 6), "decade": ("year", 10)}
_WEEKDAY, _WEEKDAY_OF_WEEK = {"weekdays", "strength"}, {"weekdays", "shift", "strength"}
_MONTHS = {"months", "strength"}
_MINUTES = 60
_TEN = 10
_WEEK, _WORKDAYS = 7, 5
_SURE_ROW, _WEEKEND = 3, (5, 6)
_LAST_DAY, _SURE_LAST_DAY = 31, 28
_MAX_WEEKS_OF_MONTH, _MONTHS_OF_QUARTER = 5, 3
_FIRST_SURE_WORKDAY = 4
_LONG_UNITS = {"week", "month", "quarter", "year"}
_SINGLES = {(0, 1), (0, 7), (1, 0), (12, 0)}
"""Months and days of 每隔一天 and the like, which leave one out (see `every_apart`)."""


def every(values: Values, *, interval: int | None = None, strength: int = 2, **fixed: Any) -> Slots | None:
    """Every N units."""
    unit = values[-1]
    amount = interval if interval is not None else (values[0] if len(values) > 1 else 1)
    if amount <= 0 or amount > 10_000 or amount != int(amount):
        return None
    base, factor = _UNIT_OF_PERIOD.get(unit, (unit, 1))
    return {"every": Every(int(amount) * factor, base), "strength": strength, **fixed}


def every_span(values: Values, *, apart: bool = False) -> Slots | None:
    """Every hour and a half, 每半小时: a length that is not a whole number of one unit."""
    length: Span = values[-1]
    if apart and (length.months, length.days) in _SINGLES:
        return None
    if length.months and not (length.days or length.seconds):
        years = length.months % 12 == 0 and length.unit in {"year", "decade"}
        period = Every(length.months // 12, "year") if years else Every(length.months, "month")
    elif length.days and not (length.months or length.seconds):
        weeks = length.unit in {"week", "fortnight"}
        period = Every(length.days // 7, "week") if weeks else Every(length.days, "day")
    elif length.seconds and not (length.months or length.days):
        period = _elapsed(length.seconds)
    else:
        return None
    return {"every": period, "strength": 2} if period.interval > 0 else None


def _elapsed(seconds: int) -> Every:
    for unit, size in (("hour", 3600), ("minute", 60)):
        if seconds % size == 0:
            return Every(seconds // size, unit)
    return Every(seconds, "second")


def every_weekday(values: Values, *, interval: int | None = None, strength: int = 2) -> Slots | None:
    """Every Monday and Friday, every other Friday."""
    days = values[-1] if isinstance(values[-1], tuple) else (values[-1],)
    amount = interval if interval is not None else (values[0] if len(values) > 1 else 1)
    if not 1 <= amount <= 100 or amount != int(amount):
        return None
    return {"weekdays": days, "every": Every(int(amount), "week"), "strength": strength}


def every_alternate(values: Values) -> Slots | None:
    """Un lunes sí y otro no, una semana por medio: every other weekday or unit."""
    named, interval = values[0], values[-1]
    return every([named], interval=interval) if isinstance(named, str) else every_weekday([named], interval=interval)


def weeks_in_days(values: Values, *, days: int, weeks: int) -> Slots | None:
    """Cada 15 días: so many days, of which the first and the last are both counted, are whole weeks."""
    return {"every": Every(weeks, "week"), "strength": 2} if values[0] == days else None


def day_row(values: Values, *, is_weekend_sure: bool = False) -> Slots | None:
    """周一三五, 周六日, mon wed fri: three days written side by side are a list wherever they stand."""
    days = values[-1]
    is_sure = len(days) >= _SURE_ROW or (is_weekend_sure and days == _WEEKEND)
    return every_weekday(values, strength=2 if is_sure else 1)


def every_weekday_at(values: Values) -> Slots | None:
    """Every weekday at nine except holidays: the clock stands before the days that are left."""
    clock, days = values
    made, piece = every_weekday([days]), clock_piece([clock])
    return {**made, **piece} if made and piece else None


def next_weekdays(values: Values) -> Slots | None:
    """Return the next three Mondays."""
    count, day = values
    made = every_weekday([day])
    return {**made, "times": int(count)} if made and 1 < count <= 100 else None


def every_nth_weekday(values: Values, *, last: bool = False) -> Slots | None:
    """Every third Friday means that of the month; no month promises a fifth, so every fifth counts weeks."""
    made = nth_weekday(values, last=last)
    if made is None:
        return None
    if len(made["ordinals"]) == 1 and made["ordinals"][0] >= 5:
        return every_weekday([made["ordinals"][0], made["weekdays"]])
    return {**made, "every": Every(1, "month"), "strength": 2}


def nth_weekdays(values: Values) -> Slots | None:
    """Return the first Monday and the third Friday of every month: each ordinal is that of its own weekday."""
    named = [value for value in values if isinstance(value, dict)]
    if any(len(weekday["ordinals"]) != 1 or len(weekday["weekdays"]) != 1 for weekday in named):
        return None
    ordinals, weekdays = (tuple(weekday[field][0] for weekday in named) for field in ("ordinals", "weekdays"))
    if any(abs(ordinal) > _MAX_WEEKS_OF_MONTH for ordinal in ordinals):
        return None
    return {"ordinals": ordinals, "weekdays": weekdays, "paired": True, "every": Every(1, "month"), "strength": 2}


def every_date(values: Values) -> Slots | None:
    """Every 30 August: the date comes as a piece."""
    piece: Slots = values[-1]
    if "year" in piece or "every" in piece or not piece.keys() & {"months", "holiday"}:
        return None
    return {**piece, "every": Every(1, "year"), "strength": 2}


def days_between(values: Values) -> Slots | None:
    """Return the 1st to the 5th of every month: each of these days."""
    numbers = [
        number for value in values if value != "month" for number in (value if isinstance(value, tuple) else (value,))
    ]
    first, last = numbers
    if not 1 <= first < last <= _LAST_DAY:
        return None
    return {"every": Every(1, "month"), "days": tuple(range(int(first), int(last) + 1)), "strength": 2}


def day_before_each(values: Values) -> Slots | None:
    """Before the 15th of every month, 每月15号之前: the day before, as that day is too late."""
    number = next(value for value in values if value != "month")
    if not 1 < number <= _LAST_DAY:
        return None
    return {"every": Every(1, "month"), "days": (int(number) - 1,), "strength": 2}


def weekday_beside_each(values: Values, *, after: bool = False) -> Slots | None:
    """Return the Monday before the 15th of every month: the one of the seven days before it."""
    weekday, number = values[:2]
    first = number + 1 if after else number - _WEEK
    if not 1 <= first <= _SURE_LAST_DAY - _WEEK + 1:
        return None
    days = tuple(range(first, first + _WEEK))
    return {"every": Every(1, "month"), "days": days, "weekdays": (weekday,), "strength": 2}


def week_of_each(values: Values, *, last: bool = False, day_last: bool = False) -> Slots | None:
    """Return the first week of every month, its Wednesday: the nth Monday, the nth Wednesday."""
    numbers = [value for value in values if value != "month"]
    number = -1 if last else numbers.pop(0 if day_last or len(numbers) == 1 else 1)
    made = nth_weekday([number, numbers[0] if numbers else 0])
    return {**made, "every": Every(1, "month"), "strength": 2} if made and number <= _MAX_WEEKS_OF_MONTH else None


def nth_workday_of_each(values: Values, *, minimum: int = _FIRST_SURE_WORKDAY) -> Slots | None:
    """Every fifth working day is that of the month; every second one may not be, so it is refused below `minimum`."""
    number, days = values
    if len(days) != _WORKDAYS:
        return None
    if number < minimum:
        return {"refused": True, "strength": 2}
    made = instances([number, days])
    return {**made, "every": Every(1, "month"), "strength": 2} if made else None


def day_of_each_quarter(values: Values) -> Slots | None:
    """每季度第一个月5号."""
    place, unit, day = values
    if unit != "month" or not 1 <= place <= _MONTHS_OF_QUARTER or not 1 <= day <= _SURE_LAST_DAY:
        return None
    months = tuple(range(int(place), 13, _MONTHS_OF_QUARTER))
    return {"every": Every(1, "year"), "months": months, "days": (int(day),), "strength": 2}


def quarterly_date(values: Values, *, form: str) -> Slots | None:
    """Return the first of January, April, July and October of every year; four months that are a quarter apart."""
    dated = date(values, form=form)
    if dated is None or any(later - earlier != _MONTHS_OF_QUARTER for earlier, later in pairwise(dated["months"])):
        return None
    return {**dated, "every": Every(1, "year")}


def once_each(values: Values) -> Slots | None:
    """Once every weekday: as often as the words behind it say."""
    inner: Slots = values[-1]
    return inner if "every" in inner else None


def every_holiday(values: Values) -> Slots:
    """Every Mother's Day; Black Friday, which is counted from another day, has no rule."""
    made = holiday(values, strength=2)
    return {**made, "every": Every(1, "year")} if "anchor" not in made else {"refused": True, "strength": 2}


def before_month_end(values: Values) -> Slots | None:
    """Two days before the end of every month."""
    length: Span = values[-1]
    if length.months or length.seconds or not 1 <= length.days <= _TEN:
        return None
    return {"every": Every(1, "month"), "days": (-1 - length.days,), "strength": 2}


def every_part(values: Values, *, unit: str = "day") -> Slots:
    """Every morning, mornings, every morning and evening."""
    parts = both(values)
    return {"every": Every(1, unit), "parts": parts, "strength": 2}


def weekly_part(values: Values) -> Slots:
    """Friday mornings."""
    days, part = values
    days = days if isinstance(days, tuple) else (days,)
    return {**every_part([part], unit="week"), "weekdays": days}


def days_ending_in(values: Values) -> Slots | None:
    """每月逢五: the fifth, the fifteenth and the twenty-fifth."""
    if any(not 1 <= figure <= _TEN for figure in values):
        return None
    days = sorted(figure + tens for figure in values for tens in (0, _TEN, 2 * _TEN))
    return {"every": Every(1, "month"), "days": tuple(days), "strength": 2}


def first_days(values: Values, *, last: bool = False) -> Slots | None:
    """每月前三天: the first, the second and the third; or the last ones."""
    count = values[-1]
    days = tuple(range(-int(count), 0) if last else range(1, int(count) + 1))
    return {"every": Every(1, "month"), "days": days, "strength": 2} if 1 < count <= _TEN else None


def daily_for(values: Values, *, clock_first: bool = False) -> Slots | None:
    """连续五天晚上十点, the next five days at ten: a length in whole days, and a clock."""
    length, clock = reversed(values) if clock_first else (values[0], values[-1])
    made = clock_piece([clock])
    if made is None or not length.days or length.months or length.seconds:
        return None
    return {**made, "every": Every(1, "day"), "lasting": length}


def every_day_but(values: Values, *, alone: bool = False) -> Slots | None:
    """Every day, or weekdays, except some; `alone` where the words for every day stand elsewhere."""
    out = values[-1] if isinstance(values[-1], tuple) else (values[-1],)
    of = values[0] if len(values) > 1 else range(7)
    days = tuple(day for day in of if day not in out)
    made: Slots = {"weekdays": days, "every": Every(1, "week"), "strength": 2}
    return {**made, **({"but": True} if alone else {})} if days else None


def counted(values: Values, *, minimum: int = 1, strength: int = 0) -> Slots | None:
    """For five times; 每三天一次 counts nothing, so a bare number must be `minimum`."""
    count = values[-1]
    return {"times": int(count), "strength": strength} if minimum <= count <= 10_000 else None


def bound(values: Values, *, name: str, alone: bool = False, eve: bool = False) -> Slots | None:
    """Until, or from, another time; `alone`: where nothing else is said, the bound is the time itself (到六点叫我).

    `eve`: it must be over by then (周五之前), and it must say on which day; 每天九点之前 is every day.
    """
    inner: Slots = values[-1]
    if eve and not (names_day(inner) and inner["strength"] > 0):
        return None
    if inner.keys() & {"since", "until", "times", "lasting", "refused", "every"} or is_loose(inner):
        return None
    if len(inner.get("clocks", ())) > 1:  # they are those of each day
        return None
    days = inner.get("weekdays", ())
    if len(days) > 1 and (days != _WEEKEND or not inner.keys() & {"this_week", "shift"}):  # from Monday to Friday
        return None
    if name == "since" and inner.keys() <= {"clocks", "strength"}:
        return {**inner, "strength": 1}
    made: Slots = {name: inner, "strength": inner["strength"] if name == "since" else 0}
    return {**made, **({"alone": True} if alone else {}), **({"eve": True} if eve else {})}


def bound_through(values: Values) -> Slots | None:
    """Through March: to the end of it."""
    inner: Slots = values[-1]
    is_long = "months" in inner or ("shift" in inner and inner["shift"].unit in _LONG_UNITS)
    is_whole = is_long and inner.keys() <= {"months", "year", "shift", "strength"}
    return bound([{**inner, "edge": "end"} if is_whole else inner], name="until")


def days_in_row(values: Values) -> Slots | None:
    """明后两天, today and tomorrow: every day of a few, the first of which is so many days ahead."""
    (ahead, count), *number = values
    if number not in ([], [count]):
        return None
    first, last = ({"shift": Shift("day", steps), "strength": 2} for steps in (ahead, ahead + count - 1))
    return {"every": Every(1, "day"), "since": first, "until": last, "strength": 2}


def then_every(values: Values) -> Slots | None:
    """Tomorrow at nine and every day after that."""
    first, often = values
    if first.keys() & {"every", "since", "until", "refused", "lasting"} or not names_day(first):
        return None
    return {**often, "since": first, "strength": 2}


def rule_lasting(values: Values) -> Slots | None:
    """Daily at eight from tomorrow, five days: how long the repetition lasts, without "for"."""
    rule, length = values
    is_open = "every" in rule and not rule.keys() & {"until", "times", "lasting", "refused", "per"}
    return {**rule, "lasting": length} if is_open and not length.seconds else None


def since_lasting(values: Values) -> Slots | None:
    """从今天开始的一周: a beginning and a length."""
    started, length = values
    made = bound([started], name="since")
    return None if made is None else {**made, "lasting": length}


def between(values: Values) -> Slots | None:
    """From one time to another."""
    first, last = values
    if {"every", "until", "since", "refused"} & (first.keys() | last.keys()):
        return None
    if "days" in last and len(last.get("weekdays", ())) > 1:  # to the 18th, Mondays and Fridays
        return None
    if first.keys() == _WEEKDAY and last.keys() == _WEEKDAY_OF_WEEK:  # they are days of the same week
        return None
    if first.keys() <= {"clocks", "parts", "strength"}:
        return {**first, "until": last}
    if all(_MONTHS <= end.keys() <= _MONTHS | {"year"} for end in values):  # both are whole months
        last = {**last, "edge": "end"}
    return {"since": first, "until": last, "strength": min(2, first["strength"] + last["strength"])}


def times_per(values: Values, *, unit_first: bool = False) -> Slots | None:
    """Twice a week: which days or hours that is, other words must say."""
    unit, number = values if unit_first else reversed(values)
    made = {"every": Every(*unit), "strength": 2} if isinstance(unit, tuple) else every([unit])
    return {**made, "per": int(number)} if made and number > 1 else made


def times_a_day(values: Values) -> Slots | None:
    """Every day twice."""
    return times_per(["day", values[-1]], unit_first=True)


def minute_of_hour(values: Values, *, minute: int = 0, before: bool = False, **fixed: Any) -> Slots | None:
    """On the hour, at ten past every hour, at a quarter to every hour."""
    number = values[-1] if values else minute
    if number != int(number) or not 0 <= number < _MINUTES:
        return None
    made: Slots = {"minute": (_MINUTES - int(number)) % _MINUTES if before else int(number), "strength": 0}
    return typed({**made, **fixed})


def hour_at(values: Values, *, minute: int = 0) -> Slots | None:
    """每小时的30分, 每小时整点: the unit comes first."""
    unit, *number = values
    return minute_of_hour(number, minute=minute, every=[1, "hour"], strength=2) if unit == "hour" else None


def every_edge(values: Values) -> Slots:
    """每月底."""
    unit, side = values[-1]
    return {"every": Every(1, unit), "edge": side, "strength": 2}


def every_apart(values: Values) -> Slots | None:
    """每隔一天 leaves one out; 每隔两小时 is commonly every two."""
    count, unit = values
    skips = count == 1 and unit not in SECONDS_OF
    return every([2 if skips else count, unit])
