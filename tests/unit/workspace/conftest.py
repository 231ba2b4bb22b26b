"""A bot with a workspace, and the record of a call in it."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from bot.config.settings import BotSettings, PluginSettings, Settings, WorkspaceSettings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import ToolCall
from services.call_log.service import CallLog


class WorkspaceRig:
    """A bot whose owner is ann, with the folder `files` as its workspace."""

    def __init__(self, tmp_path):
        self.files = tmp_path / "files"
        self.files.mkdir()
        self.data = tmp_path / "data"
        self.clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
        self.platform = FakePlatform(self.clock)

    def settings(self, **options):
        return Settings(
            bot=BotSettings(timezone="UTC", owners=("fake:ann",), data_dir=self.data),
            plugins=PluginSettings(folder=self.data / "plugins", installed=False),
            workspace=WorkspaceSettings(**{"folder": str(self.files), **options}),
        )

    @asynccontextmanager
    async def running(self, script=None, **options):
        interpreter = None if script is None else ScriptedInterpreter(script)
        async with build_in_memory(
            self.settings(**options), platforms=[self.platform], interpreter=interpreter, clock=self.clock
        ) as app:
            yield app

    async def call(self, name, *answers, sender="ann", options=(), **arguments):
        """Return the record of the call, made for `sender`, who answers its question with `answers`."""
        script = [[ToolCall(id="1", name=name, arguments=arguments)], "asked", "seen"]
        async with self.running(script, **dict(options)) as app:
            message = await self.platform.say("please", sender=sender, is_private=True)
            for answer in answers:
                await self.platform.say(answer, sender=sender, is_private=True)
            return (await app.services.get(CallLog).of_message(message.address, message.id))[-1]


@pytest.fixture
def rig(tmp_path):
    return WorkspaceRig(tmp_path)
