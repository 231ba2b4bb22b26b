"""Withdrawn messages and stops of the bot during a call, which finish a started change."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolCall, ToolResult
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress

pytestmark = pytest.mark.looptime

HOME = ChatAddress(platform="fake", chat_id="home")


class Shelf:
    """A function that reads and one that changes, each a minute long; `done` is what came to its end."""

    def __init__(self):
        self.done = []

    @tool_function(returns="reply", timeout=300)
    async def look(self) -> str:
        """Look at the shelf."""
        await asyncio.sleep(60)
        self.done.append("look")
        return "three books"

    @tool_function(returns="reply", changes_state=True, timeout=300, max_concurrent=1)
    async def tidy(self) -> ToolResult:
        """Tidy the shelf."""
        await asyncio.sleep(60)
        self.done.append("tidy")
        return ToolResult(ok=True, text="tidied", receipts=(Receipt(action="tidied", subject="shelf"),))


@pytest.fixture
def shop():
    return Shelf()


@asynccontextmanager
async def running(platform, clock, shop, *names):
    calls = [[ToolCall(id=str(place), name=name, arguments={})] for place, name in enumerate(names)]
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        functions=[shop],
        interpreter=ScriptedInterpreter(calls),
        clock=clock,
    ) as app:
        yield app


async def begin(platform, message_id, **options):
    saying = asyncio.create_task(platform.say("bubbles, the shelf", message_id=message_id, **options))
    await asyncio.sleep(1)
    return saying


async def test_reading_call_is_cancelled_with_its_message(platform, clock, shop):
    async with running(platform, clock, shop, "look"):
        saying = await begin(platform, "m1")
        await platform.withdraw("m1")
        await asyncio.wait_for(saying, 1)
        await asyncio.sleep(600)

    assert shop.done == []
    assert platform.texts == []


async def test_started_change_is_finished(platform, clock, shop):
    async with running(platform, clock, shop, "tidy"):
        await begin(platform, "m1")
        await platform.withdraw("m1")

    assert shop.done == ["tidy"]
    assert platform.texts == []


async def test_a_change_that_still_waits_for_its_turn_is_not_made(platform, clock, shop):
    async with running(platform, clock, shop, "tidy", "tidy"):
        first = await begin(platform, "m1")
        await begin(platform, "m2", chat="office")
        await platform.withdraw("m2", chat="office")
        await first
        await asyncio.sleep(600)

    assert shop.done == ["tidy"]
    assert platform.texts == ["tidied"]


async def test_a_withdrawn_message_leaves_history_and_record(platform, clock, shop):
    async with running(platform, clock, shop, "look") as app:
        await platform.say("bubbles, the shelf", message_id="m1")
        await platform.withdraw("m1")
        texts = [message.text for message in await app.services.get(HistoryService).recent(HOME)]
        recorded = await app.services.get(CallLog).of_message(HOME, "m1")

    assert texts == ["three books"]
    assert recorded == ()


async def test_edited_message_is_stored_with_its_new_text(platform, clock, shop):
    async with running(platform, clock, shop, "look") as app:
        await platform.say("bubbles, the shelf", message_id="m1")
        await platform.rewrite("m1", "bubbles, the books")
        texts = [message.text for message in await app.services.get(HistoryService).recent(HOME)]

    assert texts == ["bubbles, the books", "three books"]


async def test_stop_waits_for_a_started_change(platform, clock, shop):
    async with running(platform, clock, shop, "tidy"):
        saying = await begin(platform, "m1")
    await asyncio.gather(saying, return_exceptions=True)

    assert shop.done == ["tidy"]


async def test_a_stop_does_not_wait_for_a_call_that_only_reads(platform, clock, shop):
    async with running(platform, clock, shop, "look"):
        saying = await begin(platform, "m1")
    await asyncio.gather(saying, return_exceptions=True)

    assert shop.done == []


@pytest.mark.parametrize(
    ("by", "expected"), [("ann", "nobody owes me"), ("mallory", "ben owes me"), ("", "nobody owes me")]
)
async def test_messages_of_others_cannot_be_edited(platform, clock, shop, by, expected):
    async with running(platform, clock, shop) as app:
        await platform.say("ben owes me", sender="ann", message_id="m1")
        await platform.rewrite("m1", "nobody owes me", by=by)
        message = await app.services.get(HistoryService).find(HOME, "m1")

    assert message.text == expected


async def test_message_cannot_be_withdrawn_by_another_person(platform, clock, shop):
    async with running(platform, clock, shop, "look") as app:
        saying = await begin(platform, "m1")
        await platform.withdraw("m1", by="eve")
        await asyncio.wait_for(saying, 120)
        found = await app.services.get(HistoryService).find(HOME, "m1")

    assert shop.done == ["look"]
    assert found is not None
