"""The notation of sentence templates."""

import pytest

from function_calls.tools.declaring.option_checks import slot_names
from function_calls.understanding.templates import Notation, TemplateInvalid


def test_template_matches_only_a_whole_sentence() -> None:
    pattern = Notation().compile("(show|list) [my] reminders")

    assert pattern.fullmatch("list my reminders")
    assert pattern.fullmatch("Show reminders")
    assert not pattern.fullmatch("list my reminders now")


def test_template_for_folded_texts_is_lower_case() -> None:
    assert Notation(is_folded=True).compile("Show my reminders").fullmatch("show my reminders")


def test_slot_begins_and_ends_at_a_word_boundary() -> None:
    pattern = Notation().compile("remind {content}")

    assert not pattern.fullmatch("reminders please")


def test_repeated_part_matches_any_number_of_times() -> None:
    pattern = Notation(is_spaced=False).compile("[请|你]*提醒我{content}")

    assert [bool(pattern.fullmatch(text)) for text in ("提醒我走", "请你提醒我走", "他提醒我走")] == [True, True, False]


def test_second_slot_of_one_name_gets_a_number() -> None:
    found = Notation().compile("{a} to {a}").fullmatch("one to two")

    assert found is not None
    assert found.groupdict() == {"a": "one", "a_2": "two"}


def test_rules_are_named_parts() -> None:
    pattern = Notation(rules={"set": "(set|add)"}).compile("<set> it")

    assert pattern.fullmatch("add it")


@pytest.mark.parametrize("template", ["(open", "<unknown> word"])
def test_malformed_template_is_refused(template: str) -> None:
    with pytest.raises(TemplateInvalid):
        Notation().compile(template)


def test_the_slots_of_a_template_can_be_listed() -> None:
    assert slot_names("from {here} to {there}") == ("here", "there")
