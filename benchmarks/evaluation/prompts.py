"""Prompts whose right answer is known: the project's own set, or files of the same form."""

import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from msgspec import Struct, ValidationError, convert

NONE = "none"
NOW = datetime(2026, 11, 20, 10, 0)  # noqa: DTZ001 - a wall clock: the zone is the evaluated bot's. A Friday.


class Prompt(Struct, frozen=True, kw_only=True):
    """A message and what the bot should make of it at `NOW`.

    `tool` is a function's name or `none`; `accepts` are others that are right as well. Of a reminder, `due` is
    `YYYY-MM-DD HH:MM`, or `HH:MM` when it `repeats` (daily, weekly on `weekday`, 0 = Monday). One of `words` must
    stand in the content or the query, `reminder_id` in the reference. What is empty is not judged.
    """

    text: str
    tool: str
    language: str
    accepts: tuple[str, ...] = ()
    due: str = ""
    repeats: str = ""
    weekday: int | None = None
    words: tuple[str, ...] = ()
    reminder_id: str = ""
    person: str = ""
    kind: str = ""


class PromptsUnreadable(ValueError):
    """A file of prompts is not in the form that this module reads."""


def own_prompts() -> tuple[Prompt, ...]:
    """The project's own set, in both languages."""
    folder = files(__package__).joinpath("cases", "prompts")
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".toml")), key=lambda each: each.name)
    return tuple(prompt for file in found for prompt in read_prompts(file.read_text(encoding="utf-8"), file.name))


def prompts_in(folder: Path) -> tuple[Prompt, ...]:
    """The prompts of all TOML files directly in `folder`.

    Raises:
        PromptsUnreadable: a file is not in that form.
    """
    found = sorted(folder.glob("*.toml"))
    return tuple(prompt for path in found for prompt in read_prompts(path.read_text(encoding="utf-8"), path.name))


def read_prompts(text: str, name: str) -> tuple[Prompt, ...]:
    """Read one file: `language` once, then a table per tool with its prompts.

    Raises:
        PromptsUnreadable: names the file.
    """
    try:
        table = tomllib.loads(text)
        language = str(table.pop("language"))
        return tuple(_prompt(tool, language, entry) for tool, entries in table.items() for entry in _listed(entries))
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise PromptsUnreadable(f"{name}: {error}") from error


def _prompt(tool: str, language: str, entry: object) -> Prompt:
    if isinstance(entry, str):
        return Prompt(text=entry, tool=tool, language=language)
    if not isinstance(entry, Mapping):
        raise TypeError(f"a prompt of {tool} is neither a text nor a table")
    unknown = [str(name) for name in entry if name not in Prompt.__struct_fields__]
    if unknown:
        raise TypeError(f"a prompt of {tool} has no {', '.join(unknown)}")
    return convert({**entry, "tool": tool, "language": language}, Prompt)


def _listed(entries: object) -> Iterable[object]:
    if isinstance(entries, list):
        return entries
    raise TypeError('prompts stand in lists: tool = ["…", { text = "…" }]')
