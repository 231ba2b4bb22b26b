"""Run whole bots in memory and fake time, for single messages and for dialogues."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

from bot.app.application import App, build_app
from bot.app.registry import Functions
from bot.config.settings import BotSettings, LogSettings, PluginSettings, Settings
from bot.platforms.base import Platform
from bot.testing.clocks import InlineExecutor, LoopClock, LoopTimetable, StandingClock
from bot.testing.dialogues import Comparison, Dialogue, Step
from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import Interpreter
from services.kernel.clock import Clock
from services.language_model.ports import RequestedCall
from services.reminders.delivery.config import DeliveryConfig
from services.storage.database import Database

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
"""The time of these conversations, a Friday."""

NO_PLUGINS = PluginSettings(folder=Path(os.devnull), installed=False)
"""Settings that load no plugins, so that a test depends only on those that it names."""


async def talk_to_bot(
    *texts: str,
    functions: Sequence[ModuleType | object] = (),
    services: Sequence[object] = (),
    interpreter: Interpreter | None = None,
    plugins: PluginSettings | None = None,
) -> list[str]:
    """Send `texts` of one person to a new bot, with the rules or `interpreter`, and return its answers.

    `functions` and `plugins` are added to the built-in ones; `services` are injected into `functions`. Plugins are
    loaded only from what `plugins` sets: a `folder`, or installed packages with `installed=True`.
    """
    clock = StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(
        bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), plugins=_without_default_plugins(plugins)
    )
    async with build_app(
        settings,
        platforms=[platform],
        functions=functions,
        services=services,
        interpreter=interpreter,
        clock=clock,
        database=Database("sqlite://"),
    ):
        for text in texts:
            await platform.say(text, is_private=True)
    return platform.texts


def _without_default_plugins(plugins: PluginSettings | None) -> PluginSettings:
    """Return the settings without the default folder and installed plugins."""
    if plugins is None:
        return NO_PLUGINS
    names = {"folder", "installed"} - plugins.model_fields_set
    return plugins.model_copy(update={name: getattr(NO_PLUGINS, name) for name in names})


# Each tick costs loop cycles; one a day is enough, as nothing steps this clock.
_DAILY_TICKS = DeliveryConfig(tick=timedelta(days=1))


def build_in_memory(
    settings: Settings | None = None,
    *,
    clock: Clock,
    platforms: Sequence[Platform] = (),
    functions: Sequence[Functions] = (),
    interpreter: Interpreter | None = None,
    delivery: DeliveryConfig | None = None,
) -> AbstractAsyncContextManager[App]:
    """Build an app without files, threads and timers of its own; with looptime, waiting takes no time.

    A test that moves `clock` itself passes a `delivery` with a tick of less than the default day.
    """
    return build_app(
        settings,
        platforms=platforms,
        functions=functions,
        interpreter=interpreter,
        clock=clock,
        database=Database("sqlite://", make_thread=InlineExecutor),
        timetable=LoopTimetable(),
        delivery=delivery or _DAILY_TICKS,
    )


@asynccontextmanager
async def open_rehearsal(dialogue: Dialogue, interpreter: Interpreter | None = None) -> AsyncIterator[FakePlatform]:
    """Run a bot at the start and in the zone of `dialogue`; with looptime, waiting takes no time."""
    settings = Settings(bot=BotSettings(timezone=dialogue.zone), log=LogSettings(to_file=False), plugins=NO_PLUGINS)
    clock = LoopClock(dialogue.start)
    platform = FakePlatform(clock)
    async with build_in_memory(settings, platforms=[platform], interpreter=interpreter, clock=clock):
        yield platform


def as_model(dialogue: Dialogue) -> ScriptedModel:
    """Return a model that answers every message of `dialogue` with the calls or the text of its step."""
    steps = (step for step in dialogue.steps if step.speaker and not step.is_pick)
    return ScriptedModel(completion(step.said, *_calls(step)) for step in steps)


def _calls(step: Step) -> list[RequestedCall]:
    return [
        requested(str(each["name"]), json.dumps(each.get("arguments", {}), ensure_ascii=False), id=f"call_{place}")
        for place, each in enumerate(step.calls)
    ]


async def play(dialogue: Dialogue, interpreter: Interpreter | None = None) -> None:
    """Play every step of `dialogue`, with `interpreter` or offline.

    Raises:
        DialogueBroken: the bot answered differently.
    """
    comparison = Comparison()
    async with open_rehearsal(dialogue, interpreter) as platform:
        for step in dialogue.steps:
            count = len(platform.texts)
            await _take(step, platform, comparison)
            comparison.check(step, platform.texts[count:])


async def _take(step: Step, platform: FakePlatform, comparison: Comparison) -> None:
    if step.speaker:
        await platform.say(
            comparison.spoken(step.text),
            sender=step.speaker,
            chat=step.chat,
            is_private=step.is_private,
            is_admin=step.is_admin,
            reply_to=platform.sent_ids[-step.replies_to] if step.replies_to else None,
        )
    if step.wait_seconds:
        await asyncio.sleep(step.wait_seconds)
