"""A bot, a browser, and people at the page."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests.browser.bot_process import BotProcess
from tests.browser.visitors import ARGUMENTS, Visitors, Wardrobe, chromium

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here drives a real browser, the same for all: starting one takes longer than many a test."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.integration)
            item.add_marker(pytest.mark.timeout(120))
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if chromium() is None:
                reason = "no browser: set BUBBLES_CHROMIUM, or install chromium"
                item.add_marker(pytest.mark.skip(reason=reason))


@asynccontextmanager
async def people_at(wardrobe: Wardrobe, address: str, room: str = "lobby") -> AsyncIterator[Visitors]:
    """Windows for people who visit `address`; whatever they must not see fails the test."""
    people = Visitors(wardrobe=wardrobe, address=address, room=room)
    try:
        yield people
    finally:
        await people.leave()
    assert people.complaints == []


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def wardrobe() -> AsyncIterator[Wardrobe]:
    """One browser for all tests; its windows share nothing, and each test finds them empty."""
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield Wardrobe(launched)
        await launched.close()


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[BotProcess]:
    """A bot without a model, as it is after cloning, that this test has for itself."""
    with BotProcess(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def shared_bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BotProcess]:
    """One bot for the tests that need nothing but a room of their own."""
    with BotProcess(tmp_path_factory.mktemp("bot")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def newcomers(wardrobe: Wardrobe, bot: BotProcess) -> AsyncIterator[Visitors]:
    """People at the page of `bot`."""
    async with people_at(wardrobe, bot.address) as people:
        yield people


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(
    wardrobe: Wardrobe, shared_bot: BotProcess, request: pytest.FixtureRequest
) -> AsyncIterator[Visitors]:
    """People at the page of the shared bot, in a room that only this test uses."""
    room = f"{request.node.name[5:45].rstrip('_')}_{abs(hash(request.node.nodeid)) % 10_000}"
    room = "".join(each for each in room if each.isalnum() or each == "_")
    async with people_at(wardrobe, shared_bot.address, room) as people:
        yield people
