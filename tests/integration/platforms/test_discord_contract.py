"""Contract of platforms, run with Discord."""

import re

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import DiscordSettings
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import NotSupported, PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress
from services.kernel.clock import SystemClock
from tests.support.chat_servers import discord_forms as forms
from tests.support.chat_servers.discord import DiscordServer
from tests.support.chat_servers.loopback import Trouble

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore:'audioop' is deprecated:DeprecationWarning"),  # discord.py's, for voice
]

PEOPLE = {"ann": "7", "ben": "8"}
NAMES = {"1": "Bubbles", **{number: name for name, number in PEOPLE.items()}}


class DiscordRig(PlatformRig):
    """A rig without rate limits of a chat, for which discord.py itself waits; test_discord.py tests long ones."""

    delivers_missed_messages = True
    unreachable_chat = ChatAddress(platform="discord", chat_id="30")

    def __init__(self, server):
        from bot.platforms.discord.adapter import DiscordPlatform

        super().__init__()
        self.server = server
        self.server.closed_to_bot.add("30")
        self.chat = ChatAddress(platform="discord", chat_id=forms.CHANNEL)
        settings = DiscordSettings(token=SecretStr(server.token))
        self.platform = DiscordPlatform(settings, SystemClock(), "Bubbles")
        self._last = {}
        self._own = set()

    async def limit(self, seconds, *, everywhere):
        if not everywhere:
            raise NotSupported
        self.server.troubles.append(Trouble(status=429, headers={"Retry-After": str(seconds)}))

    async def ready(self):
        await self.server.wait_for_client()
        await until(lambda: self.platform.health.state == "live", seconds=60)

    async def say(self, text, *, sender="ann", reply_to=None):
        mentions = [forms.BOT] if "{bot}" in text else []
        if "{ben}" in text:
            mentions.append(forms.user("8", name="ben"))
        more = {"mentions": mentions}
        if reply_to is not None:
            author = forms.BOT if reply_to in self._own else forms.user("8", name="ben")
            more |= {
                "type": 19,
                "message_reference": {"message_id": reply_to, "channel_id": forms.CHANNEL},
                "referenced_message": {**forms.message(reply_to, "earlier"), "author": author},
            }
        written = text.format(bot="<@1>", ben="<@8>")
        self._last = await self.server.say(written, sender=PEOPLE[sender], name=sender, more=more)
        return self._last["id"]

    async def repeat(self):
        await self.server.event("MESSAGE_CREATE", self._last)

    async def echo(self, text):
        await self.server.event("MESSAGE_CREATE", {**forms.message("999", text), "author": forms.BOT})

    async def disconnect(self):
        await self.server.disconnect()

    async def press(self, message_id, label, *, sender="ann"):
        message = next(entry for entry in self.server.sent.entries if entry.id == message_id)
        buttons = [button for row in message.body["components"] for button in row["components"]]
        custom_id = next(button["custom_id"] for button in buttons if button["label"] == label)
        await self.server.press(custom_id, message_id=message_id, sender=PEOPLE[sender], name=sender)

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        await self.server.react(message_id, emoji, sender=PEOPLE[sender], name=sender, is_added=is_added)

    async def rewrite(self, message_id, text, *, sender="ann"):
        edit = forms.message(message_id, text, sender=PEOPLE[sender], name=sender)
        await self.server.event("MESSAGE_UPDATE", {**edit, "edited_timestamp": edit["timestamp"]})

    async def withdraw(self, message_id, *, sender="ann"):
        del sender  # Discord does not say who deleted it
        await self.server.event("MESSAGE_DELETE", {"id": message_id, "channel_id": forms.CHANNEL, "guild_id": "10"})

    async def bot_messages(self, count=1):
        messages = []
        for entry in self.server.sent.entries:
            self._own.add(entry.id)
            allowed = entry.body["allowed_mentions"]
            called = re.findall(r"(?<!\\)<@(\d+)>", entry.text)
            messages.append(
                VisibleMessage(
                    id=entry.id,
                    text=visible_text(entry.text),
                    reply_to=entry.body.get("message_reference", {}).get("message_id"),
                    mentioned=tuple(number for number in called if number in allowed["users"]),
                    notifies_everyone="everyone" in allowed["parse"] and "@everyone" in entry.text,
                    files=entry.files,
                    choices=tuple(
                        button["label"] for row in entry.body.get("components", []) for button in row["components"]
                    ),
                )
            )
        return messages


def visible_text(content):
    """Return the text that a client shows for Discord's Markdown."""
    named = re.sub(r"(?<!\\)<@(\d+)>", lambda mark: f"@{NAMES[mark[1]]}", content)
    bare = re.sub(r"(?<!\\)\*\*(.+?)(?<!\\)\*\*", r"\1", named)
    bare = re.sub(r"(?<!\\)\[([^\]\n]+)\]\(https?://[^\s)]+\)", r"\1", bare)
    bare = re.sub(r"(?<![\\`])`([^`\n]+)`", r"\1", bare)
    return re.sub(r"\\([^A-Za-z0-9\s])", r"\1", bare)


class TestDiscord(PlatformContract):
    @pytest.fixture
    async def rig(self):
        async with DiscordServer() as server:
            with server.redirect_client():
                rig = DiscordRig(server)
                async with rig.connected():
                    yield rig
