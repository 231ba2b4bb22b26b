"""Commands in the menus of platforms."""

import re

import pytest
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from bot.platforms.kit.commands import (
    MAX_DESCRIPTION_LENGTH,
    MENU,
    answer_unknown_command,
    format_call,
    function_commands,
    menu_of,
)
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import NOW, build_in_memory, talk_to_bot
from bot.testing.platform import FakePlatform
from bot.testing.turns import make_tool, make_turn
from function_calls.conversation.slash_commands import parse_tool_command
from function_calls.tools.calls import ToolSpec


def make_commands(name="coin", description="", **properties):
    spec = make_tool(name, **properties)
    return function_commands([ToolSpec(name=name, description=description, parameters=spec.parameters)])


def test_every_built_in_function_has_a_command_in_both_languages():
    specs = built_in_registry().specs
    commands = menu_of(specs)[len(MENU) :]

    assert [command.name for command in commands] == [spec.name for spec in specs if spec.name != "summary"]
    assert all(re.search(r"[\u4e00-\u9fff]", command.chinese) for command in commands)
    assert not any(re.search(r"[\u4e00-\u9fff]", command.english) for command in commands)


def test_every_option_of_a_built_in_function_is_described_in_both_languages():
    options = [option for command in function_commands(built_in_registry().specs) for option in command.options]

    assert [each.name for each in options if not re.search(r"[\u4e00-\u9fff]", each.chinese)] == []
    assert [each.name for each in options if each.english == each.chinese] == []


def test_argument_may_have_another_chinese_name_in_another_function():
    commands = {each.name: each for each in function_commands(built_in_registry().specs)}
    called = {
        name: {each.name: each.chinese for each in commands[name].options} for name in ("reminder_set", "summary")
    }

    assert called["reminder_set"]["person"] == "提醒谁"
    assert called["summary"]["person"] == "只看谁的消息"


def test_discord_would_take_every_text_of_the_menu():
    for command in function_commands(built_in_registry().specs):
        texts = [command.english, command.chinese]
        texts += [text for option in command.options for text in (option.english, option.chinese)]

        assert all(0 < len(text) <= MAX_DESCRIPTION_LENGTH for text in texts)
        assert len(command.options) <= 25


def test_options_have_the_types_and_bounds_of_the_schema():
    [command] = [each for each in function_commands(built_in_registry().specs) if each.name == "reminder_set"]
    options = {option.name: option for option in command.options}

    assert options["type"].choices == ("once", "daily", "weekly")
    assert (options["weekday"].kind, options["weekday"].minimum, options["weekday"].maximum) == ("integer", 0, 6)
    assert options["urgent"].kind == "boolean"
    assert [option.is_required for option in command.options][:4] == [True, True, True, False]


def test_a_description_in_one_language_is_shown_in_both():
    [command] = make_commands(description="Toss a coin. Only when asked.")

    assert (command.english, command.chinese) == ("Toss a coin", "Toss a coin")


@pytest.mark.parametrize("name", ["With Space", "dash-ed", "Upper", "x" * 33])
def test_a_function_with_another_kind_of_name_has_no_command(name):
    assert make_commands(name=name) == ()


def test_composite_value_is_not_an_option():
    [command] = make_commands(words={"type": "array"}, side={"type": "string"})

    assert [option.name for option in command.options] == ["side"]


def test_value_of_several_types_or_null_is_not_an_option():
    [command] = make_commands(
        amount={"anyOf": [{"type": ["string", "integer"]}, {"type": "null"}]}, side={"type": "string"}
    )

    assert [option.name for option in command.options] == ["side"]


def test_a_function_that_needs_a_list_has_no_command():
    assert make_commands(required=["words"], words={"type": "array"}) == ()


LISTED = "/remind, /reminders, /summary, /search, /help, /chatname, /for, /link, /plugins, /tools, /unlink"


def test_a_name_that_is_taken_is_not_offered_twice():
    assert [command.name for command in menu_of([make_tool("help"), make_tool("dice")])[len(MENU) :]] == ["dice"]


def test_filled_form_is_a_call_of_the_function():
    values = {"type": "once", "time": "tomorrow 8", "content": 'say "hi" \\ 你好', "weekday": 3, "urgent": False}
    command = format_call("reminder_set", values)
    call = parse_tool_command(make_turn(command, tools=built_in_registry().specs))

    assert call is not None
    assert call.name == "reminder_set"
    assert dict(call.arguments) == values


def test_empty_field_is_left_out():
    assert format_call("reminder_list", {"filter": None}) == "/reminder_list"


@pytest.mark.parametrize(
    ("text", "language", "answer"),
    [
        ("/remnd", "en", "There is no command /remnd. Did you mean /remind, /reminders?"),
        ("/sumary", "es", "No hay ningún comando /sumary."),
        ("/提醒我", "zh", "没有 /提醒我 这个命令。"),
        ("/xyzzy", "en", f"There is no command /xyzzy. There are: {LISTED}"),
        ("/tols", "en", "There is no command /tols. Did you mean /tools?"),
        ("Bubbles, /xyzzy", "en", "There is no command /xyzzy."),
        ("hey Bubbles, /xyzzy", "en", "There is no command /xyzzy."),
        ("/cion", "en", "There is no command /cion. Did you mean /coin?"),
        ("/cion remind me in 5 minutes to eat", "en", "There is no command /cion. Did you mean /coin?"),
        ("/xyzzy 5分钟后提醒我喝茶", "zh", "没有 /xyzzy 这个命令。可用的命令："),
        ("/xyzzy recuérdame mañana comer", "es", "No hay ningún comando /xyzzy. Hay estos: /remind"),
        ("@Bubbles /xyzzy at 5 tea", "en", "There is no command /xyzzy."),
    ],
)
async def test_unknown_command_is_named_and_the_nearest_are_offered(text, language, answer):
    turn = replace(make_turn(text, tools=[make_tool("coin")]), language=language)

    reply = await answer_unknown_command(turn)

    assert reply is not None
    assert reply.text.startswith(answer)


@pytest.mark.parametrize(
    "text",
    [
        "/coin",
        "/help",
        "/tools",
        "/提醒",
        "/remindme",
        "@Bubbles /coin",
        "/foo@other",
        "/home/x is full",
        "/tmp is full",
        "hello",
        "/",
    ],
)
async def test_known_command_and_other_texts_are_left_to_others(text):
    assert await answer_unknown_command(make_turn(text, tools=[make_tool("coin")])) is None


async def test_unknown_command_in_a_group_is_answered_only_if_it_names_the_bot():
    turn = make_turn("/xyzzy")
    group = replace(turn, message=replace(turn.message, is_addressed=False))
    named = replace(group, message=replace(group.message, text=f"/xyzzy@{turn.bot_name}"))

    assert await answer_unknown_command(group) is None
    assert await answer_unknown_command(named) is not None


@pytest.mark.parametrize(
    "text",
    [
        "/xyzzy remind me in 5 minutes to eat",
        "/xyzzy@other remind me in 5 minutes to eat",
        "/remind@other in 5 minutes tea",
    ],
)
@pytest.mark.looptime
async def test_command_for_another_bot_of_a_group_is_not_read_as_a_sentence(text):
    clock = LoopClock(NOW)
    platform = FakePlatform(clock)
    async with build_in_memory(platforms=[platform], clock=clock):
        await platform.say(text)

    assert platform.texts == []


async def test_private_command_that_names_another_bot_is_unknown():
    [text] = await talk_to_bot("/remind@other in 5 minutes tea")

    assert text.startswith("There is no command /remind@other. Did you mean /remind")
