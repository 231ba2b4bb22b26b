"""Decisions to act on a message, by its probabilities and the state of the dialogue."""

import pytest
from msgspec.structs import replace

from function_calls.understanding.dialogue.addressee import compute_probability, extract_features, is_for_bot
from function_calls.understanding.dialogue.circumstances import Circumstances
from function_calls.understanding.dialogue.intent_decision import choose_intents, is_refusal
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


FIRST_MESSAGE = Circumstances(
    context="none",
    awaits_answer=False,
    last_action="none",
    changed_subject=False,
    others=0,
    others_named_time=False,
    others_proposed_time=False,
    others_discussed_time=False,
    bot_wrote_lately=False,
    names_reminder=False,
    answers_person=False,
    follows_bot=False,
)
AFTER_ACTION = replace(FIRST_MESSAGE, context="acted", last_action="fresh", bot_wrote_lately=True, follows_bot=True)


def acted_on(read, state=FIRST_MESSAGE, *, is_addressed=False, **changed):
    state, words = replace(state, **changed), load_lexicon("en")
    if is_refusal(read, words) or not (is_addressed or is_for_bot(read, words, state)):
        return ()
    return choose_intents(read, state.context, is_addressed=is_addressed)


def probability(read, state=FIRST_MESSAGE, **changed):
    return compute_probability(extract_features(read, load_lexicon("en"), replace(state, **changed)))


def test_reminder_is_set_without_the_name_of_the_bot():
    assert acted_on(reading("remind me 5pm call mum", {"set": 0.95}, ".PWCC")) == ("set",)


def test_uncertain_unaddressed_reminder_is_ignored():
    assert acted_on(reading("remind me 5pm call mum", {"set": 0.2}, ".PWCC")) == ()


@pytest.mark.parametrize(
    ("text", "share", "tags", "intents"),
    [
        ("remind me to ring mum", 0.92, ".P.CC", ("set",)),
        ("remind me to ring mum", 0.6, ".P.CC", ()),
        ("somebody has to ring mum", 0.92, "...CC", ()),
    ],
)
def test_clear_reminder_is_set_after_talk_between_people(text, share, tags, intents):
    state = replace(AFTER_ACTION, last_action="none", changed_subject=True, others=4, follows_bot=False)

    assert acted_on(reading(text, {"set": share}, tags), state) == intents


@pytest.mark.parametrize(("names_reminder", "intents"), [(True, ("skip",)), (False, ())])
def test_unaddressed_change_has_to_name_a_reminder_of_the_chat(names_reminder, intents):
    read = reading("skip the fridge check tomorrow", {"skip": 0.97}, "..RRW")

    assert acted_on(read, names_reminder=names_reminder) == intents


def test_change_without_a_known_reminder_is_ignored():
    assert acted_on(reading("push it back an hour", {"move": 0.99}, ".R...")) == ()


def test_number_in_the_list_of_another_person_is_ignored():
    assert acted_on(reading("pause 2", {"pause": 0.99}, ".R"), bot_wrote_lately=True) == ()


@pytest.mark.parametrize("intent", ["help", "ask", "time_now"])
def test_unaddressed_question_is_ignored(intent):
    assert acted_on(reading("what do you think of reminders", {intent: 0.99})) == ()


def test_addressed_message_is_acted_on_if_probable():
    assert acted_on(reading("call mum 5pm", {"set": 0.6}, "CCW"), is_addressed=True) == ("set",)


def test_change_after_an_action_needs_no_name_of_the_bot():
    assert acted_on(reading("make it 8", {"move": 0.95}, ".RW"), AFTER_ACTION) == ("move",)


def test_bare_time_after_an_action_moves_the_reminder():
    assert acted_on(reading("8pm", {"answer_when": 0.8}, "W"), AFTER_ACTION) == ("move",)


def test_bare_time_in_answer_to_a_person_is_ignored():
    assert acted_on(reading("8pm", {"answer_when": 0.99}, "W"), AFTER_ACTION, others=1, answers_person=True) == ()


def test_bare_time_long_after_an_action_is_ignored():
    assert acted_on(reading("8pm", {"answer_when": 0.99}, "W"), AFTER_ACTION, last_action="old") == ()


def test_time_after_talk_about_times_is_ignored_unless_they_were_discussed():
    read = reading("8pm", {"answer_when": 0.99}, "W")

    assert acted_on(read, AFTER_ACTION, others=1, others_named_time=True) == ()
    assert acted_on(read, AFTER_ACTION, others=1, others_named_time=True, others_discussed_time=True) == ("move",)


def test_unaddressed_question_about_messages_of_a_person_is_ignored():
    read = reading("what did bob say", {"summary": 0.99})
    asked = MessageReading(read.text, read.tokens, read.intents, ("O", "O", "SPEAKER", "O"))

    assert acted_on(asked) == ()
    assert acted_on(asked, is_addressed=True) == ("summary",)


def test_move_answers_a_question_unless_it_names_a_reminder():
    move = {"move": 0.8}
    asked = replace(AFTER_ACTION, context="asked_when", awaits_answer=True)

    assert acted_on(reading("make that 8", move, "..W"), asked) == ("answer_when",)
    assert acted_on(reading("move milk 8", move, ".RW"), asked) == ("move",)


def test_refusal_is_no_request():
    assert acted_on(reading("don't delete it", {"delete": 0.99}, "..R"), is_addressed=True) == ()


def test_second_intent_is_tried_after_the_first():
    read = reading("milk at 6 then", {"set": 0.5, "move": 0.4})

    assert acted_on(read, is_addressed=True) == ("set", "move")


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (AFTER_ACTION, replace(AFTER_ACTION, others=2, follows_bot=False)),
        (replace(FIRST_MESSAGE, names_reminder=True), FIRST_MESSAGE),
        (AFTER_ACTION, replace(AFTER_ACTION, answers_person=True, follows_bot=False)),
    ],
)
def test_message_near_an_answer_is_more_probably_for_the_bot(more, less):
    read = reading("8pm then", {"move": 0.8}, "W.")

    assert probability(read, more) > probability(read, less)


def test_change_of_a_time_needs_an_action_before_it():
    read = reading("8pm then", {"move": 0.8}, "W.")

    assert acted_on(read, FIRST_MESSAGE) == ()
    assert acted_on(read, AFTER_ACTION) == ("move",)


@pytest.mark.parametrize("text", ["remind me 5pm cook never mind", "remind me 5pm cook, forget it"])
def test_retracted_request_is_ignored(text):
    assert acted_on(reading(text, {"set": 0.99})) == ()


def test_correction_that_begins_with_not_is_no_refusal():
    read = reading("not 6 7", {"move": 0.9}, "..W")
    corrected = MessageReading(read.text, read.tokens, read.intents, ("O", "OLD", "WHEN"))

    assert acted_on(corrected, AFTER_ACTION) == ("move",)


@pytest.mark.parametrize(("intents", "expected"), [({"delete": 0.45}, ()), ({"move": 0.5, "delete": 0.4}, ("move",))])
def test_uncertain_deletion_is_not_made(intents, expected):
    assert acted_on(reading("i don't get it", intents | {"help": 0.1}), is_addressed=True) == expected


@pytest.mark.parametrize(
    ("text", "language", "is_taken_back"),
    [
        ("push all my... nvm", "en", True),
        ("cancel the 5pm… never mind", "en", True),
        ("把五点那个……算了", "zh", True),
        ("the dentist called, forget it", "en", False),
        ("牙医那个算了", "zh", False),
    ],
)
def test_interrupted_change_is_retracted(text, language, is_taken_back):
    assert is_refusal(reading(text, {"delete": 0.9}), load_lexicon(language)) == is_taken_back


@pytest.mark.parametrize(
    ("text", "language", "intent", "is_refused"),
    [
        ("hey don't delete it", "en", "delete", True),
        ("oh please delete it", "en", "delete", False),
        ("but don't remind me again", "en", "delete", False),
        ("hey don't skip it", "en", "skip", True),
        ("hey don't remind me", "en", "skip", False),
        ("don't send it this time", "en", "skip", False),
        ("che no lo borres", "es", "delete", True),
        ("ey no me borres nada jaja", "es", "skip", True),
        ("oye no me recuerdes más", "es", "delete", False),
        ("哎别删那个", "zh", "delete", True),
        ("那别跳过", "zh", "skip", True),
    ],
)
def test_refusal_may_follow_interjections(text, language, intent, is_refused):
    assert is_refusal(reading(text, {intent: 0.9}), load_lexicon(language)) == is_refused


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [("no ponlo a las 8", False), ("no cambiá eso", False), ("no lo pongas a las 8", True), ("no está bien", True)],
)
def test_no_before_an_affirmative_imperative_refuses_nothing(text, is_refused):
    assert is_refusal(reading(text, {"move": 0.9}), load_lexicon("es")) == is_refused
