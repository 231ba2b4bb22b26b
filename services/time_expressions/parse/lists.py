"""Split lists of dates, parts of a day or clock times: "Dec 5 and 8 at 10" and 明天早上和晚上 are two times each."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from services.time_expressions.parse.merge import CLOCK_FIELDS, DAY_FIELDS, Group
from services.time_expressions.rules.grammar import Grammar
from services.time_expressions.scan.tokens import Item
from services.time_expressions.values import Clock, Slots, names_day

_NOON = 12
_LISTED = DAY_FIELDS | CLOCK_FIELDS | {"strength", "zone"}


def is_listed(item: Item, text: str, grammar: Grammar) -> bool:
    """Return whether `item` is a list of parts of a day or of clock times that can be split."""
    span = (item.start, item.end)
    return bool(_parts(item.value, text, span, grammar) or _clocks(item.value, text, span, grammar))


def split_list(group: Group, text: str, grammar: Grammar) -> Iterator[Group]:
    """Yield a group for each day, part of a day or clock time of `group`, with its own words; else `group` itself."""
    slots = group.slots
    found: list[tuple[Slots, tuple[int, int]]] = []
    if len(group.spans) == 1 and slots.keys() <= _LISTED:
        span = group.spans[0]
        found = _days(slots, text, span) or _parts(slots, text, span, grammar) or _clocks(slots, text, span, grammar)
    if not found:
        yield group
    for changes, span in found:
        yield Group(slots={**slots, **changes}, spans=(span,))


def _days(slots: Slots, text: str, span: tuple[int, int]) -> list[tuple[Slots, tuple[int, int]]]:
    days = slots.get("days", ())
    numbers = _numbers(days, text, *span) if len(days) > 1 else []
    if not numbers:
        return []
    starts = [span[0], *(number.start() for number in numbers[1:])]
    ends = [*(number.end() for number in numbers[:-1]), span[1]]
    return [({"days": (day,)}, (start, end)) for day, start, end in zip(days, starts, ends, strict=True)]


def _parts(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[tuple[Slots, tuple[int, int]]]:
    parts = slots.get("parts", ())
    if len(parts) < 2 or "clocks" in slots or not (slots.keys() <= _LISTED and names_day(slots)):
        return []
    words = _words(text, *span, grammar)
    if len(words) != len(parts):
        return []
    return [({"parts": (part,)}, word) for part, word in zip(parts, words, strict=True)]


def _clocks(slots: Slots, text: str, span: tuple[int, int], grammar: Grammar) -> list[tuple[Slots, tuple[int, int]]]:
    """Split the clock times of one day (今天下午三点、四点), or unambiguous ones ("at 8am, 12pm and 4pm")."""
    clocks, parts = slots.get("clocks", ()), slots.get("parts", ())
    if len(clocks) < 2 or len(parts) > 1 or not slots.keys() <= _LISTED:
        return []
    is_of_day = bool(parts) or names_day(slots)
    if not (_are_in_order(clocks) if is_of_day else all(_is_clear(clock) for clock in clocks)):
        return []
    words = _words(text, *span, grammar)
    if len(words) != len(clocks):
        return []
    return [({"clocks": (clock,)}, word) for clock, word in zip(clocks, words, strict=True)]


def _are_in_order(clocks: tuple[Clock, ...]) -> bool:
    return all(_time_of_day(clock) < _time_of_day(following) for clock, following in pairwise(clocks))


def _time_of_day(clock: Clock) -> tuple[int, int]:
    """Return hour and minute, with 12 am and 12 pm as 0 and 12."""
    hour = clock.hour % 12 + 12 * (clock.half == "pm") if clock.half in {"am", "pm"} else clock.hour
    return hour, clock.minute


def _is_clear(clock: Clock) -> bool:
    """Return whether the half of the day of a clock is known."""
    return bool(clock.half) or not 1 <= clock.hour <= _NOON


def _words(text: str, start: int, end: int, grammar: Grammar) -> list[tuple[int, int]]:
    """Return the spans between conjunctions and commas."""
    found: list[tuple[int, int]] = []
    for match in _separator(grammar.conjunctions).finditer(text, start, end):
        found.append((start, match.start()))
        start = match.end()
    return [*found, (start, end)]


@lru_cache
def _separator(conjunctions: frozenset[str]) -> re.Pattern[str]:
    words = sorted(rf"\b{word}\b" if word.isascii() and word.isalpha() else re.escape(word) for word in conjunctions)
    return re.compile(rf"\s*(?:,\s*)?(?:{'|'.join(words)})\s*|\s*,\s*")


def _numbers(days: tuple[int, ...], text: str, start: int, end: int) -> list[re.Match[str]]:
    """Return the matches of the figures of `days` in order; empty if one of them is written in words."""
    found: list[re.Match[str]] = []
    for day in days:
        number = re.compile(rf"(?<!\d){day}(?:st|nd|rd|th|日|号)?(?!\d)").search(text, start, end)
        if number is None:
            return []
        found.append(number)
        start = number.end()
    return found
