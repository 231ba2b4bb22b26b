"""Score the reading of time expressions, by corpus and kind."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct

from benchmarks.evaluation.time_cases import CORE, TimeAnswer, TimeCase, TimeVerdict, judge

Read = Callable[[str, datetime, str, str], TimeAnswer | None]


class Tally(Struct, kw_only=True):
    """The number of cases of a group, of right answers, and of any answers (`found`)."""

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
    """The groups in the order of the table, the cases without a lenient answer, and the speed in phrases per second."""

    groups: dict[str, Tally]
    missed: tuple[tuple[TimeCase, TimeAnswer | None], ...]
    phrases_per_second: float


def score(cases: Iterable[TimeCase], read: Read) -> TimeScore:
    """Read the cases of the core and count the right answers."""
    core = [case for case in cases if CORE in case.tags]
    # Load the lexicons before the time is measured.
    for case in {case.language: case for case in core}.values():
        read(case.text, case.reference, case.language, case.order)
    start = time.perf_counter()
    answers = [read(case.text, case.reference, case.language, case.order) for case in core]
    seconds = time.perf_counter() - start
    groups: dict[str, Tally] = defaultdict(Tally)
    missed = []
    for case, answer in zip(core, answers, strict=True):
        verdict = judge(case, answer)
        for name in _list_groups(case):
            groups[name].add(verdict, is_found=answer is not None)
        if not verdict.is_lenient:
            missed.append((case, answer))
    ordered = {name: groups[name] for name in sorted(groups, key=_make_sort_key)}
    return TimeScore(groups=ordered, missed=tuple(missed), phrases_per_second=len(core) / max(seconds, 1e-9))


def _list_groups(case: TimeCase) -> tuple[str, ...]:
    return "all", f"{case.language} all", f"{case.language} {case.kind}", f"corpus {case.corpus}"


def _make_sort_key(name: str) -> tuple[bool, bool, str]:
    return name != "all", name.startswith("corpus"), name
