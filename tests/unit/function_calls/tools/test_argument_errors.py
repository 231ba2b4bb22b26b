"""Errors of arguments in the language of the person: one line each, with a correct example."""

from datetime import UTC, datetime
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, Field

from bot.app.registry import built_in_registry
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from bot.testing.turns import make_turn
from function_calls.conversation.slash_commands import parse_tool_command
from function_calls.language.messages import catalogue
from function_calls.registry import Registry, tool_function
from function_calls.tools.errors import ArgumentsInvalid
from function_calls.tools.validation.argument_messages import invalid_arguments_text
from function_calls.tools.validation.schema_validator import SchemaValidator


def sweet(value: str) -> str:
    if value == "salt":
        raise ValueError("no salt / 茶里不放盐")
    return value


@tool_function(name="pour_tea", examples=("pour {cups} cups", "pour some tea", "倒茶"))
async def pour_tea(
    kind: Literal["green", "black"],
    cups: Annotated[int, Field(ge=1, le=6)] = 1,
    extra: Annotated[str, AfterValidator(sweet)] = "",
    until: str | None = None,
) -> str:
    """Pour tea."""
    return "🍵"


@pytest.fixture
def tool():
    registry = Registry()
    registry.collect(pour_tea)
    return registry.get("pour_tea")


def error_lines(tool, language, arguments):
    """Return the lines shown to a person for errors of the second check."""
    with pytest.raises(ArgumentsInvalid) as error:
        tool.instantiate(arguments)
    return invalid_arguments_text(language, tool.spec, error.value.errors).splitlines()


CASES = [
    ({}, "• It needs kind.", "• 还需要 kind。"),
    (
        {"kind": "gren"},
        '• kind: Must be one of: green, black. You gave "gren".',
        '• kind：应该是 green、black。收到的是 "gren"。',
    ),
    (
        {"kind": "green", "cups": 9},
        "• cups: Must be at most 6. You gave 9.",
        "• cups：最多是 6。收到的是 9。",
    ),
    (
        {"kind": "green", "cups": "many"},
        '• cups: Must be a number. You gave "many".',
        '• cups：应该是数字。收到的是 "many"。',
    ),
    (
        {"kind": "green", "extra": "salt"},
        "• extra: no salt / 茶里不放盐",
        "• extra：no salt / 茶里不放盐",
    ),
    (
        {"kind": "green", "until": 3},
        "• until (until when): Must be text. You gave 3.",
        "• until（到什么时候）：应该是文字。收到的是 3。",
    ),
]


@pytest.mark.parametrize(("arguments", "english", "chinese"), CASES)
def test_error_is_shown_in_the_language_of_the_person(tool, arguments, english, chinese):
    assert error_lines(tool, "en", arguments) == [
        "I could not run pour_tea:",
        english,
        "Write it like this: pour some tea",
    ]
    assert error_lines(tool, "zh", arguments) == ["没能执行 pour_tea：", chinese, "可以这样写：倒茶"]


def test_both_checks_report_the_same_errors(tool):
    wrong = {"kind": "green", "cups": 9}
    first = SchemaValidator(tool.spec.parameters).validate(wrong)

    assert invalid_arguments_text("zh", tool.spec, first).splitlines() == error_lines(tool, "zh", wrong)


def test_each_argument_is_reported_once_in_order(tool):
    lines = error_lines(tool, "en", {"cups": 0, "extra": 3})

    assert [line.partition(":")[0] for line in lines[1:-1]] == ["• It needs kind.", "• cups", "• extra"]


def test_tool_without_an_example_in_the_language_is_shown_as_a_command(tool):
    @tool_function(name="stir", examples=("stir the tea",))
    async def stir(cup: str, times: Annotated[int, Field(le=9)] = 1, spoon: str = "") -> str:
        """Stir."""
        return cup

    registry = Registry()
    registry.collect(stir)

    assert error_lines(registry.get("stir"), "zh", {"times": 10})[-1] == "可以这样写：/stir cup=… times=…"


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/pour_tea kind=green cups=9", ["• cups: Must be at most 6. You gave 9."]),
        ("/pour_tea cups=9", ["• It needs kind.", "• cups: Must be at most 6. You gave 9."]),
        ("/pour_tea kind=绿茶 cups=2", ['• kind：应该是 green、black。收到的是 "绿茶"。']),
    ],
)
async def test_errors_without_a_model_are_in_one_language(text, lines):
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(clock=clock, platforms=[platform], functions=[pour_tea]):
        await platform.say(text, is_private=True)

    assert platform.texts[0].splitlines()[1:-1] == lines


BUILT_IN = built_in_registry()
COMMANDS = [
    (key.removeprefix("command."), command)
    for language in ("en", "zh", "es")
    for key, command in catalogue(language).items()
    if key.startswith("command.")
]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_command_shown_as_an_example_is_valid(name, command):
    call = parse_tool_command(make_turn(command, tools=BUILT_IN.specs))

    assert call.name == name
    BUILT_IN.get(name).instantiate(call.arguments)


@pytest.mark.looptime
@pytest.mark.parametrize(("before", "answer"), [("今天吃什么", "没能执行"), ("what is for lunch", "I could not run")])
async def test_command_is_answered_in_the_language_of_the_previous_message(before, answer):
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(clock=clock, platforms=[platform], functions=[pour_tea]):
        await platform.say(before)
        await platform.say("/pour_tea cups=9 kind=green")

    assert platform.texts[-1].startswith(answer)


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/pour_te", "There is no command /pour_te. Did you mean /pour_tea?"),
        ("/Pour_Tea kind=green", "There is no command /Pour_Tea. Did you mean /pour_tea?"),
        ("/reminder_sett type=once content=喝水", "没有 /reminder_sett 这个命令。是不是 /reminder_set"),
        ("/start", "I can remind, search and sum up."),
        ("/pour me some", "There is no command /pour. Did you mean /pour_tea?"),
    ],
)
async def test_mistyped_command_is_asked_about(text, answer):
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(clock=clock, platforms=[platform], functions=[pour_tea]):
        await platform.say(text, is_private=True)

    assert platform.texts[0].startswith(answer)


@pytest.mark.looptime
async def test_mistyped_command_in_a_group_is_not_answered():
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(clock=clock, platforms=[platform], functions=[pour_tea]):
        await platform.say("/pour_te")

    assert platform.texts == []


@pytest.mark.looptime
async def test_tool_names_in_a_command_do_not_change_the_language():
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(clock=clock, platforms=[platform]):
        await platform.say("你好呀，大家好")
        await platform.say("/tools off summary")

    assert platform.texts == ["只有群管理员可以开关工具。"]
