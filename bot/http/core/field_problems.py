"""Describe invalid fields of a request in the client's language."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from function_calls.language.messages import say

_MOST: Final = 20

_NUMBERS: Final = ("int_type", "int_parsing", "int_parsing_size", "int_from_float", "float_type", "float_parsing")
_SENTENCES: Final[Mapping[str, str]] = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "json_invalid": "no_json",
    "string_type": "text",
    "string_too_short": "short",
    "string_too_long": "long",
    "string_pattern_mismatch": "pattern",
    "too_short": "few",
    "too_long": "many",
    "literal_error": "choice",
    "enum": "choice",
    "greater_than": "above",
    "greater_than_equal": "least",
    "less_than": "below",
    "less_than_equal": "most",
    "bool_type": "yes_or_no",
    "bool_parsing": "yes_or_no",
    "list_type": "list",
    "dict_type": "object",
    "model_type": "object",
    "model_attributes_type": "object",
    "datetime_type": "moment",
    "datetime_parsing": "moment",
    "datetime_from_date_parsing": "moment",
    "timezone_aware": "moment",
    "date_from_datetime_parsing": "date",
    "date_parsing": "date",
    **dict.fromkeys(_NUMBERS, "number"),
}
"""The sentence (`field.<name>`) for each type of error that Pydantic knows; all others are told in general."""


def field_problems(language: str, errors: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return what is wrong, by field (`attachments.0.kind`; empty for the body), of the errors that Pydantic gives."""
    problems: dict[str, str] = {}
    for error in errors[:_MOST]:
        place = ".".join(str(part) for part in error["loc"][1:]) if error["type"] != "json_invalid" else ""
        problems.setdefault(place, _describe(language, error))
    return problems


def _describe(language: str, error: Mapping[str, Any]) -> str:
    sentence = _SENTENCES.get(error["type"], "other")
    context = dict(error.get("ctx", {}))
    if "expected" in context:  # 'a', 'b' or 'c'
        context["expected"] = str(context["expected"]).replace(" or ", ", ")
    return say(language, f"field.{sentence}", **context)


def in_one_line(language: str, problems: Mapping[str, str]) -> str:
    """All problems as one sentence tells them."""
    body = say(language, "field.body")
    return "; ".join(f"{place or body}: {problem}" for place, problem in problems.items())
