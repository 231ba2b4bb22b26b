"""A room shared by two workers on one PostgreSQL database."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from tests.support.http_bot import served_bot

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]


@pytest.fixture
async def workers(postgres_url):
    """Serve two workers; yield their addresses and contexts."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(served_bot(database=postgres_url)) for _ in range(2)]


@pytest.fixture
async def tabs(workers, open_tab):
    """Connect Ada to the first worker and Lin to the second, and wait until the workers exchange frames."""
    (one, _), (two, _) = workers
    async with open_tab(one, "Ada") as ada, open_tab(two, "Lin") as lin:
        async with asyncio.timeout(20):
            while not any(frame["type"] == "message_deleted" for frame in lin.frames):  # both listen by now
                workers[0][1].room.room("lobby").emit("message_deleted", {"message_id": "none"})
                workers[1][1].room.room("lobby").emit("message_deleted", {"message_id": "none"})
                await lin.send("ping")
                await lin.wait_for("pong")
                lin.frames = [frame for frame in lin.frames if frame["type"] != "pong"]
                await asyncio.sleep(0.1)
        yield ada, lin


async def read_pending(tab):
    """Read the frames of half a second."""
    await asyncio.sleep(0.5)
    await tab.send("ping")
    await tab.wait_for("pong")


def has_text(text):
    return lambda data: text in data["message"]["text"]


async def test_message_and_reminder_of_one_worker_appear_once_on_the_other(workers, tabs):
    ada, lin = tabs
    await ada.say("let us have tea at the station", "a")
    await lin.wait_for("message_new", where=has_text("at the station"))
    await lin.say("yes, at five", "b")
    await ada.wait_for("message_new", where=has_text("at five"))
    async with httpx.AsyncClient(base_url=workers[1][0]) as client:
        body = {"session_id": "lobby", "name": "Mei", "message": "Bubbles, remind us in 1 second of the tea"}
        await client.post("/api/chat/send", json=body)
    await ada.wait_for("reminder_created")
    await ada.wait_for("reminder_fired")
    due = await ada.wait_for("message_new", where=has_text("⏰"))
    for tab in tabs:
        for text in ("at the station", "at five", "in 1 second", "✅", "⏰"):
            await tab.wait_for("message_new", where=has_text(text))
        await read_pending(tab)

    texts = [sorted(f["data"]["message"]["text"] for f in tab.frames if f["type"] == "message_new") for tab in tabs]
    assert texts[0] == texts[1]
    assert len(texts[0]) == len(set(texts[0])) == 5
    assert due["data"]["message"]["reminder"]["text"] == "the tea"


async def test_bot_leaves_questions_between_people_on_two_workers_unanswered(tabs):
    ada, lin = tabs
    await ada.say("what do you think of the new boss?", "a")
    await lin.wait_for("message_new", where=has_text("new boss"))
    await lin.say("what should I think of her?", "b")
    await ada.wait_for("message_new", where=has_text("think of her"))
    for tab in tabs:
        await read_pending(tab)

    messages = [frame["data"]["message"] for frame in lin.frames if frame["type"] == "message_new"]
    assert [each["author"]["kind"] for each in messages] == ["person", "person"]


async def test_long_message_is_shown_completely(tabs):
    ada, lin = tabs
    text = "茶" * 3000
    await ada.say(text, "a")
    frame = await lin.wait_for("message_new", where=has_text("茶"))

    assert frame["data"]["message"]["text"] == text
    assert frame["data"]["message"]["author"]["name"] == "Ada"
