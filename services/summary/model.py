"""Declare summaries, their windows, bullets and findings, and the interface of sources."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from services.kernel.chat import ChatAddress, ChatMessage


class SummaryMethod(StrEnum):
    """The method that made the bullets."""

    EXTRACTIVE = "extractive"
    MODEL = "model"


class SummaryWindow(Struct, frozen=True, kw_only=True):
    """The messages to read: the last `limit` ones, or those after a moment.

    `since` and `until` are timezone-aware and exclusive; messages at `until` are included if they were stored
    before the message with the id `before`. With `since`, only the latest `limit` messages are read. `person` (id
    or name) and `topic` (words) narrow the window further, and `thread_of` to the replies around a message (its id).
    Of these, only the last `count` that people wrote to each other are summarised.
    """

    limit: int = 200
    count: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: str | None = None
    person: str | None = None
    topic: str | None = None
    thread_of: str | None = None


class Bullet(Struct, frozen=True, kw_only=True):
    """A point of a summary. `message_ids` are at least one message of the window; `sender` wrote the first."""

    text: str
    message_ids: tuple[str, ...]
    sender: str


class Finding(Struct, frozen=True, kw_only=True):
    """A decision or an open question, quoted from one message."""

    text: str
    message_id: str
    sender: str


class DateMention(Struct, frozen=True, kw_only=True):
    """A time that a message names. `phrase` is as written, `context` the sentence around it.

    `at` is timezone-aware; None if the phrase is unresolved.
    """

    phrase: str
    context: str
    message_id: str
    sender: str
    at: datetime | None = None


class LinkMention(Struct, frozen=True, kw_only=True):
    """A link in a message."""

    url: str
    message_id: str
    sender: str


class Participant(Struct, frozen=True, kw_only=True):
    """A person who wrote in the window, with the number of content messages."""

    person_id: str
    name: str
    message_count: int


class Findings(Struct, frozen=True, kw_only=True):
    """The findings of rules in a window, oldest first."""

    decisions: tuple[Finding, ...] = ()
    open_questions: tuple[Finding, ...] = ()
    dates: tuple[DateMention, ...] = ()
    links: tuple[LinkMention, ...] = ()


class Summary(Struct, frozen=True, kw_only=True):
    """A summary of one window of one chat.

    `message_count` is the number of content messages, without the bot's own, commands to it and empty ones.
    `first_at` and `last_at` are the times of the first and last content message, None in an empty window.
    `writers` are the authors of all messages, including requests to the bot.
    `is_cut`: the window has more messages than were read. `fallback_reason` is the code of the `ModelUnavailable` after
    which messages were quoted instead.
    """

    method: SummaryMethod
    bullets: tuple[Bullet, ...] = ()
    findings: Findings = Findings()
    people: tuple[Participant, ...] = ()
    message_count: int = 0
    writers: tuple[Participant, ...] = ()
    first_at: datetime | None = None
    last_at: datetime | None = None
    is_cut: bool = False
    fallback_reason: str | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether the window has no content messages."""
        return self.message_count == 0


ProgressListener = Callable[[int, int], Awaitable[None]]
"""Receives the number of finished parts and of all parts."""


class MessageSource(Protocol):
    """Stored messages of a chat; the history service is one."""

    async def recent(self, address: ChatAddress, limit: int) -> Sequence[ChatMessage]:
        """Return the last `limit` messages, oldest first."""

    async def since(self, address: ChatAddress, when: datetime) -> Sequence[ChatMessage]:
        """Return the messages sent after `when`, oldest first."""


ReadTime = Callable[[str, datetime, str], datetime | None]
"""Resolves a phrase at the time of its message, in its zone, in a language; None if it is ambiguous."""
