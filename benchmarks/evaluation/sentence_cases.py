"""Load sentences labelled with the tools that are right for them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

NOW = datetime(2026, 3, 4, 10, 0)  # noqa: DTZ001 - a Wednesday, in the zone of the speaker
NONE = "none"
SEARCH = "search"
REMINDER_TOOLS = ("reminder_set", "reminder_list", "reminder_delete", "reminder_update")
QUIET_TIERS = ("chat", "chat_time", "chat_mention", "hard_negative", "command")
"""Tiers of sentences that ask for no tool."""

_LABELS = {"perplexity_search": SEARCH, "web_search": SEARCH, "reminder_snooze": "reminder_update"}
_LABELLED_TOOLS = frozenset({*REMINDER_TOOLS, SEARCH, "summary"})


class SentenceCase(Struct, frozen=True, kw_only=True):
    """A sentence, the tools that are right for it, and the words that are labelled in it."""

    text: str
    language: str
    source: str
    tool: str
    tier: str
    accepts: tuple[str, ...]
    contents: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    has_slots: bool = False
    has_time: bool = False
    has_repetition: bool = False


def load_cases(folder: Path) -> Iterator[SentenceCase]:
    """Yield the sentences of the JSONL files in `folder`, or else in `dev`, `intents` or `intents/dev` below it."""
    found = (sorted(folder.glob(f"{inner}*.jsonl")) for inner in ("", "dev/", "intents/", "intents/dev/"))
    for path in next(filter(None, found), []):
        with path.open(encoding="utf-8") as lines:
            yield from (parse_case(json.loads(line)) for line in lines)


def parse_case(row: Mapping[str, object]) -> SentenceCase:
    """Return the case of one row.

    Raises:
        KeyError: A field is missing.
    """
    slots = row.get("slots")
    labels: Mapping[str, object] = slots if isinstance(slots, Mapping) else {}
    return SentenceCase(
        text=str(row["text"]),
        language=str(row["lang"]),
        source=str(row["source"]),
        tool=str(row["our_tool"]),
        tier=str(row["tier"]),
        accepts=_parse_texts(row["accept"]),
        contents=_parse_texts(labels.get("todo")),
        people=_parse_texts(labels.get("person")),
        has_slots=bool(labels),
        has_time=bool(labels.get("datetime")),
        has_repetition=bool(labels.get("recurring")),
    )


def get_label(tool: str) -> str:
    """Return the label of a tool, which is `none` for tools that are not labelled."""
    label = _LABELS.get(tool, tool)
    return label if label in _LABELLED_TOOLS else NONE


def _parse_texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
