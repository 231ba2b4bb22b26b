"""Calls of tools by their example sentences."""

import pytest

from function_calls.tools.calls import ToolSpec
from tests.unit.understanding.conftest import Say

DICE = ToolSpec(
    name="roll_dice",
    description="Roll dice",
    parameters={"properties": {"count": {"type": "integer"}}, "required": ["count"]},
    examples=("roll {count} (die|dice)", "掷{count}个骰子"),
)


def test_slot_of_an_example_gives_an_argument_of_its_type(say: Say) -> None:
    (call,) = say("Roll 3 dice!", tools=(DICE,)).calls

    assert (call.name, call.arguments) == ("roll_dice", {"count": 3})


def test_chinese_example_calls_its_tool(say: Say) -> None:
    (call,) = say("掷2个骰子", tools=(DICE,)).calls

    assert call.arguments == {"count": 2}


def test_example_inside_a_longer_sentence_is_no_call(say: Say) -> None:
    assert say("I saw him roll 3 dice yesterday", tools=(DICE,)).calls == ()


def test_example_without_a_required_argument_is_no_call(say: Say) -> None:
    tool = ToolSpec(name="roll_dice", description="", parameters=DICE.parameters, examples=("roll the dice",))

    assert say("roll the dice", tools=(tool,)).calls == ()


def test_malformed_example_is_ignored(say: Say) -> None:
    tool = ToolSpec(name="odd", description="", parameters={}, examples=("(unclosed",))

    assert say("(unclosed", tools=(tool,)).calls == ()


def test_example_has_priority_over_the_models(say: Say) -> None:
    forget = ToolSpec(name="forget_me", description="", parameters={}, examples=("delete everything about me",))
    keep = ToolSpec(name="history_opt_in", description="", parameters={}, examples=("恢复记录我的消息",))

    (english,) = say("Delete everything about me!", tools=(forget,)).calls
    (chinese,) = say("恢复记录我的消息", tools=(keep,)).calls

    assert (english.name, chinese.name) == ("forget_me", "history_opt_in")


@pytest.mark.parametrize(
    "days", [{"type": "integer"}, {"type": ["integer", "null"]}, {"anyOf": [{"type": "integer"}, {"type": "null"}]}]
)
def test_optional_number_is_read_as_a_number(say: Say, days: dict[str, object]) -> None:
    tool = ToolSpec(
        name="keep", description="", parameters={"properties": {"days": days}}, examples=("keep it {days} days",)
    )

    (call,) = say("keep it 30 days", tools=(tool,)).calls

    assert call.arguments == {"days": 30}
