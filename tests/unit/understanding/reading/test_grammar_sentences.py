"""Generated sentences of the grammars are interpreted without an error."""

import random
from functools import cache

import pytest

from benchmarks.understanding.generator import Example, Grammar
from tests.unit.understanding.tagged_sentences import interpret_tagged, read_with_tags

pytestmark = pytest.mark.timeout(20)  # the generator makes sentences of all frames
_SENTENCES = 400
_TAGS = (
    "O",
    "WHEN",
    "CONTENT",
    "PERSON",
    "REF",
    "OLD",
    "LEAD",
    "UNTIL",
    "UNTILDONE",
    "EVENT",
    "FROM",
    "SPARED",
    "LATER",
)


@cache
def sample_sentences(language: str) -> list[Example]:
    """Return the same sample of generated sentences with requests at each call."""
    examples = [each for each in Grammar.load(language).generate(1, seed=9) if each.intent != "none"]
    return random.Random(7).sample(examples, _SENTENCES)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("is_misread", [False, True])
def test_generated_sentence_becomes_calls_or_a_question(language, is_misread):
    chance = random.Random(7)
    for example in sample_sentences(language):
        spans = [(start, end, chance.choice(_TAGS) if is_misread else tag) for start, end, tag in example.spans]
        reading = read_with_tags(example.text, spans, example.intent, language)
        made = interpret_tagged(reading, example.intent, language, may_point=True)

        assert made is None or made.calls or made.answer
