"""Contract of platforms, run with a web room."""

import pytest

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.markdown import plain, spans_of
from bot.platforms.web.adapter import IncomingPost, WebPlatform
from bot.platforms.web.shapes import person_called
from bot.testing.clocks import FixedClock
from bot.testing.contracts import PlatformContract
from bot.testing.fixtures import NOW
from bot.testing.platform_rig import PlatformRig, VisibleMessage
from services.history.service import HistoryService
from services.kernel.state import MemoryStateStore
from tests.support.stores.messages import MemoryMessageStore


class WebRig(PlatformRig):
    """The room `home` with Ann and Ben in it, seen through one of its listeners."""

    def __init__(self):
        super().__init__()
        clock = FixedClock(NOW)
        self.platform = WebPlatform(clock=clock, bot_name=self.bot_name)
        self.platform.attach(MemoryStateStore(clock), HistoryService(MemoryMessageStore()), _stop, _read_room)
        self.chat = self.platform.address("home")
        self.shown = {}
        self.sent = 0
        room = self.platform.room("home")
        room.listen(self._record)
        for name in ("ann", "ben"):
            room.enter(person_called(name))

    async def ready(self):
        return None

    async def say(self, text, *, sender="ann", reply_to=None):
        self.sent += 1
        self.last = IncomingPost(
            person=person_called(sender),
            text=text.format(bot="@Bubbles", ben="@ben"),
            client_id=f"c{self.sent}",
            reply_to=reply_to,
        )
        return (await self.platform.say("home", self.last)).message.id

    async def repeat(self):
        await self.platform.say("home", self.last)

    async def press(self, message_id, label, *, sender="ann"):
        for choice in self.shown[message_id]["choices"]:
            if choice["label"] == label:
                await self.say(choice["says"], sender=sender, reply_to=message_id)

    async def bot_messages(self, count=1):
        del count  # frames are recorded at once
        return [self._visible_message(message) for message in self.shown.values() if message["author"]["kind"] == "bot"]

    def _record(self, frame):
        if frame.type in {"message_new", "message_updated"}:
            message = frame.data["message"]
            self.shown[message["id"]] = {**self.shown.get(message["id"], {}), **message}

    def _visible_message(self, message):
        return VisibleMessage(
            id=message["id"],
            text=plain(spans_of(OutgoingMessage(text=message["text"]))),
            reply_to=message["reply_to"] if message["reply_to"] in self.shown else None,
            mentioned=tuple(message["mentions"]),
            notifies_everyone="@all" in message["mentions"],
            choices=tuple(choice["label"] for choice in message["choices"]),
        )


async def _stop(*_):
    return False


def _read_room(*_):
    return None


class TestWebPlatform(PlatformContract):
    @pytest.fixture
    async def rig(self):
        rig = WebRig()
        async with rig.connected():
            yield rig
