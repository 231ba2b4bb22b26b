"""Describe invalid settings and fields of requests in the reader's language."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from pydantic_core import ErrorDetails

from function_calls.language.messages import FALLBACK, Message, knows, say, text_in
from services.kernel.errors import ConfigError
from services.kernel.text import closest_names

_NEXT_LINE: Final = "\n" + " " * len("bubbles: ")
_TEXT: Final = "Value error, "
_QUOTED: Final = re.compile(r"'([^']*)'")
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
    "tuple_type": "list",
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
"""The message (`field.<name>`) for types of errors of Pydantic; all others have the general one."""


def field_problem(language: str, error: Mapping[str, Any] | str) -> str:
    """Describe an error of Pydantic, or one with a message `field.<name>`; other text becomes a sentence."""
    if isinstance(error, str):
        return say(language, f"field.{error}") if knows(f"field.{error}") else _sentence(error)
    if error["type"] == "value_error" and language == FALLBACK:
        return _sentence(str(error["msg"]).removeprefix(_TEXT))
    return _field_message(error).text_in(language)


def _field_message(error: Mapping[str, Any]) -> Message:
    own = error["type"] if knows(f"field.{error['type']}") else "other"
    sentence = _SENTENCES.get(error["type"], own)
    context = dict(error.get("ctx", {}))
    if "expected" in context:  # 'a', 'b' or 'c'
        context["near"] = _nearest_choice(str(error.get("input", "")), _QUOTED.findall(context["expected"]))
        context["expected"] = str(context["expected"]).replace(" or ", ", ")
        sentence = "choice_near" if context["near"] else sentence
    return Message(f"field.{sentence}", context)


def _nearest_choice(given: str, choices: Sequence[str]) -> str:
    """Return the choice that is probably intended, regardless of case."""
    near = closest_names(given.lower(), [each.lower() for each in choices])
    return next((each for each in choices if near and each.lower() == near[0]), "")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}{'' if text.endswith('?') else '.'}"


class SettingInvalid(ConfigError):
    """A setting is unknown, invalid or missing; the problem is available in each language.

    `error` is the error of Pydantic, the name of a message with `fields` (`setting.<name>`, or with its table), or
    other text. `others` are invalid settings that were found together with this one.
    """

    def __init__(self, path: str, key: str, error: ErrorDetails | str, /, **fields: object) -> None:
        self.error = error
        self.fields = fields
        self.others: Sequence[SettingInvalid] = ()
        super().__init__(path, key, text_in(FALLBACK, self.message()), **fields)

    def at(self, path: str, key: str) -> Self:
        """Return the error for another place."""
        return type(self)(path, key, self.error, **self.fields)

    def with_others(self, others: Sequence["SettingInvalid"]) -> Self:
        """Return the error with other ones."""
        self.others = tuple(others)
        return self

    def message(self) -> Message | str:
        """Return the problem as a message; as English text if it is not translated."""
        if not isinstance(self.error, str):
            is_text = self.error["type"] == "value_error"
            return self.error["msg"].removeprefix(_TEXT) if is_text else _field_message(self.error)
        keys = (f"setting.{self.error}", self.error)
        return next((Message(key, self.fields) for key in keys if knows(key)), self.error)


def config_problem(error: ConfigError, language: str) -> str:
    """Return the problem of an error, in `language` where it is translated."""
    return text_in(language, config_message(error))


def config_message(error: ConfigError) -> Message | str:
    """Return the problem of an error as a message; as English text if it is not translated."""
    if isinstance(error, SettingInvalid):
        return error.message()
    return Message(f"database.{error.code}", error.fields) if error.code else error.problem


def config_error_text(error: ConfigError, language: str) -> str:
    """Return a line for an error and each of its others, with its place, in `language` where it is translated."""
    others = error.others if isinstance(error, SettingInvalid) else ()
    lines = (str(ConfigError(each.path, each.key, config_problem(each, language))) for each in (error, *others))
    return _NEXT_LINE.join(lines)
