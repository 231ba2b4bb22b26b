"""Fifty people in one room."""

import asyncio
import json
import time
from statistics import quantiles

from websockets.asyncio.client import ClientConnection, connect

from tests.browser.bot_process import BotProcess
from tests.support.timeouts import on_this_machine

PEOPLE = 50
MESSAGES = 60
ROUNDS = 3
MAX_MS = 50
MAX_GROWTH_MB = 10


async def wait_for_message(socket: ClientConnection, text: str) -> float:
    """Wait for a message with `text`; return its time (seconds of `perf_counter`)."""
    async for raw in socket:
        frame = json.loads(raw)
        if frame["type"] == "message_new" and frame["data"]["message"]["text"] == text:
            return time.perf_counter()
    raise AssertionError("the socket was closed")


async def measure_round(sockets: list[ClientConnection], number: int) -> list[float]:
    """Send a third of the messages; return the milliseconds that each took to each person."""
    took: list[float] = []
    for count in range(MESSAGES // ROUNDS):
        text = f"message {number}.{count}"
        data = {"client_id": f"c-{number}-{count}", "text": text}
        waiting = [asyncio.create_task(wait_for_message(socket, text)) for socket in sockets]
        sent = time.perf_counter()
        await sockets[0].send(json.dumps({"v": 1, "type": "send", "session_id": "full", "data": data}))
        took += [(at - sent) * 1000 for at in await asyncio.gather(*waiting)]
    return took


async def test_fifty_sockets_receive_messages_in_time_and_bounded_memory(shared_bot: BotProcess):
    address = f"ws://127.0.0.1:{shared_bot.port}/api/chat/ws?session_id=full&name=Person-"
    sockets = [await connect(f"{address}{number}", compression=None) for number in range(PEOPLE)]
    try:
        await measure_round(sockets, 0)
        before = shared_bot.resident_megabytes()
        # The best of three rounds counts, as other processes may delay one.
        rounds = [quantiles(await measure_round(sockets, number), n=20)[18] for number in range(1, ROUNDS + 1)]
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))

    assert min(rounds) < on_this_machine(MAX_MS)
    assert shared_bot.resident_megabytes() - before < MAX_GROWTH_MB
