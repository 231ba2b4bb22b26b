"""Dialogues as somebody has them who speaks through the HTTP API: every twelfth of those among people of one room."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.config.settings import BotSettings, LogSettings, Settings
from bot.http.app import build_guarded_app
from bot.http.core.context import HttpContext
from bot.http.rooms.events import follow_bot
from bot.platforms.web.adapter import WebPlatform
from bot.platforms.web.shapes import person_called
from bot.testing.clocks import LoopClock
from bot.testing.dialogues import Comparison, load_dialogues
from bot.testing.in_memory import build_in_memory
from services.reminders.delivery.config import DeliveryConfig

ROOT = Path(__file__).parent


def is_of_one_room(dialogue):
    """Whether it needs no private chat, no admin and no reply."""
    chats = {step.chat for step in dialogue.steps if step.speaker}
    return len(chats) == 1 and not any(step.is_private or step.is_admin or step.replies_to for step in dialogue.steps)


CHOSEN = [each for each in load_dialogues(ROOT) if is_of_one_room(each)][::12]


class Caller:
    """Says the lines of a dialogue over HTTP, and hears what the bot says in the room."""

    def __init__(self, client, room):
        self._client = client
        self._room = room
        self._rooms = set()
        self.texts = []

    async def say(self, text, *, sender, chat):
        if chat not in self._rooms:
            self._rooms.add(chat)
            room = self._room.room(chat)
            room.listen(self._hear)
            for name in ("somebody", "somebody else"):  # who is alone with the bot need not call it
                room.enter(person_called(name))
        body = {"session_id": chat, "name": sender, "message": text}
        (await self._client.post("/api/chat/send", json=body)).raise_for_status()

    def _hear(self, frame):
        message = frame.data.get("message", {}) if frame.type == "message_new" else {}
        if message and message["author"]["kind"] == "bot":
            self.texts.append(message["text"])


@asynccontextmanager
async def called(dialogue):
    """A bot in the circumstances of `dialogue`, behind its API."""
    settings = Settings(bot=BotSettings(timezone=dialogue.zone), log=LogSettings(to_file=False))
    clock = LoopClock(dialogue.start)
    room = WebPlatform(clock=clock, bot_name=settings.bot.name)
    async with build_in_memory(
        settings,
        platforms=[room],
        clock=clock,
        delivery=DeliveryConfig(tick=timedelta(hours=1)),
    ) as app:
        context = HttpContext.of(app, room, settings, clock)
        transport = httpx.ASGITransport(app=build_guarded_app(context))
        with follow_bot(context):
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
                yield Caller(client, room)


@pytest.mark.looptime
@pytest.mark.parametrize("dialogue", CHOSEN, ids=lambda each: each.path.relative_to(ROOT).with_suffix("").as_posix())
async def test_over_http(dialogue):
    comparison = Comparison()
    async with called(dialogue) as caller:
        for step in dialogue.steps:
            heard = len(caller.texts)
            if step.speaker:
                await caller.say(comparison.spoken(step.text), sender=step.speaker, chat=step.chat)
            if step.wait_seconds:
                await asyncio.sleep(step.wait_seconds)
            comparison.check(step, caller.texts[heard:])
