"""Load the cases of time expressions and judge the answers to them."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Literal

from msgspec import Struct

from benchmarks.evaluation.recurrence_match import Window, is_same_recurrence

CaseKind = Literal["instant", "recurrence", "none"]
CORE = "core"
_TOLERANCE = timedelta(seconds=2)


class TimeCase(Struct, frozen=True, kw_only=True):
    """A text with its meaning at `reference` (naive, in the zone of the speaker).

    `values` are the readings of the source, `others` further common ones. `order` is the order of day and month in the
    source.
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
    """The time that was read (naive, in the zone of the speaker), with the rule of a recurrence."""

    start: datetime
    rule: str = ""


class TimeVerdict(Struct, frozen=True, kw_only=True):
    """The verdict on an answer: `is_strict` for a reading of the source, `is_lenient` for any common reading."""

    is_strict: bool
    is_lenient: bool


def load_cases(folder: Path) -> Iterator[TimeCase]:
    """Yield the cases of all JSONL files in `folder`, or else in its folder `time`."""
    for path in sorted(folder.glob("*.jsonl")) or sorted(folder.glob("time/*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from (parse_case(json.loads(line)) for line in lines)


def load_own_cases() -> tuple[TimeCase, ...]:
    """Return the project's own small set, in both languages.

    Phrases of the files have `at`, an instant to the minute, or `rule`, a recurrence; others have no time.
    """
    found: list[TimeCase] = []
    folder = files(__package__).joinpath("cases", "times")
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        language = str(table["language"])
        row = {"lang": language, "ref": str(table["reference"]), "corpus": f"own_{language}"}
        found += [parse_case({**row, "text": phrase["text"], **_parse_meaning(phrase)}) for phrase in table["phrase"]]
    return tuple(found)


def _parse_meaning(phrase: Mapping[str, str]) -> Mapping[str, object]:
    if "at" in phrase:
        return {"kind": "instant", "values": [{"start": phrase["at"], "grain": "minute"}]}
    if "rule" in phrase:
        return {"kind": "recurrence", "rrule": phrase["rule"]}
    return {"kind": "none"}


def parse_case(row: Mapping[str, object]) -> TimeCase:
    """Return the case of one row.

    Raises:
        KeyError: A field is missing.
        ValueError: A field has a wrong value.
    """
    window = row.get("window")
    return TimeCase(
        text=str(row["text"]),
        language=str(row["lang"]),
        reference=_parse_naive(str(row["ref"])),
        kind=_parse_kind(row["kind"]),
        corpus=str(row.get("corpus", "own")),
        order=str(row.get("order") or ""),
        values=_list_mappings(row.get("values")),
        others=_list_mappings(row.get("alts")),
        rule=str(row.get("rrule") or ""),
        window=(int(window[0]), int(window[1])) if isinstance(window, Sequence) else None,
        tags=tuple(str(tag) for tag in _get_sequence(row.get("tags", [CORE]))),
    )


def _parse_kind(value: object) -> CaseKind:
    if value == "instant" or value == "recurrence" or value == "none":
        return value
    raise ValueError(f"a case is an instant, a recurrence or none, not {value!r}")


def judge(case: TimeCase, answer: TimeAnswer | None) -> TimeVerdict:
    """Return the verdict on an answer; None is the right one if the text has no time."""
    if case.kind == "none" or answer is None:
        return _make_verdict(answer is None and case.kind == "none")
    if case.kind == "recurrence":
        return _make_verdict(is_same_recurrence(case.rule, answer.rule, case.reference, case.window))
    if answer.rule:
        return _make_verdict(False)
    is_strict = any(_is_expected(value, answer.start, case.reference) for value in case.values)
    return TimeVerdict(
        is_strict=is_strict,
        is_lenient=is_strict or any(_is_expected(value, answer.start, case.reference) for value in case.others),
    )


def _make_verdict(is_right: bool) -> TimeVerdict:
    return TimeVerdict(is_strict=is_right, is_lenient=is_right)


def _is_expected(value: Mapping[str, str], start: datetime, reference: datetime) -> bool:
    """Return whether `start` is the expected value, in its grain; a time without a day may be today or tomorrow."""
    if "tod" in value:
        clock = tuple(int(part) for part in value["tod"].split(":")[:2])
        return (start.hour, start.minute) == clock and timedelta() <= start.date() - reference.date() <= timedelta(1)
    wanted, grain = _parse_naive(value["start"]), value["grain"]
    if grain == "interval":
        return wanted <= start < _parse_naive(value["end"])
    if grain == "second":
        return abs(start - wanted) < _TOLERANCE
    return _truncate(start, grain) == _truncate(wanted, grain)


def _truncate(moment: datetime, grain: str) -> tuple[int, ...]:
    """Return the fields of `moment` down to `grain`."""
    if grain == "week":
        return tuple(moment.isocalendar()[:2])
    if grain == "quarter":
        return (moment.year, (moment.month - 1) // 3)
    lengths = {"year": 1, "month": 2, "day": 3}
    return (moment.year, moment.month, moment.day, moment.hour, moment.minute)[: lengths.get(grain, 5)]


def _parse_naive(text: str) -> datetime:
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=None)


def _list_mappings(value: object) -> tuple[Mapping[str, str], ...]:
    return tuple(
        {str(k): str(v) for k, v in each.items()} for each in _get_sequence(value) if isinstance(each, Mapping)
    )


def _get_sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
