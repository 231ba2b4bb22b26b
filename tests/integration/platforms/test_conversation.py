"""A conversation with the whole bot on each network, with an outage when a reminder falls due."""

import asyncio
from contextlib import nullcontext

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from services.storage.database import Database
from tests.support.chat_servers.onebot import OneBotClient

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries of Discord and Feishu
]

SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))


OTHERS = {"telegram": "8", "discord": "8", "onebot": "8", "slack": "U8", "dingtalk": "staff8", "feishu": "ou_8"}


async def test_group_sets_snoozes_lists_and_deletes_reminders_and_gets_a_summary(network, until):
    name, make_server, make_platform = network
    async with make_server() as server:
        with server.redirect_client() if name == "discord" else nullcontext():
            platform = make_platform(server)
            async with build_app(SETTINGS, platforms=[platform], database=Database("sqlite://")):
                await until(lambda: platform.health.state == "live", seconds=60)
                sent = server.sent

                async def ask(text, count):
                    await server.say(text)
                    async with asyncio.timeout(30):
                        await sent.wait_for_count(count)
                    return sent.texts[-1]

                # By default DingTalk's robots receive only messages that mention them.
                aside = {"more": {"isInAtList": False}} if name == "dingtalk" else {}
                await server.say("the launch moved to Friday because of the printer", sender=OTHERS[name], **aside)
                await server.say("then we should book the room for Friday", sender=OTHERS[name], **aside)
                await ask("Bubbles, remind me in 2 seconds to stretch", 1)
                await server.close()  # an outage at the due time
                await asyncio.sleep(2.2)
                await server.open()
                if isinstance(server, OneBotClient):
                    await until(lambda: platform.health.state == "live", seconds=60)
                async with asyncio.timeout(60):
                    await sent.wait_for_count(2)
                await until(lambda: platform.health.state == "live", seconds=60)
                await asyncio.sleep(1)  # until the bot has recorded the delivery
                snoozed = await ask("Bubbles, snooze 2 seconds", 3)
                async with asyncio.timeout(30):
                    await sent.wait_for_count(4)
                await ask("Bubbles, every day at 9 remind me to water the plants", 5)
                answers = await ask("Bubbles, list my reminders", 6)
                await ask("Bubbles, delete the plants one", 7)
                summary = await ask("Bubbles, summarise the chat", 8)

    assert "stretch" in snoozed
    assert [number for number, text in enumerate(sent.texts) if "⏰" in text] == [1, 3]
    assert all("stretch" in sent.texts[number] for number in (1, 3))
    assert "plants" in answers
    assert "stretch" not in answers
    assert "Friday" in summary
