"""Choose, among all phrases of a text, those that are its times: disjoint, strong enough, and telling the most."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from services.time_expressions.gather import BOUND_FIELDS, CLOCK_FIELDS, DAY_FIELDS, UNKEPT_FIELDS, Group, gathered
from services.time_expressions.grammar import Grammar
from services.time_expressions.lists import apart, is_listed
from services.time_expressions.scan import Item
from services.time_expressions.values import STRONG, WEAK, Clock, Slots, begins_anywhere, is_loose, names_day

TRIES = 6
NAMED_LEAD, JOINED_LEAD = "day", "joined"
"""The values of a lead in words without a number ("the day before"), and of one that its clock belongs to (前一天)."""
_MARKS = frozenset(",(")
"""Marks in front of a lead, whose number belongs to no time before them: "5 december, three hours early"."""
_DATED = DAY_FIELDS | CLOCK_FIELDS | {"strength", "swapped"}
"""Fields of a time whose last number is that of a lead, where no mark parts them: "5 december three hours early"."""
LONGEST_COURTESY = 100
"""Characters beside a time that are looked through for words, marks among them."""
_NOTHING_BUT_BOUNDS = BOUND_FIELDS | {"strength"}
_NOTHING_BUT_OFFSET = frozenset({"offset", "strength"})
_NOTHING_BUT_CLOCKS = frozenset({"clocks", "strength"})


def choose(
    times: list[Item],
    text: str,
    *,
    leads: Collection[Item],
    stands: Callable[[Slots], bool],
    eager: bool,
    grammar: Grammar,
) -> tuple[list[Group], list[int]]:
    """Return the groups of `text` in order, and where phrases end that are no time by themselves: "from now on".

    Args:
        times: All phrases that may be a time.
        leads: The phrases that say how long ahead of a time.
        text: The folded text.
        stands: Tells whether a meaning names a time that exists.
        eager: Take weak evidence as well, and lengths of time as times from now.
        grammar: Knows the words that join two times, or begin a new one.
    """
    leads = _leads_in(text, leads)
    usable = [item for item in times if _allowed(item, text, grammar, eager=eager) or _is_length_of_lead(item, leads)]
    usable = _without_numbers_of_things(_without_torn_offsets(_without_leads(usable, text, leads)), text)
    groups: list[Item] = []
    for _ in range(TRIES):
        groups = _best_cover(usable)
        bad = {id(item) for item in groups if not (_keeps(item.value, stands) or is_listed(item, text, grammar))}
        if not bad:
            break
        usable = [item for item in usable if id(item) not in bad]
    found = [Group(slots=item.value, spans=((item.start, item.end),)) for item in groups]
    found = gathered(found, text, [lead.start for lead in leads], stands, grammar)
    found = [_as_point(part) for group in found for part in apart(group, text, grammar)]
    if eager:
        found = [_as_offset(group) for group in found]
    ends = [group.spans[-1][1] for group in found if _hangs(group.slots)]
    found = [group for group in found if not _hangs(group.slots) and stands(group.slots)]
    return [group for group in found if "vague" not in group.slots] or found, ends


def _without_torn_offsets(times: list[Item]) -> list[Item]:
    """Leave out what begins within a length from now and ends behind it: "in [10 minutes to noon] prayer"."""
    offsets = [item for item in times if item.value.keys() == _NOTHING_BUT_OFFSET and item.value["strength"] >= STRONG]
    return [item for item in times if not any(each.start < item.start < each.end < item.end for each in offsets)]


def _leads_in(text: str, leads: Collection[Item]) -> list[Item]:
    """Return the leads of `text`, without those behind which the hour follows: "in the morning before 8"."""
    return [lead for lead in leads if lead.value != NAMED_LEAD or not text[lead.after : lead.after + 1].isdecimal()]


def _is_length_of_lead(item: Item, leads: Collection[Item]) -> bool:
    """Tell whether `item` is the length and the clock of 前一天晚上八点, which are one; those of 提前一天 are two."""
    if not is_loose(item.value) or item.value["strength"] < WEAK:
        return False
    around = [lead for lead in leads if lead.start < item.start < lead.end < item.end]
    return bool(around) and all(lead.value == JOINED_LEAD for lead in around)


def _without_leads(times: list[Item], text: str, leads: Collection[Item]) -> list[Item]:
    """Leave out what holds words of a lead: [下午两点，一天前], two days [before at 9], [12 jan, two] weeks before."""
    lasts = {text.rfind(" ", lead.start, lead.end) + 1 for lead in leads} - {0}
    return [
        item
        for item in times
        if item.start not in lasts and not any(_counts(item, lead) or _ends_in(item, lead, text) for lead in leads)
    ]


def _counts(item: Item, lead: Item) -> bool:
    """Tell whether `item` counts a lead from now, beside other words, or takes a part of "the day before" for a day."""
    if "anchor" in item.value:
        return False
    if lead.value == NAMED_LEAD:
        return item.start < lead.end and lead.start < item.end
    is_beside = "offset" in item.value and item.value.keys() != _NOTHING_BUT_OFFSET
    return is_beside and item.start < lead.start and lead.end <= item.end


def _ends_in(item: Item, lead: Item, text: str) -> bool:
    """Tell whether `item` takes the number of a lead behind it for its own."""
    if not item.start < lead.start < item.end < lead.end:
        return False
    before = text[: lead.start]
    return before.rstrip()[-1:] in _MARKS or (before[-1:].isspace() and item.value.keys() <= _DATED)


def _without_numbers_of_things(times: list[Item], text: str) -> list[Item]:
    """Leave out a bare number as the clock of a day that has a clock behind it: "plant 1 [tomorrow at 9:00]"."""
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


def _is_bare(clock: Clock) -> bool:
    return clock.grain == "hour" and not clock.half


def _keeps(slots: Slots, stands: Callable[[Slots], bool]) -> bool:
    """Tell whether a phrase may stay in the cover; what cannot be kept hides its words all the same."""
    if "every" in slots and (slots["every"].unit == "second" or slots.keys() & UNKEPT_FIELDS):
        return True
    if "every" in slots and slots["every"].unit in {"minute", "hour"} and slots.keys() & {"shift", "parts"}:
        return True
    if {"months", "days"} <= slots.keys() and "weekdays" not in slots:  # 2月30号 is not the 30th of another month
        return True
    return "refused" in slots or "per" in slots or _is_bound(slots) or stands(slots)


def _allowed(item: Item, text: str, grammar: Grammar, *, eager: bool) -> bool:
    """Strong evidence stands anywhere, weaker only where it is all that the text says."""
    strength = item.value.get("strength", 0)
    if begins_anywhere(item.value):
        return False
    if strength >= STRONG or _is_bound(item.value) or (eager and strength >= 0):
        return True
    if item.value.keys() == _NOTHING_BUT_CLOCKS and strength >= 0:
        is_named = text.startswith(grammar.requests, item.end) or text.endswith(grammar.changes, 0, item.start)
        if is_named:
            return True  # 两点 counts points, but neither in 两点提醒我 nor in 改到两点
    return strength >= WEAK - _is_amount(item.value) and _is_whole(item, text, grammar)


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


def _is_whole(item: Item, text: str, grammar: Grammar) -> bool:
    """Tell whether a text says nothing else, courtesies left aside."""
    return all(_is_courtesy(rest, grammar) for rest in (text[: item.start], text[item.end :]))


def _is_courtesy(rest: str, grammar: Grammar) -> bool:
    if len(rest) > LONGEST_COURTESY:
        return False
    said = "".join(char if char.isalnum() else " " for char in rest).split()
    return not said or " ".join(said) in grammar.courtesies


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


def _as_point(group: Group) -> Group:
    """到六点叫我: a bound that nothing else leads up to is the time itself."""
    told = group.slots.keys() - CLOCK_FIELDS - {"strength"}
    if told == {"until", "alone", "eve"}:
        return Group(slots=_before(group.slots), spans=group.spans)
    if told == {"until", "alone"} == group.slots.keys() - {"strength"}:
        return Group(slots={**group.slots["until"], "strength": STRONG}, spans=group.spans)
    return group


def _before(slots: Slots) -> Slots:
    """周五之前: the day before; before Friday at nine, as before Friday afternoon, is that very time."""
    day: Slots = slots["until"]
    if day.keys() & CLOCK_FIELDS or "offset" in day:
        return {**day, "strength": STRONG}
    return {"anchor": day, "eve": True, "strength": STRONG}


def _as_offset(group: Group) -> Group:
    """For ten minutes, where the caller knows that a time is meant: ten minutes from now."""
    if group.slots.keys() <= {"lasting", "strength"}:
        return Group(slots={"offset": group.slots["lasting"], "strength": STRONG}, spans=group.spans)
    return group
