"""The project's own labelled messages: how they are judged, and the share of them that is read rightly.

The files have messages that the models misread when they were labelled. Each share below was reached once, rounded down
to a whole percent: it may only rise.
"""

import pytest

from benchmarks.evaluation.own_sentences import (
    OwnSentence,
    SentenceReading,
    WantedCall,
    load_own_sentences,
    read_sentences,
)
from benchmarks.evaluation.reports import format_own_sentence_report
from function_calls.tools.calls import Interpretation, ToolCall

SHARES = {"en": 0.30, "zh": 0.66}
WANTED = OwnSentence(text="delete 2", calls=(WantedCall(tool="reminder_delete", arguments={"reminder_id": "2"}),))


def read(*references):
    calls = tuple(ToolCall(id=each, name="reminder_delete", arguments={"reminder_id": each}) for each in references)
    return SentenceReading(sentence=WANTED, interpretation=Interpretation(calls=calls))


@pytest.mark.parametrize("language", SHARES)
def test_share_of_own_sentences_read_rightly_does_not_fall(language):
    every = read_sentences(load_own_sentences(language), language)

    assert sum(each.is_right for each in every) / len(every) >= SHARES[language]


@pytest.mark.parametrize(
    ("references", "is_right"), [(("2",), True), (("3",), False), ((), False), (("2", "3"), False)]
)
def test_exactly_the_wanted_calls_are_right(references, is_right):
    assert read(*references).is_right == is_right


def test_messages_before_and_reminders_of_the_chat_are_known():
    behind = OwnSentence(text="make it 6pm", behind=("remind me at 5pm to buy milk",))
    delivered = OwnSentence(text="snooze 10 minutes", delivered="buy milk")
    named = OwnSentence(text="delete the milk one", reminders=("buy milk",))

    made = [
        [call.name for call in each.interpretation.calls] for each in read_sentences((behind, delivered, named), "en")
    ]

    assert made == [["reminder_update"], ["reminder_snooze"], ["reminder_delete"]]


def test_report_shows_what_is_missed_and_the_share():
    lines = list(format_own_sentence_report({"en": [read("2"), read("3")]}, errors=5))

    assert lines[0] == "missed: 'delete 2': reminder_delete {'reminder_id': '3'}"
    assert "1/2" in lines[-1]
