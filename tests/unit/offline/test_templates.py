"""The notation of sentence templates."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from function_calls.tools.declaring.option_checks import slot_names
from function_calls.understanding.pack import languages, load_gate, load_intent, load_intent_gate, load_pack
from function_calls.understanding.pack_data import INTENTS
from function_calls.understanding.questions import load_questions
from function_calls.understanding.templates import Notation, TemplateInvalid

_NO_LETTER = re.compile(r"\\[A-Za-z]|\(\?P<\w+>")
"""Classes such as `\\S`, and the names of groups."""


def test_template_explains_a_whole_sentence_or_none() -> None:
    pattern = Notation().compile("(show|list) [my] reminders")

    assert pattern.fullmatch("list my reminders")
    assert pattern.fullmatch("Show reminders")
    assert not pattern.fullmatch("list my reminders now")


def test_template_for_folded_texts_is_read_in_lower_case() -> None:
    assert Notation(is_folded=True).compile("Show my reminders").fullmatch("show my reminders")


def test_a_slot_begins_and_ends_at_the_edge_of_a_word() -> None:
    pattern = Notation().compile("remind {content}")

    assert not pattern.fullmatch("reminders please")


def test_a_repeated_part_may_come_any_number_of_times() -> None:
    pattern = Notation(is_spaced=False).compile("[请|你]*提醒我{content}")

    assert [bool(pattern.fullmatch(text)) for text in ("提醒我走", "请你提醒我走", "他提醒我走")] == [True, True, False]


def test_a_slot_met_twice_gets_a_number() -> None:
    found = Notation().compile("{a} to {a}").fullmatch("one to two")

    assert found is not None
    assert found.groupdict() == {"a": "one", "a_2": "two"}


def test_rules_are_named_parts() -> None:
    pattern = Notation(rules={"set": "(set|add)"}).compile("<set> it")

    assert pattern.fullmatch("add it")


@pytest.mark.parametrize("template", ["(open", "<unknown> word"])
def test_a_template_that_is_not_well_formed_is_refused(template: str) -> None:
    with pytest.raises(TemplateInvalid):
        Notation().compile(template)


@pytest.mark.parametrize(
    ("template", "needs"),
    [
        ("show [all] my (reminders|alarms)", [{"show"}, {"my"}, {"reminders", "alarms"}]),
        ("Remind {person} to {content}", [{"remind"}, {"to"}]),
        ("<set> don't re{word} now", [{"add", "make"}, {"don't"}, {"re"}, {"now"}]),
        ("stop|never mind", [{"stop", "never"}]),
        ("it(s|) (on|{when})", [{"it"}]),
        ("[(a|b) very]* quiet", [{"quiet"}]),
        ("<please>提醒我[一下]", [{"提醒我"}]),
    ],
)
def test_a_template_needs_a_word_of_each_of_these_groups(template: str, needs: list[set[str]]) -> None:
    notation = Notation(rules={"set": "(add|make) [it]", "please": "[请]"})

    assert [set(words) for words in notation.needed(template)] == needs


def in_a_row(parts: list[tuple[str, str]]) -> tuple[str, str]:
    return " ".join(template for template, _ in parts), " ".join(said for _, said in parts)


def one_of(parts: list[tuple[str, str]]) -> tuple[str, str]:
    return f"({'|'.join(sorted(template for template, _ in parts))})", parts[0][1]


def left_out(part: tuple[str, str]) -> tuple[str, str]:
    return f"[{part[0]}]", ""


def several(part: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    parts = st.lists(part, min_size=1, max_size=3)
    return parts.map(in_a_row) | parts.map(one_of) | part.map(left_out)


WORDS = st.sampled_from(["Add", "it's", "no", "now"]).map(lambda word: (word, word))


@given(st.recursive(WORDS, several, max_leaves=8))
def test_match_of_a_template_has_its_necessary_words(pair: tuple[str, str]) -> None:
    template, said = pair
    needs = Notation().needed(template)

    assert Notation().compile(template).fullmatch(said)
    assert all(any(word in said.lower() for word in words) for words in needs)


def test_the_slots_of_a_template_can_be_listed() -> None:
    assert slot_names("from {here} to {there}") == ("here", "there")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_english_and_chinese_have_sentences_for_every_intent(language: str) -> None:
    assert set(load_pack(language).data.intents) == set(INTENTS)


@pytest.mark.parametrize("language", languages())
def test_every_sentence_of_every_language_compiles(language: str) -> None:
    for intent in load_pack(language).data.intents:
        assert all(sentence.pattern for sentence in load_intent(language, intent).sentences)


@pytest.mark.parametrize("language", languages())
def test_patterns_for_folded_texts_have_no_capital_letters(language: str) -> None:
    pack = load_pack(language)
    intents = [load_intent(language, name) for name in pack.data.intents]
    gates = [load_gate(language), *(load_intent_gate(language, name).pattern for name in pack.data.intents)]
    sentences = [sentence.pattern for intent in intents for sentence in intent.sentences]
    refused = [pattern for intent in intents for pattern in intent.refused]
    questions = [getattr(load_questions(language), each.name) for each in fields(load_questions(language))]
    frame = [
        *filter(None, pack.opening.compiled().values()),
        pack.closing.pattern,
        pack.taken_back.pattern,
        pack.vague,
        pack.not_time,
        pack.odd,
        pack.lead,
    ]
    notes = [pack.no_note, pack.to_do, pack.plural]
    rewritten = [each.pattern for each, _ in pack.rewritten]
    rewritten += [pattern for pattern, _ in (*pack.read_as, *pack.mornings, *pack.untitled)]

    patterns = [*gates, *sentences, *refused, *questions, *frame, *notes, *rewritten, *pack.lengths, pack.period]
    assert [found for each in patterns if (found := re.search("[A-Z]", _NO_LETTER.sub("", each.pattern)))] == []


@pytest.mark.parametrize(
    ("language", "text", "ends"),
    [
        ("en", "remind me at 5 many thanks", True),
        ("en", "remind me at 5 if you don't mind", True),
        ("en", "remind me at 5 to call mum", False),
        ("zh", "五点提醒我喝水好不好", True),
        ("zh", "五点提醒我喝水", False),
    ],
)
def test_a_polite_ending_has_one_of_its_signs(language: str, text: str, ends: bool) -> None:
    closing = load_pack(language).closing

    assert (closing.pattern.search(text) is not None, closing.search(text) is not None) == (ends, ends)


@pytest.mark.parametrize("text", ["İki REMINDERS", "ẞ", "提醒 ΑΣ", "後天"])
def test_a_folded_text_is_as_long_as_it_was(text: str) -> None:
    assert [len(load_pack(language).fold(text)) for language in languages()] == [len(text)] * len(languages())
