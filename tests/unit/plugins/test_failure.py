"""Errors of a plugin, as one line with the next step."""

import pytest
from loguru import logger

from bot.plugins.guard import PluginGuard, switch_of
from bot.testing.clocks import LoopClock
from function_calls.tools.dispatch.events import Event
from function_calls.tools.policy import ToolSwitches
from services.kernel.chat import ChatAddress
from services.kernel.state import MemoryStateStore
from tests.unit.plugins.conftest import DICE

pytestmark = pytest.mark.looptime

OPTIONS = """
    from pydantic import BaseModel, Field


    class Options(BaseModel):
        word: str = Field(description="What it says.")
        times: int = 1


    def setup(add):
        add.settings(Options)
    """
PIGEON = """
    from bot.testing.platform import FakePlatform


    def setup(add):
        add.platforms.append(FakePlatform(add.clock, name="{name}"))
    """


@pytest.fixture
def clock():
    return LoopClock()


@pytest.fixture
def logged():
    records = []
    sink = logger.add(lambda line: records.append(line.record), level="DEBUG")
    yield records
    logger.remove(sink)


async def reports_of(rig, name, **plugins):
    """Return the report about one plugin, and check that the others work."""
    async with rig.running(**plugins) as app:
        assert await rig.say("throw the dice") == "a four"
        return next(each.plugin.error for each in app.plugins.plugins if each.plugin.name == name)


MARKED_CLASS = """
    from function_calls.registry import tool_function


    @tool_function(returns="reply")
    class Dice:
        pass
    """
AGENT = """
    from function_calls import Agent


    def setup(add):
        add.functions.append(Agent("helper", model=add.model))
    """
CALLED = DICE + "\n\n    def setup(add):\n        add.functions.append(throw_dice())"
FAILURES = [
    ("def broken(:", "line 1: invalid syntax: def broken(:"),
    (
        "import no_such_package",
        "it needs the package no_such_package, which is not installed: pip install no_such_package",
    ),
    ("from sklearn import svm", "pip install scikit-learn"),
    ("import bot.plugns", "it imports bot.plugns, and bot has no such module"),
    ("import dice", "write `from . import dice`"),
    ("import json\njson.loads('{')", "JSONDecodeError: Expecting property name"),
    ("def setup(add):\n    raise RuntimeError('boom\\nbang')", "RuntimeError: boom bang ("),
    ("def setup(add):\n    raise RuntimeError('boom')", "line 2 in setup())"),
    ("def setup(add):\n    raise RuntimeError", "RuntimeError ("),
    ("def setup(add):\n    add.function.append(setup)", "did you mean add.functions?"),
    ("def setup(add):\n    add.listeners.append('x')", "add.listeners takes (event, function), not 'x'"),
    ("def setup(add):\n    add.jobs.append(setup)", "add.jobs takes (name, function), not <function setup"),
    ("def setup(add):\n    add.toolsets['x'] = 3", "add.toolsets takes a toolset, an object with list_specs and call"),
    ("def setup(add):\n    add.tool_hooks.after.append(None)", "add.tool_hooks.after takes a function, not None"),
    ("def setup(add):\n    add.services.append(str)", "add.services takes an object of a class, such as Tea(…), not"),
    ("def setup(add):\n    add.on_close.append(dict)", "add.on_close takes a function, not a class; write dict(…)"),
    ("class Tea: ...\ndef setup(add):\n    add.functions.append(Tea)", "Tea is a class; register a function or an"),
    (AGENT, "Agent is an agent and no tool; write AgentTool(…) around it"),
    (
        "def setup(add):\n    add.listeners.append(('tool.calls', print))",
        "no event tool.calls; did you mean tool.call?",
    ),
    ("def setup(add):\n    add.listeners.append(('x', print))", "no event x; there are: tool.call, tool.start, tool."),
    (
        "def look(call): ...\ndef setup(add):\n    add.tool_hooks.after.append(look)",
        "add.tool_hooks.after is called as look(call, context, result), and look takes (call)",
    ),
    (
        "def look(event, more): ...\ndef setup(add):\n    add.listeners.append(('*', look))",
        "add.listeners is called as look(event), and look takes (event, more)",
    ),
    ("from bubbles import tool_function", "there is no module bubbles: write `from function_calls import …`"),
    ("def setup(add):\n    add.functions = setup", "add.functions is a list, to which add.functions.append(…) adds"),
    ("def setup():\n    pass", "its setup has to take what it adds to; write `def setup(add):`"),
    ("word = Feild", "NameError: name 'Feild' is not defined"),
    ("from pydantic import Field\nword = Feild", "did you mean Field?"),
    ("def pour(cups: integer): ...", "did you mean int?"),
    (DICE.replace("returns=", "return_="), "did you mean returns?"),
    (MARKED_CLASS, "register a function or an instance of a class tool"),
    (CALLED, "throw_dice(…) was called; give the function itself, without brackets"),
    ("async def setup(add):\n    pass", "write it without async"),
    ("import sys\nsys.exit('no key')", "it ends the program (sys.exit('no key')) instead of raising an error"),
    (
        DICE.replace("throw_dice", "reminder_set"),
        "a function reminder_set is registered already, by the bot or by functions=[…] of the program; rename it",
    ),
    (DICE, "its function throw_dice has the name of one of plugin dice; rename one of them"),
]


@pytest.mark.parametrize(("text", "expected"), FAILURES)
async def test_error_is_one_line_with_a_correction(rig, logged, text, expected):
    rig.write("dice", DICE)
    rig.write("mistaken", text)
    report = await reports_of(rig, "mistaken")

    assert expected in report
    lines = [each for each in logged if "mistaken" in each["message"] and each["level"].name != "DEBUG"]
    assert [each["message"] for each in lines] == [f"plugin mistaken not loaded: {report}"]
    assert [each["level"].name for each in lines] == ["ERROR"]
    assert all(each["exception"] is None for each in lines)
    assert "\n" not in report


async def test_trace_of_a_failure_is_logged_at_debug(rig, logged):
    rig.write("dice", DICE)
    rig.write("mistaken", "def setup(add):\n    raise RuntimeError('boom')")
    await reports_of(rig, "mistaken")

    (traced,) = (each for each in logged if each["exception"] is not None)
    assert traced["level"].name == "DEBUG"
    assert str(traced["exception"].value) == "boom"


async def test_binary_file_is_reported_as_such(rig):
    rig.write("dice", DICE)
    (rig.folder / "mistaken.py").write_bytes(b"word = '\xff'")

    assert await reports_of(rig, "mistaken") == "its file is not UTF-8 text (byte 9)"


async def test_two_functions_of_one_name_in_one_plugin_are_distinguished(rig):
    rig.write("dice", DICE)
    twice = DICE.replace("throw_dice", "roll").replace("async def roll", "async def first")
    rig.write("mistaken", twice + twice.replace("first", "second").replace('returns="reply"', 'name="first"'))

    assert await reports_of(rig, "mistaken") == "two of its functions are called first; rename one of them"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "word is missing (str: What it says.)"),
        ({"wrod": "x"}, "word is missing (str: What it says.); wrod is given, did you mean word?"),
        ({"word": "x", "tmies": 3}, "tmies is not read; did you mean times?"),
        ({"times": "often"}, "word is missing (str: What it says.); times: Input should be a valid integer"),
    ],
)
async def test_wrong_options_are_all_named_with_the_expected_values(rig, options, expected):
    rig.write("dice", DICE)
    rig.write("polite", OPTIONS)
    report = await reports_of(rig, "polite", options={"polite": options})

    assert report.startswith(f"settings: plugins.options.polite: {expected}")
    assert "often" not in report  # an option may be a secret


async def test_a_platform_of_a_name_that_is_taken_leaves_its_plugin_out(rig, logged):
    rig.write("dice", DICE)
    rig.write("mistaken", PIGEON.format(name="fake"))
    report = await reports_of(rig, "mistaken")

    assert report == "its platform fake has a name that the bot has; give it another"
    assert f"plugin mistaken not loaded: {report}" in [each["message"] for each in logged]


async def test_two_plugins_with_one_platform_do_not_share_its_name(rig):
    rig.write("dice", DICE)
    rig.write("pigeon", PIGEON.format(name="pigeon"))
    rig.write("stork", PIGEON.format(name="pigeon"))

    assert await reports_of(rig, "stork") == "its platform pigeon has a name that plugin pigeon has; give it another"


async def test_ignored_one_of_two_plugins_with_one_name_is_reported(rig, logged):
    rig.write("dice", DICE)
    (rig.folder / "dice").mkdir()
    (rig.folder / "dice" / "__init__.py").write_text("raise RuntimeError")
    await reports_of(rig, "dice")

    (line,) = (each for each in logged if each["level"].name == "WARNING")
    assert line["message"] == f"plugin dice: {rig.folder / 'dice'} is overridden by {rig.folder / 'dice.py'}"


async def test_new_version_with_a_taken_name_is_told_its_owner(rig):
    rig.write("dice", DICE)
    rig.write("coin", DICE.replace("throw_dice", "throw_coin"))
    async with rig.running():
        rig.write("coin", DICE)
        await rig.watch.check()

    assert rig.reports[0].error.startswith("its function throw_dice has the name of one of plugin dice")


async def test_unknown_disabled_plugin_is_reported_at_the_start(rig, logged):
    rig.write("dice", DICE)
    async with rig.running(disabled=("dcie",), options={"dyce": {}}, owners=("telegarm:1", "telegram:2", "fake:3")):
        pass

    warnings = [each["message"] for each in logged if each["level"].name == "WARNING"]
    assert warnings == [
        "settings: plugins.disabled: there is no plugin named dcie; did you mean dice?",
        "settings: plugins.options.dyce: there is no plugin named dyce; did you mean dice?",
        "settings: bot.owners: there is no platform named telegarm; did you mean telegram?",
    ]


async def test_disabled_plugin_is_no_warning(rig, logged):
    rig.write("dice", DICE)
    async with rig.running(disabled=("dice",)):
        pass

    assert [each for each in logged if each["level"].name == "WARNING"] == []


SILENT = """
    from function_calls.registry import tool_function


    @tool_function(returns="reply")
    async def roll() -> str:
        return "a four"
    """


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (SILENT, "roll has no docstring, so a model does not know when to call it"),
        ("async def roll() -> str: ...", "it adds nothing: @tool_function is missing above roll"),
        ("def setup(add):\n    pass", "it adds nothing: its setup(add) appends nothing to any list of add"),
        ("word = 1", "it adds nothing: it has no function under @tool_function, and no setup(add)"),
        (f"{SILENT}\n\n    def set_up(add): ...", "set_up(add) is not called; the function must be named setup"),
    ],
)
async def test_probable_mistake_is_a_warning(rig, logged, text, hint):
    rig.write("mistaken", text)
    async with rig.running():
        pass

    assert f"plugin mistaken: {hint}" in [each["message"] for each in logged if each["level"].name == "WARNING"]


UNTYPED = DICE.replace("throw_dice()", "throw_dice(count, sides: int = 6)")


async def test_parameter_without_a_type_is_warned_of(rig, logged):
    rig.write("dice", UNTYPED)
    async with rig.running():
        pass

    warnings = [each["message"] for each in logged if each["level"].name == "WARNING"]
    assert warnings == [
        "plugin dice: count of throw_dice has no type, so a model may pass anything; write count: str, int, …"
    ]


FAILING = """
    def fail(*given):
        raise RuntimeError("bug")


    def setup(add):
        add.{place}.append({value})
    """


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("tool_hooks.before", "fail", "plugin broken failed in its hook before a tool (fail)"),
        ("tool_hooks.after", "fail", "plugin broken failed in its hook after a tool (fail)"),
        ("listeners", "('tool.call', fail)", "plugin broken failed in its listener of tool.call (fail)"),
    ],
)
async def test_log_names_the_plugin_whose_hook_failed(rig, logged, place, value, expected):
    rig.write("dice", DICE)
    rig.write("broken", FAILING.format(place=place, value=value))
    async with rig.running():
        await rig.say("throw the dice")

    assert [each["message"] for each in logged if each["level"].name == "ERROR"] == [expected]


@pytest.mark.parametrize("address", ["dingtalk:cidA/b==", "slack:C1/17.5"])
async def test_plugin_hears_no_events_of_a_chat_where_it_is_off(clock, address):
    switches, events = ToolSwitches(MemoryStateStore(clock), clock), []
    chat = ChatAddress.of_key(address.removesuffix("/17.5"))
    await switches.switch(chat, switch_of("dice"), is_on=False)
    listener = PluginGuard("dice", switches).listener(events.append)

    for each in (address, "slack:C2/17.5"):
        await listener(Event(name="tool.start", data={}, chat=each, message_id="1", at=clock.now()))

    assert [event.chat for event in events] == ["slack:C2/17.5"]
