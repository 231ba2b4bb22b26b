"""Split lists of dates, parts of a day or clock times: "Dec 5 and 8 at 10" and 明天早上和晚上 are two times each."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from services.time_expressions.parse.merge import CLOCK_FIELDS, DAY_FIELDS, Group
from services.time_expressions.rules.grammar import Grammar
from services.time_expressions.scan.tokens import Item
from services.time_expressions.values import (
    DAILY,
    STRONG,
    Clock,
    Every,
    Shift,
    Slots,
    names_day,
    spread_over_day,
    time_of_day,
)

Element = tuple[Slots, tuple[int, int]]
"""The fields of one element of a list, and the span of its words."""
_NOON = 12
_NO_SHIFT = Shift("", 0)
_WEEKEND = (5, 6)
_WEEKLY = Every(1, "week")
_SHARED = CLOCK_FIELDS | {"zone"}
_LISTED = DAY_FIELDS | CLOCK_FIELDS | {"strength", "zone"}


def is_listed(item: Item, text: str, grammar: Grammar) -> bool:
    """Return whether `item` is a list that can be split."""
    return bool(_elements(item.value, text, (item.start, item.end), grammar))


def split_list(group: Group, text: str, grammar: Grammar) -> Iterator[Group]:
    """Yield a group for each day, part of a day or clock time of `group`, with its own words; else `group` itself."""
    slots = group.slots
    found = _elements(slots, text, group.spans[0], grammar) if len(group.spans) == 1 else []
    if not found:
        yield group._replace(slots=_rule_of_week(slots) or slots)
    for changes, span in found:
        yield Group(slots={**slots, **changes}, spans=(span,))


def _elements(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[Element]:
    """Return the elements of a list; empty if `slots` is not one, or the words of each cannot be found."""
    if not slots.keys() <= _LISTED:
        return []
    found = _days(slots, text, span) or _parts(slots, text, span, grammar) or _clocks(slots, text, span, grammar)
    found = found or _named("months", slots, text, span, grammar) or _weekdays(slots, text, span, grammar)
    return found or _named("ordinals", slots, text, span, grammar)


def share_clock(groups: list[Group], text: str, grammar: Grammar) -> list[Group]:
    """Return `groups` with the clock of the last day of each list of days for all of them: "Tuesday and Sunday at 5".

    That of the first is for the days behind "and" that have none: "4:10 tomorrow and Monday". A comma alone joins days
    that are named in the same way, as "tomorrow, Sunday at 5" may be one day.
    """
    found = list(groups)
    for place in range(len(found) - 2, -1, -1):
        day, timed = found[place], found[place + 1]
        if _joins(text[day.spans[-1][1] : timed.spans[0][0]], day, timed, grammar):
            found[place] = _set_clock_of(timed, day)
    for place, (timed, day) in enumerate(pairwise(found), 1):
        mark = text[timed.spans[-1][1] : day.spans[0][0]].strip(" ,")
        if mark in grammar.conjunctions - grammar.alternatives:
            found[place] = _set_clock_of(timed, day)
    return found


def narrow_daily(groups: list[Group], text: str, grammar: Grammar) -> list[Group]:
    """Return `groups` with daily times without the weekdays that the next ones give a clock of their own.

    "Every day at 9, on weekends at 11" is every weekday at 9, and every weekend at 11.
    """
    found = list(groups)
    daily, taken = -1, set[int]()
    for place, group in enumerate(groups):
        behind = groups[place - 1].spans[-1][1]
        before = text[behind : group.spans[0][0]].strip(" ,;")
        fields = group.slots.keys() - CLOCK_FIELDS - {"strength"}
        every = group.slots.get("every", _WEEKLY)
        if fields == {"every"} and every == DAILY:
            daily, taken = place, set()
        elif daily < 0 or before not in {"", *grammar.contrasts, *(grammar.conjunctions if taken else ())}:
            daily = -1
        elif fields - {"every"} == {"weekdays"} and every == _WEEKLY and group.slots.keys() & CLOCK_FIELDS:
            taken |= {*group.slots["weekdays"]}
            left = tuple(day for day in range(7) if day not in taken)
            if left:
                found[daily] = _on_weekdays(groups[daily], left)
                contrasted = group._replace(spans=((behind, group.spans[0][1]), *group.spans[1:]))
                found[place] = _on_weekdays(contrasted, group.slots["weekdays"])
        else:
            daily = -1
    return found


def _on_weekdays(group: Group, days: tuple[int, ...]) -> Group:
    return group._replace(slots={**group.slots, "every": _WEEKLY, "weekdays": days, "strength": STRONG})


def _set_clock_of(timed: Group, day: Group) -> Group:
    """Return `day` with the clock of `timed`, where both name days, and perhaps one part of it, and it has none."""
    is_timed = "clocks" in timed.slots and timed.slots.keys() <= _LISTED and names_day(timed.slots)
    is_same_part = "parts" in day.slots and day.slots["parts"] == timed.slots.get("parts")  # 今晚和明晚九点
    named = DAY_FIELDS | {"strength", "parts"} if is_same_part else DAY_FIELDS | {"strength"}
    is_day = day.slots.keys() <= named and names_day(day.slots)
    shared = {name: timed.slots[name] for name in _SHARED & timed.slots.keys()}
    return day._replace(slots={**day.slots, **shared}) if is_timed and is_day else day


def _joins(gap: str, day: Group, timed: Group, grammar: Grammar) -> bool:
    """Return whether the text between two days makes them a list."""
    mark = gap.strip(" ,")
    fields = day.slots.keys() - _SHARED - {"strength"}
    is_alike = fields == timed.slots.keys() - _SHARED - {"strength"}
    return (is_alike and not mark) or (mark in grammar.conjunctions and mark not in grammar.alternatives)


def _named(field: str, slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[Element]:
    """Split the values of `field`, each of which has words between separators: Feb, May and Aug on the 1st."""
    values = slots.get(field, ())
    words = _words(text, *span, len(values), grammar) if len(values) > 1 else []
    return [({field: (value,)}, word) for value, word in zip(values, words, strict=False)]


def _weekdays(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[Element]:
    """Split the weekdays of one week (thu, fri and sat this week), or some with a clock (mon and wed at 9)."""
    is_of_week = "this_week" in slots or slots.get("shift", _NO_SHIFT).unit == "week"
    is_list = is_of_week or _are_joined_with_clock(slots, text, span, grammar)
    return _named("weekdays", slots, text, span, grammar) if is_list else []


def _are_joined_with_clock(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> bool:
    """Return whether a word such as "and" joins weekdays with one clock."""
    are_several = len(slots.get("weekdays", ())) > 1 and len(slots.get("clocks", ())) == 1
    if not are_several or slots.keys() & {"days", "shift"}:
        return False
    marks = {mark[0].strip(" ,") for mark in _separators(grammar.conjunctions)[0].finditer(text, *span)} - {""}
    return bool(marks) and not marks & grammar.alternatives


def _rule_of_week(slots: Slots) -> Slots | None:
    """Return the rule for weekdays of one week without words of their own: monday to thursday next week."""
    shift = slots.get("shift", Shift("week", 0) if "this_week" in slots else _NO_SHIFT)
    days = slots.get("weekdays", ())
    if len(days) < 2 or days == _WEEKEND or shift.unit != "week" or shift.steps < 0 or not slots.keys() <= _LISTED:
        return None
    kept = {name: value for name, value in slots.items() if name != "this_week"}
    return {**kept, "shift": shift, "every": _WEEKLY}


def _days(slots: Slots, text: str, span: tuple[int, int]) -> list[Element]:
    days = slots.get("days", ())
    numbers = _numbers(days, text, *span) if len(days) > 1 else []
    if not numbers:
        return []
    starts = [span[0], *(number.start() for number in numbers[1:])]
    ends = [*(number.end() for number in numbers[:-1]), span[1]]
    return [({"days": (day,)}, (start, end)) for day, start, end in zip(days, starts, ends, strict=True)]


def _parts(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[Element]:
    return [] if "clocks" in slots or not names_day(slots) else _named("parts", slots, text, span, grammar)


def _clocks(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[Element]:
    """Split the clock times of one day (今天下午三点、四点), or unambiguous ones ("at 8am, 12pm and 4pm")."""
    clocks, parts = slots.get("clocks", ()), slots.get("parts", ())
    is_of_days = len(slots.get("weekdays", ())) > 1 and not slots.keys() & {"shift", "this_week"}
    if len(clocks) < 2 or len(parts) > 1 or is_of_days:  # mon-fri 6am and 6pm
        return []
    is_of_day = bool(parts) or names_day(slots)
    spread = clocks if parts else spread_over_day(clocks) or clocks
    if not (_are_in_order(spread) if is_of_day else all(_is_clear(clock) for clock in clocks)):
        return []
    return _named("clocks", {**slots, "clocks": spread}, text, span, grammar)


def _are_in_order(clocks: tuple[Clock, ...]) -> bool:
    return all(time_of_day(clock) < time_of_day(following) for clock, following in pairwise(clocks))


def _is_clear(clock: Clock) -> bool:
    """Return whether the half of the day of a clock is known."""
    return bool(clock.half) or not 1 <= clock.hour <= _NOON


def _words(text: str, start: int, end: int, count: int, grammar: Grammar) -> list[tuple[int, int]]:
    """Return the spans between conjunctions and commas, or of clocks or months side by side, if there are `count`."""
    for separator in _separators(grammar.conjunctions, grammar.before_hours):
        marks = list(separator.finditer(text, start, end))
        if len(marks) == count - 1:
            return list(
                zip([start, *(mark.end() for mark in marks)], [*(mark.start() for mark in marks), end], strict=True)
            )
    return []


_SIDE_BY_SIDE = r"(?<=[apm])\s+(?=\d)|(?<=[点半分刻整月])\s*(?=[\d一二两三四五六七八九十]{1,3}[点月:])"


_CLOCK = r"\d{1,2}(?::\d\d| ?[ap]m|[点时])"
"""A clock behind a list of days or months: January and July, 10 am."""


@lru_cache
def _separators(conjunctions: frozenset[str], before_hours: tuple[str, ...] = ()) -> tuple[re.Pattern[str], ...]:
    words = sorted(rf"\b{word}\b" if word.isascii() and word.isalpha() else re.escape(word) for word in conjunctions)
    marks = rf"\s*(?:,\s*)?(?:{'|'.join(words)})\s*|\s*,\s*"
    clock = rf"(?:(?:{'|'.join(before_hours)}) )?{_CLOCK}" if before_hours else _CLOCK
    return re.compile(marks), re.compile(rf"{marks}|{_SIDE_BY_SIDE}"), re.compile(rf"(?:{marks})(?!\s|{clock})")


def _numbers(days: tuple[int, ...], text: str, start: int, end: int) -> list[re.Match[str]]:
    """Return the matches of the figures of `days` in order; empty if one of them is written in words."""
    found: list[re.Match[str]] = []
    for day in days:
        number = re.compile(rf"(?<!\d){day}(?:st|nd|rd|th|日|号)?(?![\d月])").search(text, start, end)
        if number is None:
            return []
        found.append(number)
        start = number.end()
    return found
