"""Understand the sentences that tools give as their examples."""

import re
from collections.abc import Mapping
from functools import lru_cache

from function_calls.tools.calls import ToolSpec
from function_calls.tools.declaring.option_checks import slot_names
from function_calls.understanding.reading.lexicon import detect_language
from function_calls.understanding.reading.names import trim
from function_calls.understanding.templates import Notation, TemplateInvalid

_READ = frozenset(
    {"reminder_set", "reminder_list", "reminder_delete", "reminder_update", "reminder_snooze", "perplexity_search"}
    | {"summary", "summary_schedule", "undo"}
)
"""Tools that the models know the sentences of."""
_MARKS = " .!?¿¡。！？"
_NOTATION = re.compile(r"[\[\]()<>|*]")


class ExampleSentences:
    """Matches messages with the example sentences of tools; `{name}` in an example is read as that argument."""

    def match_sentence(self, text: str, tools: tuple[ToolSpec, ...]) -> str | None:
        """The tool that gives the whole of `text` as an example, word by word."""
        said = _fold(text)
        meant = (tool for tool in tools if tool.name not in _READ and said in _fold_sentences(tool.examples))
        return next((tool.name for tool in meant if not tool.parameters.get("required")), None)

    def match_template(
        self, text: str, tools: tuple[ToolSpec, ...], *, is_addressed: bool
    ) -> tuple[str, dict[str, object]] | None:
        """The first tool one of whose examples explains the whole of `text`, and its arguments.

        An example that is nothing but a slot would match anything, and counts only when the bot was spoken to.
        """
        said = trim(text)
        for tool in tools:
            if tool.name in _READ:
                continue
            for example, pattern in _compile_templates(tool.examples):
                arguments = _match_example(said, pattern, tool)
                if arguments is not None and (is_addressed or _has_own_words(example)):
                    return tool.name, arguments
        return None


@lru_cache(maxsize=512)
def _fold_sentences(examples: tuple[str, ...]) -> frozenset[str]:
    """The examples that are sentences and no templates."""
    return frozenset(_fold(each) for each in examples if not slot_names(each) and not _NOTATION.search(each))


def _fold(text: str) -> str:
    return " ".join(trim(text).casefold().split()).strip(_MARKS)


def _match_example(said: str, pattern: re.Pattern[str], tool: ToolSpec) -> dict[str, object] | None:
    found = pattern.fullmatch(said)
    if found is None:
        return None
    arguments = {name: _convert(trim(words), name, tool) for name, words in found.groupdict().items() if words}
    required = tool.parameters.get("required")
    is_complete = not isinstance(required, list | tuple) or set(required) <= arguments.keys()
    return arguments if is_complete else None


@lru_cache(maxsize=512)
def _compile_templates(examples: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The examples with their patterns; those that are no templates are left out."""
    compiled = ((example, _compile(example)) for example in examples)
    return tuple((example, pattern) for example, pattern in compiled if pattern is not None)


def _compile(example: str) -> re.Pattern[str] | None:
    """The pattern of an example; None for one that is no template."""
    try:
        return Notation(is_spaced=detect_language(example, "en") != "zh").compile(example.strip(_MARKS))
    except TemplateInvalid:
        return None


def _has_own_words(example: str) -> bool:
    return any(character.isalnum() for character in re.sub(r"\{\w+\}", "", example)) or not slot_names(example)


def _convert(words: str, name: str, tool: ToolSpec) -> object:
    """The words of a slot in the type that the schema asks for; words that do not fit stay words."""
    properties = tool.parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    kinds = _kinds(schema) if isinstance(schema, Mapping) else frozenset()
    try:
        if "integer" in kinds:
            return int(words)
        if "number" in kinds:
            return float(words)
    except ValueError:
        return words
    return words


def _kinds(schema: Mapping[str, object]) -> frozenset[object]:
    """The JSON types that a schema allows, those of its alternatives included."""
    options = schema.get("anyOf")
    alternatives = [each for each in options if isinstance(each, Mapping)] if isinstance(options, list | tuple) else []
    named = [each.get("type") for each in (schema, *alternatives)]
    return frozenset(kind for each in named for kind in (each if isinstance(each, list | tuple) else (each,)))
