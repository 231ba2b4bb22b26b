"""The small values that tokens and rules pass to one another, and the one form that all of them end in."""

from typing import Any, Final, NamedTuple

STRONG: Final = 2
"""The strength of words that are a time wherever they stand; weaker ones count where nothing else is said."""

WEAK: Final = 1


class Clock(NamedTuple):
    """A time of day. `half`: 'am', 'pm', '24' (the hour is meant as written) or '' (either half of the day).

    `ahead_of` is the full hour that the words name where that is the next one: the eight of "ten to eight".
    """

    hour: int
    minute: int = 0
    second: int = 0
    half: str = ""
    grain: str = "minute"
    ahead_of: int = 0


class Span(NamedTuple):
    """A length of time: calendar months and days, and elapsed seconds; `unit` is the finest unit named."""

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


class Feast(NamedTuple):
    """A day that the civil calendar does not fix: the kind of its calendar, and its days there (see `feasts`).

    For `lunar` these are (month, day) pairs, month 0 being every month and day 30 the last; for `easter` one pair that
    begins with the days from Easter Sunday.
    """

    kind: str
    days: tuple[tuple[int, int], ...] = ()


Slots = dict[str, Any]
"""A meaning under construction: the fields of `Meaning` that are set, by name."""


class Meaning(NamedTuple):
    """What the words of one expression say, before any convention decides what that is on a calendar."""

    year: int | None = None
    months: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    swapped: tuple[int, int] | None = None
    weekdays: tuple[int, ...] = ()
    this_week: bool = False
    ordinals: tuple[int, ...] = ()
    paired: bool = False  # each of the ordinals is that of the weekday in its place, and of no other
    positions: tuple[int, ...] = ()
    day_numbers: tuple[int, ...] = ()
    week_numbers: tuple[int, ...] = ()
    shift: Shift | None = None
    edge: str = ""
    feast: Feast | None = None
    minute: int | None = None  # of every hour
    either: tuple["Meaning", ...] = ()  # alternatives, of which the person has to choose
    zone: str = ""  # the IANA name, or the offset (+0200), of the place whose clock is meant
    clocks: tuple[Clock, ...] = ()
    parts: tuple[str, ...] = ()
    offset: Span | None = None
    anchor: "Meaning | None" = None
    side: str = ""  # on which side of `anchor` the weekday is: before, after, nearest
    every: Every | None = None
    times: int | None = None
    lasting: Span | None = None
    since: "Meaning | None" = None
    until: "Meaning | None" = None
    now: bool = False
    but: bool = False  # the days are those left by "except", of which another phrase says how often
    near: bool = False  # the words are so weak a date that it counts only within a few weeks
    vague: bool = False  # a season, which beside another time more often belongs to what is to be done
    refused: bool = False
    alone: bool = False
    eve: bool = False  # `until` is a day before which it must be done, so that the time is the day before
    per: int | None = None
    strength: int = 0


def to_meaning(slots: Slots) -> Meaning:
    """Freeze `slots`, nested ones too."""
    nested: Slots = {key: to_meaning(value) for key, value in slots.items() if isinstance(value, dict)}
    if "either" in slots:
        nested["either"] = tuple(to_meaning(one) for one in slots["either"])
    return Meaning(**{**slots, **nested})


DAY_NAMES = frozenset(
    {"year", "months", "days", "swapped", "weekdays", "shift", "edge", "feast", "offset", "anchor", "every", "now"}
)
"""Fields that say on which day, besides those that say when in the day."""


def names_day(slots: Slots) -> bool:
    """Tell whether `slots` says on which day, be it where an interval begins."""
    if "either" in slots and any(names_day(one) for one in slots["either"]):
        return True
    since = slots.get("since")
    return bool(DAY_NAMES & slots.keys()) or (since is not None and names_day(since))


def begins_anywhere(slots: Slots) -> bool:
    """Tell whether `slots` begins now without saying how often: the "from now on" of "at 6:15 from now on" says so."""
    return "now" in slots.get("since", {}) and "every" not in slots and bool(slots.keys() & (DAY_NAMES | _IN_DAY))


def completed(meaning: Meaning, other: Meaning) -> Meaning | None:
    """`meaning` with what only `other` says; None where both say something about the same field."""
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
    """Join two meanings into one, or None where they contradict each other."""
    if "offset" in left and "offset" in right:
        return None
    if (_is_bare_length(left) and "weekdays" in right) or (_is_bare_length(right) and "weekdays" in left):
        return None
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
    return merged if _coherent(merged) else None


def _one_of_weekend(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """Next weekend, on Saturday."""
    shorter, longer = sorted((left, right), key=len)
    return shorter if longer == _WEEKEND and len(shorter) == 1 and shorter[0] in longer else None


_WEEKEND = (5, 6)
_IN_DAY = frozenset({"clocks", "parts"})


def _is_bare_length(slots: Slots) -> bool:
    """Three days, without "in": how long, beside a weekday from which it is counted."""
    return _is_length(slots) and slots["offset"].unit == "day"


def _is_length(slots: Slots) -> bool:
    return slots.keys() == {"offset", "strength"} and slots["strength"] <= 0


def _is_length_beside_clock(slots: Slots, other: Slots) -> bool:
    """Three days, without "in", beside a clock: a time only where nothing else is said; "at 5pm, two days before"."""
    return (_is_length(slots) or is_loose(slots)) and bool(other.keys() & _IN_DAY)


def is_loose(slots: Slots) -> bool:
    """Tell whether `slots` is a length without "in" beside a clock."""
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
        # Mondays at 9, Wednesdays at 10: what follows may have a clock of its own
        return None if "clocks" in left and "clocks" not in right else (*left[key], *right[key])
    return None


_FINER_PARTS = {
    frozenset(("early", "morning")): ("early",),
    frozenset(("late", "evening")): ("late",),
    frozenset(("late", "night")): ("late",),
    frozenset(("evening", "night")): ("night",),
}
"""Early tomorrow morning, 今晚半夜: two parts of the day that are one."""


def _finer_period(left: Every, right: Every) -> Every | None:
    """每天 beside 每小时, every hour on weekdays: the shorter period counts, the longer one says on which days.

    Fortnightly beside on Thursdays: the days are those of every week, the longer period counts.
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


def _coherent(slots: Slots) -> bool:
    """Refuse joins that no speaker means: an exact offset beside a date or a clock."""
    if "now" in slots and not slots.keys() <= {"now", "strength"}:
        return False
    if "every" not in slots and not _is_stretch(slots):
        return False
    shift = slots.get("shift")
    if shift is not None and not _goes_beside(shift, slots):
        return False
    is_bounded_date = {"alone", "days", "every"} <= slots.keys()  # 1号到10号每天 is from the first on
    if is_bounded_date and slots["every"].unit == "day":
        return False
    if "near" in slots and _is_near_day(shift):  # tomorrow 3-5 is no fifth of March
        return False
    if "year" in slots and slots.keys() & _BESIDE_NO_YEAR and not slots.keys() & _NAMED_IN_YEAR:
        return False
    if "months" in slots and not slots.keys() & _NAMED_IN_MONTH and ("clocks" in slots or _is_near_day(shift)):
        return False
    span = slots.get("offset")
    if span is None or "anchor" in slots:
        return True
    if span.seconds and not (span.days or span.months):
        return not slots.keys() & _BESIDE_ELAPSED and slots.get("shift", Shift("day", 0)) == Shift("day", 0)
    return not slots.keys() & _BESIDE_DAYS


def _is_stretch(slots: Slots) -> bool:
    """Refuse a clock of any day beside the last day of a rule that stands elsewhere: "at 7, until the end of May"."""
    until = slots.get("until", {})
    if not DAY_NAMES & until.keys() or until.keys() & (_IN_DAY | {"offset", "now"}) or _is_near_day(until.get("shift")):
        return True
    return not slots.keys() & _IN_DAY or bool(slots.keys() & DAY_NAMES) or "since" in slots


def _goes_beside(shift: Shift, slots: Slots) -> bool:
    """Every day next week is something, the fifth of next week is nothing, end of day Thursday no end of today."""
    if "every" in slots and not _fits_in(slots["every"], shift):
        return False
    if shift.unit == "week" and slots.keys() & {"days", "months"}:
        return False
    return not (shift.unit == "day" and {"edge", "weekdays"} <= slots.keys())


def _fits_in(every: Every, shift: Shift) -> bool:
    """Every day next week, every hour today; every day tomorrow is nothing."""
    return shift.steps >= 0 and (shift.unit != "day" or every.unit in {"minute", "hour"})


def _is_near_day(shift: Shift | None) -> bool:
    return shift is not None and shift.unit == "day"


_NAMED_IN_MONTH = {"days", "weekdays", "ordinals", "positions", "day_numbers", "week_numbers", "edge", "feast", "every"}
"""A month alone is no day that could have a clock: January 5 am is a morning."""
_BESIDE_NO_YEAR = {"shift", "weekdays", "clocks", "parts"}
_NAMED_IN_YEAR = {"months", "days", "ordinals", "positions", "day_numbers", "week_numbers", "edge", "feast", "every"}
"""A year alone says nothing beside a day or a clock: "watch 1917 tonight"."""
_BESIDE_ELAPSED = {"clocks", "parts", "months", "days", "weekdays", "year", "every", "ordinals", "since", "feast"}
_BESIDE_DAYS = {"months", "days", "year", "shift", "every", "ordinals", "since", "feast"}
