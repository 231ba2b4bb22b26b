"""The notation of sentence templates."""

import pytest

from function_calls.tools.declaration.option_checks import slot_names
from function_calls.understanding.templates import TemplateInvalid, compile_template


def test_template_matches_only_a_whole_sentence() -> None:
    pattern = compile_template("(show|list) [my] reminders")

    assert pattern.fullmatch("list my reminders")
    assert pattern.fullmatch("Show reminders")
    assert not pattern.fullmatch("list my reminders now")


def test_slot_begins_and_ends_at_a_word_boundary() -> None:
    pattern = compile_template("remind {content}")

    assert not pattern.fullmatch("reminders please")


def test_repeated_part_matches_any_number_of_times() -> None:
    pattern = compile_template("[请|你]*提醒我{content}", is_spaced=False)

    assert [bool(pattern.fullmatch(text)) for text in ("提醒我走", "请你提醒我走", "他提醒我走")] == [True, True, False]


def test_second_slot_of_one_name_gets_a_number() -> None:
    found = compile_template("{a} to {a}").fullmatch("one to two")

    assert found is not None
    assert found.groupdict() == {"a": "one", "a_2": "two"}


@pytest.mark.parametrize("template", ["(open", "<unknown> word"])
def test_malformed_template_is_refused(template: str) -> None:
    with pytest.raises(TemplateInvalid):
        compile_template(template)


def test_the_slots_of_a_template_can_be_listed() -> None:
    assert slot_names("from {here} to {there}") == ("here", "there")
