"""How quickly a message of the web room reaches everybody in it, and what that costs the server.

    python benchmarks/websocket_fanout.py --sockets 50 --messages 1000

Starts `bubbles run` in a process of its own with a fresh data folder, opens the sockets from this one, and lets one
person speak at a steady pace. Prints the latency from sending to each socket's `message_new`, the server's CPU time a
message, and how much its memory has grown. The messages go through everything: history on disk, gate, interpreter.
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
from pathlib import Path

import websockets

_READY_SECONDS = 30
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A bot in a process of its own."""

    def __init__(self, folder: str, port: int) -> None:
        environment = os.environ | {
            "BUBBLES_BOT__DATA_DIR": folder,
            "BUBBLES_HTTP__PORT": str(port),
            "BUBBLES_HTTP__REQUESTS_PER_MINUTE": "100000",
            "BUBBLES_ROUTER__MESSAGES_PER_MINUTE": "100000",
            "BUBBLES_LOG__LEVEL": "WARNING",
        }
        command = [sys.executable, "-m", "bot", "run"]
        self.address = f"ws://127.0.0.1:{port}/api/chat/ws"
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def cpu_seconds(self) -> float:
        """CPU time so far, user and system."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS

    def rss_megabytes(self) -> float:
        """Resident memory now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    async def connect(self, name: str, room: str = "bench") -> websockets.ClientConnection:
        """A socket of `name` in `room`, once the server listens."""
        deadline = time.monotonic() + _READY_SECONDS
        while True:
            try:
                return await websockets.connect(f"{self.address}?session_id={room}&name={name}", compression=None)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.2)


async def measure(server: Server, sockets: int, messages: int, per_second: float) -> dict[str, float]:
    """Let one person speak and everybody listen."""
    tabs = [await server.connect(f"person{number}") for number in range(sockets)]
    sent_at: dict[str, float] = {}
    latencies: list[float] = []
    everybody = asyncio.Event()

    async def listen(tab: websockets.ClientConnection) -> None:
        async for text in tab:
            now = time.perf_counter()
            frame = json.loads(text)
            if frame["type"] == "message_new":
                started = sent_at.get(str(frame["data"]["message"]["client_id"]))
                if started is not None:
                    latencies.append((now - started) * 1000)
                if len(latencies) >= sockets * messages:
                    everybody.set()

    listeners = [asyncio.create_task(listen(tab)) for tab in tabs]
    await asyncio.sleep(1)
    cpu, rss = server.cpu_seconds(), server.rss_megabytes()
    for number in range(messages):
        key = f"m{number}"
        data = {"client_id": key, "text": f"the train leaves from platform {number}"}
        sent_at[key] = time.perf_counter()
        await tabs[0].send(json.dumps({"v": 1, "type": "send", "data": data}))
        await asyncio.sleep(1 / per_second)
    await asyncio.wait_for(everybody.wait(), 60)
    await asyncio.sleep(0.5)
    used, grown = server.cpu_seconds() - cpu, server.rss_megabytes() - rss
    for task in listeners:
        task.cancel()
    ordered = sorted(latencies)
    return {
        "sockets": sockets,
        "messages": messages,
        "p50_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 1),
        "max_ms": round(ordered[-1], 1),
        "server_cpu_ms_per_message": round(used * 1000 / messages, 2),
        "rss_before_mb": round(rss, 1),
        "rss_growth_mb": round(grown, 1),
    }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=50)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--per-second", type=float, default=20.0)
    parser.add_argument("--port", type=int, default=8791)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, chosen.port)
        try:
            figures = asyncio.run(measure(server, chosen.sockets, chosen.messages, chosen.per_second))
        finally:
            server.process.terminate()
            server.process.wait(10)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
