"""Pytest fixtures for those who write functions and plugins.

In `conftest.py`::

    from bot.testing.fixtures import call_tool, fake_clock, talk  # noqa: F401 - pytest finds them by name

`call_tool` runs one function as the router would; `talk` runs a whole bot with your functions in it.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from types import ModuleType
from typing import Protocol

import pytest

from bot.app import build_app
from bot.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import FixedClock, StandingClock
from bot.testing.platform import FakePlatform
from bot.testing.turns import make_message
from function_calls.calls import ToolCall, ToolResult
from function_calls.class_tools import Tool
from function_calls.context import CallContext, Services
from function_calls.interpreter import Interpreter
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from services.storage.database import Database

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
"""When it is in these fixtures: a Friday."""


class CallTool(Protocol):
    """What the fixture `call_tool` gives."""

    async def __call__(
        self,
        tool: Callable[..., object] | Tool,
        *services: object,
        language: str = "en",
        **arguments: object,
    ) -> ToolResult:
        """Call `tool` with `arguments`, checked as always; `services` are what it may have injected."""
        ...


class Talk(Protocol):
    """What the fixture `talk` gives."""

    async def __call__(
        self, text: str, *, functions: Sequence[ModuleType | object] = (), interpreter: Interpreter | None = None
    ) -> list[str]:
        """Say `text` to a bot that has `functions`, and return what it says."""
        ...


@pytest.fixture
def fake_clock() -> FixedClock:
    """A clock at `NOW` that stands still until it is set."""
    return FixedClock(NOW)


@pytest.fixture
def call_tool(fake_clock: FixedClock) -> CallTool:
    """Runs one function as the router does: both checks, injection, failures as results."""

    async def call(
        tool: Callable[..., object] | Tool, *services: object, language: str = "en", **arguments: object
    ) -> ToolResult:
        registry = Registry(injectable=(CallContext, Services, *(type(each) for each in services)))
        registry.register(tool)
        context = CallContext(
            call_id="test/0",
            message=make_message("test", is_private=True),
            services=Services(*services),
            clock=fake_clock,
            now=fake_clock.now(),
            zone=UTC,
            language=language,
        )
        name = next(iter(registry)).name
        return await FunctionCallRouter(registry).dispatch(ToolCall(id="c1", name=name, arguments=arguments), context)

    return call


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    """Talks to whole bots in memory: a new one for each message, offline or with the interpreter given."""
    async with AsyncExitStack() as bots:

        async def say(
            text: str, *, functions: Sequence[ModuleType | object] = (), interpreter: Interpreter | None = None
        ) -> list[str]:
            clock = StandingClock(NOW)
            platform = FakePlatform(clock)
            app = build_app(
                Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False)),
                platforms=[platform],
                functions=functions,
                interpreter=interpreter,
                clock=clock,
                database=Database("sqlite://"),
            )
            await bots.enter_async_context(app)
            await platform.say(text, is_private=True)
            return platform.texts

        yield say
