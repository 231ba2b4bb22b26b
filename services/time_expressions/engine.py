"""Read the times in a text: scan, parse, choose the phrases that explain most of its time words, resolve them."""

from datetime import datetime, timedelta
from typing import NamedTuple

from services.time_expressions.chart import Chart, Item
from services.time_expressions.grammar import Grammar, grammar, languages, vocabulary
from services.time_expressions.model import DateOrder, DayParts, Reading, TimeReadings
from services.time_expressions.normalise import Folded, fold
from services.time_expressions.resolver import Answer, Present, resolve
from services.time_expressions.scan import scan
from services.time_expressions.values import Slots, to_meaning

LONGEST_TEXT = 20_000
"""Characters read; what a longer text says after that is left alone."""

SHORTEST_PERIOD = timedelta(minutes=1)
"""Recurrences that would fire more often are not produced unless the caller asks for them."""

STRONG = 2
WEAK = 1
TRIES = 6
TIME_SYMBOLS = frozenset(
    {"WEEKDAY", "SHORTDAY", "WEEKDAYS", "LONGMONTH", "PART", "PARTS", "TONIGHT", "DAYWORD", "HALF", "NOON", "FREQ"}
    | {"HMS", "DAYSET", "DAYSETS", "TIME_WORD"}
)
DEFAULT_PARTS = DayParts()


class Parsed(NamedTuple):
    """The phrases of a text that were chosen, in order, and the text's time words by start."""

    folded: Folded
    groups: list[Item]
    time_words: dict[int, int]
    grammar: Grammar


def parse(
    text: str,
    now: datetime,
    *,
    language: str | None = None,
    order: DateOrder | None = None,
    day_parts: DayParts = DEFAULT_PARTS,
    future: bool = True,
    shortest_period: timedelta = SHORTEST_PERIOD,
) -> TimeReadings:
    """Read the time, the interval or the recurrence that `text` names.

    Where the text names several separate times, the first one is read; `parse_all` gives them all.

    Args:
        text: Any text of any length; what stands after its first 20,000 characters is left alone.
        now: Timezone-aware, in the zone of the speaker.
        language: One of `languages()`; None finds out by script and words, and reads mixed texts.
        order: How the speaker writes 3/4; None takes the custom of the language and reports the ambiguity.
        day_parts: The default clock times of parts of the day.
        future: Prefer, and return, future times only; False reads "since monday" as the one gone by.
        shortest_period: Recurrences that fire more often than this are not produced.

    Returns:
        Readings, best first; none where the text holds no time.

    Raises:
        ValueError: `now` has no zone, or `language` has no lexicon.
    """
    everything = parse_all(
        text,
        now,
        language=language,
        order=order,
        day_parts=day_parts,
        future=future,
        shortest_period=shortest_period,
    )
    if everything:
        return next((one for one in everything if one.readings), everything[0])
    return TimeReadings(text=text, readings=(), ambiguous=False)


def parse_all(
    text: str,
    now: datetime,
    *,
    language: str | None = None,
    order: DateOrder | None = None,
    day_parts: DayParts = DEFAULT_PARTS,
    future: bool = True,
    shortest_period: timedelta = SHORTEST_PERIOD,
) -> tuple[TimeReadings, ...]:
    """Read every separate time that `text` names, in the order of the text; arguments as for `parse`."""
    if now.tzinfo is None:
        raise ValueError("now must be timezone-aware")
    present = Present(now=now, parts=day_parts, future=future, shortest_period=shortest_period)
    found: list[TimeReadings] = []
    parsed = _parsed(text[:LONGEST_TEXT], _chosen_languages(text[:LONGEST_TEXT], language), order, present)
    for group in parsed.groups:
        answers = resolve(to_meaning(group.value), present)
        if answers:
            found.append(_readings(text, parsed, group, answers))
    return tuple(found)


def _chosen_languages(text: str, language: str | None) -> tuple[str, ...]:
    if language is not None:
        if language not in languages():
            raise ValueError(f"no lexicon for {language!r}; there are {', '.join(languages())}")
        return (language,) if language == "en" else (language, "en") if language == "zh" else (language,)
    return _detected(text)


def _detected(text: str) -> tuple[str, ...]:
    """Chinese where there is Chinese script, else the language of the words; English where they do not say."""
    if not text.isascii() and any("⺀" < char < "\ufb00" for char in text):
        return ("zh", "en")
    words = set(text.lower().split())
    best, most = "en", len(words & vocabulary("en"))
    for name in languages():
        if name not in {"en", "zh"} and len(words & vocabulary(name)) > most:
            best, most = name, len(words & vocabulary(name))
    return (best,)


def _parsed(text: str, chosen: tuple[str, ...], order: DateOrder | None, present: Present) -> Parsed:
    rules = grammar(chosen)
    folded = fold(text, rules.characters)
    scanned = scan(folded.text, rules, order)
    words = {
        start: max(t.end for t in tokens if t.symbol in TIME_SYMBOLS)
        for start, tokens in scanned.tokens.items()
        if any(t.symbol in TIME_SYMBOLS for t in tokens)
    }
    times = Chart(scanned, rules).times
    groups = _choose(times, folded.text, present)
    return Parsed(folded, groups, words, rules)


# -- choosing ----------------------------------------------------------------------------------------------------


def _choose(times: list[Item], text: str, present: Present) -> list[Item]:
    """The phrases that together cover most of the text, each of which names a time that exists."""
    usable = [item for item in times if _allowed(item, text)]
    for _ in range(TRIES):
        groups = _best_cover(usable)
        bad = [item for item in groups if not _stands(item.value, present)]
        if not bad:
            break
        usable = [item for item in usable if item not in bad]
    else:
        groups = [item for item in groups if _stands(item.value, present)]
    return [item for item in groups if not item.value.get("refused") and not _is_length(item.value)]


def _stands(slots: Slots, present: Present) -> bool:
    return bool(slots.get("refused")) or _is_length(slots) or bool(resolve(to_meaning(slots), present))


def _allowed(item: Item, text: str) -> bool:
    """Strong evidence stands anywhere, weaker only where it is all that the text says."""
    strength = item.value.get("strength", 0)
    if strength >= STRONG or _is_length(item.value):
        return True
    return strength >= WEAK - _is_amount(item.value) and _is_whole(item, text)


def _is_length(slots: Slots) -> bool:
    """For two hours: a length and no time, but none of its words names one either."""
    return slots.keys() <= {"lasting", "strength"}


def _is_amount(slots: Slots) -> int:
    return 1 if slots.keys() <= {"offset", "strength"} or slots.keys() <= {"clocks", "strength"} else 0


def _is_whole(item: Item, text: str) -> bool:
    return not any(char.isalnum() for char in text[: item.start] + text[item.end :])


def _score(item: Item) -> float:
    return item.size * 8 - 6 + max(-30, min(item.weight, 12)) * 0.1 - item.pieces * 0.5


def _best_cover(items: list[Item]) -> list[Item]:
    """Weighted interval scheduling: the disjoint phrases with the highest sum of scores."""
    ordered = sorted(items, key=lambda item: item.end)
    best: list[tuple[float, list[Item]]] = [(0.0, [])]
    ends = [0]
    for item in ordered:
        place = len(ends) - 1
        while ends[place] > item.start:
            place -= 1
        total, chosen = best[place]
        total += _score(item)
        if total > best[-1][0]:
            best.append((total, [*chosen, item]))
            ends.append(item.end)
    return best[-1][1]


# -- answering ---------------------------------------------------------------------------------------------------


def _readings(text: str, parsed: Parsed, group: Item, answers: list[Answer]) -> TimeReadings:
    start = _led_in(group.start, parsed)
    end = group.end
    span = parsed.folded.original(start, end)
    explained = sum(1 for place in parsed.time_words if start <= place < end)
    coverage = explained / len(parsed.time_words) if parsed.time_words else 1.0
    readings = [
        Reading(
            start=answer.start,
            grain=answer.grain,
            has_clock=answer.has_clock,
            end=answer.end,
            rrule=answer.rrule,
            spans=(span,),
            coverage=coverage,
        )
        for answer in answers
    ]
    kept = tuple(reading for reading, answer in zip(readings, answers, strict=True) if not answer.past)
    past = tuple(reading for reading, answer in zip(readings, answers, strict=True) if answer.past)
    ambiguous = len(kept) > 1 and any(answer.unsure for answer in answers)
    return TimeReadings(text=text, readings=kept, ambiguous=ambiguous, past=past)


def _led_in(start: int, parsed: Parsed) -> int:
    """Take the prepositions before a phrase into its span, so that cutting it out leaves none behind."""
    for _ in range(2):
        before = _word_before(parsed.folded.text, start, parsed.grammar.leads)
        if before is None or before[1] not in parsed.grammar.leads:
            return start
        start = before[0]
    return start


def _word_before(text: str, end: int, leads: frozenset[str]) -> tuple[int, str] | None:
    while end and text[end - 1] == " ":
        end -= 1
    start = end
    while start and text[start - 1].isalpha() and text[start - 1].isascii():
        start -= 1
    if start == end and end and text[end - 1] > "⺀":
        start = end - (2 if text[end - 2 : end] in leads else 1)
    if start == end:
        return (end - 1, text[end - 1]) if end else None
    return start, text[start:end]
