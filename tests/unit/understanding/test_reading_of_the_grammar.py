"""Whatever the grammars can say becomes calls, a question or nothing, and no error."""

import random
from functools import cache

import pytest

from benchmarks.understanding.generator import Example, Grammar
from tests.unit.understanding.tagged import heard, read_as

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
def sentences(language: str) -> list[Example]:
    """Return some sentences that ask for something, the same each time."""
    examples = [each for each in Grammar.load(language).generate(1, seed=9) if each.intent != "none"]
    return random.Random(7).sample(examples, _SENTENCES)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("is_misread", [False, True])
def test_sentences_of_the_grammar_become_calls_or_a_question(language, is_misread):
    chance = random.Random(7)
    for example in sentences(language):
        spans = [(start, end, chance.choice(_TAGS) if is_misread else tag) for start, end, tag in example.spans]
        reading = read_as(example.text, spans, example.intent, language)
        made = heard(reading, example.intent, language, may_point=True)

        assert made is None or made.calls or made.answer
