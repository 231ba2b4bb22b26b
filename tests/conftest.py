"""Fixtures of the whole suite."""

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def event_loop_of_the_thread() -> Iterator[None]:
    """A current event loop for tests that have none of their own: looptime asks for it and would leak a new one."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)
