"""A conversation of three people with a bot on a real server, with a restart of the server."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.in_memory import NO_PLUGINS
from bot.testing.platform_rig import PlatformRig
from services.kernel.clock import SystemClock
from services.storage.database import Database

_SETTINGS: Final = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), plugins=NO_PLUGINS)
_PATIENCE: Final = 30


async def converse(rig: PlatformRig, folder: Path, restart: Callable[[], Awaitable[None]]) -> None:
    """Set, receive, snooze, delete and summarise reminders, with a restart of the server.

    Raises:
        AssertionError: a message was lost or repeated.
    """
    clock = SystemClock()
    database = Database(f"sqlite:///{folder / 'bubbles.db'}")
    async with build_app(_SETTINGS, platforms=[rig.platform], clock=clock, database=database):
        await rig.ready()
        await rig.say("Bubbles, remind me in 2 seconds to stretch", sender="ann")
        await _wait_for_texts(rig, "stretch", times=2)
        await rig.say("Bubbles, snooze 10 minutes", sender="ann")
        await _wait_for_texts(rig, "stretch", times=3)
        await rig.say("Bubbles, remind me tomorrow at 9 am to call mom", sender="ben")
        await _wait_for_texts(rig, "call mom", times=1)
        await rig.say("Bubbles, delete the reminder to call mom", sender="ben")
        await _wait_for_texts(rig, "call mom", times=2)
        await rig.say("the party on Friday is in the garden of the old mill", sender="zoe")
        await rig.say("Bubbles, remind me in 5 seconds to buy lanterns", sender="zoe")
        await _wait_for_texts(rig, "buy lanterns", times=1)
        await restart()
        await rig.ready()
        await _wait_for_texts(rig, "⏰", "zoe", "buy lanterns", times=1)
        await rig.say("Bubbles, summarize the last messages", sender="ann")
        await _wait_for_texts(rig, "garden", times=1)
        await _wait_for_texts(rig, "⏰", "zoe", "buy lanterns", times=1)


async def _wait_for_texts(rig: PlatformRig, *words: str, times: int) -> list[str]:
    """Wait for `times` texts of the bot that have all `words`, and return them.

    Raises:
        AssertionError: there were fewer or more.
    """
    found: list[str] = []
    for _ in range(_PATIENCE * 4):
        found = [each.text for each in await rig.bot_messages() if all(word in each.text for word in words)]
        if len(found) >= times:
            break
        await SystemClock().nap(0.25)
    if len(found) != times:
        everything = "\n".join(each.text for each in await rig.bot_messages())
        raise AssertionError(f"heard {words} {len(found)} times instead of {times}; all that was heard:\n{everything}")
    return found
