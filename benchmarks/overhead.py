"""Compare the CPU time per message of this framework with that of a plain loop on the `openai` SDK.

    python benchmarks/overhead.py --rounds 7 --messages 60

A server in a separate process stands in for the model. It answers with text, one call or three calls, streamed or not.
The plain loop offers the same twelve functions and checks arguments with the same Pydantic models. In each round every
contender runs in a fresh process, so that changes of the machine's load affect all of them. Figures are medians over
the rounds; `ratio` is relative to the plain loop. `recorded` also writes history and call records to SQLite.
"""

import argparse
import asyncio
import importlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

_HERE = Path(__file__).parent
_CONTENDERS = {"plain": "overhead_plain", "ours": "overhead_contender", "recorded": "overhead_recorded_contender"}
_KINDS = ("text", "one", "three", "stream")
_FINAL = "Done. I have set that up for you."
_REMINDER = '{"type": "weekly", "time": "09:30", "content": "stand-up", "weekday": 1}'
_CALLS = {
    "one": (("reminder_set", _REMINDER),),
    "three": (
        ("reminder_set", _REMINDER),
        ("weather_get", '{"city": "Hangzhou", "days": 3}'),
        ("todo_add", '{"title": "buy milk", "priority": 2, "tags": ["home"]}'),
    ),
}


async def serve() -> None:
    """Run the model server until the process is terminated; the first word of a message selects the answer."""
    from tests.support.openai_server import Answer, OpenAIServer, call, calls, say

    class Model(OpenAIServer):
        def _next(self) -> Answer:
            messages = self.requests.pop().body["messages"]
            word = next(m["content"].split()[0] for m in reversed(messages) if m["role"] == "user")
            wanted = _CALLS.get("one" if word == "stream" else word)
            if wanted is None or messages[-1]["role"] == "tool":
                return say(_FINAL)
            return call(*wanted[0]) if len(wanted) == 1 else calls(*wanted)

    async with Model() as server:
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


async def run_contender(name: str, base_url: str, messages: int, in_flight: int) -> dict[str, float]:
    """Return the CPU milliseconds per message of each kind, and CPU and memory of `in_flight` messages at once."""
    if name == "recorded":
        sys.modules["ours"] = importlib.import_module(_CONTENDERS["ours"])  # the public benchmark knows it by this name
    contender = importlib.import_module(_CONTENDERS[name])
    await contender.setup(base_url)
    figures = {}
    for kind in _KINDS:
        answer = contender.run_stream if kind == "stream" else contender.run
        for number in range(10):
            await _check_answer(answer, f"{kind} is word {number} of that novel, what does it mean?")
        start = time.process_time()
        for number in range(messages):
            await _check_answer(answer, f"{kind} is word {number} of that novel, what does it mean?")
        figures[kind] = (time.process_time() - start) * 1000 / messages
    before = _read_peak_megabytes()
    start = time.process_time()
    await asyncio.gather(
        *(
            _check_answer(contender.run, f"one is word {number} of that novel, what does it mean?")
            for number in range(in_flight)
        )
    )
    figures["in_flight"] = (time.process_time() - start) * 1000 / in_flight
    figures["in_flight_mb"] = _read_peak_megabytes() - before
    if hasattr(contender, "close"):
        await contender.close()
    return figures


async def _check_answer(answer, message: str) -> None:
    text = await answer(message)
    if text != _FINAL:
        raise SystemExit(f"wrong answer to {message!r}: {text!r}")


def _read_peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def compare(rounds: int, messages: int, in_flight: int) -> dict[str, dict[str, float]]:
    """Run all contenders `rounds` times and return the medians of each."""
    command = [sys.executable, __file__]
    server = subprocess.Popen([*command, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        base_url = server.stdout.readline().strip()
        samples = {name: [] for name in _CONTENDERS}
        for _ in range(rounds):
            for name in _CONTENDERS:
                sizes = ["--messages", str(messages), "--in-flight", str(in_flight)]
                arguments = [*command, "--contender", name, "--base-url", base_url, *sizes]
                answer = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout
                samples[name].append(json.loads(answer))
    finally:
        server.terminate()
    return {
        name: {key: round(statistics.median(each[key] for each in rows), 2) for key in rows[0]}
        for name, rows in samples.items()
    }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--in-flight", type=int, default=200)
    parser.add_argument("--contender", choices=_CONTENDERS)
    parser.add_argument("--base-url")
    parser.add_argument("--serve", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(_HERE))
    if options.serve:
        asyncio.run(serve())
    elif options.contender:
        figures = asyncio.run(run_contender(options.contender, options.base_url, options.messages, options.in_flight))
        print(json.dumps(figures))
    else:
        rows = compare(options.rounds, options.messages, options.in_flight)
        plain = rows["plain"]
        ratios = {
            name: {key: round(row[key] / plain[key], 2) for key in (*_KINDS, "in_flight")} for name, row in rows.items()
        }
        print(json.dumps({"cpu_ms": rows, "ratio": ratios}, indent=2))


if __name__ == "__main__":
    main()
