"""Fixtures of the test kit: calls, whole bots and plugins."""

import pytest

from bot.config.settings import PluginSettings
from bot.plugins.loading import _installed_plugins as installed_plugins
from bot.testing.models import ScriptedInterpreter
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import CallContext


class Bakery:
    """A service of somebody's plugin."""

    def bake(self, what: str) -> str:
        return f"fresh {what}"


@tool_function(name="bake", returns="reply")
def bake(what: str, bakery: Bakery, ctx: CallContext) -> str:
    """Bake something."""
    return f"{ctx.sender.name}: {bakery.bake(what)}"


@tool_function(name="greet", returns="reply")
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}!"


@tool_function(name="count", returns="reply", changes_state=True, examples=("count on",))
def count(ctx: CallContext) -> str:
    """Count one further."""
    ctx.state["count"] = int(str(ctx.state.get("count", 0))) + 1
    return str(ctx.state["count"])


class Greetings:
    greet = staticmethod(greet)


async def test_a_function_is_called_with_its_services(call_tool):
    result = await call_tool(bake, Bakery(), what="bread")

    assert (result.ok, result.text) == (True, "Ann: fresh bread")


async def test_broken_arguments_are_a_failed_result(call_tool):
    result = await call_tool(greet, nam="Ann")

    assert not result.ok
    assert "name" in result.error


async def test_state_of_a_call_is_there_for_the_next(call_tool):
    await call_tool(count)

    assert (await call_tool(count)).text == "2"


async def test_one_bot_receives_several_messages(talk):
    texts = await talk("count on", "count on", functions=[count])

    assert [text.splitlines()[0] for text in texts] == ["1", "2"]


async def test_a_whole_bot_has_the_services_that_its_functions_ask_for(talk):
    script = ScriptedInterpreter([[ToolCall(id="c1", name="bake", arguments={"what": "rye"})]])

    assert await talk("bread, please", functions=[bake], services=[Bakery()], interpreter=script) == ["ann: fresh rye"]


async def test_a_whole_bot_answers_with_the_function(talk):
    script = ScriptedInterpreter([[ToolCall(id="c1", name="greet", arguments={"name": "Bo"})]])

    texts = await talk("say hello to Bo", functions=[Greetings()], interpreter=script)

    assert texts == ["Hello Bo!"]


async def test_without_an_interpreter_the_bot_is_offline(talk):
    assert "10:10" in (await talk("remind me in 10 minutes to stretch"))[0]


def test_clock_stands_until_it_is_set(fake_clock):
    assert fake_clock.now() == fake_clock.now()


@tool_function(name="burn", returns="reply", confirm=True, changes_state=True)
def burn(what: str) -> str:
    """Burn something."""
    return f"burnt {what}"


async def test_function_with_a_confirmation_asks(call_tool):
    result = await call_tool(burn, what="letters")

    assert (result.ok, result.ending) == (False, "question")


async def test_approved_call_of_a_function_with_a_confirmation_runs(call_tool):
    result = await call_tool(burn, what="letters", approved=True)

    assert (result.ok, result.text) == (True, "burnt letters")


PLUGIN = '''
from function_calls.registry import tool_function


@tool_function(returns="reply", examples=("polish the lamp",))
def polish() -> str:
    """Polish it."""
    return "polished"
'''


@pytest.fixture
def ambient(tmp_path, monkeypatch):
    """Make a working directory with a folder `plugins`, and install a package with the same plugin."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "lamp.py").write_text(PLUGIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(folder))
    info = folder / "lamp-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lamp\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[bubbles.plugins]\ninstalled_lamp = lamp\n", encoding="utf-8")
    installed_plugins.cache_clear()
    yield folder
    installed_plugins.cache_clear()


@pytest.mark.parametrize("plugins", [None, PluginSettings()])
async def test_plugins_of_the_environment_are_not_loaded(talk, ambient, plugins):
    assert "polished" not in await talk("/polish", plugins=plugins)


async def test_the_folder_that_was_asked_for_is_loaded_without_installed_ones(talk, ambient, tmp_path):
    empty = tmp_path / "empty"

    assert await talk("/polish", plugins=PluginSettings(folder=ambient)) == ["polished"]
    assert "polished" not in await talk("/polish", plugins=PluginSettings(folder=empty))


async def test_installed_plugins_are_loaded_where_they_were_asked_for(talk, ambient):
    assert await talk("/polish", plugins=PluginSettings(installed=True)) == ["polished"]
