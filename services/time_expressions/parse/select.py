"""Select the times among all phrases of a text: disjoint, strong enough, and covering most time words."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from services.time_expressions.parse.lists import is_listed, narrow_daily, share_clock, split_list
from services.time_expressions.parse.merge import (
    BOUND_FIELDS,
    CLOCK_FIELDS,
    DAY_FIELDS,
    UNKEPT_FIELDS,
    Group,
    merge_groups,
)
from services.time_expressions.rules.grammar import Grammar
from services.time_expressions.scan.tokens import Item
from services.time_expressions.values import DAILY, STRONG, WEAK, Clock, Slots, begins_anywhere, is_loose, names_day

TRIES = 6
NAMED_LEAD, JOINED_LEAD = "day", "joined"
"""The values of a lead without a number ("the day before"), and of a lead that includes its clock (前一天)."""
_MARKS = frozenset(",(")
"""Marks before a lead; its number does not belong to the time before the mark: "5 december, three hours early"."""
_DATED = DAY_FIELDS | CLOCK_FIELDS | {"strength", "swapped"}
"""Fields of a time whose last number belongs to a following lead without a mark: "5 december three hours early"."""
MAX_COURTESY_LENGTH = 100
"""The limit of characters beside a time that may be courtesies."""
_NOTHING_BUT_BOUNDS = BOUND_FIELDS | {"strength"}
_NOTHING_BUT_OFFSET = frozenset({"offset", "strength"})
_NOTHING_BUT_CLOCKS = frozenset({"clocks", "strength"})


def select_times(
    times: list[Item],
    text: str,
    *,
    leads: Collection[Item],
    stands: Callable[[Slots], bool],
    eager: bool,
    grammar: Grammar,
) -> tuple[list[Group], list[int]]:
    """Return the times of `text` in order, and the ends of phrases that are not a time alone ("from now on").

    Args:
        times: All phrases that may be a time.
        leads: The phrases for a length before a time.
        text: The folded text.
        stands: Returns whether a meaning resolves to a time.
        eager: Accept weak evidence, and lengths of time as offsets from now.
        grammar: Has the words that join two times or begin a new one.
    """
    if not times:
        return [], []
    leads = _leads_in(text, leads, grammar)
    usable = [
        item for item in times if _is_allowed(item, text, grammar, eager=eager) or _is_length_of_lead(item, leads)
    ]
    usable = _without_numbers_of_things(_without_torn_offsets(_without_leads(usable, text, leads)), text)
    usable = _without_days_of_following(usable)
    groups: list[Item] = []
    for _ in range(TRIES):
        groups = _best_cover(usable)
        is_rule_open = any("every" in item.value and not item.value.keys() & CLOCK_FIELDS for item in groups)
        bad = {
            id(item)
            for item in groups
            if not (_may_stay(item.value, stands) or is_listed(item, text, grammar))
            and not (is_rule_open and item.value.keys() == _NOTHING_BUT_CLOCKS)
        }
        if not bad:
            break
        usable = [item for item in usable if id(item) not in bad]
    found = [Group(slots=item.value, spans=((item.start, item.end),)) for item in groups]
    found = merge_groups(found, text, [lead.start for lead in leads], stands, grammar)
    found = share_clock([part for group in found for part in split_list(group, text, grammar)], text, grammar)
    found = narrow_daily(found, text, grammar)
    found = [_as_point(group) for group in found]
    if eager:
        found = [_as_offset(group) for group in found]
    ends = [group.spans[-1][1] for group in found if _is_dependent(group.slots)]
    found = [group for group in found if not _is_dependent(group.slots) and stands(group.slots)]
    return [group for group in found if "vague" not in group.slots] or found, ends


def _without_torn_offsets(times: list[Item]) -> list[Item]:
    """Drop times that begin within an offset from now and end after it: "in [10 minutes to noon] prayer"."""
    offsets = [item for item in times if item.value.keys() == _NOTHING_BUT_OFFSET and item.value["strength"] >= STRONG]
    return [item for item in times if not any(offset.start < item.start < offset.end < item.end for offset in offsets)]


def _leads_in(text: str, leads: Collection[Item], grammar: Grammar) -> list[Item]:
    """Return the leads that are not followed by an hour ("in the morning before 8", "en la tarde antes de las 6")."""
    return [
        lead
        for lead in leads
        if lead.value != NAMED_LEAD
        or not (text[lead.after : lead.after + 1].isdecimal() or text.startswith(grammar.of_hours, lead.after))
    ]


def _is_length_of_lead(item: Item, leads: Collection[Item]) -> bool:
    """Return whether `item` is the length and the clock of one lead (前一天晚上八点, but not 提前一天)."""
    if not is_loose(item.value) or item.value["strength"] < WEAK:
        return False
    around = [lead for lead in leads if lead.start < item.start < lead.end < item.end]
    return bool(around) and all(lead.value == JOINED_LEAD for lead in around)


def _without_leads(times: list[Item], text: str, leads: Collection[Item]) -> list[Item]:
    """Drop times that use words of a lead: [下午两点，一天前], two days [before at 9], [12 jan, two] weeks before."""
    lasts = {text.rfind(" ", lead.start, lead.end) + 1 for lead in leads} - {0}
    return [
        item
        for item in times
        if item.start not in lasts
        and not any(_counts(item, lead) or _takes_number_of(item, lead, text) for lead in leads)
    ]


def _counts(item: Item, lead: Item) -> bool:
    """Return whether `item` uses a lead as an offset from now or a length, or a part of "the day before" as a day."""
    if "anchor" in item.value:
        return False
    if lead.value == NAMED_LEAD:
        return item.start < lead.end and lead.start < item.end
    if "lasting" in item.value and item.start < lead.start < item.end:
        return True
    is_beside = "offset" in item.value and item.value.keys() != _NOTHING_BUT_OFFSET
    return is_beside and item.start < lead.start and lead.end <= item.end


def _takes_number_of(item: Item, lead: Item, text: str) -> bool:
    """Return whether `item` ends with the number of the following lead."""
    if not item.start < lead.start < item.end < lead.end:
        return False
    before = text[: lead.start]
    return before.rstrip()[-1:] in _MARKS or (before[-1:].isspace() and item.value.keys() <= _DATED)


def _without_numbers_of_things(times: list[Item], text: str) -> list[Item]:
    """Drop a bare number as the clock of a day that has another clock: "plant 1 [tomorrow at 9:00]"."""
    timed = [item for item in times if "clocks" in item.value and names_day(item.value)]
    numbered = [item for item in timed if len(item.value["clocks"]) == 1 and _is_bare(item.value["clocks"][0])]
    beside = {
        id(item)
        for item in numbered
        for other in timed
        if item.start < other.start < item.end < other.end
        and text[item.start : other.start].strip().isalnum()
        and {**item.value, "clocks": ()} == {**other.value, "clocks": ()}
    }
    return [item for item in times if id(item) not in beside] if beside else times


def _without_days_of_following(times: list[Item]) -> list[Item]:
    """Drop daily times with the weekdays of a following time: "[every day at 9, on weekends] at 11"."""
    timed = [item for item in times if {"weekdays", "clocks"} <= item.value.keys()]
    ends: dict[int, int] = {}
    for item in times:
        if item.value.get("every") == DAILY and "clocks" in item.value:
            ends[item.start] = min(item.end, ends.get(item.start, item.end))
    narrowed = {
        id(item)
        for item in timed
        if item.start in ends
        and any(ends[item.start] <= following.start < item.end < following.end for following in timed)
    }
    return [item for item in times if id(item) not in narrowed] if narrowed else times


def _is_bare(clock: Clock) -> bool:
    return clock.grain == "hour" and not clock.half


def _may_stay(slots: Slots, stands: Callable[[Slots], bool]) -> bool:
    """Return whether a phrase may stay in the cover, where it hides its words even if it is not a time."""
    if "every" in slots and (slots["every"].unit == "second" or slots.keys() & UNKEPT_FIELDS):
        return True
    if "every" in slots and slots["every"].unit in {"minute", "hour"} and slots.keys() & {"shift", "parts"}:
        return True
    if (
        {"months", "days"} <= slots.keys() and "weekdays" not in slots
    ):  # an impossible date (2月30号) must not become the 30th of another month
        return True
    return "refused" in slots or "per" in slots or _is_bound(slots) or stands(slots)


def _is_allowed(item: Item, text: str, grammar: Grammar, *, eager: bool) -> bool:
    """Return whether the evidence suffices: strong anywhere, weaker only if the text has nothing else."""
    strength = item.value.get("strength", 0)
    if begins_anywhere(item.value):
        return False
    if strength >= STRONG or _is_bound(item.value) or (eager and strength >= 0):
        return True
    if item.value.keys() == _NOTHING_BUT_CLOCKS and strength >= 0:
        is_named = text.startswith(grammar.requests, item.end) or text.endswith(grammar.changes, 0, item.start)
        if is_named:
            return True  # 两点 may count points, but not in 两点提醒我 and 改到两点
    return strength >= WEAK - _is_amount(item.value) and _is_whole(item, text, grammar)


def _is_bound(slots: Slots) -> bool:
    """Return whether a phrase is only a bound ("for two hours", "until five")."""
    return (
        slots.keys() <= _NOTHING_BUT_BOUNDS
        and ("since" not in slots or "until" not in slots)
        and ("since" not in slots or slots["strength"] < STRONG)
    )


def _is_dependent(slots: Slots) -> bool:
    """Return whether a phrase needs another one: a bound, or an exception."""
    return _is_bound(slots) or "but" in slots


def _is_amount(slots: Slots) -> int:
    return 1 if slots.keys() <= _NOTHING_BUT_OFFSET or slots.keys() <= _NOTHING_BUT_CLOCKS else 0


def _is_whole(item: Item, text: str, grammar: Grammar) -> bool:
    """Return whether the text has nothing else but courtesies."""
    return all(_is_courtesy(rest, grammar) for rest in (text[: item.start], text[item.end :]))


def _is_courtesy(rest: str, grammar: Grammar) -> bool:
    if len(rest) > MAX_COURTESY_LENGTH:
        return False
    words = "".join(char if char.isalnum() else " " for char in rest).split()
    return not words or " ".join(words) in grammar.courtesies


def _score(item: Item) -> float:
    return item.size * 8 - 6 + max(-30, min(item.weight, 12)) * 0.1 - item.pieces * 0.5


class Chosen(NamedTuple):
    """A phrase of a cover, linked to the phrase before it."""

    item: Item
    before: "Chosen | None"


def _best_cover(items: list[Item]) -> list[Item]:
    """Return the disjoint phrases with the highest sum of scores (weighted interval scheduling)."""
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


def _as_point(group: Group) -> Group:
    """Turn a bound without anything else into the time itself (到六点叫我)."""
    fields = group.slots.keys() - CLOCK_FIELDS - {"strength"}
    if fields == {"until", "alone", "eve"}:
        return Group(slots=_before(group.slots), spans=group.spans)
    if fields == {"until", "alone"} == group.slots.keys() - {"strength"}:
        return Group(slots={**group.slots["until"], "strength": STRONG}, spans=group.spans)
    return group


def _before(slots: Slots) -> Slots:
    """Return the time of "before Friday" (周五之前): the day before, or the exact time if it has one."""
    day: Slots = slots["until"]
    if day.keys() & CLOCK_FIELDS or "offset" in day:
        return {**day, "strength": STRONG}
    return {"anchor": day, "eve": True, "strength": STRONG}


def _as_offset(group: Group) -> Group:
    """Turn "for ten minutes" into ten minutes from now."""
    if group.slots.keys() <= {"lasting", "strength"}:
        return Group(slots={"offset": group.slots["lasting"], "strength": STRONG}, spans=group.spans)
    return group
