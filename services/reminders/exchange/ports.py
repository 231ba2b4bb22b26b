"""Declare the interfaces of stores for import and export."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from services.reminders.model import NewReminder, ReminderState
from services.reminders.records import StoredReminder


class ImportedReminder(Struct, frozen=True, kw_only=True):
    """A reminder from a file. `next_fire_at` is in UTC, None when it is paused or done."""

    wish: NewReminder
    state: ReminderState
    next_fire_at: datetime | None
    created_at: datetime


class ReminderReader(Protocol):
    """Reads reminders for an export or a calendar feed."""

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders of a chat, soonest first."""
        ...


class TransferStore(ReminderReader, Protocol):
    """Reads reminders and stores those of a file."""

    async def get(self, key: int) -> StoredReminder | None:
        """Return the reminder with this key, whatever its state."""
        ...

    async def by_request(self, request_key: str) -> StoredReminder | None:
        """Return the reminder that the command with this key made."""
        ...

    async def take_in(self, arrivals: Sequence[ImportedReminder], now: datetime) -> int:
        """Keep all of them in one transaction; return how many were new by their request key."""
        ...
