"""Read the times in a text: scan, parse, choose the phrases that explain most of its time words, resolve them."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from services.kernel.lunar_calendar import FIRST_YEAR, lunar_months
from services.time_expressions.chart import Chart
from services.time_expressions.choose import choose
from services.time_expressions.effort import MOST_EFFORT, is_effort_spent, spend_effort
from services.time_expressions.gather import Group
from services.time_expressions.grammar import Grammar, grammar, languages, lexicon, vocabulary
from services.time_expressions.model import DateOrder, DayParts, Reading, TimeReadings
from services.time_expressions.normalise import Folded, fold, without_addresses
from services.time_expressions.present import Answer, Present
from services.time_expressions.resolver import resolve
from services.time_expressions.scan import Tokens, scan
from services.time_expressions.trim import trimmed
from services.time_expressions.values import Slots, names_day, to_meaning

LONGEST_TEXT = 5_000
"""Characters read; what a longer text says after that is left alone."""

SHORTEST_PERIOD = timedelta(minutes=1)
"""Recurrences that would fire more often are not produced unless the caller asks for them."""

TIME_SYMBOLS = frozenset(
    {"WEEKDAY", "SHORTDAY", "WEEKDAYS", "LONGMONTH", "PART", "PARTS", "TONIGHT", "DAYWORD", "HALF", "NOON", "FREQ"}
    | {"HMS", "DAYSET", "DAYSETS", "DAYPARTWORD", "YEARWORD", "EDGE", "HOLIDAY", "MIDNIGHT", "ZONE"}
)
"""Tokens that name a time wherever they stand; what they make up of a text is its coverage."""

DEFAULT_PARTS = DayParts()
_CHARACTERS_A_UNIT = 10


class Parsed(NamedTuple):
    """The times found in a text, in order, where its time words are, and the units of effort that it costs.

    `ends` are where phrases end that are no time by themselves, so that their last word leads into no time.
    """

    folded: Folded
    groups: list[tuple[Group, list[Answer]]]
    time_words: list[int]
    ends: list[int]
    grammar: Grammar
    units: int


class Answers:
    """Resolves each meaning of one text once."""

    def __init__(self, present: Present) -> None:
        self._present = present
        self._known: dict[int, tuple[Slots, list[Answer]]] = {}

    def of(self, slots: Slots) -> list[Answer]:
        """Return what `slots` is on the calendar, best first."""
        known = self._known.get(id(slots))
        if known is None:
            known = slots, resolve(to_meaning(slots), self._present)
            self._known[id(slots)] = known
        return known[1]

    def any(self, slots: Slots) -> bool:
        """Tell whether `slots` names a time that exists."""
        return bool(self.of(slots))


def parse(
    text: str,
    now: datetime,
    *,
    language: str | None = None,
    order: DateOrder | None = None,
    day_parts: DayParts = DEFAULT_PARTS,
    future: bool = True,
    eager: bool = False,
    shortest_period: timedelta = SHORTEST_PERIOD,
) -> TimeReadings:
    """Read the time, the interval or the recurrence that `text` names.

    Where the text names several separate times, the first one is read; `parse_all` gives them all.

    Args:
        text: Any text of any length; what stands after its first 5,000 characters is left alone.
        now: Timezone-aware, in the zone of the speaker.
        language: One of `languages()`; None finds out by script and words, and reads mixed texts.
        order: How the speaker writes 3/4; None takes the custom of the language and reports the ambiguity.
        day_parts: The default clock times of parts of the day.
        future: Prefer, and return, future times only; False reads "since monday" as the one gone by.
        eager: The caller knows that the text is about a time (an answer to "when?", a snooze): take weak evidence,
            and read "for ten minutes" as ten minutes from now.
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
        eager=eager,
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
    eager: bool = False,
    shortest_period: timedelta = SHORTEST_PERIOD,
) -> tuple[TimeReadings, ...]:
    """Read every separate time that `text` names, in the order of the text; arguments as for `parse`.

    Nothing is read where a limit is in force (`limited_effort`) and spent.
    """
    if now.tzinfo is None:
        raise ValueError("now must be timezone-aware")
    if is_effort_spent():
        return ()
    present = Present(now=now, parts=day_parts, future=future, shortest_period=shortest_period)
    readings, units = _read(text, language, order, present, f"{now.tzinfo} {now.fold}", eager=eager)
    spend_effort(units, once_for=(text, language))
    return readings


@lru_cache(maxsize=256)
def _read(
    text: str, language: str | None, order: DateOrder | None, present: Present, zone: str, *, eager: bool
) -> tuple[tuple[TimeReadings, ...], int]:
    """Read a text once and cache it with its cost; `zone` separates equal moments of two zones."""
    del zone
    read = without_addresses(text[:LONGEST_TEXT])
    parsed = _parsed(read, _chosen_languages(read, language), order, present, eager=eager)
    return tuple(_readings(text, parsed, group, answers) for group, answers in parsed.groups), parsed.units


def warm_up() -> None:
    """Compile all lexicons now, instead of with the first texts of each language (some tens of milliseconds each)."""
    for chosen in (*((name,) for name in languages()), ("zh", "en")):
        grammar(chosen).idioms.compile_all()
        scan("", grammar(chosen), None)
    lunar_months(FIRST_YEAR)
    for name in languages():
        vocabulary(name)
    lexicon.cache_clear()  # what was compiled of them is kept


def _chosen_languages(text: str, language: str | None) -> tuple[str, ...]:
    if language is None or language == "zh":
        return _detected(text, language)
    if language not in languages():
        raise ValueError(f"no lexicon for {language!r}; there are {', '.join(languages())}")
    return (language,)


def _detected(text: str, language: str | None = None) -> tuple[str, ...]:
    """Chinese where there is Chinese script, else the language of the words; English where they do not say."""
    if language == "zh" or (not text.isascii() and any("⺀" < char < "\ufb00" for char in text)):
        return ("zh", "en") if any("a" <= char <= "z" for char in text.lower()) else ("zh",)
    words = set(text.lower().split())
    best, most = "en", len(words & vocabulary("en"))
    for name in languages():
        if name not in {"en", "zh"} and len(words & vocabulary(name)) > most:
            best, most = name, len(words & vocabulary(name))
    return (best,)


def _parsed(text: str, chosen: tuple[str, ...], order: DateOrder | None, present: Present, *, eager: bool) -> Parsed:
    rules = grammar(chosen)
    folded = fold(text, rules.characters)
    tokens = scan(folded.text, rules, order)
    answers = Answers(present)
    chart = Chart(tokens, rules)
    groups, ends = choose(chart.times, folded.text, leads=chart.leads, stands=answers.any, eager=eager, grammar=rules)
    found = [(group, answers.of(group.slots)) for group in groups]
    return Parsed(
        folded=folded,
        groups=found,
        time_words=_time_words(tokens) if found else [],
        ends=ends,
        grammar=rules,
        # Where phrases were left out, some of the times were not read.
        units=MOST_EFFORT if chart.is_cut else chart.phrases + len(text) // _CHARACTERS_A_UNIT,
    )


def _time_words(tokens: Tokens) -> list[int]:
    return [start for start, found in tokens.items() if any(token.symbol in TIME_SYMBOLS for token in found)]


def _readings(text: str, parsed: Parsed, group: Group, answers: list[Answer]) -> TimeReadings:
    inside = [trimmed(parsed.folded.text, start, end, parsed.ends, parsed.grammar) for start, end in group.spans]
    explained = sum(1 for word in parsed.time_words if any(start <= word < end for start, end in inside))
    coverage = explained / len(parsed.time_words) if parsed.time_words else 1.0
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
            coverage=coverage,
            part="".join(group.slots.get("parts", ())[:1]),
            zone=group.slots.get("zone", ""),
        )
        for answer in answers
    ]
    kept = tuple(reading for reading, answer in zip(readings, answers, strict=True) if not answer.past)
    past = tuple(reading for reading, answer in zip(readings, answers, strict=True) if answer.past)
    ambiguous = len(kept) > 1 and any(answer.unsure for answer in answers)
    return TimeReadings(text=text, readings=kept, ambiguous=ambiguous, past=past)
