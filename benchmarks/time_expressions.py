"""How fast times are read out of texts, what the slowest costs, and what the room costs to import and to keep.

Run: python benchmarks/time_expressions.py [--data DIR] [--rounds 3]. `DIR` holds JSONL files with a `text` in each row,
the public suites for one; without it the project's own small set is read. Figures are printed as one line of JSON.

Speed is processor time of one core, so that other programs on the machine do not lengthen it; the slowest phrase is
the median of its rounds. Import and memory are measured in processes of their own: the memory is what a bot that has
imported and compiled everything holds beside one that has not, without and with the modules of the standard library.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from services.time_expressions import parse, warm_up

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
LENGTH = 10_000
"""Bytes of a hostile text, in UTF-8."""
PROCESSES = 5
STANDARD = "import dataclasses, datetime, enum, functools, pathlib, pkgutil, re, tomllib, typing, zoneinfo"
IMPORT = """
import time
begun = time.process_time()
import services.time_expressions
print((time.process_time() - begun) * 1000)
"""
RESIDENT = """
import gc
def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20
{before}
begun = resident()
import services.time_expressions
services.time_expressions.warm_up()
print(resident() - begun)
"""
HOSTILE = {
    "digits": "1" * LENGTH,
    "clocks": "9:30 " * (LENGTH // 5),
    "words": "every other monday and tuesday from 5 to 6 " * (LENGTH // 43),
    "han": "每周一三五下午三点到四点和" * (LENGTH // 39),
    "marks": "./-:" * (LENGTH // 4),
    "spaces": " " * LENGTH,
}


def texts_in(folder: Path | None) -> tuple[str, ...]:
    """The texts of all JSONL files of `folder`, or our own."""
    if folder is None:
        from benchmarks.evaluation.own_times import own_cases

        return tuple(case.text for case in own_cases())
    rows = (
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    )
    return tuple(str(row["text"]) for row in rows)


def milliseconds(text: str) -> float:
    """Processor time of one reading."""
    begun = time.process_time()
    parse(text, NOW)
    return (time.process_time() - begun) * 1000


def phrases(texts: Sequence[str], rounds: int) -> dict[str, float | int | str]:
    """Speed over all `texts`, best of `rounds`, and the slowest of them."""
    taken = [[milliseconds(text) for text in texts] for _ in range(rounds)]
    usual = [statistics.median(each) for each in zip(*taken, strict=True)]
    slowest = max(range(len(texts)), key=usual.__getitem__)
    return {
        "phrases": len(texts),
        "phrases_per_second": round(len(texts) / min(sum(each) for each in taken) * 1000),
        "worst_ms": round(usual[slowest], 2),
        "worst": texts[slowest][:60],
    }


def measured(script: str, **fields: str) -> float:
    """The median of what `script` prints in processes of its own."""
    command = [sys.executable, "-c", script.format(**fields)]
    printed = [subprocess.run(command, capture_output=True, check=True, text=True).stdout for _ in range(PROCESSES)]
    return round(statistics.median(map(float, printed)), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of JSONL files with texts")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    warm_up()
    parse("tomorrow at 5", NOW)
    figures: dict[str, object] = dict(phrases(texts_in(chosen.data), chosen.rounds))
    figures["ten_kilobytes_ms"] = {
        name: round(statistics.median(milliseconds(text) for _ in range(chosen.rounds)), 1)
        for name, text in HOSTILE.items()
    }
    figures["import_ms"] = measured(IMPORT)
    figures["resident_mib"] = measured(RESIDENT, before="")
    figures["resident_mib_beside_the_standard_library"] = measured(RESIDENT, before=STANDARD)
    print(json.dumps(figures, ensure_ascii=False))


if __name__ == "__main__":
    main()
