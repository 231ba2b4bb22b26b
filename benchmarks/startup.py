"""Measure the start of the bot, its resources while idle, and the first message that a model answers.

    python benchmarks/startup.py --rounds 5

`help` is `bubbles --help`. `prompt` is the time until `bubbles chat` in a terminal, with an empty data folder, accepts
input. `ready` is the time until `bubbles chat` with a pipe prints its first answer. `import` is the import of
`bot.app.application`. Each has wall and CPU milliseconds, as medians of the rounds. `idle` is the resident memory and
the CPU per second of `bubbles run` with the web page, after its start. `first_model_message` is the first message to an
idle bot that a model answers; the model runs in this process and answers at once.
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

from benchmarks.processes import read_cpu_ms, read_cpu_seconds, read_rss_megabytes, wait_until_idle
from benchmarks.terminal import Terminal
from tests.support.openai_server import OpenAIServer, say

_MAX_START_SECONDS = 60
_IDLE_SECONDS = 20
_QUESTION = b"ann: list my reminders\n"
_ANSWER_PREFIX = b"Bubbles:"
_PROMPT = "ann> "
_MODEL_QUESTION = b"ann: Bubbles, what is the capital of France?\n"
_BUBBLES = (sys.executable, "-m", "bot")


def measure_command(
    command: list[str], *, environment: dict[str, str], message: bytes | None = None
) -> tuple[float, float]:
    """Return the wall and CPU milliseconds of a command until its end, or until it answers `message`."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if message is None:
        process.stdout.read()
    else:
        process.stdin.write(message)
        process.stdin.flush()
        while _ANSWER_PREFIX not in process.stdout.readline():
            if process.poll() is not None:
                raise SystemExit("the bot ended without an answer")
    wall = time.perf_counter() - start
    cpu = read_cpu_seconds(process.pid) if message is not None else 0.0
    process.stdin.close()
    if message is None:
        cpu = _wait_for_cpu_seconds(process)
    else:
        process.wait(20)
    return wall * 1000, cpu * 1000


def measure_prompt(environment: dict[str, str]) -> tuple[float, float]:
    """Return the wall and CPU milliseconds until the prompt; check that input at the prompt is answered."""
    start = time.perf_counter()
    with Terminal([*_BUBBLES, "chat", "--person", "ann"], environment) as terminal:
        terminal.wait_for(_PROMPT, _MAX_START_SECONDS)
        wall, cpu = time.perf_counter() - start, read_cpu_ms(terminal.process.pid)
        terminal.type("list my reminders")
        terminal.wait_for(_ANSWER_PREFIX.decode(), _MAX_START_SECONDS)
    return wall * 1000, cpu


def _wait_for_cpu_seconds(process: subprocess.Popen) -> float:
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def measure_idle(environment: dict[str, str], port: int) -> dict[str, float]:
    """Return the memory and CPU of `bubbles run` while it gets no messages."""
    environment = environment | {"BUBBLES_HTTP__PORT": str(port)}
    process = subprocess.Popen(
        [*_BUBBLES, "run"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_idle(process.pid)
        before = read_cpu_ms(process.pid)
        time.sleep(_IDLE_SECONDS)
        used = read_cpu_ms(process.pid) - before
        return {
            "idle_rss_mb": round(read_rss_megabytes(process.pid), 1),
            "idle_cpu_ms_per_second": round(used / _IDLE_SECONDS, 2),
        }
    finally:
        process.terminate()
        process.wait(20)


async def measure_first_model_message(environment: dict[str, str]) -> dict[str, float]:
    """Return the wall and CPU milliseconds of the first message that a model answers."""
    async with OpenAIServer([say("Paris.")]) as server:
        model = {"BUBBLES_MODEL__BASE_URL": server.base_url, "BUBBLES_MODEL__FUNCTION_CALLING": "native"}
        process = await asyncio.create_subprocess_exec(
            *_BUBBLES,
            "chat",
            env=environment | model,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await asyncio.to_thread(wait_until_idle, process.pid)
        before, start = read_cpu_ms(process.pid), time.perf_counter()
        process.stdin.write(_MODEL_QUESTION)
        await process.stdout.readline()
        wall = (time.perf_counter() - start) * 1000
        used = read_cpu_ms(process.pid) - before
        process.stdin.close()
        await process.wait()
    return {"first_model_message_wall_ms": round(wall, 1), "first_model_message_cpu_ms": round(used, 1)}


@contextmanager
def open_environment() -> Iterator[dict[str, str]]:
    """Yield environment variables of a bot with an empty, temporary data folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield os.environ | {"BUBBLES_BOT__DATA_DIR": folder, "BUBBLES_LOG__LEVEL": "WARNING"}


def measure(rounds: int, port: int) -> dict[str, float]:
    """Return all figures of one run."""
    figures: dict[str, list[tuple[float, float]]] = {"help": [], "import": [], "prompt": [], "ready": []}
    for _ in range(rounds):
        with open_environment() as environment:
            figures["help"].append(measure_command([*_BUBBLES, "--help"], environment=environment))
            figures["import"].append(
                measure_command([sys.executable, "-c", "import bot.app.application"], environment=environment)
            )
            figures["prompt"].append(measure_prompt(environment))
        with open_environment() as environment:
            figures["ready"].append(measure_command([*_BUBBLES, "chat"], environment=environment, message=_QUESTION))
    with open_environment() as environment:
        idle = measure_idle(environment, port)
    with open_environment() as environment:
        model_message = asyncio.run(measure_first_model_message(environment))
    medians = {
        f"{name}_{kind}_ms": round(statistics.median(pair[place] for pair in pairs))
        for name, pairs in figures.items()
        for place, kind in enumerate(("wall", "cpu"))
    }
    return {**medians, **idle, **model_message}


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--port", type=int, default=8792)
    options = parser.parse_args()
    print(json.dumps(measure(options.rounds, options.port), indent=2))


if __name__ == "__main__":
    main()
