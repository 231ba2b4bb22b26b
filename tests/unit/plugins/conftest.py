"""A bot with a plugins folder."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime
from textwrap import dedent

import pytest

from bot.config.settings import BotSettings, PluginSettings, Settings
from bot.plugins.watcher import PluginWatch
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform

DICE = '''
    from function_calls.registry import tool_function


    @tool_function(returns="reply", examples=("throw the dice", "掷骰子"))
    async def throw_dice() -> str:
        """Throw the dice."""
        return "a four"
    '''


class PluginRig:
    """A folder of plugins and a bot over it."""

    def __init__(self, folder):
        self.folder = folder
        self.clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
        self.platform = FakePlatform(self.clock)
        self.reports = []

    def write(self, name, text):
        path = self.folder / f"{name}.py"
        path.write_text(dedent(text), encoding="utf-8")
        return path

    @asynccontextmanager
    async def running(self, *, script=None, owners=(), **plugins):
        settings = Settings(
            bot=BotSettings(timezone="UTC", owners=owners), plugins=PluginSettings(folder=self.folder, **plugins)
        )
        async with build_in_memory(
            settings,
            platforms=[self.platform],
            interpreter=None if script is None else ScriptedInterpreter(script),
            clock=self.clock,
        ) as app:
            self.watch = PluginWatch(settings.plugins, app, self.reports.append)
            yield app

    async def say(self, text, **fields):
        before = len(self.platform.texts)
        await self.platform.say(text, is_private=True, **fields)
        return "\n".join(self.platform.texts[before:])


@pytest.fixture
def rig(tmp_path):
    return PluginRig(tmp_path)
