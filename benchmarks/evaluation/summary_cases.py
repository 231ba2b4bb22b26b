"""Load conversations with summaries that people wrote."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from msgspec import Struct


class SummaryCase(Struct, frozen=True, kw_only=True):
    """A conversation as pairs of sender and text, with one or several summaries."""

    corpus: str
    language: str
    messages: tuple[tuple[str, str], ...]
    references: tuple[str, ...]


def load_cases(folder: Path) -> Iterator[SummaryCase]:
    """Yield the conversations of all JSONL files in `folder`, or else in its folder `dev`."""
    for path in sorted(folder.glob("*.jsonl")) or sorted(folder.glob("dev/*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from (parse_case(json.loads(line), path.stem) for line in lines)


def load_own_cases() -> tuple[SummaryCase, ...]:
    """Return the project's own small set, in both languages."""
    found: list[SummaryCase] = []
    folder = files(__package__).joinpath("cases", "chats")
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        corpus = f"own_{table['language']}"
        found += [parse_case({"lang": table["language"], **chat}, corpus) for chat in table["chat"]]
    return tuple(found)


def parse_case(row: Mapping[str, object], corpus: str) -> SummaryCase:
    """Return the case of one row; messages are tables with `who` and `text`, or pairs.

    Raises:
        KeyError: A field is missing.
        TypeError: A field has a wrong type.
    """
    messages, references = row["messages"], row["refs"]
    if not isinstance(messages, Sequence) or not isinstance(references, Sequence):
        raise TypeError("messages and refs are lists")
    return SummaryCase(
        corpus=corpus,
        language=str(row["lang"]),
        messages=tuple(_parse_message(each) for each in messages),
        references=tuple(str(each) for each in references),
    )


def _parse_message(message: object) -> tuple[str, str]:
    if isinstance(message, Mapping):
        return str(message["who"]), str(message["text"])
    if isinstance(message, Sequence) and len(message) == len(("who", "text")):
        return str(message[0]), str(message[1])
    raise TypeError("a message is a pair of who and text")
