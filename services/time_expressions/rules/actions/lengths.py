"""Actions that make numbers, lengths of time and offsets."""

from services.time_expressions.rules.actions.general import Values
from services.time_expressions.values import SECONDS_OF, Clock, Shift, Slots, Span

_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MAX_YEARS = 500
_MAX_UNITS = 100_000
_MAX_QUARTERS = 3
_MAX_WORKDAYS = 500
_FINENESS = ("decade", "year", "half", "quarter", "month", "fortnight", "week", "day", "hour", "minute", "second")


def number_sum(values: Values) -> int:
    """Twenty two."""
    return int(sum(values))


def half_more(values: Values) -> float:
    """Two and a half."""
    return float(values[0] + 0.5)


def quarters_more(values: Values) -> float | None:
    """One and a quarter, two and three quarters."""
    whole, *count = values
    quarters = count[0] if count else 1
    return float(whole + quarters / 4) if 1 <= quarters <= _MAX_QUARTERS else None


def mixed_number(values: Values) -> float | None:
    """2 1/2."""
    part = fraction(values[1:])
    return None if part is None else float(values[0] + part)


def fraction(values: Values) -> float | None:
    """Three quarters, 1/2."""
    above, below = values[-1] if isinstance(values[-1], tuple) else (values[0], 4)
    return above / below if below and above < below else None


def times(values: Values, *, factor: float) -> float:
    """Return a number of quarters, and the like."""
    return float(values[0] * factor)


def lower(values: Values) -> float | Span | None:
    """20 to 30, half an hour to an hour: the lower end."""
    first, last = values[0] if len(values) == 1 else values
    return first if first < last else None


def neighbours(values: Values) -> int | None:
    """两三, 三五, 二三十, 十五六: the lower of two numbers said side by side."""
    first, last = values
    figure = first % 10
    if figure and (last == figure + 1 < 10 or (first, last) == (3, 5)):
        return int(first)
    return int(first) * 10 if last == 10 * (first + 1) else None


def span(values: Values, *, more: float = 0) -> Span | None:
    """Return an amount and a unit; `more` adds a part of the unit ("an hour and a half")."""
    amount, unit = (1, values[0]) if len(values) == 1 else values
    return measure(amount + more, unit)


def half_span(values: Values, *, part: float = 0.5) -> Span | None:
    """Half an hour."""
    return measure(part, values[-1])


def measure(amount: float, unit: str) -> Span | None:
    """Return a length of `amount` units, or None where there is no such unit or the length is absurd."""
    if amount > (_MAX_YEARS if unit == "year" else _MAX_UNITS):
        return None
    whole = amount == int(amount)
    if unit in SECONDS_OF:
        return Span(seconds=round(amount * SECONDS_OF[unit]), unit=unit)
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


def span_sum(values: Values) -> Span | None:
    """One hour and thirty seconds: units must become finer."""
    left, right = values
    if _FINENESS.index(right.unit) <= _FINENESS.index(left.unit):
        return None
    return Span(left.months + right.months, left.days + right.days, left.seconds + right.seconds, right.unit)


def minutes_after(values: Values, *, minimum: int = 0) -> Span | None:
    """1小时15: the bare number is of the next finer unit; "1 hour 2 people" names fewer than the `minimum` minutes."""
    left, amount = values
    if left.unit != "hour" or not minimum <= amount < 60:
        return None
    return Span(left.months, left.days, left.seconds + 60 * amount, "minute")


def offset(values: Values, *, sign: int = 1, strength: int = 2) -> Slots:
    """In two hours."""
    return {"offset": _signed(values[0], sign), "strength": strength}


def offset_from(values: Values, *, sign: int = 1, part: str = "") -> Slots | None:
    """Two weeks after tomorrow; the length comes first, and the time has a clock in `part` of the day if that is named.

    Days before a clock of any day are none: "two days before at 9am" are a length ahead of a day that stands elsewhere.
    """
    length, anchor = values
    if sign < 0 and not length.seconds and anchor.keys() <= {"clocks", "parts", "strength"}:
        return None
    if "every" in anchor or "offset" in anchor or anchor.get("strength", 0) < 1:
        return None
    if part and "clocks" not in anchor:
        return None
    anchor = {**anchor, "parts": (part,)} if part else anchor
    return {"offset": _signed(length, sign), "anchor": anchor, "strength": 2}


def from_offset(values: Values, *, sign: int = 1, clockless: bool = False) -> Slots | None:
    """明天之后两天, 除夕前一天: the anchor comes first; 一八年前三个月 is no such thing.

    `clockless`: it names no clock time; 九点过五分 is one.
    """
    if clockless and _has_clock(values[0]):
        return None
    if sign < 0 and values[0].keys() <= {"year", "months", "strength"}:
        return None
    return offset_from([values[1], values[0]], sign=sign)


def workday_after(values: Values, *, length_first: bool = False) -> Slots | None:
    """Return the first working day after Christmas: `anchor` names a day and no clock."""
    length, anchor = values if length_first else reversed(values)
    return None if _has_clock(anchor) else offset_from([length, anchor])


def weeks_from(values: Values) -> Slots | None:
    """Return a week tomorrow, two weeks today."""
    length, anchor = values
    return offset_from(values) if length.unit in {"week", "fortnight"} and "clocks" not in anchor else None


def _has_clock(slots: Slots) -> bool:
    """Return whether the words named a clock, be it of a bound."""
    return "clocks" in slots or any(_has_clock(inner) for inner in slots.values() if isinstance(inner, dict))


def _signed(length: Span, sign: int) -> Span:
    return Span(sign * length.months, sign * length.days, sign * length.seconds, length.unit)


def workdays(values: Values) -> Span | None:
    """Three working days; the next one where the words give no number."""
    amount = values[0] if values else 1
    return Span(days=amount, unit="workday") if 0 < amount == int(amount) <= _MAX_WORKDAYS else None


def same_time(values: Values) -> Slots | None:
    """Return this time tomorrow, 明天这个时候."""
    inner = values[-1] if isinstance(values[-1], dict) else {"shift": Shift("day", values[-1])}
    shift = inner.get("shift")
    if shift is None or not inner.keys() <= {"shift", "strength"} or shift.steps < 1:
        return None
    length = measure(shift.steps, shift.unit)
    return offset([length]) if length else None


def lasting_unit(values: Values) -> Slots | None:
    """For the next year."""
    length = measure(1, values[0])
    return {"lasting": length, "strength": 0} if length else None


def constant_span(_values: Values, *, amount: float, unit: str) -> Span | None:
    """半个钟."""
    return measure(amount, unit)


def clock_span(values: Values) -> Span | None:
    """In 1:30 hours."""
    clock: Clock = values[0]
    return Span(seconds=3600 * clock.hour + 60 * clock.minute, unit="minute") if not clock.second else None


def span_of(values: Values, *, unit: str, factor: int = 1, more: float = 0) -> Span | None:
    """Return a number of one unit that the rule names, and perhaps a part of it."""
    return measure(values[0] * factor + more, unit)
