"""Clients with unfinished requests."""

import asyncio
import resource
from contextlib import AsyncExitStack, suppress
from time import monotonic

import httpx
import pytest
from loguru import logger
from msgspec.structs import replace

from bot.config.settings import HttpSettings
from bot.http.server import connection_limits, server
from bot.http.server.connection_limits import ConnectionLimits
from tests.support.http_bot import served_bot
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
HALF_HEAD = b"POST /api/chat/send HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HALF_BODY = HALF_HEAD + b"Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{"
LOW = HttpSettings(port=0, max_connections=60, max_connections_per_address=50)


@pytest.fixture
def warnings():
    """Collect logged warnings."""
    found = []
    number = logger.add(found.append, level="WARNING")
    yield found
    logger.remove(number)


@pytest.fixture
async def open_connections():
    """Return a function that opens connections which send only `data`."""
    async with AsyncExitStack() as stack:

        async def open_one(address, data):
            host, _, port = address.removeprefix("http://").partition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            stack.callback(writer.close)
            writer.write(data)
            return reader

        async def open_many(address, data, count):
            return await asyncio.gather(*(open_one(address, data) for _ in range(count)))

        yield open_many


async def count_closed(readers, seconds):
    """Return the number of connections that the server closes within `seconds`."""

    async def until_closed(reader):
        with suppress(ConnectionError):
            await reader.read()

    done, pending = await asyncio.wait([asyncio.create_task(until_closed(each)) for each in readers], timeout=seconds)
    for each in pending:
        each.cancel()
    return len(done)


async def wait_for_reminder(context):
    """Wait for the next reminder of the lobby; return its time (monotonic seconds)."""
    fired = asyncio.get_running_loop().create_future()

    def listen(frame):
        if frame.type == "reminder_fired" and not fired.done():
            fired.set_result(monotonic())

    context.room.room("lobby").listen(listen)
    return await fired


@pytest.mark.parametrize("data", [b"", HALF_HEAD, HALF_BODY])
async def test_half_open_connections_delay_neither_requests_nor_reminders(open_connections, warnings, data):
    async with served_bot(http=LOW) as (address, context), httpx.AsyncClient(base_url=address) as client:
        await client.post("/api/chat/send", json={"session_id": "lobby", "message": "remind me in 2 seconds to rest"})
        due = monotonic() + 2
        firing = asyncio.create_task(wait_for_reminder(context))
        await open_connections(address, data, 400)
        start = monotonic()
        answer = await client.get("/health/live")
        took = monotonic() - start
        async with asyncio.timeout(on_this_machine(6)):
            late = await firing - due

    assert answer.status_code == 200
    assert took < on_this_machine(1)
    assert late < on_this_machine(1)
    assert len(warnings) < 20


@pytest.mark.parametrize("data", [b"", HALF_HEAD, HALF_BODY, b"GET /health/live HTTP/1.1\r\n\r\n" + HALF_BODY])
async def test_connection_is_closed_when_its_request_does_not_arrive_in_time(open_connections, monkeypatch, data):
    quick = replace(ConnectionLimits.of(LOW), head_seconds=0.3, body_seconds=0.3)
    monkeypatch.setattr(server, "limited_protocol", lambda _: connection_limits.limited_protocol(quick))
    async with served_bot(http=LOW) as (address, _):
        readers = await open_connections(address, data, 10)

        assert await count_closed(readers, on_this_machine(3)) == 10


async def test_slow_but_steady_upload_is_not_closed(monkeypatch):
    quick = replace(ConnectionLimits.of(LOW), body_seconds=0.4, body_bytes_per_second=500)
    monkeypatch.setattr(server, "limited_protocol", lambda _: connection_limits.limited_protocol(quick))

    async def stream_body():
        for _ in range(8):
            yield b" " * 200
            await asyncio.sleep(0.1)
        yield b'{"session_id": "lobby", "message": "hello"}'

    async with served_bot(http=LOW) as (address, _), httpx.AsyncClient(base_url=address) as client:
        headers = {"Content-Type": "application/json"}
        answer = await client.post("/api/chat/send", content=stream_body(), headers=headers)

    assert answer.status_code == 200


async def test_busy_connections_stay_and_new_ones_are_refused(open_tab, warnings):
    settings = HttpSettings(port=0, max_connections=10, max_connections_per_address=3)
    async with served_bot(http=settings) as (address, _), AsyncExitStack() as tabs:
        opened = [await tabs.enter_async_context(open_tab(address, name)) for name in ("Ada", "Lin", "Mei")]
        async with httpx.AsyncClient(base_url=address) as client:
            with pytest.raises(httpx.TransportError):
                await client.get("/health/live")
        for tab in opened:
            await tab.send("ping")
            await tab.wait_for("pong")

    assert any("http.max_connections_per_address" in line for line in warnings)


def test_accepted_connections_leave_open_files_for_the_rest_of_the_bot():
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)

    limits = ConnectionLimits.of(HttpSettings(max_connections=open_files))

    assert limits.in_all <= open_files - 128
