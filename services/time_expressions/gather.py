"""Join phrases that stand apart and are one time, or are several of which the person has to choose."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from services.time_expressions.grammar import Grammar
from services.time_expressions.values import Every, Slots, names_day, unify

LONGEST_GAP = 80
"""Characters between two phrases that may still be one time: "every day to take my pills at 8"."""

LONGEST_GAP_TO_BOUND = 240
"""Characters of one sentence between a repetition and its beginning or end."""
SENTENCE_ENDS = frozenset(".;!?\n")

DAY_FIELDS = frozenset(
    {"shift", "weekdays", "this_week", "days", "months", "year", "ordinals", "day_numbers", "edge", "near", "feast"}
)
CLOCK_FIELDS = frozenset({"clocks", "parts"})
BOUND_FIELDS = frozenset({"since", "until", "alone", "eve", "times", "lasting"})
UNKEPT_FIELDS = BOUND_FIELDS | {"feast", "zone", "either", "minute"}
"""Fields beside which a repetition may make no rule."""
_ALTERNATIVE_FIELDS = DAY_FIELDS | CLOCK_FIELDS | {"strength", "swapped", "offset", "anchor", "side", "zone"}


_NAMED_OF = {"week": {"weekdays", "clocks"}, "year": {"months", "days"}}
"""What a day must say to come as often as the one before it: every Monday at 9 and Friday at 5."""


class Group(NamedTuple):
    """One time: its meaning, and the phrases (folded offsets) that it was put together from."""

    slots: Slots
    spans: tuple[tuple[int, int], ...]


def gathered(
    groups: list[Group], text: str, leads: Collection[int], stands: Callable[[Slots], bool], grammar: Grammar
) -> list[Group]:
    """Join neighbours of which one says what the other leaves open: "daily … at 7 pm".

    `leads` are the places where words say how long ahead of a time: what stands on either side of them is two times,
    as in "the exam is on 4 May, a day before at 9".
    """
    found: list[Group] = []
    for each in groups:
        group = _carried(found[-1], each, text, grammar) if found else each
        place = _place_of_rule(found, group, text)
        is_apart = bool(found) and _are_apart(found[place], group, leads)
        joined = _joined(found[place], group, text, grammar) if found and not is_apart else None
        if joined is not None and stands(joined.slots):
            found[place] = joined
        else:
            found.append(group)
    return found


def _place_of_rule(found: list[Group], group: Group, text: str) -> int:
    """Return the place in `found` of the repetition of which `group` is a bound; of the last one where it is none."""
    if not _is_bound(group.slots):
        return -1
    places = (place for place in range(-1, -len(found) - 1, -1) if "every" in found[place].slots)
    return next((place for place in places if _is_near(found[place], group, text)), -1)


def _is_bound(slots: Slots) -> bool:
    return slots.keys() <= BOUND_FIELDS | {"strength"}


def _is_near(last: Group, group: Group, text: str) -> bool:
    """Tell whether what stands between two phrases is short enough for one time."""
    first, end = last.spans[-1][1], group.spans[0][0]
    if end - first <= LONGEST_GAP:
        return True
    is_end_of_rule = "every" in last.slots and _is_bound(group.slots) and end - first <= LONGEST_GAP_TO_BOUND
    return is_end_of_rule and not SENTENCE_ENDS & set(text[first:end])


def _are_apart(last: Group, group: Group, leads: Collection[int]) -> bool:
    """Tell whether words between a time and a clock say how long ahead of that time the clock is."""
    is_clock = group.slots.keys() <= CLOCK_FIELDS | {"strength"}
    return is_clock and any(last.spans[-1][1] <= start < group.spans[0][0] for start in leads)


def _joined(last: Group, group: Group, text: str, grammar: Grammar) -> Group | None:
    """Both as one time, where they belong together."""
    gap = text[last.spans[-1][1] : group.spans[0][0]]
    spans = (*last.spans[:-1], (last.spans[-1][0], group.spans[0][1]), *group.spans[1:])
    same_hour = _at_same_hour(last.slots, group.slots, gap.strip(" ,;"), grammar)
    if gap.strip(" ,") in grammar.unchanged and _is_still_at(last.slots, group.slots):
        slots = _completed(last.slots, group.slots)
    elif gap.strip() in grammar.alternatives:
        slots = _either(last.slots, group.slots)
    elif same_hour:
        slots = same_hour
    elif not _is_near(last, group, text) or _begins_anew(gap.rstrip(), grammar):
        return None
    else:
        slots = _often(last.slots, group.slots) or _completed(last.slots, group.slots)
        spans = last.spans + group.spans
    return None if slots is None else Group(slots=slots, spans=spans)


def _is_still_at(last: Slots, slots: Slots) -> bool:
    """周日，还是四点半: a day without a clock, and a clock that stays as it was, be the day another."""
    is_day = names_day(last) and not last.keys() & CLOCK_FIELDS
    return is_day and "clocks" in slots and slots.keys() <= CLOCK_FIELDS | {"strength"}


def _carried(last: Group, group: Group, text: str, grammar: Grammar) -> Group:
    """`group` with what `last`, of which it is another in a list, said for both."""
    gap = text[last.spans[-1][1] : group.spans[0][0]].strip(" ,;")
    if gap and gap not in grammar.conjunctions:
        return group
    return group._replace(slots=_as_often(last.slots, group.slots) or _in_that_week(last.slots, group.slots))


def _as_often(last: Slots, slots: Slots) -> Slots | None:
    """Every Monday at 9 and Friday at 5: days that follow those of a week, with a clock of their own, come as often."""
    told = slots.keys() - {"strength", "this_week"}
    named = _NAMED_OF.get(last["every"].unit) if "every" in last else None
    if named is None or not named <= last.keys() or not named <= told:
        return None
    if not told <= named | CLOCK_FIELDS or last.keys() & BOUND_FIELDS:
        return None
    return {name: slots[name] for name in told} | {"every": last["every"], "strength": 2}


def _at_same_hour(last: Slots, slots: Slots, gap: str, grammar: Grammar) -> Slots | None:
    """Mondays at 9 and Wednesdays: days of every week without a clock share that of the days before them."""
    is_list = not gap or gap in grammar.conjunctions
    if not is_list or "clocks" not in last or slots.keys() != {"every", "weekdays", "strength"}:
        return None
    known: tuple[int, ...] = last.get("weekdays", ())
    if slots["every"] != last.get("every") or not known or set(slots["weekdays"]) & set(known):
        return None
    return {**last, "weekdays": (*known, *slots["weekdays"])}


def _in_that_week(last: Slots, slots: Slots) -> Slots:
    """Next Saturday and Sunday, 下周六、周日: the weekday that follows is one of that week."""
    told, shift = slots.keys() - {"strength"}, last.get("shift")
    is_of_week = shift is not None and shift.unit == "week" and shift.steps > 0 and len(last.get("weekdays", ())) == 1
    if not is_of_week or "weekdays" not in told or not told <= {"weekdays"} | CLOCK_FIELDS:
        return slots
    follows = len(slots["weekdays"]) == 1 and slots["weekdays"] > last["weekdays"]
    return {**slots, "shift": shift, "strength": 2} if follows else slots


def _either(left: Slots, right: Slots) -> Slots | None:
    """Today or tomorrow at 5, tomorrow at 9 or at 10: either says what the other leaves open."""
    if not (left.keys() | right.keys()) <= _ALTERNATIVE_FIELDS:
        return None
    if not left.keys() & (CLOCK_FIELDS | {"offset"}):
        left = {**left, **{name: right[name] for name in CLOCK_FIELDS & right.keys()}}
    elif not names_day(right) and "offset" not in left:
        right = {**{name: value for name, value in left.items() if name not in CLOCK_FIELDS}, **right}
    return {"either": (left, right), "strength": 2}


def _begins_anew(gap: str, grammar: Grammar) -> bool:
    return any(gap.endswith(word) and _is_word_end(gap, word) for word in grammar.conjunctions)


def _is_word_end(gap: str, word: str) -> bool:
    return not word.isascii() or gap[: -len(word)][-1:] in {"", " "}


def _often(left: Slots, right: Slots) -> Slots | None:
    """每天吃三次药: so many times a day, and not for three days."""
    is_daily = left.keys() == {"every", "strength"} and left["every"] == Every(1, "day")
    is_count = right.keys() == {"times", "strength"} and right["strength"] < 0
    return {**left, "per": right["times"]} if is_daily and is_count else None


def _completed(left: Slots, right: Slots) -> Slots | None:
    return unify(left, right) if _completes(left, right) or _completes(right, left) else None


def _completes(main: Slots, rest: Slots) -> bool:
    """Tell whether `main` names days or a period, and `rest` only what that leaves open."""
    told = rest.keys() - {"strength"}
    if told == {"times"} and rest["strength"] < 0:  # 每天吃三次药 does not end after three days
        return False
    if "every" in main and "every" in rest:
        if "but" in rest:
            is_daily = main["every"] == Every(1, "day") and "weekdays" not in main
            is_weekly = main["every"].unit == "week" and "weekdays" in main
            return (is_daily or is_weekly) and told <= {"every", "weekdays", "but"}
        return (
            main["every"] == rest["every"] and "weekdays" not in main and told <= {"every", "weekdays"} | CLOCK_FIELDS
        )
    if "every" in main:
        open_fields = BOUND_FIELDS | CLOCK_FIELDS
        if main["every"].unit in {"week", "month", "year"} and not main.keys() & DAY_FIELDS:
            open_fields |= {"weekdays", "days", "months", "ordinals", "day_numbers", "edge"}
        return told <= open_fields
    return bool(main.keys() & DAY_FIELDS) and "clocks" not in main and told <= CLOCK_FIELDS | {"lasting"}
