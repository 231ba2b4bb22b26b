"""Fixtures for a bot, a browser and visitors of the page."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests.browser.bot_process import BotProcess
from tests.browser.visitors import ARGUMENTS, Visitors, WindowPool, find_chromium

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, which share one browser and its event loop."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.integration)
            item.add_marker(pytest.mark.timeout(120))
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if find_chromium() is None:
                reason = "no browser: set BUBBLES_CHROMIUM, or install chromium"
                item.add_marker(pytest.mark.skip(reason=reason))


@asynccontextmanager
async def open_visitors(window_pool: WindowPool, address: str, room: str = "lobby") -> AsyncIterator[Visitors]:
    """Yield visitors of `address`, whose errors fail the test."""
    people = Visitors(window_pool=window_pool, address=address, room=room)
    try:
        yield people
    finally:
        await people.close()
    assert people.errors == []


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def window_pool() -> AsyncIterator[WindowPool]:
    """Start one browser for all tests; yield its windows, which share no state."""
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))
        yield WindowPool(launched)
        await launched.close()


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[BotProcess]:
    """Start a bot with its defaults for one test."""
    with BotProcess(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def shared_bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BotProcess]:
    """Start one bot for all tests that need only a room of their own."""
    with BotProcess(tmp_path_factory.mktemp("bot")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def newcomers(window_pool: WindowPool, bot: BotProcess) -> AsyncIterator[Visitors]:
    """Yield visitors of `bot`."""
    async with open_visitors(window_pool, bot.address) as people:
        yield people


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(
    window_pool: WindowPool, shared_bot: BotProcess, request: pytest.FixtureRequest
) -> AsyncIterator[Visitors]:
    """Yield visitors of the shared bot in a room of this test."""
    room = f"{request.node.name[5:45].rstrip('_')}_{abs(hash(request.node.nodeid)) % 10_000}"
    room = "".join(each for each in room if each.isalnum() or each == "_")
    async with open_visitors(window_pool, shared_bot.address, room) as people:
        yield people
