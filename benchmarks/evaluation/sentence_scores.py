"""Accuracy on labelled sentences: tools, restraint, contents, times and people."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from benchmarks.evaluation.content_match import overlap, words_of
from benchmarks.evaluation.offline_reading import Understood
from benchmarks.evaluation.sentence_cases import (
    NONE,
    NOW,
    QUIET_TIERS,
    REMINDER_TOOLS,
    SEARCH,
    SentenceCase,
    judged_name,
)

Interpret = Callable[[str, str, datetime], Understood | None]

_TIMELIKE = re.compile(r"\d|day|night|morning|noon|week|month|year|later|[上下中早晚]午?[点]|天|周")
_UNTIMED_SOURCES = ("clinc", "massive-zh", "slurp")
_QUESTION_TIERS = ("search", "search_or_none")


class Figure(Struct, frozen=True, kw_only=True):
    """One line of the table: `share` (0 to 1) of `count` sentences; None where there were none."""

    name: str
    share: float | None
    count: int


class Read(Struct, frozen=True, kw_only=True):
    """A sentence and what was made of it."""

    case: SentenceCase
    tool: str
    understood: Understood | None

    @property
    def is_right(self) -> bool:
        """Return whether the tool is one that the sentence accepts."""
        return self.tool in self.case.accepts

    @property
    def is_reminder(self) -> bool:
        """Return whether some reminder function fires."""
        return self.tool in REMINDER_TOOLS


class SentenceScore(Struct, frozen=True, kw_only=True):
    """The figures per language, the sentences read, and the latency in milliseconds."""

    figures: dict[str, tuple[Figure, ...]]
    read: tuple[Read, ...]
    median_ms: float
    p95_ms: float


def score(cases: Iterable[SentenceCase], interpret: Interpret, now: datetime = NOW) -> SentenceScore:
    """Interpret every sentence at `now` and count."""
    read: list[Read] = []
    took: list[float] = []
    for case in cases:
        started = time.perf_counter()
        understood = interpret(case.text, case.language, now)
        took.append((time.perf_counter() - started) * 1000)
        tool = NONE if understood is None else judged_name(understood.tool)
        read.append(Read(case=case, tool=tool, understood=understood))
    took.sort()
    languages = sorted({each.case.language for each in read})
    return SentenceScore(
        figures={
            language: _figures([each for each in read if each.case.language == language]) for language in languages
        },
        read=tuple(read),
        median_ms=took[len(took) // 2] if took else 0.0,
        p95_ms=took[int(len(took) * 0.95)] if took else 0.0,
    )


def _figures(read: Sequence[Read]) -> tuple[Figure, ...]:
    core = [each for each in read if each.case.tier == "core"]
    sets = [each for each in core if each.case.tool == "reminder_set"]
    return (*_tools(core), *_restraint(read), *_contents(sets), *_times(sets), *_people(sets))


def _tools(core: Sequence[Read]) -> list[Figure]:
    names = (*REMINDER_TOOLS, "summary")
    each_tool = [_share(f"right tool: {name}", [r.is_right for r in core if r.case.tool == name]) for name in names]
    return [_share("right tool on requests", [each.is_right for each in core]), *each_tool]


def _restraint(read: Sequence[Read]) -> list[Figure]:
    figures = []
    for tier in QUIET_TIERS:
        here = [each for each in read if each.case.tier == tier]
        figures.append(_share(f"reminder fires on {tier}", [each.is_reminder for each in here]))
        figures.append(_share(f"any tool fires on {tier}", [each.tool != NONE for each in here]))
    questions = [each for each in read if each.case.tier in _QUESTION_TIERS]
    adjacent = [each for each in read if each.case.tier == "adjacent"]
    searches = [each.tool == SEARCH for each in questions if each.case.tier == SEARCH]
    return [
        *figures,
        _share("reminder fires on questions", [each.is_reminder for each in questions]),
        _share("search found", searches),
        _share("neighbours taken rightly", [each.is_right for each in adjacent]),
        _share("neighbours taken for reminders", [each.is_reminder for each in adjacent]),
    ]


def _contents(sets: Sequence[Read]) -> list[Figure]:
    """Contents as far as their sources mark them whole (SLURP marks only a word)."""
    overlaps = []
    for each in sets:
        if not each.case.contents or each.case.source == "slurp":
            continue
        given = each.understood.content if each.understood is not None and each.tool == "reminder_set" else ""
        words = words_of(given, each.case.language)
        overlaps.append([(words == wanted, overlap(words, wanted)) for wanted in _wanted(each.case)])
    return [
        _share("content exact", [any(is_exact for is_exact, _ in each) for each in overlaps]),
        _share("content ROUGE-L", [max(value for _, value in each) for each in overlaps]),
    ]


def _wanted(case: SentenceCase) -> list[list[str]]:
    """The contents marked, and where there are several, all of them as one."""
    joined = [" and ".join(case.contents)] if len(case.contents) > 1 else []
    return [words_of(content, case.language) for content in (*case.contents, *joined)]


def _times(sets: Sequence[Read]) -> list[Figure]:
    marked = [each for each in sets if each.case.has_slots and each.case.source not in _UNTIMED_SOURCES]
    timed = [each for each in marked if each.case.has_time or each.case.has_repetition]
    bare = [each for each in marked if not (each.case.has_time or each.case.has_repetition)]
    untimed = [each for each in bare if not _may_be_timed(each.case)]
    return [
        _share("time seen", [_has_time(each) for each in timed]),
        _share("repetition seen", [_repeats(each) for each in timed if each.case.has_repetition]),
        _share("time invented", [_has_time(each) for each in untimed]),
    ]


def _may_be_timed(case: SentenceCase) -> bool:
    """Return whether the content reads like a time that the source did not mark."""
    return any(_TIMELIKE.search(content) for content in case.contents or ("",))


def _has_time(read: Read) -> bool:
    found = read.understood
    return read.tool == "reminder_set" and found is not None and bool(found.when or found.rule)


def _repeats(read: Read) -> bool:
    return read.tool == "reminder_set" and read.understood is not None and bool(read.understood.rule)


def _people(sets: Sequence[Read]) -> list[Figure]:
    named = [each for each in sets if each.case.people]
    found = [
        (each.understood.person if each.understood is not None else "").lower()
        in [person.lower() for person in each.case.people]
        for each in named
    ]
    return [_share("other person found", found)]


def _share(name: str, values: Sequence[float]) -> Figure:
    return Figure(name=name, share=sum(values) / len(values) if values else None, count=len(values))
