"""Requests to the homeserver."""

import asyncio

import aiohttp
import nio
import pytest

from bot.config.platform_catalog import MatrixSettings
from bot.platforms.kit.connection import ConnectionEnded
from bot.platforms.matrix.client import MatrixClient, _call_server, device_in


async def test_stop_together_with_an_answer_is_a_stop():
    answer = asyncio.get_running_loop().create_future()

    async def ask():
        return await answer

    asking = asyncio.create_task(_call_server(ask(), seconds=60))
    await asyncio.sleep(0)
    answer.set_result("news")
    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (aiohttp.ClientConnectionError(), "the server cannot be reached"),
        (aiohttp.ServerDisconnectedError(), "the server ended the connection"),
        (aiohttp.ServerTimeoutError(), "the server did not answer in time"),
        (TimeoutError(), "the server did not answer in time"),
    ],
)
async def test_a_homeserver_that_cannot_be_reached_ends_the_connection(error, reason):
    async def ask():
        raise error

    with pytest.raises(ConnectionEnded, match=f"^{reason}$"):
        await _call_server(ask())


async def test_an_answer_that_does_not_come_in_time_ends_the_connection():
    with pytest.raises(ConnectionEnded, match="did not answer in time"):
        await _call_server(asyncio.sleep(60), seconds=0.01)


async def test_limited_request_for_missed_events_ends_the_connection_instead_of_losing_them():
    class Server:
        async def room_messages(self, *_, **__):
            return nio.RoomMessagesError("slow down", "M_LIMIT_EXCEEDED", retry_after_ms=3000)

    client = MatrixClient(MatrixSettings(homeserver="http://matrix.test", user="@bubbles:matrix.test"), None)
    client._nio = Server()

    with pytest.raises(ConnectionEnded, match="slow down") as error:
        await client._between("!team:matrix.test", "t2", "t1")

    assert error.value.retry_after == 3


def test_device_that_was_not_stored_gets_an_id(tmp_path):
    (tmp_path / "device").touch()

    device = device_in(tmp_path)

    assert device.startswith("BUBBLES-")
    assert device_in(tmp_path) == device
