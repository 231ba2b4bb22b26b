"""Understand the sentences that tools give as their examples."""

import re
from collections.abc import Mapping
from functools import lru_cache

from function_calls.tools.calls import ToolSpec
from function_calls.tools.declaration.option_checks import slot_names
from function_calls.understanding.reading.lexicon import detect_language
from function_calls.understanding.reading.names import trim
from function_calls.understanding.templates import TemplateInvalid, compile_template

_TOOLS_OF_MODELS = frozenset(
    {"reminder_set", "reminder_list", "reminder_delete", "reminder_update", "reminder_snooze", "perplexity_search"}
    | {"summary", "summary_schedule", "undo"}
)
"""Tools that the models know the sentences of."""
_MARKS = " .!?¿¡。！？"


class ExampleSentences:
    """Matches messages with the example sentences of tools; `{name}` in an example is read as that argument."""

    def match_sentence(self, text: str, tools: tuple[ToolSpec, ...]) -> str | None:
        """Return the name of the tool that has the whole of `text` as an example sentence; None for none."""
        phrase = _fold(text)
        known = ((tool, _compile_sentences(tool.examples)) for tool in tools if tool.name not in _TOOLS_OF_MODELS)
        matching = (tool for tool, patterns in known if any(pattern.fullmatch(phrase) for pattern in patterns))
        return next((tool.name for tool in matching if not tool.parameters.get("required")), None)

    def match_template(
        self, text: str, tools: tuple[ToolSpec, ...], *, is_addressed: bool
    ) -> tuple[str, dict[str, object]] | None:
        """Return the first tool with an example template that matches the whole of `text`, and its arguments.

        A template that is nothing but a slot would match anything, and counts only where the bot is addressed.
        """
        phrase = trim(text)
        for tool in tools:
            if tool.name in _TOOLS_OF_MODELS:
                continue
            for example, pattern in _compile_templates(tool.examples):
                arguments = _match_example(phrase, pattern, tool)
                if arguments is not None and (is_addressed or _has_own_words(example)):
                    return tool.name, arguments
        return None


def _fold(text: str) -> str:
    return " ".join(trim(text).casefold().split()).strip(_MARKS)


def _match_example(phrase: str, pattern: re.Pattern[str], tool: ToolSpec) -> dict[str, object] | None:
    """Return the arguments that `phrase` gives the slots of an example; None where a required one is left open."""
    match = pattern.fullmatch(phrase)
    if match is None:
        return None
    arguments = {name: _convert(trim(words), name, tool) for name, words in match.groupdict().items() if words}
    required = tool.parameters.get("required")
    is_complete = not isinstance(required, list | tuple) or set(required) <= arguments.keys()
    return arguments if is_complete else None


@lru_cache(maxsize=512)
def _compile_templates(examples: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the examples that are templates, each with its pattern."""
    compiled = ((example, _compile(example)) for example in examples)
    return tuple((example, pattern) for example, pattern in compiled if pattern is not None)


@lru_cache(maxsize=512)
def _compile_sentences(examples: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the examples that have no slot."""
    return tuple(pattern for example, pattern in _compile_templates(examples) if not slot_names(example))


def _compile(example: str) -> re.Pattern[str] | None:
    """Return the pattern of an example; None where it is no template."""
    try:
        return compile_template(example.strip(_MARKS), is_spaced=detect_language(example, "en") != "zh")
    except TemplateInvalid:
        return None


def _has_own_words(example: str) -> bool:
    """Return whether an example has words beside its slots."""
    return any(character.isalnum() for character in re.sub(r"\{\w+\}", "", example))


def _convert(words: str, name: str, tool: ToolSpec) -> object:
    """Return the words of a slot in the type of the schema; words that do not fit stay text."""
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
    """Return the JSON types that a schema allows, with those of its alternatives."""
    options = schema.get("anyOf")
    alternatives = (
        [option for option in options if isinstance(option, Mapping)] if isinstance(options, list | tuple) else []
    )
    named = [each.get("type") for each in (schema, *alternatives)]
    return frozenset(kind for name in named for kind in (name if isinstance(name, list | tuple) else (name,)))
