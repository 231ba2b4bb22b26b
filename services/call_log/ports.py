"""What the call log needs from outside."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from services.call_log.model import CallRecord, Spent, TurnRecord


class CallReader(Protocol):
    """Finds records."""

    async def turn(self, message_id: str, chat_key: str | None = None) -> TurnRecord | None:
        """The latest turn of a message, in any chat where `chat_key` is None."""
        ...

    async def latest_turns(
        self, limit: int, *, chat_key: str | None = None, person_id: str | None = None
    ) -> tuple[TurnRecord, ...]:
        """The last `limit` turns (of a chat, of a person), latest first."""
        ...

    async def calls(self, chat_key: str, message_ids: Sequence[str]) -> tuple[CallRecord, ...]:
        """The calls made for these messages, in the order they ended."""
        ...

    async def spent_since(self, moment: datetime) -> tuple[Spent, ...]:
        """Return what was used in turns that began at `moment` or later, one entry a person and chat."""
        ...


class CallStore(CallReader, Protocol):
    """Keeps records."""

    async def add(self, turns: Sequence[TurnRecord], calls: Sequence[CallRecord]) -> None:
        """Keep these in one transaction; losing the last ones in a power cut is all right."""
        ...

    async def forget(self, chat_key: str, message_id: str) -> None:
        """Delete what is recorded about a message's turn and calls, except what they used."""
        ...

    async def purge(self, before: datetime) -> int:
        """Delete turns and calls that began before; return how many turns there were."""
        ...
