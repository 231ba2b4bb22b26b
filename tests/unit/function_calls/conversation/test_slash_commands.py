"""Slash commands that call functions by name."""

import pytest

from bot.testing.turns import make_tool, make_turn
from function_calls.conversation.slash_commands import free_text, parse_tool_command
from function_calls.tools.calls import Step

TOSS = make_tool("toss", side={"type": "string"}, times={"type": "integer"}, loud={"type": "boolean"})


def arguments_of(text):
    call = parse_tool_command(make_turn(text, tools=[TOSS]))
    return None if call is None else dict(call.arguments)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("/toss", {}),
        ("/toss side=heads times=3 loud=true", {"side": "heads", "times": 3, "loud": True}),
        ('/toss side="heads or tails"', {"side": "heads or tails"}),
        ("/toss side=“正 面”  times=2", {"side": "正 面", "times": 2}),
        ("/toss@Bubbles side=heads", {"side": "heads"}),
        ("Bubbles, /toss side=heads", {"side": "heads"}),
        ("@Bubbles /toss times=3", {"times": 3}),
        ("hey Bubbles, /toss times=3", {"times": 3}),
        ("Good morning @Bubbles! /toss times=3", {"times": 3}),
        ("你好 Bubbles，/toss times=3", {"times": 3}),
        ("Hola, Bubbles: /toss times=3", {"times": 3}),
        ("/toss heads please", {"side": "heads please"}),
        ("/toss x=1", {"side": "x=1"}),
    ],
)
def test_a_function_is_called_by_its_name(text, arguments):
    assert arguments_of(text) == arguments


def test_name_of_a_function_may_have_hyphens():
    call = parse_tool_command(make_turn("/get-sum a=2", tools=[make_tool("get-sum", a={"type": "number"})]))

    assert call is not None
    assert (call.name, call.arguments) == ("get-sum", {"a": 2})


@pytest.mark.parametrize("key", ["type", "kind", "Kind", "类型", "tipo"])
def test_argument_may_have_its_displayed_name(key):
    tool = make_tool("plan", type={"type": "string"}, time={"type": "string"})

    call = parse_tool_command(make_turn(f"/plan {key}=once time=9:00", tools=[tool]))

    assert call is not None
    assert call.arguments == {"type": "once", "time": "9:00"}


@pytest.mark.parametrize(
    "text",
    [
        "toss",
        "/tossed",
        "/toss@other",
        "please /toss",
        "I told Bubbles /toss",
        "Bubbles and /toss",
        "/unknown a=b",
        "/toss-up side=heads",
        "/toss，好",
    ],
)
def test_other_text_is_left_to_the_interpreter(text):
    assert arguments_of(text) is None


def test_invalid_arguments_are_left_to_the_router():
    assert arguments_of("/toss times=often") == {"times": "often"}


def test_a_command_is_carried_out_once():
    turn = make_turn("/toss", tools=[TOSS], steps=[Step(text="", calls=(), results=())])

    assert parse_tool_command(turn) is None


@pytest.mark.parametrize("words", ["a" * 20_000, "a=" * 10_000 + "中"], ids=["one word", "many names"])
def test_command_with_a_very_long_word_is_parsed_in_bounded_time(words):
    assert arguments_of(f"/toss {words}") == {"side": words}
    assert free_text(f"/toss {words}", "Bubbles")
