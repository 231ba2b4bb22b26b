"""Tool servers and clients for integration tests."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import uvicorn

from bot.testing.turns import make_context


@asynccontextmanager
async def running(app):
    """An application on a free port of this machine; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        await task


@pytest.fixture
def serve():
    """Serves applications."""
    return running


@pytest.fixture
def context():
    """What tools are called with."""
    return make_context()
