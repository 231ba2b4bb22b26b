"""Fixtures for served applications and calls of tools."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import uvicorn

from bot.testing.turns import make_context


@asynccontextmanager
async def serve_app(app):
    """Serve an application on a free port; yield its address."""
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
    """Return a context manager that serves an application."""
    return serve_app


@pytest.fixture
def context():
    """Return the context of a call."""
    return make_context()
