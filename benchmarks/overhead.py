"""What a message costs this framework, beside a plain loop on the `openai` SDK: CPU time of the client process.

    python benchmarks/overhead.py --rounds 7 --messages 60

A server in a process of its own plays the model: text at once, one call, three calls at once, streamed or whole. The
plain loop offers the same twelve functions and checks arguments with the same Pydantic models. Each contender runs in a
fresh process every round, in turn, so that a slow minute of the machine hits all; figures are medians over the rounds,
`ratio` is to the plain loop of the same run. `recorded` writes history and call records to SQLite, as the bot does.
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
    """Play the model until the process is ended; the first word of a message says which answer it wants."""
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
    """CPU milliseconds a message of each kind, and of `in_flight` at once with the memory they took."""
    if name == "recorded":
        sys.modules["ours"] = importlib.import_module(_CONTENDERS["ours"])  # its name among the benchmark's contenders
    contender = importlib.import_module(_CONTENDERS[name])
    await contender.setup(base_url)
    figures = {}
    for kind in _KINDS:
        answer = contender.run_stream if kind == "stream" else contender.run
        for number in range(10):
            await _checked(answer, f"{kind} is word {number} of that novel, what does it mean?")
        began = time.process_time()
        for number in range(messages):
            await _checked(answer, f"{kind} is word {number} of that novel, what does it mean?")
        figures[kind] = (time.process_time() - began) * 1000 / messages
    before = _peak_megabytes()
    began = time.process_time()
    await asyncio.gather(
        *(
            _checked(contender.run, f"one is word {number} of that novel, what does it mean?")
            for number in range(in_flight)
        )
    )
    figures["in_flight"] = (time.process_time() - began) * 1000 / in_flight
    figures["in_flight_mb"] = _peak_megabytes() - before
    if hasattr(contender, "close"):
        await contender.close()
    return figures


async def _checked(answer, message: str) -> None:
    said = await answer(message)
    if said != _FINAL:
        raise SystemExit(f"wrong answer to {message!r}: {said!r}")


def _peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def compare(rounds: int, messages: int, in_flight: int) -> dict[str, dict[str, float]]:
    """Medians over the rounds, one row a contender."""
    command = [sys.executable, __file__]
    server = subprocess.Popen([*command, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        base_url = server.stdout.readline().strip()
        seen = {name: [] for name in _CONTENDERS}
        for _ in range(rounds):
            for name in _CONTENDERS:
                sizes = ["--messages", str(messages), "--in-flight", str(in_flight)]
                told = [*command, "--contender", name, "--base-url", base_url, *sizes]
                answer = subprocess.run(told, check=True, stdout=subprocess.PIPE, text=True).stdout
                seen[name].append(json.loads(answer))
    finally:
        server.terminate()
    return {
        name: {key: round(statistics.median(each[key] for each in found), 2) for key in found[0]}
        for name, found in seen.items()
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
    chosen = parser.parse_args()
    sys.path.insert(0, str(_HERE))
    if chosen.serve:
        asyncio.run(serve())
    elif chosen.contender:
        found = asyncio.run(run_contender(chosen.contender, chosen.base_url, chosen.messages, chosen.in_flight))
        print(json.dumps(found))
    else:
        rows = compare(chosen.rounds, chosen.messages, chosen.in_flight)
        plain = rows["plain"]
        ratios = {
            name: {key: round(row[key] / plain[key], 2) for key in (*_KINDS, "in_flight")} for name, row in rows.items()
        }
        print(json.dumps({"cpu_ms": rows, "ratio": ratios}, indent=2))


if __name__ == "__main__":
    main()
