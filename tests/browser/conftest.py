"""A bot, a browser, and people at the page."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from tests.browser.bot_process import BotProcess
from tests.browser.visitors import ARGUMENTS, Visitors, chromium

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here drives a real browser."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.integration)
            item.add_marker(pytest.mark.timeout(120))
            if chromium() is None:
                reason = "no browser: set BUBBLES_CHROMIUM, or install chromium"
                item.add_marker(pytest.mark.skip(reason=reason))


@asynccontextmanager
async def people_at(address: str, room: str = "lobby") -> AsyncIterator[Visitors]:
    """A browser for people who visit `address`; whatever they must not see fails the test."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        people = Visitors(browser=browser, address=address, room=room)
        yield people
        await browser.close()
    assert people.complaints == []


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


@pytest.fixture
async def newcomers(bot: BotProcess) -> AsyncIterator[Visitors]:
    """People at the page of `bot`."""
    async with people_at(bot.address) as people:
        yield people


@pytest.fixture
async def visitors(shared_bot: BotProcess, request: pytest.FixtureRequest) -> AsyncIterator[Visitors]:
    """People at the page of the shared bot, in a room that only this test uses."""
    room = f"{request.node.name[5:45].rstrip('_')}_{abs(hash(request.node.nodeid)) % 10_000}"
    async with people_at(shared_bot.address, "".join(each for each in room if each.isalnum() or each == "_")) as people:
        yield people
