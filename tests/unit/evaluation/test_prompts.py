"""The prompts of the evaluation."""

from collections import Counter

import pytest

from benchmarks.evaluation.prompts import (
    PromptsUnreadable,
    load_own_prompts,
    load_prompts,
    parse_prompts,
    sample_prompts,
)
from bot.app.registry import built_in_registry
from function_calls.model_calls.prompts import worked_examples

PROMPTS = load_own_prompts()


def test_there_are_a_hundred_prompts_in_each_of_two_languages():
    counts = Counter((prompt.language, prompt.tool) for prompt in PROMPTS)

    assert len(PROMPTS) >= 100
    assert {tool: count for (language, tool), count in counts.items() if language == "en"} == {
        tool: count for (language, tool), count in counts.items() if language == "zh"
    }


def test_every_prompt_expects_an_existing_function():
    names = {spec.name for spec in built_in_registry().specs} | {"none"}

    assert {prompt.tool for prompt in PROMPTS} <= names


def test_no_prompt_is_shown_to_a_model_as_an_example():
    sentences = {example.sentence.casefold() for example in worked_examples()}

    assert not sentences & {prompt.text.casefold() for prompt in PROMPTS}


def test_a_prompt_with_a_misspelt_part_is_refused_by_name():
    with pytest.raises(PromptsUnreadable, match=r"mine\.toml: .*duee"):
        parse_prompts('language = "en"\nreminder_set = [{ text = "x", duee = "10:00" }]', "mine.toml")


def test_prompts_of_a_folder_are_read(tmp_path):
    (tmp_path / "a.toml").write_text('language = "en"\nsummary = ["sum it up"]\n', encoding="utf-8")

    assert [(each.text, each.tool) for each in load_prompts(tmp_path)] == [("sum it up", "summary")]


def test_labelled_sentences_are_read_as_prompts(tmp_path):
    row = (
        '{"text": "remind me to eat", "lang": "en", "source": "s", "our_tool": "reminder_set", "tier": "core",'
        ' "accept": ["reminder_set"], "slots": {"todo": ["eat"]}}'
    )
    (tmp_path / "rows.jsonl").write_text(row + "\n", encoding="utf-8")

    [prompt] = load_prompts(tmp_path)

    assert (prompt.tool, prompt.accepts, prompt.words) == ("reminder_set", ("reminder_set", "none"), ("eat",))


def test_limit_takes_prompts_from_the_whole():
    assert [each.text for each in sample_prompts(PROMPTS, 2)] == [PROMPTS[0].text, PROMPTS[len(PROMPTS) // 2].text]
    assert len(sample_prompts(PROMPTS, 0)) == len(PROMPTS)
