"""Load prompts with their expected tool calls."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from msgspec import Struct, ValidationError, convert

from benchmarks.evaluation.sentence_cases import NONE, SEARCH, SentenceCase, load_cases

NOW = datetime(2026, 11, 20, 10, 0)  # noqa: DTZ001 - a Friday, in the zone of the evaluated bot
_TOOLS = {SEARCH: "perplexity_search", "search_or_none": NONE}


class Prompt(Struct, frozen=True, kw_only=True):
    """A message and the call that the bot should make for it at `NOW`; empty fields are not judged.

    `tool` is the name of a function or `none`; those in `accepts` are right as well. A reminder is due at `due`:
    `YYYY-MM-DD HH:MM`, or `HH:MM` if it `repeats` (daily, or weekly on `weekday`, 0 = Monday). The content or the
    query must have one of `words`, and the reference must be `reminder_id`.
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
    """A file of prompts has a wrong format."""


def load_own_prompts() -> tuple[Prompt, ...]:
    """Return the project's own set, in both languages."""
    folder = files(__package__).joinpath("cases", "prompts")
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".toml")), key=lambda each: each.name)
    return tuple(prompt for file in found for prompt in parse_prompts(file.read_text(encoding="utf-8"), file.name))


def load_prompts(folder: Path) -> tuple[Prompt, ...]:
    """Return the prompts of all TOML files in `folder`, or else of its labelled sentences in JSONL files.

    Raises:
        PromptsUnreadable: A TOML file has a wrong format.
    """
    paths = sorted(folder.glob("*.toml"))
    found = [prompt for path in paths for prompt in parse_prompts(path.read_text(encoding="utf-8"), path.name)]
    return tuple(found or map(_convert_sentence, load_cases(folder)))


def sample_prompts(prompts: Sequence[Prompt], limit: int) -> tuple[Prompt, ...]:
    """Return at most `limit` of `prompts`, evenly distributed, or all of them if it is 0."""
    if not 0 < limit < len(prompts):
        return tuple(prompts)
    return tuple(prompts[place * len(prompts) // limit] for place in range(limit))


def parse_prompts(text: str, name: str) -> tuple[Prompt, ...]:
    """Return the prompts of a TOML text, which has `language` and a list of prompts for each tool.

    Raises:
        PromptsUnreadable: The text has a wrong format; `name` is part of the message.
    """
    try:
        table = tomllib.loads(text)
        language = str(table.pop("language"))
        return tuple(
            _parse_prompt(tool, language, entry) for tool, entries in table.items() for entry in _check_list(entries)
        )
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise PromptsUnreadable(f"{name}: {error}") from error


def _parse_prompt(tool: str, language: str, entry: object) -> Prompt:
    if isinstance(entry, str):
        return Prompt(text=entry, tool=tool, language=language)
    if not isinstance(entry, Mapping):
        raise TypeError(f"a prompt of {tool} is neither a text nor a table")
    unknown = [str(name) for name in entry if name not in Prompt.__struct_fields__]
    if unknown:
        raise TypeError(f"a prompt of {tool} has no {', '.join(unknown)}")
    return convert({**entry, "tool": tool, "language": language}, Prompt)


def _convert_sentence(case: SentenceCase) -> Prompt:
    """Return a labelled sentence as a prompt, without time and reference, which are not labelled."""
    accepts = [_TOOLS.get(name, name) for name in case.accepts]
    if case.tool == "reminder_set" and not (case.has_time or case.has_repetition):
        accepts.append(NONE)  # the bot asks for the time
    return Prompt(
        text=case.text,
        tool=_TOOLS.get(case.tool, case.tool),
        language=case.language,
        accepts=tuple(dict.fromkeys(accepts)),
        words=case.contents if case.tool == "reminder_set" else (),
    )


def _check_list(entries: object) -> Iterable[object]:
    if isinstance(entries, list):
        return entries
    raise TypeError('prompts stand in lists: tool = ["…", { text = "…" }]')
