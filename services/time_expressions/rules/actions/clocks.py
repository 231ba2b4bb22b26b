"""Actions that make clocks and pieces of clocks."""

from typing import Any

from services.time_expressions.rules.actions.general import Values
from services.time_expressions.values import (
    LAST_SMALL_HOUR,
    Clock,
    Shift,
    Slots,
    is_small_hour,
    names_day,
    spread_over_day,
)

_FIRST_MORNING_HOUR = 8
"""A quarter to eight belongs to the same half of the day as a bare eight."""
_FIRST_EVENING_HOUR = 5
"""Ten to five in the evening is no time of the night, as four o'clock tonight is."""
_EARLY_EVENING_HOURS = {3, 4}
_COUNTED_POINTS = {1, 2}
_MAX_HOURS_OFF = 14
_FIRST_NOON_HOUR = 10
_FORENOON = frozenset({"dawn", "early", "morning", "forenoon"})
_NIGHT = frozenset({"dusk", "evening", "night", "late"})
_NOON = 12
_NO_DAY = Shift("", 0)
_MINUTES_OF_HALF_A_DAY = 720


def clock(
    values: Values, *, half: str = "", minimum: int = 0, century: int = 0, earliest: int = 0, latest: int = 24
) -> Clock | None:
    """Return the clock of an hour and perhaps minutes; a word may fix the half of the day.

    Minutes may have to be `minimum`, or to be what is left of a year of two figures: the 05 of 9点05;
    the hour may have to be between `earliest` and `latest`: 20h is a clock, 2h a length.
    """
    hour, *rest = values
    minute = rest[0] if rest else 0
    if not earliest <= hour <= latest or (rest and minute < minimum):
        return None
    if century:
        minute %= century
    if hour != int(hour) or hour < 0 or not 0 <= minute < 60:
        return None
    marked = "24" if hour > 12 or hour == 0 else ""
    return with_half([Clock(int(hour), int(minute), 0, marked, "minute" if rest else "hour")], half=half)


def clock_seconds(values: Values) -> Clock | None:
    """三点半五十九秒."""
    base: Clock = values[0]
    second = values[1]
    return base._replace(second=int(second), grain="second") if 0 <= second < 60 else None


def with_half(values: Values, *, half: str = "") -> Clock | None:
    """Return a clock marked am or pm; 1515pm stays what it is."""
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
    if hour > _NOON:
        half = "24"
    decides = half == "" and base.hour in {_FIRST_MORNING_HOUR, _FIRST_EVENING_HOUR} and hour == base.hour - 1
    return Clock(hour, total % 60, 0, half, "minute", base.hour if decides else 0)


def clock_off(values: Values, *, sign: int = 1) -> Clock | None:
    """Ten minutes before dinner: a length of less than half a day, and the hour that people mean by the other words."""
    length, base = values
    minutes, rest = divmod(length.seconds, 60)
    if length.days or length.months or rest or not 0 < minutes < _MINUTES_OF_HALF_A_DAY:
        return None
    total = (base.hour * 60 + base.minute + sign * minutes) % (2 * _MINUTES_OF_HALF_A_DAY)
    return Clock(total // 60, total % 60, 0, "24", "minute")


def clock_shifted(values: Values, *, sign: int = 1) -> Clock | None:
    """差五分三点 the other way round: the clock comes first."""
    return shifted_clock([values[1], values[0]], sign=sign)


def bare_clock(values: Values) -> Clock | None:
    """Return a bare number beside a part of the day, or after "at"."""
    value = values[0]
    if isinstance(value, Clock):
        return value
    return clock([value]) if 1 <= value <= 24 else None


def evening_clock(values: Values) -> Clock | None:
    """Four in the evening: in English no hour after midnight, as four at night and 晚上四点 are."""
    base = bare_clock(values)
    return base._replace(half="pm") if base and not base.half and base.hour in _EARLY_EVENING_HOURS else None


def clock_piece(values: Values, *, strength: int = 2) -> Slots | None:
    """Return a piece made of one clock, or of several."""
    listed = _listed(values)
    clocks = [bare_clock([value]) for value in listed]
    given = [clock for clock in clocks if clock is not None]
    if not given or len(given) < len(clocks):
        return None
    if any(clock.hour > _NOON for clock in given) or given[0].hour == 0:  # 7:30 beside 19:30 is 24-hour time
        given = [clock if clock.half else clock._replace(half="24") for clock in given]
    return {"clocks": tuple(given), "strength": strength}


def clock_list(values: Values) -> Any:
    """9 am, 1 pm and 5 pm; 6, 10, 2 and 6, which are all different once they rise through the day."""
    clocks = [bare_clock([value]) for value in _listed(values)]
    given = tuple(clock for clock in clocks if clock is not None)
    is_list = len(given) == len(clocks) and (len(set(given)) == len(given) or spread_over_day(given) is not None)
    return given if is_list else None


def clock_row(values: Values) -> Any:
    """8点12点6点: clocks side by side, which must rise through the day."""
    given = clock_list(values)
    hours = [clock.hour for clock in given or ()]
    return given if hours == sorted(hours) or (given and spread_over_day(given)) else None


def _listed(values: Values) -> Values:
    """Return the elements of a list that may contain lists."""
    return [
        each
        for value in values
        for each in (value if isinstance(value, tuple) and not isinstance(value, Clock) else (value,))
    ]


def clock_beside(values: Values, *, number_first: bool = True, strength: int = 2) -> Slots | None:
    """9 tomorrow, 8 tonight: a bare number is a clock beside a day or a part of it."""
    number, piece = values if number_first else reversed(values)
    made = bare_clock([number])
    if made is None or "clocks" in piece:
        return None
    return {**piece, "clocks": (made,), "strength": strength}


def range_beside(values: Values) -> Slots | None:
    """Tomorrow 3-5, tonight 8-10; behind a weekday it may be a score."""
    day, pair = values
    if "clocks" in day or day.get("shift", _NO_DAY).unit != "day" or pair[1] < pair[0] < _FIRST_MORNING_HOUR:
        return None
    made = clock_range([pair])
    return {**day, **made} if made else None


def clock_range(values: Values, *, strength: int = 2) -> Slots | None:
    """Return a range of clocks whose halves of the day fit: "3 to 4 pm", "11 pm to 7"."""
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
    is_same_half = (first.hour % 12, first.minute) < (last.hour % 12, last.minute)
    if last.half in {"am", "pm"} and not first.half:
        first = first._replace(half=last.half if is_same_half else {"am": "pm", "pm": "am"}[last.half])
    elif first.half and not last.half:
        is_afternoon = first.half == "pm" or (first.half == "24" and first.hour >= _NOON)
        last = last._replace(half="pm" if is_afternoon == is_same_half else "am")
    return {"clocks": (first,), "until": {"clocks": (last,), "strength": 2}, "strength": strength}


def clock_either(values: Values) -> Slots | None:
    """5 or 6, 5 or 6 pm: two clocks, of which one is meant."""
    first, last = bare_clock([values[0]]), bare_clock([values[1]])
    if first is None or last is None:
        return None
    if last.half in {"am", "pm"} and not first.half:
        first = with_half([first, last.half]) or first
    return {"either": ({"clocks": (first,)}, {"clocks": (last,)}), "strength": 2}


def half_day(values: Values, *, strength: int = 0) -> Slots:
    """Tuesday AM: the half of the day as a part of it."""
    return {"parts": ("morning" if values[0] == "am" else "afternoon",), "strength": strength}


def fixed_clock(values: Values) -> Clock | None:
    """Noon, midnight, 12 noon."""
    return Clock(*values[-1]) if len(values) == 1 or values[0] == _NOON else None


def spelled_clock(values: Values) -> Clock | None:
    """Ten thirty am, three fifteen pm."""
    base = clock(values[:2])
    return with_half([base, values[2]]) if base else None


def round_minutes(values: Values, *, full: bool = False) -> int | Clock | None:
    """Ten past three, Friday 430: without another word only multiples of five minutes are meant so; 500 is a price.

    With `full`, hours without minutes are times as well: jueves 21.00, but not 7.12, which may be a date.
    """
    value: int | Clock = values[0]
    minutes = value.minute if isinstance(value, Clock) else value
    return value if (minutes or full) and minutes % 5 == 0 else None


def half_past(values: Values) -> Clock | None:
    """三点半."""
    return clock([values[0], 30])


def hour_piece(values: Values) -> Slots:
    """三点: a bare 一点 or 两点 more often counts points than hours, so it needs company."""
    return {"clocks": (values[0],), "strength": 0 if values[0].hour in _COUNTED_POINTS else 2}


def part_clock(values: Values) -> Clock | None:
    """早上八点 inside a list of clocks: the part decides the half of the day."""
    part = values[0]
    base = bare_clock(values[1:])
    if base is None or (base.hour > _NOON and not isinstance(values[1], Clock)):
        return None
    if base.half:
        return base
    is_night = part in _NIGHT and is_small_hour(base.hour, part)
    is_before_noon = part == "noon" and _FIRST_NOON_HOUR <= base.hour < _NOON
    return base._replace(half="am" if part in _FORENOON or is_night or is_before_noon else "pm")


def part_clocks(values: Values) -> Any:
    """早上六点半、十点半 inside a list: the part decides the half of the day of each clock."""
    clocks = [part_clock([values[0], clock]) for clock in values[1]]
    hours = [(clock.hour % _NOON + _NOON * (clock.half == "pm"), clock.minute) for clock in clocks if clock is not None]
    return tuple(clocks) if len(hours) == len(clocks) and hours == sorted(hours) else None


def clock_after(values: Values) -> Slots | None:
    """星期五放学四点: a day, what is over by then, and a clock."""
    day, part, clock = values
    if day.keys() & {"clocks", "parts"} or not names_day(day):
        return None
    return {**day, "parts": (part,), "clocks": (clock,), "strength": 2}


def day_part_clock(values: Values) -> Slots | None:
    """明早8: a day, a part of it and a bare number."""
    (count, part), number = values
    made = bare_clock([number])
    if made is None or made.hour > _NOON or made.hour in _COUNTED_POINTS:
        return None
    return {"shift": Shift("day", count), "parts": (part,), "clocks": (made,), "strength": 2}


def small_hours(values: Values) -> Slots | None:
    """后半夜: two in the morning, or the hour that is named, of the night that follows the day."""
    clock: Clock = values[-1] if len(values) > 1 else Clock(*values[0])
    if clock.half not in {"", "am"} or not 0 < clock.hour <= LAST_SMALL_HOUR:
        return None
    return {"clocks": (clock._replace(half=""),), "parts": ("late",), "strength": 2}


def parts_pair(values: Values) -> Slots | None:
    """早晚; 早晨 and 夜晚 are one part of the day."""
    if set(values) in ({"morning", "early"}, {"night", "evening"}):
        return None
    return {"parts": tuple(values), "strength": 0}


def zoned_clock(values: Values) -> Slots | None:
    """9am PST: the clock of another place."""
    made = clock_piece(values[:1])
    return {**made, "zone": values[1]} if made else None


def zone_offset(values: Values, *, sign: str) -> str | None:
    """UTC+2, GMT-5:30: the offset as +0200 and -0530."""
    named, length = values
    hours, minutes = (length.hour, length.minute) if isinstance(length, Clock) else (length, 0)
    return f"{sign}{hours:02}{minutes:02}" if named == "UTC" and hours <= _MAX_HOURS_OFF else None
