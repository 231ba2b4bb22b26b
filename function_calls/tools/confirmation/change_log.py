"""Log the last changes of each person in each chat, so that they can be undone."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from hashlib import blake2s
from typing import Final, Literal

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from function_calls.tools.calls import Conversation, Receipt, ToolResult
from services.kernel.chat import Person
from services.kernel.state import Json, StateStore

MAX_ENTRIES: Final = 20
UNDONE: Final = "undone"  # the action of the receipt for an undo, which cannot be undone itself
EDITED: Final = "/edited"  # before a time, the suffix of the message id of changes by an edited text, undone separately
_STORED_FOR: Final = timedelta(days=30)
_OWNER_DIGITS: Final = 5
_MESSAGE_DIGITS: Final = 10

ChangeState = Literal["live", "undone", "refused"]


_STORED_NAMES: Final = {"message_id": "message", "agent_name": "agent"}


class LoggedChange(Struct, frozen=True, kw_only=True, omit_defaults=True, rename=_STORED_NAMES):
    """The change of a call of `tool` for the message with the id `message_id`.

    `agent_name` is the calling agent, empty outside of agents. `text` is the first line of the answer, `at` the time of
    the change (timezone-aware; None in entries of old versions). The last undo of a `refused` change failed.
    """

    tool: str
    message_id: str
    receipts: tuple[Receipt, ...]
    agent_name: str = ""
    text: str = ""
    at: datetime | None = None
    state: ChangeState = "live"


def change_id(person: Person, message_id: str) -> str:
    """Return the id of the changes of one message of `person`: a few digits, which fit in buttons of all platforms."""
    return _owner_of(person) + _digits(message_id, _MESSAGE_DIGITS)


def change_undone(result: ToolResult) -> str:
    """Return the id of the change that a call undid; empty without one."""
    return next((receipt.change_id for receipt in result.receipts if receipt.action == UNDONE), "")


def is_owner(person: Person, change: str) -> bool:
    """Return whether the change id `change` is that of a change of `person`."""
    return change.startswith(_owner_of(person))


class ChangeLog:
    """The last twenty changes of each person in each chat, stored for thirty days.

    As many undone changes are stored too, so that a second press of their button is recognised.
    """

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._lock = asyncio.Lock()

    async def push(self, conversation: Conversation, change: LoggedChange) -> None:
        """Store a change."""
        async with self._lock:
            await self._keep(conversation, [*await self._changes(conversation), change])

    async def latest(self, conversation: Conversation) -> tuple[LoggedChange, ...]:
        """Return the last change that can be undone, with those of the same tool and message, newest first."""
        changes = (await self.every(conversation))[::-1]
        same = []
        for change in changes:
            if (change.message_id, change.tool) != (changes[0].message_id, changes[0].tool):
                break
            same.append(change)
        return tuple(same)

    async def every(self, conversation: Conversation) -> tuple[LoggedChange, ...]:
        """Return the changes that can still be undone, oldest first."""
        return tuple(change for change in await self._changes(conversation) if change.state == "live")

    async def all(self, conversation: Conversation) -> tuple[LoggedChange, ...]:
        """Return all stored changes, oldest first, including undone ones."""
        return tuple(await self._changes(conversation))

    async def mark(
        self, conversation: Conversation, message_ids: Collection[str], state: ChangeState, subjects: Collection[str]
    ) -> None:
        """Set the state of the changes for these messages that are not undone, and have no other subjects.

        Of those that have others, these stay.
        """
        async with self._lock:
            changes: list[LoggedChange] = []
            for change in await self._changes(conversation):
                is_target = change.message_id in message_ids and change.state != "undone"
                left = tuple(receipt for receipt in change.receipts if receipt.subject not in subjects)
                marked = replace(change, receipts=left) if left else replace(change, state=state)
                changes.append(marked if is_target else change)
            await self._keep(conversation, changes)

    async def _changes(self, conversation: Conversation) -> list[LoggedChange]:
        stored = await self._state.get(_key(conversation))
        return convert(stored or [], list[LoggedChange])

    async def _keep(self, conversation: Conversation, changes: Sequence[LoggedChange]) -> None:
        live = [change for change in changes if change.state == "live"][-MAX_ENTRIES:]
        past = [change for change in changes if change.state != "live"][-MAX_ENTRIES:]
        kept: list[Json] = to_builtins([change for change in changes if change in live or change in past])
        await self._state.set(_key(conversation), kept or None, keep=_STORED_FOR)


def _owner_of(person: Person) -> str:
    return _digits(person.id, _OWNER_DIGITS)


def _digits(text: str, count: int) -> str:
    number = int.from_bytes(blake2s(text.encode(), digest_size=8).digest()) % 10**count
    return f"{number:0{count}}"


def _key(conversation: Conversation) -> str:
    return f"receipts:{conversation.key}"
