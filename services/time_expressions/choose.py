"""Choose, among all phrases of a text, those that are its times: disjoint, strong enough, and telling the most."""

from collections.abc import Callable
from typing import NamedTuple

from services.time_expressions.scan import Item
from services.time_expressions.values import Every, Slots, unify

STRONG = 2
WEAK = 1
TRIES = 6
LONGEST_GAP = 80
"""Characters between two phrases that may still be one time: "every day to take my pills at 8"."""

DAY_FIELDS = frozenset(
    {"shift", "weekdays", "this_week", "days", "months", "year", "ordinals", "day_numbers", "edge", "near", "feast"}
)
CLOCK_FIELDS = frozenset({"clocks", "parts"})
BOUND_FIELDS = frozenset({"since", "until", "alone", "times", "lasting"})
UNKEPT_FIELDS = BOUND_FIELDS | {"feast", "zone"}
"""Fields beside which a repetition may make no rule."""
_NOTHING_BUT_BOUNDS = BOUND_FIELDS | {"strength"}
_NOTHING_BUT_OFFSET = frozenset({"offset", "strength"})
_NOTHING_BUT_CLOCKS = frozenset({"clocks", "strength"})


class Group(NamedTuple):
    """One time: its meaning, and the phrases (folded offsets) that it was put together from."""

    slots: Slots
    spans: tuple[tuple[int, int], ...]


def choose(
    times: list[Item], text: str, *, stands: Callable[[Slots], bool], eager: bool, conjunctions: frozenset[str]
) -> list[Group]:
    """The groups of `text` in order.

    Args:
        times: All phrases that may be a time.
        text: The folded text.
        stands: Tells whether a meaning names a time that exists.
        eager: Take weak evidence as well, and lengths of time as times from now.
        conjunctions: Words after which a new time begins rather than the rest of the last one.
    """
    usable = [item for item in times if _allowed(item, text, eager=eager)]
    groups: list[Item] = []
    for _ in range(TRIES):
        groups = _best_cover(usable)
        bad = {id(item) for item in groups if not _keeps(item.value, stands)}
        if not bad:
            break
        usable = [item for item in usable if id(item) not in bad]
    found = [Group(slots=item.value, spans=((item.start, item.end),)) for item in groups]
    found = _gathered(found, text, stands, conjunctions)
    found = [_as_point(group) for group in found]
    if eager:
        found = [_as_offset(group) for group in found]
    return [group for group in found if not _hangs(group.slots) and stands(group.slots)]


def _keeps(slots: Slots, stands: Callable[[Slots], bool]) -> bool:
    """Tell whether a phrase may stay in the cover; what cannot be kept hides its words all the same."""
    if "every" in slots and (slots["every"].unit == "second" or slots.keys() & UNKEPT_FIELDS):
        return True
    if {"months", "days"} <= slots.keys() and "weekdays" not in slots:  # 2月30号 is not the 30th of another month
        return True
    return "refused" in slots or "per" in slots or _is_bound(slots) or stands(slots)


def _allowed(item: Item, text: str, *, eager: bool) -> bool:
    """Strong evidence stands anywhere, weaker only where it is all that the text says."""
    strength = item.value.get("strength", 0)
    if strength >= STRONG or _is_bound(item.value) or (eager and strength >= 0):
        return True
    return strength >= WEAK - _is_amount(item.value) and _is_whole(item, text)


def _is_bound(slots: Slots) -> bool:
    """For two hours, until five: no time of its own, but none of its words names one either."""
    return (
        slots.keys() <= _NOTHING_BUT_BOUNDS
        and ("since" not in slots or "until" not in slots)
        and ("since" not in slots or slots["strength"] < STRONG)
    )


def _hangs(slots: Slots) -> bool:
    """Tell whether a phrase says something only beside another one: a bound, or an exception."""
    return _is_bound(slots) or "but" in slots


def _is_amount(slots: Slots) -> int:
    return 1 if slots.keys() <= _NOTHING_BUT_OFFSET or slots.keys() <= _NOTHING_BUT_CLOCKS else 0


def _is_whole(item: Item, text: str) -> bool:
    return not any(char.isalnum() for char in text[: item.start] + text[item.end :])


def _score(item: Item) -> float:
    return item.size * 8 - 6 + max(-30, min(item.weight, 12)) * 0.1 - item.pieces * 0.5


class Chosen(NamedTuple):
    """A phrase of a cover, and those chosen before it."""

    item: Item
    before: "Chosen | None"


def _best_cover(items: list[Item]) -> list[Item]:
    """Weighted interval scheduling: the disjoint phrases with the highest sum of scores."""
    best: list[tuple[float, Chosen | None]] = [(0.0, None)]
    ends = [0]
    for item in sorted(items, key=lambda item: item.end):
        place = len(ends) - 1
        while ends[place] > item.start:
            place -= 1
        total, chosen = best[place]
        total += _score(item)
        if total > best[-1][0]:
            best.append((total, Chosen(item, chosen)))
            ends.append(item.end)
    found: list[Item] = []
    last = best[-1][1]
    while last is not None:
        found.append(last.item)
        last = last.before
    return found[::-1]


# -- phrases that stand apart and are one time -------------------------------------------------------------------


def _gathered(
    groups: list[Group], text: str, stands: Callable[[Slots], bool], conjunctions: frozenset[str]
) -> list[Group]:
    """Join neighbours of which one says what the other leaves open: "daily … at 7 pm"."""
    found: list[Group] = []
    for group in groups:
        joined = None
        if found and not _is_new(found[-1], group, text, conjunctions) and _complete_each_other(found[-1], group):
            joined = unify(found[-1].slots, group.slots)
        if joined is not None and stands(joined):
            found[-1] = Group(slots=joined, spans=found[-1].spans + group.spans)
        else:
            found.append(group)
    return found


def _is_new(last: Group, group: Group, text: str, conjunctions: frozenset[str]) -> bool:
    gap = text[last.spans[-1][1] : group.spans[0][0]].rstrip()
    if len(gap) > LONGEST_GAP:
        return True
    return any(gap.endswith(word) and _is_word_end(gap, word) for word in conjunctions)


def _is_word_end(gap: str, word: str) -> bool:
    return not word.isascii() or gap[: -len(word)][-1:] in {"", " "}


def _complete_each_other(left: Group, right: Group) -> bool:
    return _completes(left.slots, right.slots) or _completes(right.slots, left.slots)


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


def _as_point(group: Group) -> Group:
    """到六点叫我: a bound that nothing else leads up to is the time itself."""
    if "alone" in group.slots and group.slots.keys() <= {"until", "alone", "strength"}:
        return Group(slots={**group.slots["until"], "strength": STRONG}, spans=group.spans)
    return group


def _as_offset(group: Group) -> Group:
    """For ten minutes, where the caller knows that a time is meant: ten minutes from now."""
    if group.slots.keys() <= {"lasting", "strength"}:
        return Group(slots={"offset": group.slots["lasting"], "strength": STRONG}, spans=group.spans)
    return group
