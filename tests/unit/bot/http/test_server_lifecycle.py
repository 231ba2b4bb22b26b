"""Start and stop of a server while its process goes on, as it does when settings are changed in the page."""

import asyncio
import socket

import pytest
import uvicorn

from bot.http.server.server import Server, serve
from tests.support.http_bot import http_bot


async def answer(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def test_connection_that_is_accepted_while_others_are_closed_is_closed_too():
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_server(("127.0.0.1", 0)) as other:
        config = uvicorn.Config(answer, http="h11", lifespan="off", log_config=None, timeout_graceful_shutdown=60)
        server = Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await server.is_listening.wait()
        server.should_exit = True
        while server.servers[0].is_serving():  # noqa: ASYNC110  # Uvicorn has no event for it
            await asyncio.sleep(0)

        with socket.create_connection(other.getsockname()):
            transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
                lambda: config.http_protocol_class(config, server.server_state, {}), other.accept()[0]
            )
            await serving

        assert transport.is_closing()


async def test_failed_start_of_the_server_is_raised_at_once():
    with socket.socket(type=socket.SOCK_DGRAM) as unusable:
        async with http_bot() as context, asyncio.timeout(2) as limit:
            with pytest.raises(ValueError, match="Stream Socket"):
                await serve(context, unusable).__aenter__()

    assert not limit.expired()
