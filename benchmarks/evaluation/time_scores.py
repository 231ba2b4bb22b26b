"""Accuracy on time expressions, per corpus and kind."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct

from benchmarks.evaluation.time_cases import CORE, TimeAnswer, TimeCase, TimeVerdict, judge

Read = Callable[[str, datetime, str, str], TimeAnswer | None]


class Tally(Struct, kw_only=True):
    """How many cases of a group there were and how many were right; `found` counts those with any answer."""

    count: int = 0
    strict: int = 0
    lenient: int = 0
    found: int = 0

    def add(self, verdict: TimeVerdict, *, is_found: bool) -> None:
        """Count one case."""
        self.count += 1
        self.strict += verdict.is_strict
        self.lenient += verdict.is_lenient
        self.found += is_found


class TimeScore(Struct, frozen=True, kw_only=True):
    """The groups in the order of a table, the cases missed even leniently, and the speed in phrases a second."""

    groups: dict[str, Tally]
    missed: tuple[tuple[TimeCase, TimeAnswer | None], ...]
    phrases_per_second: float


def score(cases: Iterable[TimeCase], read: Read) -> TimeScore:
    """Read every case that has one agreed reading, and count."""
    chosen = [case for case in cases if CORE in case.tags]
    # Lexicons are loaded on first use, which is not what is measured.
    for case in {case.language: case for case in chosen}.values():
        read(case.text, case.reference, case.language, case.order)
    started = time.perf_counter()
    answers = [read(case.text, case.reference, case.language, case.order) for case in chosen]
    took = time.perf_counter() - started
    groups: dict[str, Tally] = defaultdict(Tally)
    missed = []
    for case, answer in zip(chosen, answers, strict=True):
        verdict = judge(case, answer)
        for name in _groups(case):
            groups[name].add(verdict, is_found=answer is not None)
        if not verdict.is_lenient:
            missed.append((case, answer))
    ordered = {name: groups[name] for name in sorted(groups, key=_place)}
    return TimeScore(groups=ordered, missed=tuple(missed), phrases_per_second=len(chosen) / max(took, 1e-9))


def _groups(case: TimeCase) -> tuple[str, ...]:
    return "all", f"{case.language} all", f"{case.language} {case.kind}", f"corpus {case.corpus}"


def _place(name: str) -> tuple[bool, bool, str]:
    return name != "all", name.startswith("corpus"), name
