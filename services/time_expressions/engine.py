"""Read the times in a text: scan, parse, select phrases, resolve them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from services.kernel.lunar_calendar import FIRST_YEAR, lunar_months
from services.time_expressions.effort import MAX_EFFORT, is_effort_spent, spend_effort
from services.time_expressions.model import DateOrder, DayParts, Reading, TimeReadings
from services.time_expressions.parse.chart import Chart
from services.time_expressions.parse.merge import Group
from services.time_expressions.parse.select import select_times
from services.time_expressions.parse.trim import trim_span
from services.time_expressions.resolve.context import Answer, ReadingContext
from services.time_expressions.resolve.resolver import resolve
from services.time_expressions.rules.grammar import Grammar, grammar, languages, lexicon, vocabulary
from services.time_expressions.scan.normalise import Folded, fold, mask_addresses
from services.time_expressions.scan.tokens import scan
from services.time_expressions.values import Slots, names_day, to_meaning

MAX_TEXT_LENGTH = 5_000
"""The number of characters that are read of a text."""

MIN_PERIOD = timedelta(minutes=1)
"""The default shortest period; recurrences that fire more often are not produced."""

DEFAULT_PARTS = DayParts()
_CHARACTERS_A_UNIT = 10
_CALENDAR_SYMBOLS = frozenset({"MONTH", "SHORTMONTH", "HOLIDAY", "EVE", "PART"})
_CLOCK_OF_CALL = re.compile(r"\d\d:\d\d")


class ParsedText(NamedTuple):
    """The times found in a text, in order, and the units of effort spent.

    `ends` are the ends of phrases that are not a time by themselves ("from now on"); their last word is not a
    preposition of the time that follows.
    """

    folded: Folded
    groups: list[tuple[Group, list[Answer]]]
    ends: list[int]
    grammar: Grammar
    units: int


class AnswerCache:
    """Resolves the meanings in one text, each only once."""

    def __init__(self, present: ReadingContext) -> None:
        self._present = present
        self._known: dict[int, tuple[Slots, list[Answer]]] = {}

    def resolve(self, slots: Slots) -> list[Answer]:
        """Return the possible times of `slots`, best first."""
        known = self._known.get(id(slots))
        if known is None:
            known = slots, resolve(to_meaning(slots), self._present)
            self._known[id(slots)] = known
        return known[1]

    def exists(self, slots: Slots) -> bool:
        """Return whether `slots` resolves to a time."""
        return bool(self.resolve(slots))


def parse(
    text: str,
    now: datetime,
    *,
    language: str | None = None,
    order: DateOrder | None = None,
    day_parts: DayParts = DEFAULT_PARTS,
    future: bool = True,
    eager: bool = False,
    shortest_period: timedelta = MIN_PERIOD,
) -> TimeReadings:
    """Read the first time, interval or recurrence in `text`; `parse_all` reads all of them.

    Args:
        text: Any text; only its first 5,000 characters are read.
        now: Timezone-aware, in the zone of the speaker.
        language: One of `languages()`; None detects it by script and words, and reads mixed texts.
        order: The order of numeric dates such as 3/4; None uses that of the language and reports the ambiguity.
        day_parts: The default clock times of parts of the day.
        future: Return future times only; with False "since monday" means the last Monday.
        eager: The text is known to be about a time (an answer to "when?", a snooze): accept weak evidence, and read
            "for ten minutes" as ten minutes from now.
        shortest_period: Recurrences that fire more often than this are not produced.

    Returns:
        Readings, best first; empty if the text has no time.

    Raises:
        ValueError: `now` has no zone, or `language` has no lexicon.
    """
    found = parse_all(
        text,
        now,
        language=language,
        order=order,
        day_parts=day_parts,
        future=future,
        eager=eager,
        shortest_period=shortest_period,
    )
    return _first_time(text, found)


def parse_all(
    text: str,
    now: datetime,
    *,
    language: str | None = None,
    order: DateOrder | None = None,
    day_parts: DayParts = DEFAULT_PARTS,
    future: bool = True,
    eager: bool = False,
    shortest_period: timedelta = MIN_PERIOD,
) -> tuple[TimeReadings, ...]:
    """Read every separate time in `text`, in order; the arguments are those of `parse`.

    Return nothing if the limit of `limited_effort` is reached.
    """
    if now.tzinfo is None:
        raise ValueError("now must be timezone-aware")
    if is_effort_spent():
        return ()
    is_figure = _CLOCK_OF_CALL.fullmatch(text) is not None
    present = ReadingContext(now, day_parts, future, shortest_period, is_figure)
    readings, units = _read(text, language, order, present, f"{now.tzinfo} {now.fold}", eager=eager)
    spend_effort(units, once_for=(text, language))
    return readings


def _first_time(text: str, found: tuple[TimeReadings, ...]) -> TimeReadings:
    """Return the first time of `found` that is not past, else the first; no readings for a text without a time."""
    if found:
        return next((readings for readings in found if readings.readings), found[0])
    return TimeReadings(text=text, readings=(), ambiguous=False)


@lru_cache(maxsize=256)
def _read(
    text: str, language: str | None, order: DateOrder | None, present: ReadingContext, zone: str, *, eager: bool
) -> tuple[tuple[TimeReadings, ...], int]:
    """Read a text and cache the result with its cost; `zone` tells equal instants of two zones apart."""
    del zone
    read = mask_addresses(text[:MAX_TEXT_LENGTH])
    parsed = _parse_text(read, _choose_languages(read, language), order, present, eager=eager)
    return tuple(_build_readings(text, parsed, group, answers) for group, answers in parsed.groups), parsed.units


def warm_up(names: Sequence[str] = ()) -> None:
    """Compile the lexicons of the languages `names`, of all by default, instead of with the first texts in them."""
    wanted = names or languages()
    for chosen in (*((name,) for name in wanted), *([("zh", "en")] if "zh" in wanted else [])):
        scan("", grammar(chosen), None)
    lunar_months(FIRST_YEAR)
    for name in languages():
        vocabulary(name)
    lexicon.cache_clear()  # only the compiled form is needed from now on


def is_calendar_word(word: str, language: str) -> bool:
    """Return whether `word` names a month, a holiday or a part of the day in texts in `language`."""
    rules = grammar(_choose_languages(word, language))
    senses = rules.words.get(fold(word, rules.characters).text, ())
    return any(symbol in _CALENDAR_SYMBOLS for symbol, _ in senses)


def _choose_languages(text: str, language: str | None) -> tuple[str, ...]:
    if language is None or language == "zh":
        return _detect_languages(text, language)
    if language not in languages():
        raise ValueError(f"no lexicon for {language!r}; there are {', '.join(languages())}")
    return (language,)


def _detect_languages(text: str, language: str | None = None) -> tuple[str, ...]:
    """Return Chinese for Chinese script, else the language with the most known words, else English."""
    if language == "zh" or (not text.isascii() and any("⺀" < char < "\ufb00" for char in text)):
        return ("zh", "en") if any("a" <= char <= "z" for char in text.lower()) else ("zh",)
    words = set(text.lower().split())
    best, count = "en", len(words & vocabulary("en"))
    for name in languages():
        if name not in {"en", "zh"} and len(words & vocabulary(name)) > count:
            best, count = name, len(words & vocabulary(name))
    return (best,)


def _parse_text(
    text: str, chosen: tuple[str, ...], order: DateOrder | None, present: ReadingContext, *, eager: bool
) -> ParsedText:
    rules = grammar(chosen)
    folded = fold(text, rules.characters)
    answers = AnswerCache(present)
    chart = Chart(scan(folded.text, rules, order), rules)
    groups, ends = select_times(
        chart.times, folded.text, leads=chart.leads, stands=answers.exists, eager=eager, grammar=rules
    )
    found = [(group, answers.resolve(group.slots)) for group in groups]
    return ParsedText(
        folded=folded,
        groups=found,
        ends=ends,
        grammar=rules,
        # A cut chart may lack times, so the whole limit counts as spent.
        units=MAX_EFFORT if chart.is_cut else chart.phrases + len(text) // _CHARACTERS_A_UNIT,
    )


def _build_readings(text: str, parsed: ParsedText, group: Group, answers: list[Answer]) -> TimeReadings:
    inside = [trim_span(parsed.folded.text, start, end, parsed.ends, parsed.grammar) for start, end in group.spans]
    spans = tuple(parsed.folded.original(start, end) for start, end in inside)
    readings = [
        Reading(
            start=answer.start,
            grain=answer.grain,
            has_clock=answer.has_clock,
            has_day=names_day(group.slots),
            end=answer.end,
            rrule=answer.rrule,
            spans=spans,
            part="".join(group.slots.get("parts", ())[:1]),
            zone=group.slots.get("zone", ""),
        )
        for answer in answers
    ]
    kept = tuple(reading for reading, answer in zip(readings, answers, strict=True) if not answer.past)
    past = tuple(reading for reading, answer in zip(readings, answers, strict=True) if answer.past)
    ambiguous = len(kept) > 1 and any(answer.unsure for answer in answers)
    return TimeReadings(text=text, readings=kept, ambiguous=ambiguous, past=past)


_MIN_DURATION = timedelta(seconds=1)
"""Shorter than any reminder may be, so that the caller sees a period that is too short and can refuse it."""


class TimeReader(NamedTuple):
    """Reads times with the conventions of one bot.

    Attributes:
        order: The order of numeric dates such as 3/4; None uses that of the language and reports the ambiguity.
        day_parts: The clock times of "morning", "evening", or of a day without a clock time.
    """

    order: DateOrder | None = None
    day_parts: DayParts = DEFAULT_PARTS

    def parse(self, text: str, now: datetime, *, language: str | None = None, eager: bool = False) -> TimeReadings:
        """Read the first time in `text`; see `services.time_expressions.parse`."""
        return _first_time(text, self.parse_all(text, now, language=language, eager=eager))

    def parse_all(
        self, text: str, now: datetime, *, language: str | None = None, eager: bool = False
    ) -> tuple[TimeReadings, ...]:
        """Read every separate time in `text`; see `services.time_expressions.parse_all`."""
        return parse_all(
            text,
            now,
            language=language,
            order=self.order,
            day_parts=self.day_parts,
            eager=eager,
            shortest_period=_MIN_DURATION,
        )
