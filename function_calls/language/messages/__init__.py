"""Load the bot's messages from one TOML file per language, with the same keys in those of `LANGUAGES`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter

from msgspec import Struct, field

LANGUAGES = ("en", "zh", "es")
"""Languages with all messages; in others, messages that are left out are said in English."""
FALLBACK = "en"


def say(language: str, key: str, **fields: object) -> str:
    """Word `key` (`table.name` of the catalogue) in `language`, filled with `fields`.

    An unknown language falls back to English. A field that is a `Message` is worded in the same language.

    Raises:
        KeyError: the catalogue has no such key, or a field of the sentence is missing.
    """
    template = catalogue(language if language in worded_languages() else FALLBACK)[key]
    worded = {name: value.text_in(language) if isinstance(value, Message) else value for name, value in fields.items()}
    return Formatter().vformat(template, (), worded)


class Message(Struct, frozen=True):
    """A message of the catalogue with its fields, for a reader whose language is known later; `str` is English."""

    key: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def text_in(self, language: str) -> str:
        """Word the message in `language`."""
        return say(language, self.key, **self.fields)

    def __str__(self) -> str:
        return self.text_in(FALLBACK)


def text_in(language: str, text: Message | str) -> str:
    """Return `text`, worded in `language` if it is a `Message`."""
    return text.text_in(language) if isinstance(text, Message) else text


def outage(code: str) -> Message | str:
    """Return the reason why a model or a search engine gave no answer, as a message; an unknown code as it is."""
    return Message(f"outage.{code}") if knows(f"outage.{code}") else code


def argument_label(language: str, name: str) -> str:
    """Return the name of an argument for people; an unknown one as it is."""
    return say(language, f"argument.{name}") if knows(f"argument.{name}") else name


def knows(key: str) -> bool:
    """Return whether the catalogue has a sentence for `key`."""
    return key in catalogue(FALLBACK)


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return all messages of one language, keys joined by dots."""
    text = files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    own = dict(_flatten("", tomllib.loads(text)))
    return own if language in LANGUAGES else catalogue(FALLBACK) | own


@cache
def worded_languages() -> frozenset[str]:
    """Return the languages that have a file."""
    names = [file.name for file in files(__name__).iterdir()]
    return frozenset(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def _flatten(prefix: str, table: dict[str, object]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flatten(f"{prefix}{name}.", value)
        else:
            found.append((prefix + name, str(value)))
    return found
