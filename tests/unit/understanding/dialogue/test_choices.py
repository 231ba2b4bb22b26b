"""Choices between offered times, and references to reminders of the chat."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from function_calls.understanding.dialogue.choices import choose_options
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.message import Situation, load_models, read_message
from function_calls.understanding.requests.chat_reminders import ChatReminders
from services.time_expressions import parse_all
from tests.unit.understanding.dialogue.test_group_dialogues import reminder

ZONE = ZoneInfo("Europe/London")
NOW = datetime(2026, 11, 24, 14, 10, tzinfo=ZONE)


def choose_hours(answer, language="en"):
    """Return the hours of tomorrow that `answer` chooses of 08:00 and 20:00."""

    def times(text):
        return parse_all(text, NOW, language=language)

    options = parse_all("tomorrow at 8", NOW, language="en")[0].readings
    situation = Situation(context="asked_when", is_addressed=False)
    read = read_message(answer, NOW, situation, load_models(language), parse_all, language)
    return [each.start.hour for each in choose_options(read, options, load_lexicon(language), times)]


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("2", "en"),
        ("#2", "en"),
        ("hmm 2", "en"),
        ("number two please", "en"),
        ("the second one", "en"),
        ("evening obviously", "en"),
        ("tomorrow evening", "en"),
        ("the later one", "en"),
        ("pm", "en"),
        ("8pm", "en"),
        ("no, 8pm", "en"),
        ("２", "en"),
        ("我选2", "zh"),
        ("第二个吧", "zh"),
        ("2，谢谢", "zh"),
        ("晚上的", "zh"),
        ("明晚", "zh"),
        ("晚上八点", "zh"),
    ],
)
def test_answer_chooses_the_later_time(answer, language):
    assert choose_hours(answer, language) == [20]


@pytest.mark.parametrize(("answer", "language"), [("both", "en"), ("both of them", "en"), ("两个都要", "zh")])
def test_answer_chooses_both_times(answer, language):
    assert choose_hours(answer, language) == [8, 20]


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("not 2", "en"),
        ("later", "en"),
        ("3", "en"),
        ("0", "en"),
        ("friday evening", "en"),
        ("9pm", "en"),
        ("晚点", "zh"),
    ],
)
def test_unclear_answer_chooses_nothing(answer, language):
    assert choose_hours(answer, language) == []


@pytest.mark.parametrize("words", ["fridge", "the fridge", "abc123", "5pm", "1", "all", "both", "last one"])
def test_reference_to_a_reminder_of_the_chat_is_resolved(words):
    assert ChatReminders((reminder("check the fridge"),), NOW, parse_all).can_resolve(words)


@pytest.mark.parametrize("words", ["pizza", "7am", "zzz999"])
def test_reference_to_no_reminder_of_the_chat_is_not_resolved(words):
    assert not ChatReminders((reminder("check the fridge"),), NOW, parse_all).can_resolve(words)


def test_no_reference_is_resolved_in_a_chat_without_reminders():
    assert not ChatReminders((), NOW, parse_all).can_resolve("all")
