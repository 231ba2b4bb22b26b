"""What the rules of the lexicons make: each function turns the values of a matched pattern into one value.

A lexicon names a function in `make`; `values` are those of the pattern's symbols in order, keywords come from `with`.
A function returns None where the values make no sense together, and the rule then does not apply.
"""

from typing import Any

from services.time_expressions.figures import valid_day
from services.time_expressions.values import Clock, Every, Shift, Slots, Span

Values = list[Any]
_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_MOST_YEARS, _MOST_UNITS = 500, 100_000
_UNIT_OF_PERIOD = {"fortnight": ("week", 2), "quarter": ("month", 3), "half": ("month", 6), "decade": ("year", 10)}


def keep(values: Values, **_: Any) -> Any:
    """The last value as it is."""
    return values[-1]


def constant(_values: Values, *, value: Any) -> Any:
    """The value that the rule states."""
    return value


def both(values: Values) -> Any:
    """The values of a list, one after the other."""
    found: list[Any] = []
    for value in values:
        found += value if isinstance(value, tuple) and not isinstance(value, Clock) else [value]
    return tuple(dict.fromkeys(found))


def weekday_range(values: Values) -> Any:
    """Tuesday to Saturday."""
    first, last = values
    return tuple((first + step) % 7 for step in range((last - first) % 7 + 1))


def slots(values: Values, *, name: str = "", many: bool = False, **fixed: Any) -> Slots:
    """A piece of meaning: `name` set to the value (in a tuple with `many`), beside the fields that the rule states."""
    made: Slots = dict(fixed)
    if name:
        value = values[-1]
        made[name] = (
            ((value,) if not isinstance(value, tuple) or isinstance(value, Clock) else value) if many else value
        )
    if "every" in made:
        made["every"] = Every(*made["every"])
    if "shift" in made:
        made["shift"] = Shift(*made["shift"])
    made.setdefault("strength", 2)
    return made


def number_sum(values: Values) -> int:
    """Twenty two."""
    return int(sum(values))


def half_more(values: Values) -> float:
    """Two and a half."""
    return float(values[0] + 0.5)


def fraction(values: Values) -> float | None:
    """Three quarters, 1/2."""
    above, below = values[-1] if isinstance(values[-1], tuple) else (values[0], 4)
    return above / below if below and above < below else None


def times(values: Values, *, factor: float) -> float:
    """A number of quarters, and the like."""
    return float(values[0] * factor)


# -- lengths of time ---------------------------------------------------------------------------------------------


def span(values: Values, *, more: float = 0) -> Span | None:
    """An amount and a unit; `more` adds a part of the unit ("an hour and a half")."""
    amount, unit = (1, values[0]) if len(values) == 1 else values
    return _span(amount + more, unit)


def half_span(values: Values, *, part: float = 0.5) -> Span | None:
    """Half an hour."""
    return _span(part, values[-1])


def _span(amount: float, unit: str) -> Span | None:
    if amount > (_MOST_YEARS if unit == "year" else _MOST_UNITS):
        return None
    whole = amount == int(amount)
    if unit in _SECONDS:
        return Span(seconds=round(amount * _SECONDS[unit]), unit=unit)
    if unit in _DAYS:
        days = amount * _DAYS[unit]
        if days == int(days):
            return Span(days=int(days), unit=unit)
        return Span(days=int(days), seconds=round((days - int(days)) * 86_400), unit="hour")
    if unit not in _MONTHS:
        return None
    months = amount * _MONTHS[unit]
    if not whole and months != int(months):
        return Span(months=int(months), days=round((months - int(months)) * 30), unit="day")
    return Span(months=int(months), unit=unit)


_FINENESS = ("decade", "year", "half", "quarter", "month", "fortnight", "week", "day", "hour", "minute", "second")


def span_sum(values: Values) -> Span | None:
    """One hour and thirty seconds: units must become finer."""
    left, right = values
    if _FINENESS.index(right.unit) <= _FINENESS.index(left.unit):
        return None
    return Span(left.months + right.months, left.days + right.days, left.seconds + right.seconds, right.unit)


def minutes_after(values: Values) -> Span | None:
    """1小时15: the bare number is of the next finer unit."""
    left, amount = values
    if left.unit != "hour" or amount >= 60:
        return None
    return Span(left.months, left.days, left.seconds + 60 * amount, "minute")


def offset(values: Values, *, sign: int = 1, strength: int = 2) -> Slots:
    """In two hours."""
    return {"offset": _signed(values[0], sign), "strength": strength}


def offset_from(values: Values, *, sign: int = 1) -> Slots | None:
    """Two weeks after tomorrow; the length comes first."""
    length, anchor = values
    if "every" in anchor or "offset" in anchor or anchor.get("strength", 0) < 1:
        return None
    return {"offset": _signed(length, sign), "anchor": anchor, "strength": 2}


def from_offset(values: Values, *, sign: int = 1) -> Slots | None:
    """明天之后两天: the anchor comes first."""
    return offset_from([values[1], values[0]], sign=sign)


def _signed(length: Span, sign: int) -> Span:
    return Span(sign * length.months, sign * length.days, sign * length.seconds, length.unit)


def lasting(values: Values) -> Slots:
    """For two months."""
    return {"lasting": values[0], "strength": 0}


def named_days_ahead(values: Values) -> Slots | None:
    """Two sundays from now."""
    count, weekday = values
    if not 1 <= count <= 60:
        return None
    return {"weekdays": (weekday,), "shift": Shift("occurrence", int(count)), "strength": 2}


# -- clocks ------------------------------------------------------------------------------------------------------


def clock(values: Values, *, half: str = "") -> Clock | None:
    """An hour, perhaps minutes; a word may fix the half of the day."""
    hour, *rest = values
    minute = rest[0] if rest else 0
    if hour != int(hour) or not 0 <= hour <= 24 or not 0 <= minute < 60:
        return None
    marked = "24" if hour > 12 or hour == 0 else ""
    return with_half([Clock(int(hour), int(minute), 0, marked, "minute" if rest else "hour")], half=half)


def clock_seconds(values: Values) -> Clock | None:
    """三点半五十九秒."""
    base: Clock = values[0]
    second = values[1]
    return base._replace(second=int(second), grain="second") if 0 <= second < 60 else None


def with_half(values: Values, *, half: str = "") -> Clock | None:
    """A clock marked am or pm; 1515pm stays what it is."""
    base, *named = values
    half = half or (named[0] if named else "")
    if isinstance(base, int):
        base = clock([base]) if base else None
    if not isinstance(base, Clock):
        return None
    return base._replace(half=half) if half and base.hour <= 12 else base


def shifted_clock(values: Values, *, sign: int = 1) -> Clock | None:
    """Twenty past three, a quarter to noon: minutes first."""
    minutes, base, *half_word = values
    base = with_half([base, *half_word])
    if base is None or not 0 < minutes < 60:
        return None
    total = base.hour * 60 + base.minute + sign * int(minutes)
    if base.half == "am" and base.hour == 12:
        total -= 720
    half = base.half
    if half == "pm" and base.hour == 12 and total < 720:
        half = "am"
    if total < 0:
        total += 1440
    hour = total // 60 % 24
    if half == "" and hour == 0:
        hour = 12
    if half == "" and base.hour == _FIRST_MORNING_HOUR and hour < base.hour:
        half = "24"
    return Clock(hour, total % 60, 0, half, "minute")


_FIRST_MORNING_HOUR = 8
"""A quarter to eight belongs to the same half of the day as a bare eight."""


def clock_shifted(values: Values, *, sign: int = 1) -> Clock | None:
    """差五分三点 the other way round: the clock comes first."""
    return shifted_clock([values[1], values[0]], sign=sign)


def bare_clock(values: Values) -> Clock | None:
    """A bare number beside a part of the day, or after "at"."""
    value = values[0]
    if isinstance(value, Clock):
        return value
    return clock([value]) if 1 <= value <= 24 else None


def clock_piece(values: Values, *, strength: int = 2) -> Slots | None:
    """A piece made of one clock, or of several."""
    clocks = tuple(bare_clock([value]) for value in both(values))
    if any(one is None for one in clocks):
        return None
    return {"clocks": clocks, "strength": strength}


def clock_list(values: Values) -> Any:
    """9 am, 1 pm and 5 pm."""
    return both(values)


def clock_beside(values: Values, *, number_first: bool = True) -> Slots | None:
    """9 tomorrow, 8 tonight: a bare number is a clock beside a day or a part of it."""
    number, piece = values if number_first else reversed(values)
    made = bare_clock([number])
    if made is None or "clocks" in piece:
        return None
    return {**piece, "clocks": (made,), "strength": 2}


def clock_range(values: Values) -> Slots | None:
    """From 3 to 4 pm: the half of the last holds for the first where it fits."""
    pair = (
        values[0] if len(values) == 1 or (isinstance(values[0], tuple) and not isinstance(values[0], Clock)) else values
    )
    half = values[-1] if isinstance(values[-1], str) else ""
    first, last = bare_clock([pair[0]]), bare_clock([pair[1]])
    if first is None or last is None:
        return None
    if half:
        last = with_half([last, half])
    if last is None:
        return None
    if last.half in {"am", "pm"} and not first.half:
        earlier = first.hour % 12 < last.hour % 12 or (first.hour % 12, first.minute) < (last.hour % 12, last.minute)
        first = first._replace(half=last.half if earlier else {"am": "pm", "pm": "am"}[last.half])
    return {"clocks": (first,), "until": {"clocks": (last,), "strength": 2}, "strength": 2}


# -- days --------------------------------------------------------------------------------------------------------


def date(values: Values, *, form: str, strength: int = 2) -> Slots | None:
    """A date from its parts; `form` names them in order with the letters y, m, d."""
    parts = dict(zip(form, values, strict=True))
    made: Slots = {"strength": strength}
    days = parts.get("d")
    if days is not None:
        made["days"] = tuple(int(one) for one in (days if isinstance(days, tuple) else (days,)))
        if any(not 1 <= abs(one) <= 31 for one in made["days"]):
            return None
    if "m" in parts:
        made["months"] = parts["m"] if isinstance(parts["m"], tuple) else (int(parts["m"]),)
    if "y" in parts:
        made["year"] = parts["y"]
    for month in made.get("months", ()):
        if any(not valid_day(made.get("year"), month, abs(one)) for one in made.get("days", (1,))):
            return None
    return made


def this_or_next(values: Values, *, count: int, strength: int | None = None) -> Slots | None:
    """Next week, this month; the next hour is one from now."""
    name = values[-1]
    if name in _SECONDS:
        return offset([_span(count, name)]) if count > 0 else None
    name, factor = {"fortnight": ("week", 2), "decade": ("year", 10)}.get(name, (name, 1))
    if strength is None:
        strength = 2 if count or name == "day" else 1
    return {"shift": Shift(name, count * factor), "strength": strength}


def shifted(values: Values, *, unit: str = "") -> Slots:
    """Today, tomorrow, 下周: the count comes with the word."""
    if unit:
        return {"shift": Shift(unit, values[0]), "strength": 2}
    count, name = values
    return {"shift": Shift(name, count), "strength": 2 if count else 1}


def weekday(values: Values, *, strength: int = 2, week: int | None = None, **fixed: Any) -> Slots:
    """A weekday: bare, or of the present calendar week plus `week`."""
    made: Slots = {"weekdays": values[-1] if isinstance(values[-1], tuple) else (values[-1],), "strength": strength}
    if week is not None:
        made["shift"] = Shift("week", week)
    made.update(fixed)
    return made


def weekday_of_week(values: Values) -> Slots | None:
    """下周三: a count of weeks and a weekday."""
    count, day = values
    if count == 0:
        return {"weekdays": (day,), "this_week": True, "strength": 2}
    return {"weekdays": (day,), "shift": Shift("week", count), "strength": 2}


def nth_weekday(values: Values, *, last: bool = False) -> Slots | None:
    """The second Friday, the last but one Monday; several ordinals may stand."""
    ordinals, days = values if len(values) == 2 else ((1,), values[0])
    ordinals = ordinals if isinstance(ordinals, tuple) else (ordinals,)
    days = days if isinstance(days, tuple) else (days,)
    if any(not 1 <= abs(one) <= 53 for one in ordinals):
        return None
    if last:
        ordinals = tuple(-one for one in ordinals)
    return {"ordinals": ordinals, "weekdays": days, "strength": 1}


def nth_day(values: Values, *, last: bool = False) -> Slots | None:
    """The 35th day, the 5th last day."""
    ordinal = values[0] if values else 1
    if not isinstance(ordinal, int) or not 1 <= abs(ordinal) <= 366:
        return None
    return {"day_numbers": (-ordinal if last else ordinal,), "strength": 2}


# -- recurrences -------------------------------------------------------------------------------------------------


def every(values: Values, *, interval: int | None = None, strength: int = 2, **fixed: Any) -> Slots | None:
    """Every N units."""
    unit = values[-1]
    amount = interval if interval is not None else (values[0] if len(values) > 1 else 1)
    if amount <= 0 or amount > 10_000 or amount != int(amount):
        return None
    base, factor = _UNIT_OF_PERIOD.get(unit, (unit, 1))
    return {"every": Every(int(amount) * factor, base), "strength": strength, **fixed}


def every_span(values: Values) -> Slots | None:
    """Every hour and a half, 每半小时: a length that is not a whole number of one unit."""
    length: Span = values[-1]
    if length.months and not (length.days or length.seconds):
        years = length.months % 12 == 0
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


def every_weekday(values: Values, *, interval: int | None = None) -> Slots | None:
    """Every Monday and Friday, every other Friday."""
    days = values[-1] if isinstance(values[-1], tuple) else (values[-1],)
    amount = interval if interval is not None else (values[0] if len(values) > 1 else 1)
    if not 1 <= amount <= 100 or amount != int(amount):
        return None
    return {"weekdays": days, "every": Every(int(amount), "week"), "strength": 2}


def every_nth_weekday(values: Values, *, last: bool = False) -> Slots | None:
    """Every third Friday means that of the month; no month promises a fifth, so every fifth counts weeks."""
    made = nth_weekday(values, last=last)
    if made is None:
        return None
    if len(made["ordinals"]) == 1 and made["ordinals"][0] >= 5:
        return every_weekday([made["ordinals"][0], made["weekdays"]])
    return {**made, "every": Every(1, "month"), "strength": 2}


def every_date(values: Values) -> Slots | None:
    """Every 30 August: the date comes as a piece."""
    piece: Slots = values[-1]
    if "year" in piece or "every" in piece or "months" not in piece:
        return None
    return {**piece, "every": Every(1, "year"), "strength": 2}


def every_part(values: Values, *, unit: str = "day") -> Slots:
    """Every morning, mornings."""
    parts = values[-1] if isinstance(values[-1], tuple) else (values[-1],)
    return {"every": Every(1, unit), "parts": parts, "strength": 2}


def weekly_part(values: Values) -> Slots:
    """Friday mornings."""
    days, part = values
    days = days if isinstance(days, tuple) else (days,)
    return {"every": Every(1, "week"), "weekdays": days, "parts": (part,), "strength": 2}


def every_piece(values: Values, *, unit: str = "week") -> Slots | None:
    """每 before a piece that names weekdays or parts of the day."""
    piece: Slots = values[-1]
    if "every" in piece or "offset" in piece:
        return None
    return {**piece, "every": Every(1, unit), "strength": 2}


def counted(values: Values) -> Slots | None:
    """For five times."""
    count = values[-1]
    return {"count": int(count), "strength": 0} if 1 <= count <= 10_000 else None


def bound(values: Values, *, name: str, strength: int = 0) -> Slots | None:
    """Until, or from, another time."""
    inner: Slots = values[-1]
    if inner.keys() & {"since", "count", "lasting", "refused", name} or "every" in inner:
        return None
    if name == "since" and inner.keys() <= {"clocks", "strength"}:
        return {**inner, "strength": 1}
    return {name: inner, "strength": strength}


def between(values: Values) -> Slots | None:
    """From one time to another."""
    first, last = values
    if {"every", "until", "since", "refused"} & (first.keys() | last.keys()):
        return None
    return {"since": first, "until": last, "strength": min(2, first["strength"] + last["strength"])}


def refuse(_values: Values) -> Slots:
    """Words that no rule can keep, such as twice a week: better no time than a wrong one."""
    return {"refused": True, "strength": 2}


def piece(values: Values, **fixed: Any) -> Slots:
    """A piece that is one already, with fields that the rule states."""
    return {**values[-1], **fixed}


def half_day(values: Values) -> Slots:
    """Tuesday AM: the half of the day as a part of it."""
    return {"parts": ("morning" if values[0] == "am" else "afternoon",), "strength": 0}


def day_from_end(values: Values) -> Slots:
    """The fourth last."""
    return {"days": (-values[0],), "strength": 0}


def instances(values: Values) -> Slots:
    """The first and last instance of Wednesday and Friday."""
    ordinals, days = values
    return {"positions": ordinals, "weekdays": days if isinstance(days, tuple) else (days,), "strength": 1}


def frequency(values: Values) -> Slots:
    """Daily, weekly."""
    return {"every": Every(*values[0]), "strength": 2}


def lasting_unit(values: Values) -> Slots | None:
    """For the next year."""
    length = _span(1, values[0])
    return lasting([length]) if length else None


def fixed_clock(values: Values) -> Clock:
    """Noon, midnight."""
    return Clock(*values[0])


def spelled_clock(values: Values) -> Clock | None:
    """Ten thirty am, three fifteen pm."""
    base = clock(values[:2])
    return with_half([base, values[2]]) if base else None


def weekday_day(values: Values, *, near: bool = False) -> Slots | None:
    """Tuesday 19th; a bare number counts only if the day is `near`."""
    day, number = values
    if not 1 <= number <= 31:
        return None
    made: Slots = {"weekdays": (day,), "days": (number,), "strength": 2}
    return {**made, "near": True} if near and number <= _LAST_HOUR else made


_LAST_HOUR = 24


def holiday(values: Values, *, strength: int) -> Slots:
    """Christmas."""
    month, day = values[0]
    return {"months": (month,), "days": (day,), "strength": strength}


def year_day_month(values: Values) -> Slots | None:
    """2020/23/Sep, September-2020-23."""
    (year, day), month = values if isinstance(values[0], tuple) else reversed(values)
    return date([year, month, day], form="ymd")


def round_minutes(values: Values) -> int | None:
    """Ten past three: without the word "minutes" only multiples of five are meant so."""
    return values[0] if values[0] % 5 == 0 else None


def offset_nearest(values: Values) -> Slots | None:
    """The Monday closest to a date."""
    day, anchor = values
    if "every" in anchor or "offset" in anchor:
        return None
    return {"weekdays": (day,), "anchor": anchor, "nearest": True, "strength": 2}


def span_of(values: Values, *, unit: str, factor: int = 1) -> Span | None:
    """A number of one unit that the rule names."""
    return _span(values[0] * factor, unit)


def half_past(values: Values) -> Clock | None:
    """三点半."""
    return clock([values[0], 30])


def hour_piece(values: Values) -> Slots:
    """三点: a bare 一点 or 两点 more often counts points than hours, so it needs company."""
    return {"clocks": (values[0],), "strength": 0 if values[0].hour in _COUNTED_POINTS else 2}


_COUNTED_POINTS = {1, 2}


def part_clock(values: Values) -> Clock | None:
    """早上八点 inside a list of clocks: the part decides the half of the day."""
    part = values[0]
    base: Clock = values[1]
    if base.half:
        return base
    return base._replace(half="am" if part in {"dawn", "early", "morning", "forenoon"} else "pm")


def parts_pair(values: Values) -> Slots:
    """早晚."""
    return {"parts": tuple(values), "strength": 0}


def day_and_part(values: Values) -> Slots:
    """明晚."""
    count, part = values[0]
    return {"shift": Shift("day", count), "parts": (part,), "strength": 2}


def edge(values: Values) -> Slots:
    """月底, 下月底."""
    count, (unit, side) = (0, values[0]) if len(values) == 1 else values
    return {"shift": Shift(unit, count), "edge": side, "strength": 2}


def edge_of_month(values: Values) -> Slots | None:
    """10月底."""
    month, (unit, side) = values
    if unit != "month" or not 1 <= month <= 12:
        return None
    return {"months": (month,), "edge": side, "strength": 2}


def every_edge(values: Values) -> Slots:
    """每月底."""
    unit, side = values[-1]
    return {"every": Every(1, unit), "edge": side, "strength": 2}


def last_weekday(values: Values) -> Slots:
    """最后一个周五."""
    return {"ordinals": (-1,), "weekdays": (values[-1],), "strength": 1}


def last_day(_values: Values) -> Slots:
    """最后一天."""
    return {"day_numbers": (-1,), "strength": 1}


def every_apart(values: Values) -> Slots | None:
    """每隔一天 leaves one out; 每隔两小时 is commonly every two."""
    count, unit = values
    skips = count == 1 and unit not in _SECONDS
    return every([2 if skips else count, unit])
