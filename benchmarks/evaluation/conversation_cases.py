"""Load group conversations with the expected outcomes of each message from JSONL files."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

OWN_CONVERSATIONS = Path(__file__).parent / "cases" / "conversations"
Alternative: TypeAlias = Mapping[str, Any]
"""One acceptable outcome, with some of these keys:

- `silence`, `ask`, `reply`: no reminder is changed. A reply must have one of the words in `contains`, none of those in
  `lacks`, and the text of a reminder if it has `list`, of one person if it has `of`. With `canned`, the help text for
  messages that were not understood counts as a reply.
- `set`: new reminders with `content` (None for any; `*` for any characters) or one of `contents`, `at`, `rrule` (None
  for a single one), `for` ("me", "everyone", names), `for_without`, `until_done`.
- `change`: of a reminder whose text has `content`: `new_content`, `at`, `rrule`, `for`, `for_with`, `for_without`,
  `includes` and `excludes` (times that are, or are not, among the next ones); everything else is unchanged.
- `delete`, `pause`, `resume`, `done`: parts of the texts of reminders. `undo`: the last change of the sender is undone.
- `grade`: "acceptable" if the outcome is not quite right.

`at` is a minute, a day, a window `from/to`, or a list of them, local to the conversation.
"""


class Message(Struct, frozen=True, kw_only=True):
    """A message, `wait_seconds` after the one before, with alternative outcomes; without any it is not scored.

    `reply_to` is the place of the message to whose answer this is a reply, or "last". `note` describes the outcome.
    """

    sender: str
    text: str
    kind: str
    expect: tuple[dict[str, Any], ...] = ()
    note: str = ""
    wait_seconds: float = 20
    private: bool = False
    reply_to: int | str | None = None


class Conversation(Struct, frozen=True, kw_only=True):
    """A conversation that begins at `start` (ISO) in a chat with the time zone `zone`."""

    id: str
    lang: str
    zone: str
    start: str
    messages: tuple[Message, ...]


def load_conversations(folder: Path) -> Iterator[Conversation]:
    """Yield the conversations of all JSONL files below `folder`."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield msgspec.json.decode(line, type=Conversation)
