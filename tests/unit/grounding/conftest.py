"""Tools, and calls chosen by a model, for tests of grounding."""

import pytest

from bot.app.registry import built_in_registry
from function_calls.tools.calls import ToolCall


@pytest.fixture(scope="session")
def tools():
    return built_in_registry().specs


@pytest.fixture
def make_calls():
    """Return a function that makes the calls of a model, from names or a name with arguments."""

    def make(*names, **arguments):
        return tuple(ToolCall(id=f"c{n}", name=name, arguments=arguments) for n, name in enumerate(names))

    return make
