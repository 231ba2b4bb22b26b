"""The calendar feed of a chat, which a secret token opens."""

import asyncio
from hashlib import sha256

import pytest

from services.kernel.chat import ChatAddress
from services.kernel.state import FOREVER, MemoryStateStore
from services.reminders.exchange.feed import CalendarFeed, FeedTokens
from services.reminders.exchange.json_form import export_json
from services.storage.people.state import SqlStateStore

pytest.importorskip("icalendar")

OTHER = ChatAddress(platform="console", chat_id="other")


@pytest.fixture(params=["memory", "sqlite"])
def tokens(request, database, clock):
    return FeedTokens(MemoryStateStore(clock) if request.param == "memory" else SqlStateStore(database, clock))


@pytest.fixture
def feed(store, tokens, clock):
    return CalendarFeed(store, tokens, clock).feed


async def test_a_token_opens_the_reminders_of_its_chat_only(importer, defaults, tokens, feed, home, make, now):
    for chat, text in ((home, "tea"), (OTHER, "coffee")):
        file = export_json([make(content=text)], chat=chat.key, now=now)
        await importer.import_file(file.encode(), chat, defaults)

    body = await feed(await tokens.issue(home))

    assert body is not None
    assert "SUMMARY:tea" in body
    assert "coffee" not in body


async def test_revoked_token_is_refused(tokens, feed, home):
    other_token, own_tokens = await tokens.issue(OTHER), [await tokens.issue(home), await tokens.issue(home)]

    assert await tokens.revoke(home) == 2
    assert [await feed(token) for token in own_tokens] == [None, None]
    assert await feed(other_token) is not None


@pytest.mark.parametrize("token", ["", "guess", "\ud800", "x" * 10_000])
async def test_guessed_address_is_refused(tokens, feed, home, token):
    await tokens.issue(home)

    assert await feed(token) is None


async def test_oldest_of_many_tokens_is_revoked(tokens, home):
    issued = [await tokens.issue(home) for _ in range(21)]

    assert [await tokens.chat_of(token) is None for token in issued] == [True] + [False] * 20


async def test_chat_without_tokens_has_none_to_revoke(tokens, home):
    assert await tokens.revoke(home) == 0


async def test_tokens_issued_at_the_same_time_are_all_revoked(tokens, home):
    issued = await asyncio.gather(*(tokens.issue(home) for _ in range(3)))

    assert [await tokens.chat_of(token) for token in issued] == [home] * 3
    assert await tokens.revoke(home) == 3
    assert [await tokens.chat_of(token) for token in issued] == [None] * 3


async def test_tokens_issued_by_workers_at_the_same_time_can_be_revoked(database, clock, home):
    state = SqlStateStore(database, clock)
    issued = await asyncio.gather(*(FeedTokens(state).issue(home) for _ in range(3)))

    await FeedTokens(state).revoke(home)

    assert [await FeedTokens(state).chat_of(token) for token in issued] == [None] * 3


async def test_token_without_a_holder_is_refused(clock, home):
    """An earlier version stored only the chat, so it is unknown when such a token expires."""
    state = MemoryStateStore(clock)
    token_hash = sha256(b"old").hexdigest()
    await state.set(f"reminders.feed:{token_hash}", home.key, keep=FOREVER)
    await state.set(f"reminders.feeds:{home.key}", [token_hash], keep=FOREVER)

    assert await FeedTokens(state).chat_of("old") is None
