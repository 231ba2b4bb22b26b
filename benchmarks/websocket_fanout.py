"""Measure the delivery of messages to everybody in a web room, and the server's CPU and memory.

    python benchmarks/websocket_fanout.py --sockets 50 --messages 1000

Starts `bubbles run` in a separate process with an empty data folder, opens the sockets, and sends messages from one of
them at a steady rate. Prints the latency until each socket receives `message_new`, the server's CPU time per message,
and the growth of its memory. Messages pass through history on disk, gate and interpreter.
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

import websockets

from benchmarks.processes import read_cpu_seconds, read_rss_megabytes

_MAX_START_SECONDS = 30


class Server:
    """A bot in a separate process."""

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

    async def connect(self, name: str, room: str = "bench") -> websockets.ClientConnection:
        """Return a socket of `name` in `room`, as soon as the server listens."""
        deadline = time.monotonic() + _MAX_START_SECONDS
        while True:
            try:
                return await websockets.connect(f"{self.address}?session_id={room}&name={name}", compression=None)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.2)


async def measure(server: Server, sockets: int, messages: int, per_second: float) -> dict[str, float]:
    """Send messages from the first of `sockets` sockets and return the figures of the run."""
    clients = [await server.connect(f"person{number}") for number in range(sockets)]
    sent_at: dict[str, float] = {}
    latencies: list[float] = []
    complete = asyncio.Event()

    async def listen(socket: websockets.ClientConnection) -> None:
        async for text in socket:
            now = time.perf_counter()
            frame = json.loads(text)
            if frame["type"] == "message_new":
                started = sent_at.get(str(frame["data"]["message"]["client_id"]))
                if started is not None:
                    latencies.append((now - started) * 1000)
                if len(latencies) >= sockets * messages:
                    complete.set()

    listeners = [asyncio.create_task(listen(each)) for each in clients]
    await asyncio.sleep(1)
    pid = server.process.pid
    cpu, rss = read_cpu_seconds(pid), read_rss_megabytes(pid)
    for number in range(messages):
        key = f"m{number}"
        data = {"client_id": key, "text": f"the train leaves from platform {number}"}
        sent_at[key] = time.perf_counter()
        await clients[0].send(json.dumps({"v": 1, "type": "send", "data": data}))
        await asyncio.sleep(1 / per_second)
    await asyncio.wait_for(complete.wait(), 60)
    await asyncio.sleep(0.5)
    cpu_seconds, rss_growth = read_cpu_seconds(pid) - cpu, read_rss_megabytes(pid) - rss
    for task in listeners:
        task.cancel()
    ordered = sorted(latencies)
    return {
        "sockets": sockets,
        "messages": messages,
        "p50_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 1),
        "max_ms": round(ordered[-1], 1),
        "server_cpu_ms_per_message": round(cpu_seconds * 1000 / messages, 2),
        "rss_before_mb": round(rss, 1),
        "rss_growth_mb": round(rss_growth, 1),
    }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=50)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--per-second", type=float, default=20.0)
    parser.add_argument("--port", type=int, default=8791)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, options.port)
        try:
            figures = asyncio.run(measure(server, options.sockets, options.messages, options.per_second))
        finally:
            server.process.terminate()
            server.process.wait(10)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
