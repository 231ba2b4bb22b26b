"""Contract of platforms, run with Telegram."""

import json
import re

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import TelegramSettings
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import NotSupported, PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress
from services.kernel.clock import SystemClock
from tests.support.chat_servers import telegram_forms as forms
from tests.support.chat_servers.loopback import Trouble
from tests.support.chat_servers.telegram import TelegramServer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

PEOPLE = {"ann": "7", "ben": "8"}


class TelegramRig(PlatformRig):
    delivers_missed_messages = True
    unreachable_chat = ChatAddress(platform="telegram", chat_id="-200")

    def __init__(self, server):
        from bot.platforms.telegram.adapter import TelegramPlatform

        super().__init__()
        self.server = server
        self.server.closed_to_bot.add("-200")
        self.chat = ChatAddress(platform="telegram", chat_id="-100")
        settings = TelegramSettings(token=SecretStr(server.token), api_url=server.url, poll_seconds=5)
        self.platform = TelegramPlatform(settings, SystemClock(), "Bubbles")
        self._last = {}
        self._own = set()

    async def ready(self):
        await until(lambda: self.platform.health.state == "live", seconds=60)

    async def say(self, text, *, sender="ann", reply_to=None):
        entities = []
        for mark, name in (("{bot}", "@bubbles_bot"), ("{ben}", "ben")):
            if (at := text.find(mark)) >= 0:
                text = text.replace(mark, name)
                entity = {"type": "mention", "offset": at, "length": len(name)}
                if mark == "{ben}":
                    entity |= {"type": "text_mention", "user": forms.user("8", name="ben")}
                entities.append(entity)
        more = {"entities": entities} if entities else {}
        if reply_to is not None:
            who = forms.BOT if reply_to in self._own else forms.user("8", name="ben")
            more["reply_to_message"] = {**forms.message(int(reply_to), "earlier"), "from": who}
        self._last = await self.server.say(text, sender=PEOPLE[sender], name=sender, more=more)
        return str(self._last["message_id"])

    async def repeat(self):
        await self.server.update({"message": self._last})

    async def limit(self, seconds, *, everywhere):
        if everywhere:
            raise NotSupported
        body = {"ok": False, "error_code": 429, "description": "slow", "parameters": {"retry_after": seconds}}
        self.server.troubles.append(Trouble(status=429, body=body))

    async def disconnect(self):
        await self.server.disconnect()

    async def press(self, message_id, label, *, sender="ann"):
        message = next(entry for entry in self.server.sent.entries if entry.id == message_id)
        rows = json.loads(message.body["reply_markup"])["inline_keyboard"]
        data = next(button["callback_data"] for row in rows for button in row if button["text"] == label)
        await self.server.press(data, message_id=int(message_id), sender=PEOPLE[sender], name=sender)

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        before, after = ([], [emoji]) if is_added else ([emoji], [])
        await self.server.react(message_id, before, after, sender=PEOPLE[sender], name=sender)

    async def rewrite(self, message_id, text, *, sender="ann"):
        edit = forms.message(int(message_id), text, sender=PEOPLE[sender], name=sender)
        await self.server.update({"edited_message": {**edit, "edit_date": edit["date"] + 5}})

    async def bot_messages(self, count=1):
        messages = []
        for entry in self.server.sent.entries:
            self._own.add(entry.id)
            reply = json.loads(entry.body.get("reply_parameters", "{}"))
            rows = json.loads(entry.body.get("reply_markup", "{}")).get("inline_keyboard", [])
            messages.append(
                VisibleMessage(
                    id=entry.id,
                    text=entry.text,
                    reply_to=str(reply["message_id"]) if reply else None,
                    mentioned=tuple(re.findall(r"tg://user\?id=(\d+)", entry.body.get("text", ""))),
                    files=entry.files,
                    choices=tuple(button["text"] for row in rows for button in row),
                )
            )
        return messages


class TestTelegram(PlatformContract):
    @pytest.fixture
    async def rig(self):
        async with TelegramServer() as server:
            rig = TelegramRig(server)
            async with rig.connected():
                yield rig
