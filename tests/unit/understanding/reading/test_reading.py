"""Intents and tags that the trained models read in requests."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.understanding.generator import Grammar
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.message import Situation, load_models, read_message
from function_calls.understanding.reading.names import strip_calls
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.time_words import parse_amount, parse_time, parse_times
from function_calls.understanding.reading.tokens import find_time_spans, mark_seconds, tokenize
from services.time_expressions import parse_all

NOW = datetime(2026, 11, 24, 14, 10, tzinfo=ZoneInfo("Europe/London"))
LANGUAGES = ("en", "zh")


def read(text, language="en", context="acted"):
    situation = Situation(context=context, is_addressed=False)
    return read_message(text, NOW, situation, load_models(language), parse_all, language)


def times_in(text):
    return parse_all(text, NOW, language="en")


@pytest.mark.parametrize(
    ("text", "language", "intent"),
    [
        ("ugh, totally forgot: remind me to water the ferns at 6", "en", "set"),
        ("could you shift the ferns to half past seven", "en", "move"),
        ("scrap the ferns one please", "en", "delete"),
        ("my ferns look better than yours", "en", "none"),
        ("哎对了，晚上八点提醒我给绿萝浇水", "zh", "set"),
        ("绿萝那个挪到九点吧", "zh", "move"),
        ("绿萝的不要了", "zh", "delete"),
        ("你家绿萝长得真好", "zh", "none"),
    ],
)
def test_intent_is_the_most_probable_one(text, language, intent):
    assert read(text, language).intent == intent


def test_probabilities_of_the_intents_add_up_to_one():
    assert sum(share for _, share in read("move it to 6").intents) == pytest.approx(1)


def test_words_of_a_request_have_tags():
    reading = read("remind bob tomorrow at 9 to water the ferns", context="none")

    assert (reading.words("PERSON"), reading.words("WHEN")) == ("bob", "tomorrow at 9")
    assert extract_content(reading, load_lexicon("en")) == "water the ferns"


def token_forms(text):
    spans = find_time_spans(parse_all(text, mark_seconds(NOW), language="en"))
    return [token.form for token in tokenize(text, spans, {})]


def test_time_expression_is_one_token_of_its_kind():
    assert (token_forms("call in 10 minutes"), token_forms("call at 5")) == (["call", "@offset"], ["call", "@clock"])


def test_noun_at_the_head_of_a_time_expression_is_a_token():
    assert token_forms("quiz night on Friday at 8") == ["quiz", "night", "@dayclock"]
    assert extract_content(read("remind us of quiz night on Friday at 8"), load_lexicon("en")) == "quiz night"


def test_traditional_characters_are_folded():
    folding = load_models("zh").folding

    assert [token.form for token in tokenize("提醒我買票", (), folding)] == list("提醒我买票")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("买票不用了 室友帮我抢", "买票不用了，室友帮我抢"),
        ("我去 你呢", "我去，你呢"),
        ("我 想 买 票", "我想买票"),
        ("添加 专辑 到 播放 列表", "添加专辑到播放列表"),
        ("ok 买票", "ok买票"),
    ],
)
def test_space_between_chinese_clauses_is_a_comma(text, expected):
    assert "".join(token.form for token in tokenize(text, (), {})) == expected


@pytest.mark.parametrize(
    ("piece", "length"),
    [("an hour", timedelta(hours=1)), ("20", timedelta(minutes=20)), ("half past nine", None), ("weds 10:05", None)],
)
def test_amount_is_a_length_of_time_and_no_clock(piece, length):
    def read_times(text, now):
        return parse_all(text, now, language="en")

    assert parse_amount(piece, load_lexicon("en"), read_times, NOW) == length


def test_words_beside_a_time_are_left_out():
    words = load_lexicon("en")

    assert parse_time(["dentist at 6"], words, times_in) is None
    assert [each.best.start.hour for each in parse_times(["dentist at 6"], words, times_in)] == [18]


def test_bare_figure_is_an_hour():
    assert parse_time(["6"], load_lexicon("en"), times_in).best.start.hour == 18


@pytest.mark.parametrize(
    ("text", "expected"),
    [("delete the ferns one", ["ferns"]), ("delete it", [])],
)
def test_reference_is_the_name_of_a_reminder(text, expected):
    found = extract_references(read(text), load_lexicon("en"))

    assert [name for name in found if name] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lovely! Bubbles remind me at 5", "lovely! remind me at 5"),
        ("remind me at 5, Bubbles", "remind me at 5"),
        ("lunch is at 1, Bubbles, tell us at 12:30", "lunch is at 1, tell us at 12:30"),
        ("Good morning Bubbles. Could you help?", "Good morning. Could you help?"),
        ("raid at 8 @Bubbles ping everyone at 7:45", "raid at 8 ping everyone at 7:45"),
        ("the ferns", "the ferns"),
    ],
)
def test_name_of_the_bot_is_removed_from_an_addressed_message(text, expected):
    assert strip_calls(text, "Bubbles") == expected


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.text(max_size=200))
@settings(max_examples=50, deadline=None)
def test_any_text_is_read(language, text):
    reading = read(text, language)

    assert len(reading.tags) == len(reading.tokens)


@pytest.mark.parametrize("language", LANGUAGES)
def test_spans_of_generated_sentences_lie_in_the_text(language):
    for number, example in enumerate(Grammar.load(language).generate(1, seed=3)):
        assert all(0 <= start < end <= len(example.text) for start, end, _ in example.spans)
        if number == 500:
            break


@pytest.mark.parametrize("language", LANGUAGES)
def test_intents_of_the_weights_are_those_of_the_grammar(language):
    frames = Grammar.load(language)

    assert set(load_models(language).network.intents) == {example.intent for example in frames.generate(1, seed=1)}
