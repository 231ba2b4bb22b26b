"""Measure the reading of times: speed, the slowest text, the time of the import, and memory.

    python benchmarks/time_expressions.py --data DIR --rounds 3

DIR has JSONL files with a `text` in each row, such as the public suites; by default the project's own set is read.
Prints one line of JSON. Speed is CPU time of one core. The slowest text has the highest median over the rounds. Import
and memory are measured in new processes; the memory is the growth by the import and by compiling everything, with and
without modules of the standard library.
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
HOSTILE_BYTES = 10_000
"""The length of a hostile text in bytes of UTF-8."""
PROCESSES = 5
STANDARD_MODULES = "import dataclasses, datetime, enum, functools, pathlib, pkgutil, re, tomllib, typing, zoneinfo"
IMPORT_SCRIPT = """
import time
start = time.process_time()
import services.time_expressions
print((time.process_time() - start) * 1000)
"""
RESIDENT_SCRIPT = """
import gc
def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20
{before}
start = resident()
import services.time_expressions
services.time_expressions.warm_up()
print(resident() - start)
"""
HOSTILE_TEXTS = {
    "digits": "1" * HOSTILE_BYTES,
    "clocks": "9:30 " * (HOSTILE_BYTES // 5),
    "words": "every other monday and tuesday from 5 to 6 " * (HOSTILE_BYTES // 43),
    "han": "每周一三五下午三点到四点和" * (HOSTILE_BYTES // 39),
    "marks": "./-:" * (HOSTILE_BYTES // 4),
    "spaces": " " * HOSTILE_BYTES,
}


def load_texts(folder: Path | None) -> tuple[str, ...]:
    """Return the texts of all JSONL files of `folder`, or our own."""
    if folder is None:
        from benchmarks.evaluation.time_cases import load_own_cases

        return tuple(case.text for case in load_own_cases())
    rows = (
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    )
    return tuple(str(row["text"]) for row in rows)


def measure_parse(text: str) -> float:
    """Return the CPU milliseconds of reading `text`."""
    start = time.process_time()
    parse(text, NOW)
    return (time.process_time() - start) * 1000


def measure_phrases(texts: Sequence[str], rounds: int) -> dict[str, float | int | str]:
    """Return the speed over all `texts` in the best of `rounds`, and the slowest text."""
    times = [[measure_parse(text) for text in texts] for _ in range(rounds)]
    medians = [statistics.median(each) for each in zip(*times, strict=True)]
    slowest = max(range(len(texts)), key=medians.__getitem__)
    return {
        "phrases": len(texts),
        "phrases_per_second": round(len(texts) / min(sum(each) for each in times) * 1000),
        "worst_ms": round(medians[slowest], 2),
        "worst": texts[slowest][:60],
    }


def run_script(script: str, **fields: str) -> float:
    """Run `script` in new processes and return the median of the numbers that they print."""
    command = [sys.executable, "-c", script.format(**fields)]
    outputs = [subprocess.run(command, capture_output=True, check=True, text=True).stdout for _ in range(PROCESSES)]
    return round(statistics.median(map(float, outputs)), 1)


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of JSONL files with texts")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    warm_up()
    parse("tomorrow at 5", NOW)
    figures: dict[str, object] = dict(measure_phrases(load_texts(options.data), options.rounds))
    figures["ten_kilobytes_ms"] = {
        name: round(statistics.median(measure_parse(text) for _ in range(options.rounds)), 1)
        for name, text in HOSTILE_TEXTS.items()
    }
    figures["import_ms"] = run_script(IMPORT_SCRIPT)
    figures["resident_mib"] = run_script(RESIDENT_SCRIPT, before="")
    figures["resident_mib_beside_the_standard_library"] = run_script(RESIDENT_SCRIPT, before=STANDARD_MODULES)
    print(json.dumps(figures, ensure_ascii=False))


if __name__ == "__main__":
    main()
