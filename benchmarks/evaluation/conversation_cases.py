"""Group conversations with the outcomes that are wanted of each message: files of JSON, one conversation a line."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

OWN = Path(__file__).parent / "cases" / "conversations"
Alternative: TypeAlias = Mapping[str, Any]
"""One acceptable outcome. It has some of these keys:

- `silence`, `ask`, `reply`: nothing is changed. A reply may have to contain one of the words in `contains`, to lack
  those in `lacks`, to name a reminder (`list`), one of a person (`of`); `canned` lets the help for what is not
  understood count;
- `set`: new reminders with `content` (None for any; `*` stands for anything) or one of `contents`, `at`, `rrule`
  (None for none), `for` ("me", "everyone", names), `for_without`, `until_done`;
- `change`: of a reminder whose text has `content`: `new_content`, `at`, `rrule`, `for`, `for_with`, `for_without`,
  `includes` and `excludes` (times that are, or are not, among the coming ones); all else stays as it was;
- `delete`, `pause`, `resume`, `done`: parts of the texts; `undo`: the last change of the sender is taken back;
- `grade`: "acceptable" where this is less than right.

`at` is a minute, a day, or a window `from/to`, local to the conversation, or a list of them.
"""


class Message(Struct, frozen=True, kw_only=True):
    """A message, written `wait_seconds` after the one before; any alternative of `expect` will do, none is not scored.

    `reply_to` is the place of the message whose answer is replied to, or "last". `note` is the outcome in words.
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
    """A conversation that begins at `start` (ISO) in a chat of `zone`."""

    id: str
    lang: str
    zone: str
    start: str
    messages: tuple[Message, ...]


def conversations_in(folder: Path) -> Iterator[Conversation]:
    """Yield the conversations of all files below `folder`."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield msgspec.json.decode(line, type=Conversation)
