"""Pytest fixtures for authors of functions and plugins.

In `conftest.py`::

    from bot.testing.fixtures import call_tool, fake_clock, talk  # noqa: F401 - pytest finds them by name

`call_tool` runs one function as the router would; `talk` runs a whole bot with your functions in it.
"""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from bot.testing.in_memory import NOW, talk_to_bot
from bot.testing.turns import make_context, make_message
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import Services
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.session_state import CallState


class CallTool:
    """The type of the fixture `call_tool`: runs one function as the router does, and returns failures as results."""

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock
        self._state = CallState()

    async def __call__(
        self,
        tool: Callable[..., object] | Tool,
        *services: object,
        language: str = "en",
        approved: bool = False,
        **arguments: object,
    ) -> ToolResult:
        """Validate `arguments` and call `tool` with them and the `services` that it has injected.

        A tool that needs a confirmation runs only if `approved`; otherwise the result is its question. Calls of the
        same test share `ctx.state`.
        """
        registry = Registry(injectable=[type(each) for each in services])
        registry.register(tool)
        message = make_message("test", is_private=True)
        made = make_context(message, clock=self._clock, services=Services(*services), language=language)
        call = ToolCall(id="c1", name=next(iter(registry)).name, arguments=arguments)
        context = replace(made, state=self._state.sibling(), approved=call if approved else None)
        return await FunctionCallRouter(registry).dispatch(call, context)


class Talk:
    """The type of the fixture `talk`: sends texts to a new bot and returns its answers, as `talk_to_bot` does."""

    __call__ = staticmethod(talk_to_bot)


@pytest.fixture
def fake_clock() -> FixedClock:
    """Return a clock at `NOW`."""
    return FixedClock(NOW)


@pytest.fixture
def call_tool(fake_clock: FixedClock) -> CallTool:
    """Return a callable that runs one function as the router does: validation, injection, failures as results."""
    return CallTool(fake_clock)


@pytest.fixture
def talk() -> Talk:
    """Return a callable that talks to a new bot in memory, with the rules or the given interpreter."""
    return Talk()
