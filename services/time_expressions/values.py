"""The values that tokens and rules pass to one another, and the meaning of one expression."""

from calendar import monthrange
from itertools import pairwise
from typing import Any, Final, NamedTuple


def is_valid_day(year: int | None, month: int, day: int) -> bool:
    """Return whether the date exists; 29 February does without a year."""
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or 2000, month)[1] and (year is None or year > 0)


SECONDS_OF: Final = {"second": 1, "minute": 60, "hour": 3600}
"""The seconds of the units that count elapsed time."""

STRONG: Final = 2
"""The strength of words that are a time in any context; weaker words are a time only if the text has nothing else."""

WEAK: Final = 1


class Clock(NamedTuple):
    """A clock time. `half` is 'am', 'pm', '24' (24-hour clock) or '' (unknown half of the day).

    `ahead_of` is the full hour that the words name if that is the next one and decides: eight in "ten to eight".
    """

    hour: int
    minute: int = 0
    second: int = 0
    half: str = ""
    grain: str = "minute"
    ahead_of: int = 0


LAST_SMALL_HOUR, _LAST_HOUR_OF_DUSK = 4, 2
_NOON = 12
_EARLIEST_OF_MORNING, _LATEST_OF_AFTERNOON = 6, 7
_MIN_CLOCKS_IN_ROW = 3


def is_small_hour(hour: int, part: str) -> bool:
    """Return whether a bare hour of the evening or the night is after midnight: 半夜四点, but not 傍晚四点."""
    return hour == _NOON or hour <= (_LAST_HOUR_OF_DUSK if part == "dusk" else LAST_SMALL_HOUR)


def spread_over_day(clocks: tuple[Clock, ...]) -> tuple[Clock, ...] | None:
    """Return a list of clocks with the halves of the day in which they rise: ten in the morning, one, four and seven.

    Return None if they do not rise in any, or if the list is too short to tell.
    """
    hours = [clock.hour for clock in clocks if clock.half == ""]
    rises = all(clock.hour < following.hour for clock, following in pairwise(clocks))
    if not hours or len(clocks) < _MIN_CLOCKS_IN_ROW - (not rises) or any(clock.ahead_of for clock in clocks):
        return None
    is_late = max(hours) <= _LATEST_OF_AFTERNOON or hours[0] < _EARLIEST_OF_MORNING or hours[0] == _NOON
    return _rise(clocks, "pm" if is_late else "am") or _rise(clocks, "am" if is_late else "pm")


def _rise(clocks: tuple[Clock, ...], half: str) -> tuple[Clock, ...] | None:
    """Return `clocks`, each in the first half of the day in which it is later than the one before it."""
    found: list[Clock] = []
    for clock in clocks:
        halves = (half,) if not found else ("am", "pm")
        possible = [clock] if clock.half else [clock._replace(half=each) for each in halves]
        later = [each for each in possible if not found or time_of_day(found[-1]) < time_of_day(each)]
        if not later and found and clock.hour == _NOON and clock.half in {"", "am"} and clock == clocks[-1]:
            later = [clock._replace(half="am")]  # six, noon, six and midnight
        if not later:
            return None
        found.append(later[0])
    return tuple(found)


def time_of_day(clock: Clock) -> tuple[int, int, int]:
    """Return hour, minute and second, with 12 am and 12 pm as 0 and 12."""
    hour = clock.hour % _NOON + _NOON * (clock.half == "pm") if clock.half in {"am", "pm"} else clock.hour
    return hour, clock.minute, clock.second


class Span(NamedTuple):
    """A length of time: calendar months and days, and elapsed seconds; `unit` is the finest named unit."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    unit: str = "second"


class Shift(NamedTuple):
    """The calendar unit that lies `steps` units from the present one ('next month': month, 1)."""

    unit: str
    steps: int


class Every(NamedTuple):
    """A period: every `interval` units."""

    interval: int
    unit: str


DAILY: Final = Every(1, "day")


class Holiday(NamedTuple):
    """A day without a fixed date in the civil calendar: `lunar`, `easter`, or the name of a solar term.

    For `lunar`, `days` are (month, day) pairs; month 0 is every month, day 30 the last day. For `easter` there is one
    pair that begins with the offset in days from Easter Sunday.
    """

    kind: str
    days: tuple[tuple[int, int], ...] = ()


Slots = dict[str, Any]
"""A meaning under construction: the fields of `Meaning` that are set, by name."""


class Meaning(NamedTuple):
    """The meaning of one expression, before it is resolved on the calendar."""

    year: int | None = None
    months: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    swapped: tuple[int, int] | None = None
    weekdays: tuple[int, ...] = ()
    this_week: bool = False
    ordinals: tuple[int, ...] = ()
    paired: bool = False  # the n-th ordinal belongs to the n-th weekday only
    positions: tuple[int, ...] = ()
    day_numbers: tuple[int, ...] = ()
    week_numbers: tuple[int, ...] = ()
    shift: Shift | None = None
    edge: str = ""
    holiday: Holiday | None = None
    minute: int | None = None  # of every hour
    either: tuple["Meaning", ...] = ()  # alternatives for the person to choose from
    zone: str = ""  # an IANA name or an offset (+0200)
    clocks: tuple[Clock, ...] = ()
    parts: tuple[str, ...] = ()
    offset: Span | None = None
    anchor: "Meaning | None" = None
    side: str = ""  # the weekday's position relative to `anchor`: before, after, nearest
    every: Every | None = None
    times: int | None = None
    lasting: Span | None = None
    since: "Meaning | None" = None
    until: "Meaning | None" = None
    now: bool = False
    but: bool = False  # the weekdays are those left by "except"; the period is in another phrase
    near: int = 0  # weak evidence for a date, accepted only within so many days; 0 for any
    vague: bool = False  # a season; beside another time it is more likely part of the content
    refused: bool = False
    alone: bool = False
    eve: bool = False  # "before Friday": the time is the day before
    per: int | None = None
    strength: int = 0


def to_meaning(slots: Slots) -> Meaning:
    """Convert `slots` and nested slots to a `Meaning`."""
    nested: Slots = {key: to_meaning(value) for key, value in slots.items() if isinstance(value, dict)}
    if "either" in slots:
        nested["either"] = tuple(to_meaning(alternative) for alternative in slots["either"])
    return Meaning(**{**slots, **nested})


DAY_NAMES = frozenset(
    {"year", "months", "days", "swapped", "weekdays", "shift", "edge", "holiday", "offset", "anchor", "every", "now"}
)
"""Fields that determine a day."""


def names_day(slots: Slots) -> bool:
    """Return whether `slots`, or the beginning of its interval, determines a day."""
    if "either" in slots and any(names_day(alternative) for alternative in slots["either"]):
        return True
    since = slots.get("since")
    return bool(DAY_NAMES & slots.keys()) or (since is not None and names_day(since))


def is_time_of_day(meaning: Meaning) -> bool:
    """Return whether a meaning has a clock and no day."""
    return bool(meaning.clocks) and meaning == Meaning(
        clocks=meaning.clocks, parts=meaning.parts, strength=meaning.strength
    )


def begins_anywhere(slots: Slots) -> bool:
    """Return whether `slots` begins "from now on" and has another field, but no period ("at 6:15 from now on")."""
    return "now" in slots.get("since", {}) and "every" not in slots and bool(slots.keys() & (DAY_NAMES | _IN_DAY))


def complete(meaning: Meaning, other: Meaning) -> Meaning | None:
    """Return `meaning` with the fields that only `other` sets; None if both set a field differently."""
    changes: dict[str, Any] = {}
    for name, mine, theirs in zip(Meaning._fields, meaning, other, strict=True):
        default = Meaning._field_defaults[name]
        if theirs == default or name == "strength":
            continue
        if mine not in (default, theirs):
            return None
        changes[name] = theirs
    return meaning._replace(**changes)


def unify(left: Slots, right: Slots) -> Slots | None:
    """Join two meanings into one; None if they contradict each other."""
    if "offset" in left and "offset" in right:
        return None
    if _is_length_beside_day(left, right) or _is_length_beside_day(right, left):
        return None
    of_day = _with_day_of_anchor(left, right) or _with_day_of_anchor(right, left)
    if of_day is not None:
        return of_day
    common = left.keys() & right.keys()
    merged = {**left, **right}
    is_loose = _is_length_beside_clock(left, right) or _is_length_beside_clock(right, left)
    if "every" in common:
        merged.pop("but", None)
    for key in common:
        if key == "strength":
            merged[key] = min(2, max(0, left[key]) + max(0, right[key]))
        elif left[key] != right[key]:
            joined = _join(key, left, right)
            if joined is None:
                return None
            merged[key] = joined
    if is_loose:
        merged["strength"] = min(WEAK, merged["strength"])
    _keep_date(merged)
    return merged if _is_coherent(merged) else None


def _with_day_of_anchor(slots: Slots, day: Slots) -> Slots | None:
    """Return an offset from a clock with the `day` of that clock: "tomorrow, 15 minutes before three"."""
    anchor = slots.get("anchor", {})
    is_of_clock = bool(anchor.keys() & _IN_DAY) and anchor.keys() <= {*_IN_DAY, "strength"}
    if (
        not is_of_clock
        or not slots.keys() <= {"offset", "anchor", "strength"}
        or not day.keys() <= _NAMED_DAYS | {"parts"}
    ):
        return None
    dated = unify(anchor, day)
    return {**slots, "anchor": dated} if dated is not None and names_day(dated) else None


def _keep_date(slots: Slots) -> None:
    """Drop fields beside a date: the week in "3 April, Friday of next week", the holiday in 1月15号腊八."""
    if slots.keys() >= _DATE_WITH_WEEKDAY and slots.get("shift") in _WEEKS and "every" not in slots:
        del slots["shift"]
    if slots.keys() >= _DATE_WITH_HOLIDAY:
        del slots["holiday"]


def _one_of_weekend(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the single day of "next weekend, on Saturday"; None for other pairs."""
    shorter, longer = sorted((left, right), key=len)
    return shorter if longer == _WEEKEND and len(shorter) == 1 and shorter[0] in longer else None


_WEEKEND = (5, 6)
_DATE_WITH_HOLIDAY = frozenset({"months", "days", "holiday"})
_DATE_WITH_WEEKDAY = frozenset({"months", "days", "weekdays"})
_WEEKS = (Shift("week", 0), Shift("week", 1))
_NAMED_DAYS = frozenset({"shift", "weekdays", "this_week", "days", "months", "year", "holiday", "near", "strength"})
_IN_DAY = frozenset({"clocks", "parts"})


def _is_length_beside_day(slots: Slots, day: Slots) -> bool:
    """Return whether `slots` is a length without "in" beside a weekday ("3 days") or today ("la de hoy, 1 hora")."""
    is_beside_today = day.get("shift") == Shift("day", 0)
    return _is_length(slots) and (is_beside_today or (slots["offset"].unit == "day" and "weekdays" in day))


def _is_length(slots: Slots) -> bool:
    return slots.keys() == {"offset", "strength"} and slots["strength"] <= 0


def _is_length_beside_clock(slots: Slots, other: Slots) -> bool:
    """Return whether `slots` is a length without "in" and `other` has a clock time ("at 5pm, two days before")."""
    return (_is_length(slots) or is_loose(slots)) and bool(other.keys() & _IN_DAY)


def is_loose(slots: Slots) -> bool:
    """Return whether `slots` is weak evidence: a length without "in" together with a clock time."""
    return "offset" in slots and bool(slots.keys() & _IN_DAY) and slots["strength"] <= WEAK


def _join(key: str, left: Slots, right: Slots) -> Any:
    if key == "parts":
        return _FINER_PARTS.get(frozenset((*left[key], *right[key])))
    if key == "weekdays" and "every" not in left and "every" not in right:
        return _one_of_weekend(left[key], right[key])
    if "every" not in left or "every" not in right:
        return None
    if key == "every":
        return _finer_period(left[key], right[key])
    if key == "weekdays" and ("but" in left or "but" in right):
        return tuple(day for day in left[key] if day in right[key]) or None
    if key == "weekdays" and left["every"] == right["every"] and not set(left[key]) & set(right[key]):
        # "Mondays at 9, Wednesdays at 10": the following weekday may have a clock time of its own
        return None if "clocks" in left and "clocks" not in right else (*left[key], *right[key])
    return None


_FINER_PARTS = {
    frozenset(("early", "morning")): ("early",),
    frozenset(("late", "evening")): ("late",),
    frozenset(("late", "night")): ("late",),
    frozenset(("evening", "night")): ("night",),
}
"""Two parts of the day that together mean one: "early tomorrow morning", 今晚半夜."""


def _finer_period(left: Every, right: Every) -> Every | None:
    """Return the period of two that are combined; None if they contradict each other.

    "Every hour on weekdays" (每天每小时) has the shorter period, "fortnightly on Thursdays" the longer one.
    """
    for longer, shorter in ((left, right), (right, left)):
        if longer == Every(1, "day") and shorter.unit in {"second", "minute", "hour"}:
            return shorter
        if longer == Every(1, "week") and shorter.unit in {"minute", "hour"}:
            return shorter
        if longer == Every(1, "week") and shorter == Every(1, "day"):
            return longer
        if longer.unit == "week" and longer.interval > 1 and shorter == Every(1, "week"):
            return longer
    return None


_NO_PERIOD = Every(1, "")
_SHORT_UNITS = frozenset({"day", "week"})


def _is_coherent(slots: Slots) -> bool:
    """Return False for combinations without a sense, such as an exact offset and a date."""
    if "now" in slots and not slots.keys() <= {"now", "strength"}:
        return False
    if "every" not in slots and not _is_stretch(slots):
        return False
    shift = slots.get("shift")
    if shift is not None and not _goes_beside(shift, slots):
        return False
    if _is_beginning(slots):
        return False
    if "near" in slots and _is_near_day(shift):  # "tomorrow 3-5" is not March 5
        return False
    if "year" in slots and not _is_year(slots):
        return False
    if "months" in slots and not slots.keys() & _NAMED_IN_MONTH and ("clocks" in slots or _is_near_day(shift)):
        return False
    span = slots.get("offset")
    if span is None or "anchor" in slots:
        return True
    if span.seconds and not (span.days or span.months):
        return not slots.keys() & _BESIDE_ELAPSED and slots.get("shift", Shift("day", 0)) == Shift("day", 0)
    return not slots.keys() & _BESIDE_DAYS


def _is_beginning(slots: Slots) -> bool:
    """Return whether the date in `slots` is the first day of a repetition, in 1号到10号每天 and 十二月到二月每周日."""
    is_repeated = len(slots.get("weekdays", ())) > 1 or slots.get("every", _NO_PERIOD).unit in _SHORT_UNITS
    is_of_months = "months" in slots and {"months"} <= slots.get("until", {}).keys() <= {"months", "year", "strength"}
    return "alone" in slots and is_repeated and ("days" in slots or is_of_months)


def _is_year(slots: Slots) -> bool:
    """Return False for a number that is hardly a year: in "watch 1917 tonight", and "every day at 1930"."""
    named = slots.keys() & _NAMED_IN_YEAR
    if named == {"every"}:
        return slots["every"].unit not in {"day", "week"}
    return bool(named) or not slots.keys() & _BESIDE_NO_YEAR


def _is_stretch(slots: Slots) -> bool:
    """Return False for a clock time of any day with the last day of another phrase: "at 7, until the end of May"."""
    until = slots.get("until", {})
    if not DAY_NAMES & until.keys() or until.keys() & (_IN_DAY | {"offset", "now"}) or _is_near_day(until.get("shift")):
        return True
    return not slots.keys() & _IN_DAY or bool(slots.keys() & DAY_NAMES) or "since" in slots


def _goes_beside(shift: Shift, slots: Slots) -> bool:
    """Return whether `shift` may be combined with `slots`: "every day next week", but not "the fifth of next week"."""
    if "every" in slots and not _fits_in(slots["every"], shift):
        return False
    if shift.unit == "week" and slots.keys() & {"days", "months"}:
        return False
    return not (shift.unit == "day" and {"edge", "weekdays"} <= slots.keys())


def _fits_in(every: Every, shift: Shift) -> bool:
    """Return whether the period fits into the unit: "every day next week", but not "every day tomorrow"."""
    return shift.steps >= 0 and (shift.unit != "day" or every.unit in {"minute", "hour"})


def _is_near_day(shift: Shift | None) -> bool:
    return shift is not None and shift.unit == "day"


_NAMED_IN_MONTH = {
    "days",
    "weekdays",
    "ordinals",
    "positions",
    "day_numbers",
    "week_numbers",
    "edge",
    "holiday",
    "every",
}
"""One of these is needed for a month with a clock time; "January 5 am" is a date and a half of the day."""
_BESIDE_NO_YEAR = {"shift", "weekdays", "clocks", "parts"}
_NAMED_IN_YEAR = {"months", "days", "ordinals", "positions", "day_numbers", "week_numbers", "edge", "holiday", "every"}
"""One of these is needed for a year beside fields of `_BESIDE_NO_YEAR`."""
_BESIDE_ELAPSED = {"clocks", "parts", "months", "days", "weekdays", "year", "every", "ordinals", "since", "holiday"}
_BESIDE_DAYS = {"months", "days", "year", "shift", "every", "ordinals", "since", "holiday"}
