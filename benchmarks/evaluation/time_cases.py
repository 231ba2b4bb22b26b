"""Cases of time expressions, and whether an answer fits one: the form of the project's shared time data."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec import Struct

from benchmarks.evaluation.recurrence_match import Window, fires_alike

CaseKind = Literal["instant", "recurrence", "none"]
CORE = "core"
_SECOND = timedelta(seconds=2)


class TimeCase(Struct, frozen=True, kw_only=True):
    """A text and what it means at `reference` (naive, in the speaker's zone).

    `values` are the source's own readings, `others` those in common use besides. `order` is how the source reads 3/4.
    """

    text: str
    language: str
    reference: datetime
    kind: CaseKind
    corpus: str = "own"
    order: str = ""
    values: tuple[Mapping[str, str], ...] = ()
    others: tuple[Mapping[str, str], ...] = ()
    rule: str = ""
    window: Window | None = None
    tags: tuple[str, ...] = (CORE,)


class TimeAnswer(Struct, frozen=True, kw_only=True):
    """What was read: an instant (naive, in the speaker's zone), or the rule of a recurrence too."""

    start: datetime
    rule: str = ""


class TimeVerdict(Struct, frozen=True, kw_only=True):
    """`is_strict`: the source's own reading; `is_lenient`: that, or another one in common use."""

    is_strict: bool
    is_lenient: bool


def cases_in(folder: Path) -> Iterator[TimeCase]:
    """The cases of all JSONL files directly in `folder`, or in its folder `time`, file by file."""
    for path in sorted(folder.glob("*.jsonl")) or sorted(folder.glob("time/*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from (case_of(json.loads(line)) for line in lines)


def case_of(row: Mapping[str, object]) -> TimeCase:
    """Read one row.

    Raises:
        KeyError, ValueError: it is not in that form.
    """
    window = row.get("window")
    return TimeCase(
        text=str(row["text"]),
        language=str(row["lang"]),
        reference=_naive(str(row["ref"])),
        kind=_kind(row["kind"]),
        corpus=str(row.get("corpus", "own")),
        order=str(row.get("order") or ""),
        values=_mappings(row.get("values")),
        others=_mappings(row.get("alts")),
        rule=str(row.get("rrule") or ""),
        window=(int(window[0]), int(window[1])) if isinstance(window, Sequence) else None,
        tags=tuple(str(tag) for tag in _listed(row.get("tags", [CORE]))),
    )


def _kind(value: object) -> CaseKind:
    if value == "instant" or value == "recurrence" or value == "none":
        return value
    raise ValueError(f"a case is an instant, a recurrence or none, not {value!r}")


def judge(case: TimeCase, answer: TimeAnswer | None) -> TimeVerdict:
    """Hold an answer against a case."""
    if case.kind == "none" or answer is None:
        return _same(answer is None and case.kind == "none")
    if case.kind == "recurrence":
        return _same(fires_alike(case.rule, answer.rule, case.reference, case.window))
    if answer.rule:
        return _same(False)
    is_strict = any(_fits(value, answer.start, case.reference) for value in case.values)
    return TimeVerdict(
        is_strict=is_strict,
        is_lenient=is_strict or any(_fits(value, answer.start, case.reference) for value in case.others),
    )


def _same(is_right: bool) -> TimeVerdict:
    return TimeVerdict(is_strict=is_right, is_lenient=is_right)


def _fits(value: Mapping[str, str], start: datetime, reference: datetime) -> bool:
    """True where `start` is the expected value, as exactly as that is given.

    A bare clock may be today's or tomorrow's.
    """
    if "tod" in value:
        clock = tuple(int(part) for part in value["tod"].split(":")[:2])
        return (start.hour, start.minute) == clock and timedelta() <= start.date() - reference.date() <= timedelta(1)
    wanted, grain = _naive(value["start"]), value["grain"]
    if grain == "interval":
        return wanted <= start < _naive(value["end"])
    if grain == "second":
        return abs(start - wanted) < _SECOND
    return _cut(start, grain) == _cut(wanted, grain)


def _cut(moment: datetime, grain: str) -> tuple[int, ...]:
    """The parts of `moment` that `grain` speaks of."""
    if grain == "week":
        return tuple(moment.isocalendar()[:2])
    if grain == "quarter":
        return (moment.year, (moment.month - 1) // 3)
    lengths = {"year": 1, "month": 2, "day": 3}
    return (moment.year, moment.month, moment.day, moment.hour, moment.minute)[: lengths.get(grain, 5)]


def _naive(text: str) -> datetime:
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=None)


def _mappings(value: object) -> tuple[Mapping[str, str], ...]:
    return tuple({str(k): str(v) for k, v in each.items()} for each in _listed(value) if isinstance(each, Mapping))


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
