"""How soon the bot is there, and what it takes while nobody speaks.

    python benchmarks/startup.py --rounds 5

`help` is `bubbles --help`. `prompt` is from the start of `bubbles chat` at a terminal, with a fresh data folder, until
somebody can type; `ready` from its start with a pipe until its first answer comes out of the other end. `import` is the
module that everything hangs on. Wall and CPU milliseconds, the median of the rounds. `idle` is `bubbles run` with the
web page, after it has settled: resident memory and CPU a second. `first_model_message` is what the first message takes
that a model answers, after the bot has settled; the model answers at once, from this process.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.terminal import Terminal
from tests.support.openai_server import OpenAIServer, say

_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
_MAX_START_SECONDS = 60
_MAX_SETTLING_SECONDS = 60
_STILL_MS = 20  # milliseconds of CPU in a second of a process that has settled
_WATCHED_SECONDS = 20
_QUESTION = b"ann: list my reminders\n"
_SAYS_BOT = b"Bubbles:"
_PROMPT = "ann> "
_ASKED_OF_A_MODEL = b"ann: Bubbles, what is the capital of France?\n"
_BUBBLES = (sys.executable, "-m", "bot")


def timed(command: list[str], *, environment: dict[str, str], words: bytes | None = None) -> tuple[float, float]:
    """Wall and CPU milliseconds of a command; with `words` on its input, until it answers them."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if words is None:
        process.stdout.read()
    else:
        process.stdin.write(words)
        process.stdin.flush()
        while _SAYS_BOT not in process.stdout.readline():
            if process.poll() is not None:
                raise SystemExit("the bot ended without an answer")
    wall = time.perf_counter() - began
    cpu = cpu_seconds(process.pid) if words is not None else 0.0
    process.stdin.close()
    if words is None:
        cpu = _waited_cpu(process)
    else:
        process.wait(20)
    return wall * 1000, cpu * 1000


def prompted(environment: dict[str, str]) -> tuple[float, float]:
    """Wall and CPU milliseconds until somebody at a terminal can type; what is typed then is answered."""
    began = time.perf_counter()
    with Terminal([*_BUBBLES, "chat", "--person", "ann"], environment) as terminal:
        terminal.wait_for(_PROMPT, _MAX_START_SECONDS)
        wall, cpu = time.perf_counter() - began, exact_cpu_ms(terminal.process.pid)
        terminal.type("list my reminders")
        terminal.wait_for(_SAYS_BOT.decode(), _MAX_START_SECONDS)
    return wall * 1000, cpu


def _waited_cpu(process: subprocess.Popen) -> float:
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def cpu_seconds(pid: int) -> float:
    """CPU time of a running process so far, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS


def exact_cpu_ms(pid: int) -> float:
    """CPU milliseconds of a running process so far; the clock ticks of `cpu_seconds` are ten of them."""
    told = (path.read_text(encoding="utf-8") for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(int(line.split()[0]) for line in told) / 1e6


def settle(pid: int) -> None:
    """Wait until a process that has just started does nothing any more, such as reading ahead in the background."""
    time.sleep(3)
    for _ in range(_MAX_SETTLING_SECONDS):
        before = exact_cpu_ms(pid)
        time.sleep(1)
        if exact_cpu_ms(pid) - before < _STILL_MS:
            return
    raise SystemExit("the bot does not come to rest")


def rss_megabytes(pid: int) -> float:
    """Resident memory now."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def idle(environment: dict[str, str], port: int) -> dict[str, float]:
    """What `bubbles run` takes while nobody speaks."""
    serving = environment | {"BUBBLES_HTTP__PORT": str(port)}
    process = subprocess.Popen(
        [*_BUBBLES, "run"], env=serving, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        settle(process.pid)
        before = exact_cpu_ms(process.pid)
        time.sleep(_WATCHED_SECONDS)
        used = exact_cpu_ms(process.pid) - before
        return {
            "idle_rss_mb": round(rss_megabytes(process.pid), 1),
            "idle_cpu_ms_per_second": round(used / _WATCHED_SECONDS, 2),
        }
    finally:
        process.terminate()
        process.wait(20)


async def first_model_message(environment: dict[str, str]) -> dict[str, float]:
    """What the first message takes that a model answers."""
    async with OpenAIServer([say("Paris.")]) as server:
        told = {"BUBBLES_MODEL__BASE_URL": server.base_url, "BUBBLES_MODEL__FUNCTION_CALLING": "native"}
        process = await asyncio.create_subprocess_exec(
            *_BUBBLES,
            "chat",
            env=environment | told,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await asyncio.to_thread(settle, process.pid)
        before, began = exact_cpu_ms(process.pid), time.perf_counter()
        process.stdin.write(_ASKED_OF_A_MODEL)
        await process.stdout.readline()
        wall = (time.perf_counter() - began) * 1000
        used = exact_cpu_ms(process.pid) - before
        process.stdin.close()
        await process.wait()
    return {"first_model_message_wall_ms": round(wall, 1), "first_model_message_cpu_ms": round(used, 1)}


@contextmanager
def fresh_folder() -> Iterator[dict[str, str]]:
    """The environment of a bot that keeps its data where nothing is yet."""
    with tempfile.TemporaryDirectory() as folder:
        yield os.environ | {"BUBBLES_BOT__DATA_DIR": folder, "BUBBLES_LOG__LEVEL": "WARNING"}


def measure(rounds: int, port: int) -> dict[str, float]:
    """Everything, in turn."""
    figures: dict[str, list[tuple[float, float]]] = {"help": [], "import": [], "prompt": [], "ready": []}
    for _ in range(rounds):
        with fresh_folder() as environment:
            figures["help"].append(timed([*_BUBBLES, "--help"], environment=environment))
            figures["import"].append(
                timed([sys.executable, "-c", "import bot.app.application"], environment=environment)
            )
            figures["prompt"].append(prompted(environment))
        with fresh_folder() as environment:
            figures["ready"].append(timed([*_BUBBLES, "chat"], environment=environment, words=_QUESTION))
    with fresh_folder() as environment:
        still = idle(environment, port)
    with fresh_folder() as environment:
        asked = asyncio.run(first_model_message(environment))
    medians = {
        f"{name}_{kind}_ms": round(statistics.median(found[place] for found in pairs))
        for name, pairs in figures.items()
        for place, kind in enumerate(("wall", "cpu"))
    }
    return {**medians, **still, **asked}


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--port", type=int, default=8792)
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.rounds, chosen.port), indent=2))


if __name__ == "__main__":
    main()
