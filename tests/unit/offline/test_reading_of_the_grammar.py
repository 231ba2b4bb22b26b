"""Whatever the grammars can say becomes calls, a question or nothing, and no error."""

import random

import pytest

from benchmarks.understanding.generator import Grammar
from tests.unit.offline.tagged import heard, read_as

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


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("is_misread", [False, True])
def test_sentences_of_the_grammar_become_calls_or_a_question(language, is_misread):
    chance = random.Random(7)
    examples = [each for each in Grammar.load(language).generate(1, seed=9) if each.intent != "none"]
    chance.shuffle(examples)
    for example in examples[:_SENTENCES]:
        spans = [(start, end, chance.choice(_TAGS) if is_misread else tag) for start, end, tag in example.spans]
        reading = read_as(example.text, spans, example.intent, language)
        made = heard(reading, example.intent, language, may_point=True)

        assert made is None or made.calls or made.answer
