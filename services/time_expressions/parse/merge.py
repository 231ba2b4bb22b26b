"""Merge phrases that stand apart and describe one time, or several times to choose from."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from services.time_expressions.rules.grammar import Grammar
from services.time_expressions.values import DAILY, Slots, names_day, unify

MAX_GAP = 80
"""The limit of characters between two phrases of one time: "every day to take my pills at 8"."""

MAX_GAP_TO_BOUND = 240
"""The limit of characters, within one sentence, between a repetition and its beginning or end."""
SENTENCE_ENDS = frozenset(".;!?\n")

DAY_FIELDS = frozenset(
    {"shift", "weekdays", "this_week", "days", "months", "year", "ordinals", "day_numbers", "edge", "near", "holiday"}
)
CLOCK_FIELDS = frozenset({"clocks", "parts"})
BOUND_FIELDS = frozenset({"since", "until", "alone", "eve", "times", "lasting"})
UNKEPT_FIELDS = BOUND_FIELDS | {"holiday", "zone", "either", "minute"}
"""Fields beside which a repetition may have no rule."""
_ALTERNATIVE_FIELDS = DAY_FIELDS | CLOCK_FIELDS | {"strength", "swapped", "offset", "anchor", "side", "zone"}


_NAMED_OF = {"week": {"weekdays", "clocks"}, "year": {"months", "days"}}
"""The fields that a day needs to share the period of the day before it: "every Monday at 9 and Friday at 5"."""


class Group(NamedTuple):
    """One time: its meaning, and the spans (offsets in the folded text) of its phrases."""

    slots: Slots
    spans: tuple[tuple[int, int], ...]


def merge_groups(
    groups: list[Group], text: str, leads: Collection[int], stands: Callable[[Slots], bool], grammar: Grammar
) -> list[Group]:
    """Merge neighbours that complete each other: "daily … at 7 pm".

    `leads` are the offsets of lengths before a time: phrases on both sides of one are two times, as in "the exam is on
    4 May, a day before at 9".
    """
    found: list[Group] = []
    for current in groups:
        group = _share_fields(found[-1], current, text, grammar) if found else current
        place = _place_of_rule(found, group, text)
        is_apart = bool(found) and _are_apart(found[place], group, leads)
        joined = _merge(found[place], group, text, grammar) if found and not is_apart else None
        if joined is not None and stands(joined.slots):
            found[place] = joined
        else:
            found.append(group)
    return found


def _place_of_rule(found: list[Group], group: Group, text: str) -> int:
    """Return the index in `found` of the repetition that `group` bounds; -1, the last one, if it is not a bound."""
    if not _is_bound(group.slots):
        return -1
    places = (place for place in range(-1, -len(found) - 1, -1) if "every" in found[place].slots)
    return next((place for place in places if _is_near(found[place], group, text)), -1)


def _is_bound(slots: Slots) -> bool:
    return slots.keys() <= BOUND_FIELDS | {"strength"}


def _is_near(last: Group, group: Group, text: str) -> bool:
    """Return whether the gap between two phrases is short enough for one time."""
    first, end = last.spans[-1][1], group.spans[0][0]
    if end - first <= MAX_GAP:
        return True
    is_end_of_rule = "every" in last.slots and _is_bound(group.slots) and end - first <= MAX_GAP_TO_BOUND
    return is_end_of_rule and not SENTENCE_ENDS & set(text[first:end])


def _are_apart(last: Group, group: Group, leads: Collection[int]) -> bool:
    """Return whether there is a length before the time ("a day before") between a time and a clock."""
    is_clock = group.slots.keys() <= CLOCK_FIELDS | {"strength"}
    return is_clock and any(last.spans[-1][1] <= start < group.spans[0][0] for start in leads)


def _merge(last: Group, group: Group, text: str, grammar: Grammar) -> Group | None:
    """Return both groups as one time; None if they do not belong together."""
    gap = text[last.spans[-1][1] : group.spans[0][0]]
    spans = (*last.spans[:-1], (last.spans[-1][0], group.spans[0][1]), *group.spans[1:])
    same_hour = _share_clock(last.slots, group.slots, gap.strip(" ,;"), grammar)
    if gap.strip(" ,") in grammar.unchanged and _is_still_at(last.slots, group.slots):
        slots = _complete(last.slots, group.slots)
    elif gap.strip() in grammar.alternatives:
        slots = _either(last.slots, group.slots)
    elif same_hour:
        slots = same_hour
    elif not _is_near(last, group, text) or _begins_anew(gap.rstrip(), grammar):
        return None
    else:
        slots = _times_a_day(last.slots, group.slots) or _complete(last.slots, group.slots)
        spans = last.spans + group.spans
    return None if slots is None else Group(slots=slots, spans=spans)


def _is_still_at(last: Slots, slots: Slots) -> bool:
    """Return whether a day without a clock time is followed by an unchanged clock time: 周日，还是四点半."""
    is_day = names_day(last) and not last.keys() & CLOCK_FIELDS
    return is_day and "clocks" in slots and slots.keys() <= CLOCK_FIELDS | {"strength"}


def _share_fields(last: Group, group: Group, text: str, grammar: Grammar) -> Group:
    """Return `group` with the fields that the element before it in a list, `last`, states for both."""
    gap = text[last.spans[-1][1] : group.spans[0][0]].strip(" ,;")
    if gap and gap not in grammar.conjunctions:
        return group
    return group._replace(slots=_share_repetition(last.slots, group.slots) or _share_week(last.slots, group.slots))


def _share_repetition(last: Slots, slots: Slots) -> Slots | None:
    """Share the period with a following day that has its own clock time: "every Monday at 9 and Friday at 5"."""
    fields = slots.keys() - {"strength", "this_week"}
    named = _NAMED_OF.get(last["every"].unit) if "every" in last else None
    if named is None or not named <= last.keys() or not named <= fields:
        return None
    if not fields <= named | CLOCK_FIELDS or last.keys() & BOUND_FIELDS:
        return None
    return {name: slots[name] for name in fields} | {"every": last["every"], "strength": 2}


def _share_clock(last: Slots, slots: Slots, gap: str, grammar: Grammar) -> Slots | None:
    """Share the clock time with following weekdays that have none: "Mondays at 9 and Wednesdays"."""
    is_list = not gap or gap in grammar.conjunctions
    if not is_list or "clocks" not in last or slots.keys() != {"every", "weekdays", "strength"}:
        return None
    known: tuple[int, ...] = last.get("weekdays", ())
    if slots["every"] != last.get("every") or not known or set(slots["weekdays"]) & set(known):
        return None
    return {**last, "weekdays": (*known, *slots["weekdays"])}


def _share_week(last: Slots, slots: Slots) -> Slots:
    """Share the week with a following weekday: "next Saturday and Sunday", 下周六、周日."""
    fields, shift = slots.keys() - {"strength"}, last.get("shift")
    is_of_week = shift is not None and shift.unit == "week" and shift.steps > 0 and len(last.get("weekdays", ())) == 1
    if not is_of_week or "weekdays" not in fields or not fields <= {"weekdays"} | CLOCK_FIELDS:
        return slots
    follows = len(slots["weekdays"]) == 1 and slots["weekdays"] > last["weekdays"]
    return {**slots, "shift": shift, "strength": 2} if follows else slots


def _either(left: Slots, right: Slots) -> Slots | None:
    """Combine alternatives, which complete each other: "today or tomorrow at 5", "tomorrow at 9 or at 10"."""
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


def _times_a_day(left: Slots, right: Slots) -> Slots | None:
    """Combine a daily period with a weak count as times per day: 每天吃三次药."""
    is_daily = left.keys() == {"every", "strength"} and left["every"] == DAILY
    is_count = right.keys() == {"times", "strength"} and right["strength"] < 0
    return {**left, "per": right["times"]} if is_daily and is_count else None


def _complete(left: Slots, right: Slots) -> Slots | None:
    return unify(left, right) if _completes(left, right) or _completes(right, left) else None


def _completes(main: Slots, rest: Slots) -> bool:
    """Return whether `main` has days or a period, and `rest` only fields that `main` lacks."""
    fields = rest.keys() - {"strength"}
    if fields == {"times"} and rest["strength"] < 0:  # 每天吃三次药 does not end after three days
        return False
    if "every" in main and "every" in rest:
        if "but" in rest:
            is_daily = main["every"] == DAILY and "weekdays" not in main
            is_weekly = main["every"].unit == "week" and "weekdays" in main
            return (is_daily or is_weekly) and fields <= {"every", "weekdays", "but"}
        return (
            main["every"] == rest["every"] and "weekdays" not in main and fields <= {"every", "weekdays"} | CLOCK_FIELDS
        )
    if "every" in main:
        open_fields = BOUND_FIELDS | CLOCK_FIELDS
        if main["every"].unit in {"week", "month", "quarter", "year"} and not main.keys() & DAY_FIELDS:
            open_fields |= {"weekdays", "days", "months", "ordinals", "day_numbers", "edge"}
        return fields <= open_fields
    return bool(main.keys() & DAY_FIELDS) and "clocks" not in main and fields <= CLOCK_FIELDS | {"lasting"}
