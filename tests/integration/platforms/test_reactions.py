"""Joining a reminder on each network by a thumbs-up reaction to its confirmation."""

from contextlib import nullcontext

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from services.storage.database import Database

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries of Discord and Feishu
]

SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))

# For each network, a reaction of a person and their mention in the request that sends the reminder.
THUMBS = {
    "telegram": (lambda server, message: server.react(message, [], ["👍"], sender="8", name="Ben"), "tg://user?id=8"),
    "discord": (lambda server, message: server.react(message, "👍", sender="8", name="Ben"), "<@8>"),
    "slack": (lambda server, message: server.react(message, "+1", sender="U8"), "U8"),
    "onebot": (lambda server, message: server.react(message, "128077", sender="8"), "'qq': '8'"),
    "feishu": (lambda server, message: server.react(message, "THUMBSUP", sender="ou_8"), "ou_8"),
    # DingTalk sends robots no reactions.
    "dingtalk": (lambda server, message: server.say("me too", sender="staff8"), "'staff8'"),
}


async def test_thumbs_up_on_a_confirmation_joins_the_reminder(network, until):
    name, make_server, make_platform = network
    react, ringing = THUMBS[name]
    async with make_server() as server:
        with server.redirect_client() if name == "discord" else nullcontext():
            platform = make_platform(server)
            async with build_app(SETTINGS, platforms=[platform], database=Database("sqlite://")):
                await until(lambda: platform.health.state == "live", seconds=60)
                await server.say("Bubbles, remind me in 3 seconds to stretch")
                await until(lambda: any("stretch" in text for text in server.sent.texts), seconds=30)
                confirmation = next(each.id for each in server.sent.entries if "stretch" in each.text)
                await react(server, confirmation)
                await until(lambda: any("⏰" in text for text in server.sent.texts), seconds=30)

    fired = next(each for each in server.sent.entries if "⏰" in each.text)
    assert ringing in str(fired.body)
