"""Declare the interface of full-text indexes over messages."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from services.history.terms import indexed_terms

_CHAT_MARK = "¶"


class Indexed(NamedTuple):
    """A message in the index: its row, its chat, and the text it is found by."""

    row_id: int
    chat_key: str
    text: str

    @property
    def terms(self) -> list[str]:
        """Return what is written into the index: the term of the chat in front, so that a chat is searched alone."""
        return [chat_term(self.chat_key), *indexed_terms(self.text)]


@lru_cache(maxsize=4096)
def chat_term(chat_key: str) -> str:
    """Return a term for a chat, which no message contains: terms of messages have letters and digits only."""
    return _CHAT_MARK + sha256(chat_key.encode()).hexdigest()[:16]


class MessageIndex(Protocol):
    """Finds rows of messages by terms; every method is part of the caller's transaction."""

    @property
    def newest_row(self) -> sa.ScalarSelect[Any] | None:
        """The newest row that was taken in; None where each comes in as it is kept."""
        ...

    def create(self, connection: sa.Connection) -> None:
        """Make an empty index; one that is there is dropped."""
        ...

    def add(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Take messages in."""
        ...

    def remove(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Take messages out; their text is what they were taken in with."""
        ...

    def newest(self, chat_key: str, terms: Sequence[str]) -> sa.Select[tuple[object, ...]]:
        """Select the rows of the chat's messages that have all of `terms`, latest first."""
        ...
