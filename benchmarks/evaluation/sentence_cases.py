"""Labelled sentences: what people ask of an assistant and what they merely say, in the form of the shared data."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

NOW = datetime(2026, 3, 4, 10, 0)  # noqa: DTZ001 - a wall clock. A Wednesday.
NONE = "none"
SEARCH = "search"
REMINDER_TOOLS = ("reminder_set", "reminder_list", "reminder_delete", "reminder_update")
QUIET_TIERS = ("chat", "chat_time", "chat_mention", "hard_negative", "command")
"""Tiers in which every tool is wrong."""

_NAMES = {"perplexity_search": SEARCH, "web_search": SEARCH, "reminder_snooze": "reminder_update"}
_JUDGED = frozenset({*REMINDER_TOOLS, SEARCH, "summary"})


class SentenceCase(Struct, frozen=True, kw_only=True):
    """A sentence, the tools that are right for it, and the words that its source marks in it."""

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


def cases_in(folder: Path) -> Iterator[SentenceCase]:
    """The sentences of all JSONL files in `folder`, or in its folder `dev`, `intents` or `intents/dev`."""
    tried = (sorted(folder.glob(f"{inner}*.jsonl")) for inner in ("", "dev/", "intents/", "intents/dev/"))
    for path in next(filter(None, tried), []):
        with path.open(encoding="utf-8") as lines:
            yield from (case_of(json.loads(line)) for line in lines)


def case_of(row: Mapping[str, object]) -> SentenceCase:
    """Read one row.

    Raises:
        KeyError: it is not in that form.
    """
    slots = row.get("slots")
    marked: Mapping[str, object] = slots if isinstance(slots, Mapping) else {}
    return SentenceCase(
        text=str(row["text"]),
        language=str(row["lang"]),
        source=str(row["source"]),
        tool=str(row["our_tool"]),
        tier=str(row["tier"]),
        accepts=_texts(row["accept"]),
        contents=_texts(marked.get("todo")),
        people=_texts(marked.get("person")),
        has_slots=bool(marked),
        has_time=bool(marked.get("datetime")),
        has_repetition=bool(marked.get("recurring")),
    )


def judged_name(tool: str) -> str:
    """The name under which the data know a tool; tools that they do not know count as none."""
    name = _NAMES.get(tool, tool)
    return name if name in _JUDGED else NONE


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
