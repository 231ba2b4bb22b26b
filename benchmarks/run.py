"""Run the benchmarks one after another, print a table and save a JSON file.

    make bench                                  # all, about ten minutes
    python benchmarks/run.py --only overhead startup --out bench.json

Missed goals are marked in the table and do not fail the run, as machines differ. To compare runs, prefer ratios to
times, and CPU time to wall time if other processes are running.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_HERE = Path(__file__).parent
_BENCHMARKS = {
    "overhead": "overhead.py",
    "messages": "messages.py",
    "hostile": "hostile_messages.py",
    "startup": "startup.py",
    "reminders": "reminders.py",
    "history": "history.py",
    "sockets": "websocket_fanout.py",
    "page": "page_load.py",
}
# The maximum of a figure, by its path in the JSON of a benchmark.
_MAX_FIGURES = {
    "overhead.ratio.ours.text": 0.4,
    "overhead.ratio.ours.one": 0.4,
    "overhead.ratio.ours.three": 0.4,
    "overhead.ratio.ours.stream": 0.4,
    "overhead.ratio.ours.in_flight": 0.4,
    "overhead.cpu_ms.ours.in_flight_mb": 6,
    "overhead.ratio.recorded.text": 0.55,
    "overhead.ratio.recorded.one": 0.55,
    "overhead.ratio.recorded.three": 0.55,
    "overhead.ratio.recorded.stream": 0.55,
    "hostile.worst_ms": 20,
    "startup.help_wall_ms": 250,
    "startup.prompt_wall_ms": 600,
    "startup.ready_wall_ms": 1200,
    "startup.idle_rss_mb": 100,
    "startup.first_model_message_cpu_ms": 30,
    "reminders.100.p50_ms": 10,
    "reminders.100.p99_ms": 15,
    "reminders.1000.p50_ms": 25,
    "reminders.1000.p99_ms": 50,
    "reminders.10000.p50_ms": 200,
    "reminders.10000.p99_ms": 400,
    "reminders.1000.stall_ms": 20,
    "history.window_of_1000.median_ms": 20,
    "history.search_busy_chat.p95_ms": 50,
    "history.search_other_chat.p95_ms": 50,
    "sockets.p95_ms": 20,
    "sockets.server_cpu_ms_per_message": 6,
    "sockets.rss_growth_mb": 10,
    "page.join.paint_ms": 800,
    "page.join.interactive_ms": 1500,
    "page.join.javascript_kb": 450,
    "page.room.paint_ms": 800,
    "page.room.interactive_ms": 1500,
    "page.room.javascript_kb": 450,
    "page.long_room.paint_ms": 800,
    "page.long_room.interactive_ms": 2000,
}


def flatten(found: object, path: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a benchmark's JSON with their paths; a row of a list is named by its value of `due`."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from flatten(value, f"{path}.{key}")
    elif isinstance(found, list):
        for row in found:
            yield from flatten({key: value for key, value in row.items() if key != "due"}, f"{path}.{row['due']}")
    elif isinstance(found, int | float):
        yield path, found


def format_table(figures: dict[str, float]) -> str:
    """Return one line for each figure, with its goal if it has one."""
    width = max(map(len, figures))
    lines = []
    for name, value in figures.items():
        maximum = _MAX_FIGURES.get(name)
        mark = "" if maximum is None else f"  {'ok' if value <= maximum else 'MISSED'} (at most {maximum})"
        lines.append(f"{name:<{width}}  {value:>12,}{mark}")
    return "\n".join(lines)


def main() -> None:
    """Run the benchmarks, save the JSON and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=_BENCHMARKS, default=list(_BENCHMARKS))
    parser.add_argument("--out", type=Path, default=Path("bench.json"))
    options = parser.parse_args()
    results: dict[str, object] = {}
    for name in options.only:
        print(f"{name}…", file=sys.stderr, flush=True)
        script = _BENCHMARKS[name]
        command = [sys.executable, str(_HERE / script)]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if answer.returncode != 0:
            raise SystemExit(f"{script} failed with exit code {answer.returncode}")
        results[name] = json.loads(answer.stdout)
    figures = {path: value for name, result in results.items() for path, value in flatten(result, name)}
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "load": os.getloadavg()[0]}
    options.out.write_text(json.dumps({"machine": machine, "figures": figures}, indent=2) + "\n", encoding="utf-8")
    print(format_table(figures))


if __name__ == "__main__":
    main()
