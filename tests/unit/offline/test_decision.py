"""Whether a message is acted on, by its probabilities and whom it speaks to."""

import pytest

from function_calls.understanding.dialogue.decision import THRESHOLDS, Circumstances, decide
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.message import MessageReading
from function_calls.understanding.reading.tokens import Token


def reading(text, intents, tags=""):
    """Read `text` as these intents; `tags` has one letter a word: P(erson), W(hen), C(ontent), R(ef), or a dot."""
    names = {"P": "PERSON", "W": "WHEN", "C": "CONTENT", "R": "REF", ".": "O"}
    tokens, at = [], 0
    for word in text.split():
        tokens.append(Token(at, at + len(word), word.lower()))
        at += len(word) + 1
    shares = (*intents.items(), ("none", 1 - sum(intents.values())))
    return MessageReading(
        text,
        tuple(tokens),
        tuple(sorted(shares, key=lambda each: -each[1])),
        tuple(names[tag] for tag in tags or "." * len(tokens)),
    )


def acted_on(
    read,
    *,
    context="none",
    is_addressed=False,
    is_asked=False,
    is_next=False,
    is_known=True,
    names_reminder=False,
):
    said = Circumstances(
        context=context,
        is_addressed=is_addressed,
        is_asked=is_asked,
        is_next=is_next,
        is_alone=is_next,
        is_known=is_known,
        names_reminder=names_reminder,
    )
    return decide(read, load_lexicon("en"), said).intents


def test_reminder_is_set_without_the_bots_name():
    assert acted_on(reading("remind me 5pm call mum", {"set": 0.95}, ".PWCC")) == ("set",)


def test_unsure_reminder_to_nobody_is_left_alone():
    assert acted_on(reading("remind me 5pm call mum", {"set": 0.55}, ".PWCC")) == ()


def test_reminder_to_nobody_needs_a_word_such_as_remind():
    assert acted_on(reading("ping me 5pm", {"set": 0.95}, "..W")) == ()


def test_wake_up_call_to_nobody_needs_no_such_word():
    assert acted_on(reading("wake me 5pm", {"set": 0.95}, ".PW")) == ("set",)


def test_unknown_words_are_talk():
    assert acted_on(reading("delete all reminders zork", {"delete": 0.85}), is_known=False) == ()


@pytest.mark.parametrize(("names_reminder", "intents"), [(True, ("skip",)), (False, ())])
def test_change_to_nobody_has_to_name_a_reminder_of_the_chat(names_reminder, intents):
    read = reading("skip the fridge check tomorrow", {"skip": 0.95}, "..RRW")

    assert acted_on(read, names_reminder=names_reminder) == intents


@pytest.mark.parametrize("intent", ["help", "ask", "time_now"])
def test_question_to_nobody_is_for_people(intent):
    assert acted_on(reading("what do you think of reminders", {intent: 0.99})) == ()


def test_addressed_message_is_acted_on_when_it_is_more_likely_than_not():
    assert acted_on(reading("call mum 5pm", {"set": 0.6}, "CCW"), is_addressed=True) == ("set",)


def test_change_right_after_an_action_needs_no_name():
    assert acted_on(reading("make it 8", {"move": 0.8}, ".RW"), context="acted") == ("move",)


def test_bare_time_right_after_an_action_moves():
    assert acted_on(reading("8pm", {"answer_when": 0.8}, "W"), context="acted") == ("move",)


def test_answer_to_a_question_may_be_less_certain():
    read = reading("in 15 minutes to move the car", {"answer_when": 0.55})

    assert acted_on(read, context="asked_when", is_asked=True) == ("answer_when",)
    assert acted_on(read, context="asked_when") == ()


def test_move_answers_a_question_unless_it_names_a_reminder():
    move = {"move": 0.8}

    assert acted_on(reading("make that 8", move, "..W"), context="asked_when", is_asked=True) == ("answer_when",)
    assert acted_on(reading("move milk 8", move, ".RW"), context="asked_when", is_asked=True) == ("move",)


def test_refusal_is_no_request():
    assert acted_on(reading("don't delete it", {"delete": 0.99}, "..R"), is_addressed=True) == ()


def test_second_intent_is_tried_where_the_first_does_not_fit():
    read = reading("milk at 6 then", {"set": 0.5, "move": 0.4})

    assert acted_on(read, is_addressed=True) == ("set", "move")


def test_less_is_asked_of_a_message_the_more_it_is_for_the_bot():
    order = ["addressed", "answering", "next", "going_on", "trigger", "nobody"]

    assert [THRESHOLDS[each].request for each in order] == sorted(each.request for each in THRESHOLDS.values())


def test_bare_change_counts_as_the_next_message():
    read = reading("nine then", {"move": 0.55}, "W.")
    assert acted_on(read, context="acted", is_next=True) == ("move",)
    assert acted_on(read, context="acted") == ()


def test_more_words_than_a_change_need_to_be_more_certain():
    assert acted_on(reading("nine costs money", {"move": 0.55}, "W.."), context="acted", is_next=True) == ()


def test_one_more_request_counts_as_the_next_message():
    read = reading("and 5pm feed cat", {"set": 0.8}, ".WCC")
    assert acted_on(read, context="acted", is_next=True) == ("set",)
    assert acted_on(read, context="acted") == ()


@pytest.mark.parametrize("text", ["remind me 5pm cook never mind", "remind me 5pm cook, forget it"])
def test_request_taken_back_in_the_same_breath_is_none(text):
    assert acted_on(reading(text, {"set": 0.99})) == ()


def test_correction_that_begins_with_not_is_no_refusal():
    read = reading("not 6 7", {"move": 0.9}, "..W")
    corrected = MessageReading(read.text, read.tokens, read.intents, ("O", "OLD", "WHEN"))

    assert acted_on(corrected, context="acted") == ("move",)


def test_changes_of_the_person_go_on_in_silence():
    assert acted_on(reading("8pm", {"move": 0.55}, "W"), context="acted", is_next=True) == ("move",)


@pytest.mark.parametrize(("intents", "expected"), [({"delete": 0.45}, ()), ({"move": 0.5, "delete": 0.4}, ("move",))])
def test_unsure_deletion_is_not_done(intents, expected):
    assert acted_on(reading("i don't get it", intents | {"help": 0.1}), is_addressed=True) == expected
