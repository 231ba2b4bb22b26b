"""Compile everything that the sentences of the languages need in which the bot answers."""

from collections.abc import Iterable, Iterator

from msgspec.structs import astuple

from function_calls.language.messages import LANGUAGES, catalogue
from function_calls.language.recognized_phrases import every_language
from function_calls.understanding.direct import may_be_direct
from function_calls.understanding.lazy_pattern import LazyPattern
from function_calls.understanding.pack import (
    Sought,
    load_gate,
    load_intent,
    load_intent_gate,
    load_pack,
    load_second_gate,
)
from function_calls.understanding.questions import load_questions


def compile_all() -> None:
    """Compile the sentences of each of them now (about half a second), instead of at the first message.

    The phrases and the wording, which answers of a model need too, come first. Another language waits for its first
    message.
    """
    tuple(every_language())
    for language in LANGUAGES:
        catalogue(language)
        load_gate(language)
        may_be_direct("", language)
        pack = load_pack(language)
        pack.opening.compiled()
        parts: list[object] = [*astuple(pack), *astuple(load_questions(language))]
        for name in pack.data.intents:
            parts += (load_intent_gate(language, name), load_second_gate(language, name))
            parts.append(load_intent(language, name).refused)
            for sentence in load_intent(language, name).sentences:
                _ = sentence.pattern
        for pattern in _lazy_in(parts):
            _ = pattern.compiled


def _lazy_in(values: Iterable[object]) -> Iterator[LazyPattern]:
    for value in values:
        if isinstance(value, Sought):
            yield value.pattern
        elif isinstance(value, LazyPattern):
            yield value
        elif isinstance(value, tuple):
            yield from _lazy_in(value)
