"""Load dialogues from TOML files, and compare the messages of a bot with them.

A dialogue is a TOML file::

    title = "A reminder in seconds"
    now = 2026-11-20T10:00:00          # wall clock in `zone`
    zone = "Europe/Berlin"

    [[steps]]
    ann = "remind me in 10 seconds to stretch"
    calls = [{ name = "reminder_set", arguments = { type = "once", time = "in 10 seconds", content = "stretch" } }]
    bot = "✅ Set [{id}] for today at 10:00:10, in 10 seconds: stretch"

    [[steps]]
    wait = 10                          # seconds
    bot = "⏰ @ann stretch"

A step without `bot` expects no message. `bot` may be a list: several messages, in order. `{name}` in a message of the
bot matches an id and stores it; in a message of a person it stands for the stored id. `…` matches any text. `calls` is
the answer of a language model, which a run without one ignores; `said` is the text of a model that calls nothing.
`picks = true` marks a bare yes, number or time, for which no model is asked. `reply = true` makes a step a reply to the
last message of the bot, `reply = 2` to the one before that. The line that explains how to undo a change may be omitted.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct

_RESERVED = {"bot", "wait", "calls", "said", "chat", "private", "admin", "reply", "picks"}
_ID = re.compile(r"\{(\w+)\}")


class Step(Struct, frozen=True, kw_only=True):
    """One step: a message or a wait, and the expected messages of the bot.

    The bot has `wait_seconds` for them. `replies_to` counts its messages from the last, 1, to the one replied to; 0 is
    none. For a message that `is_pick` no model is asked.
    """

    speaker: str
    text: str
    wait_seconds: float
    expected: tuple[str, ...]
    calls: tuple[Mapping[str, object], ...]
    said: str
    chat: str
    is_private: bool
    is_admin: bool
    replies_to: int
    is_pick: bool = False


class Dialogue(Struct, frozen=True, kw_only=True):
    """A dialogue with its start and time zone."""

    path: Path
    title: str
    start: datetime
    zone: str
    steps: tuple[Step, ...]


class DialogueBroken(AssertionError):
    """The bot did not answer as the dialogue expects."""


def load_dialogue(path: Path) -> Dialogue:
    """Read a dialogue.

    Raises:
        ValueError: a step names no speaker and no wait, or several speakers.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    zone = str(table.get("zone", "Europe/Berlin"))
    start = table["now"].replace(tzinfo=ZoneInfo(zone))
    steps = tuple(_step(path, number, step) for number, step in enumerate(table["steps"], start=1))
    return Dialogue(path=path, title=str(table["title"]), start=start, zone=zone, steps=steps)


def load_dialogues(folder: Path) -> list[Dialogue]:
    """Load all dialogues below `folder`, sorted by name."""
    return [load_dialogue(path) for path in sorted(folder.rglob("*.toml"))]


def _step(path: Path, number: int, table: Mapping[str, object]) -> Step:
    speakers = [key for key in table if key not in _RESERVED]
    if len(speakers) > 1 or (not speakers and "wait" not in table):
        raise ValueError(f"{path.name}, step {number}: name one speaker, or a wait")
    bot = table.get("bot", ())
    calls = table.get("calls", ())
    wait = table.get("wait", 0)
    reply = table.get("reply", 0)
    if not isinstance(wait, int | float) or not isinstance(calls, Sequence) or not isinstance(reply, int):
        raise TypeError(f"{path.name}, step {number}: wait is a number of seconds, calls a list, reply a number")
    return Step(
        speaker=speakers[0] if speakers else "",
        text=str(table[speakers[0]]) if speakers else "",
        wait_seconds=float(wait),
        expected=(bot,) if isinstance(bot, str) else tuple(str(each) for each in _as_sequence(bot)),
        calls=tuple(each for each in calls if isinstance(each, Mapping)),
        said=str(table.get("said", "")),
        chat=str(table.get("chat", "home")),
        is_private=bool(table.get("private")),
        is_admin=bool(table.get("admin")),
        replies_to=int(reply),
        is_pick=bool(table.get("picks")),
    )


def _as_sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, Sequence) else ()


class Comparison:
    """Compares messages of the bot with a dialogue, and stores the ids in them."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}

    def spoken(self, text: str) -> str:
        """Return the message of a person with the stored ids filled in."""
        return _ID.sub(lambda match: self.seen.get(match[1], match[0]), text)

    def check(self, step: Step, texts: Sequence[str]) -> None:
        """Compare the messages of one step.

        Raises:
            DialogueBroken: they differ.
        """
        fits = len(texts) == len(step.expected) and all(
            self._fits(expected, text) for expected, text in zip(step.expected, texts, strict=True)
        )
        if not fits:
            cause = step.text or f"(after {step.wait_seconds:g} s)"
            raise DialogueBroken(f"{cause!r}\n  expected: {list(step.expected)}\n  said:     {list(texts)}")

    def _fits(self, expected: str, text: str) -> bool:
        pattern = ""
        for part in re.split(r"(\{\w+\}|…)", expected):
            name = _ID.fullmatch(part)
            if part == "…":
                pattern += ".*"
            elif name is None:
                pattern += re.escape(part)
            elif name[1] in self.seen:
                pattern += re.escape(self.seen[name[1]])
            else:
                pattern += rf"(?P<{name[1]}>[a-z][a-z0-9]+)"
        match = re.fullmatch(pattern, text, re.DOTALL)
        if match is not None:
            self.seen.update(match.groupdict())
        return match is not None
