"""Politeness and typing mistakes, which do not change a request."""

import pytest

from function_calls.tools.calls import ToolSpec
from tests.unit.understanding.conftest import Say

PLAIN = {
    "en": ("remind me tomorrow at 9 to ring Ada", "ring Ada"),
    "zh": ("明天早上九点提醒我给花浇水", "给花浇水"),
}
WRAPPED = [
    ("en", "would you mind, {}"),
    ("en", "{} thanks so much"),
    ("en", "{}, much appreciated"),
    ("en", "{} ❤️ 😊"),
    ("zh", "{}行不"),
    ("zh", "{}咯～"),
    ("zh", "麻烦你帮我{}哈🙏"),
]
SLIPS = [
    "remnd",
    "reimnd",
]
WITH_FIGURES = [
    ("remind me to watch 1899 tomorrow", "watch 1899"),
    ("remind me tomorrow about flight ab 1730", "flight ab 1730"),
    ("remind me to hand in form 12c-9 tomorrow", "hand in form 12c-9"),
    ("remind me about Ada's 30th tomorrow", "Ada's 30th"),
    ("明天提醒我去5号楼", "去5号楼"),
    ("设一个明天买三个苹果的提醒", "买三个苹果"),
    ("設一個明天買三個蘋果的提醒", "買三個蘋果"),
]


@pytest.mark.parametrize(("language", "around"), WRAPPED)
def test_thanks_emoji_and_particles_are_no_content(say: Say, language: str, around: str) -> None:
    text, content = PLAIN[language]

    (call,) = say(around.format(text), language=language).calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-05 09:00", content)


@pytest.mark.parametrize("slip", SLIPS)
def test_typing_mistake_is_read_as_the_intended_word(say: Say, slip: str) -> None:
    (call,) = say(f"{slip} me at 5 to ring Ada").calls

    assert (call.name, call.arguments["content"]) == ("reminder_set", "ring Ada")


def test_emoji_of_an_object_stays_in_the_content(say: Say) -> None:
    (call,) = say("remind me tomorrow to buy 🍎").calls

    assert call.arguments["content"] == "buy 🍎"


@pytest.mark.parametrize(("text", "content"), WITH_FIGURES)
def test_figures_that_name_something_stay_in_the_content(say: Say, text: str, content: str) -> None:
    (call,) = say(text).calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-05 09:00", content)


@pytest.mark.parametrize(
    ("text", "which", "day"),
    [("明天跳过提醒1", "1", "明天"), ("明天跳过第2个提醒", "2", "明天")],
)
def test_example_of_the_explanation_is_understood(say: Say, text: str, which: str, day: str) -> None:
    skipping = ToolSpec(
        name="reminder_update", description="", parameters={"properties": {"reminder_id": {}, "skip": {}}}
    )

    (call,) = say(text, is_addressed=True, tools=(skipping,)).calls

    assert call.arguments == {"reminder_id": which, "skip": day}
