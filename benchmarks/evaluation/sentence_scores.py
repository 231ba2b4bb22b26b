"""Score the interpreter on labelled sentences: tools, restraint, contents, times and people."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from benchmarks.evaluation.content_match import compute_overlap, split_content
from benchmarks.evaluation.offline_reading import Understood
from benchmarks.evaluation.sentence_cases import (
    NONE,
    NOW,
    QUIET_TIERS,
    REMINDER_TOOLS,
    SEARCH,
    SentenceCase,
    get_label,
)

Interpret = Callable[[str, str, datetime], Understood | None]

_TIMELIKE = re.compile(r"\d|day|night|morning|noon|week|month|year|later|[上下中早晚]午?[点]|天|周")
_UNTIMED_SOURCES = ("clinc", "massive-zh", "slurp")
_QUESTION_TIERS = ("search", "search_or_none")


class Figure(Struct, frozen=True, kw_only=True):
    """One line of the table: the share (0 to 1) of `count` sentences, or None if there are none."""

    name: str
    share: float | None
    count: int


class Result(Struct, frozen=True, kw_only=True):
    """A sentence with its interpretation and the label of the tool."""

    case: SentenceCase
    tool: str
    understood: Understood | None

    @property
    def is_right(self) -> bool:
        """Return whether the tool is right for the sentence."""
        return self.tool in self.case.accepts

    @property
    def is_reminder(self) -> bool:
        """Return whether the tool is one of reminders."""
        return self.tool in REMINDER_TOOLS


class SentenceScore(Struct, frozen=True, kw_only=True):
    """The figures by language, the results, and the latency in milliseconds."""

    figures: dict[str, tuple[Figure, ...]]
    results: tuple[Result, ...]
    median_ms: float
    p95_ms: float


def score(cases: Iterable[SentenceCase], interpret: Interpret, now: datetime = NOW) -> SentenceScore:
    """Interpret every sentence at `now` and return the figures."""
    results: list[Result] = []
    durations: list[float] = []
    for case in cases:
        start = time.perf_counter()
        understood = interpret(case.text, case.language, now)
        durations.append((time.perf_counter() - start) * 1000)
        tool = NONE if understood is None else get_label(understood.tool)
        results.append(Result(case=case, tool=tool, understood=understood))
    durations.sort()
    languages = sorted({each.case.language for each in results})
    return SentenceScore(
        figures={
            language: _score_all([each for each in results if each.case.language == language]) for language in languages
        },
        results=tuple(results),
        median_ms=durations[len(durations) // 2] if durations else 0.0,
        p95_ms=durations[int(len(durations) * 0.95)] if durations else 0.0,
    )


def _score_all(results: Sequence[Result]) -> tuple[Figure, ...]:
    core = [each for each in results if each.case.tier == "core"]
    sets = [each for each in core if each.case.tool == "reminder_set"]
    return (
        *_score_tools(core),
        *_score_restraint(results),
        *_score_contents(sets),
        *_score_times(sets),
        *_score_people(sets),
    )


def _score_tools(core: Sequence[Result]) -> list[Figure]:
    names = (*REMINDER_TOOLS, "summary")
    each_tool = [
        _make_figure(f"right tool: {name}", [r.is_right for r in core if r.case.tool == name]) for name in names
    ]
    return [_make_figure("right tool on requests", [each.is_right for each in core]), *each_tool]


def _score_restraint(results: Sequence[Result]) -> list[Figure]:
    figures = []
    for tier in QUIET_TIERS:
        of_tier = [each for each in results if each.case.tier == tier]
        figures.append(_make_figure(f"reminder fires on {tier}", [each.is_reminder for each in of_tier]))
        figures.append(_make_figure(f"any tool fires on {tier}", [each.tool != NONE for each in of_tier]))
    questions = [each for each in results if each.case.tier in _QUESTION_TIERS]
    adjacent = [each for each in results if each.case.tier == "adjacent"]
    searches = [each.tool == SEARCH for each in questions if each.case.tier == SEARCH]
    return [
        *figures,
        _make_figure("reminder fires on questions", [each.is_reminder for each in questions]),
        _make_figure("search found", searches),
        _make_figure("neighbours taken rightly", [each.is_right for each in adjacent]),
        _make_figure("neighbours taken for reminders", [each.is_reminder for each in adjacent]),
    ]


def _score_contents(sets: Sequence[Result]) -> list[Figure]:
    """Score the contents, except of SLURP, which labels only one word of them."""
    overlaps = []
    for each in sets:
        if not each.case.contents or each.case.source == "slurp":
            continue
        content = each.understood.content if each.understood is not None and each.tool == "reminder_set" else ""
        words = split_content(content, each.case.language)
        overlaps.append([(words == wanted, compute_overlap(words, wanted)) for wanted in _list_contents(each.case)])
    return [
        _make_figure("content exact", [any(is_exact for is_exact, _ in each) for each in overlaps]),
        _make_figure("content ROUGE-L", [max(value for _, value in each) for each in overlaps]),
    ]


def _list_contents(case: SentenceCase) -> list[list[str]]:
    """Return the words of each labelled content, and of all of them together if there are several."""
    combined = [" and ".join(case.contents)] if len(case.contents) > 1 else []
    return [split_content(content, case.language) for content in (*case.contents, *combined)]


def _score_times(sets: Sequence[Result]) -> list[Figure]:
    marked = [each for each in sets if each.case.has_slots and each.case.source not in _UNTIMED_SOURCES]
    timed = [each for each in marked if each.case.has_time or each.case.has_repetition]
    bare = [each for each in marked if not (each.case.has_time or each.case.has_repetition)]
    untimed = [each for each in bare if not _has_unlabelled_time(each.case)]
    return [
        _make_figure("time seen", [_has_time(each) for each in timed]),
        _make_figure("repetition seen", [_has_rule(each) for each in timed if each.case.has_repetition]),
        _make_figure("time invented", [_has_time(each) for each in untimed]),
    ]


def _has_unlabelled_time(case: SentenceCase) -> bool:
    """Return whether the content has words of a time that is not labelled."""
    return any(_TIMELIKE.search(content) for content in case.contents or ("",))


def _has_time(result: Result) -> bool:
    found = result.understood
    return result.tool == "reminder_set" and found is not None and bool(found.when or found.rule)


def _has_rule(result: Result) -> bool:
    return result.tool == "reminder_set" and result.understood is not None and bool(result.understood.rule)


def _score_people(sets: Sequence[Result]) -> list[Figure]:
    named = [each for each in sets if each.case.people]
    found = [
        (each.understood.person if each.understood is not None else "").lower()
        in [person.lower() for person in each.case.people]
        for each in named
    ]
    return [_make_figure("other person found", found)]


def _make_figure(name: str, values: Sequence[float]) -> Figure:
    return Figure(name=name, share=sum(values) / len(values) if values else None, count=len(values))
