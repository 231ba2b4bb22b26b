"""The last changes of each person in each chat, so that they can be taken back."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from msgspec import Struct

from function_calls.calls import Conversation, Receipt, UndoStep
from function_calls.session_state import json_copy
from services.session import Json, StateStore

MOST: Final = 20
UNDONE: Final = "undone"  # the action of a receipt that says a change was taken back; it is none to take back
EDITED: Final = "/edited"  # with the time behind the id of a message: what new words of it changed is undone by itself
_KEPT: Final = timedelta(days=30)


class Change(Struct, frozen=True, kw_only=True):
    """What one call changed. `message_id` is the message that it was made for, `tool` the function.

    `agent_name` is the agent that made it, empty outside of agents.
    """

    tool: str
    message_id: str
    receipts: tuple[Receipt, ...]
    agent_name: str = ""


class ReceiptStack:
    """Keeps the last twenty changes of each person in each chat for thirty days, also through a restart."""

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._lock = asyncio.Lock()

    async def push(self, conversation: Conversation, change: Change) -> None:
        """Remember a change."""
        async with self._lock:
            entries = await self._entries(conversation)
            await self._keep(conversation, [*entries, _written(change)][-MOST:])

    async def latest(self, conversation: Conversation) -> tuple[Change, ...]:
        """What the person changed last: the calls of one function for one message, newest first."""
        changes = [_read(entry) for entry in reversed(await self._entries(conversation))]
        same = []
        for change in changes:
            if (change.message_id, change.tool) != (changes[0].message_id, changes[0].tool):
                break
            same.append(change)
        return tuple(same)

    async def every(self, conversation: Conversation) -> tuple[Change, ...]:
        """All that is remembered of what the person changed, oldest first."""
        return tuple(_read(entry) for entry in await self._entries(conversation))

    async def drop(self, conversation: Conversation, count: int) -> None:
        """Forget the last `count` changes."""
        async with self._lock:
            entries = await self._entries(conversation)
            await self._keep(conversation, entries[: len(entries) - count])

    async def _entries(self, conversation: Conversation) -> list[dict[str, Json]]:
        stored = await self._state.get(_key(conversation))
        return [entry for entry in stored if isinstance(entry, dict)] if isinstance(stored, list) else []

    async def _keep(self, conversation: Conversation, entries: Sequence[dict[str, Json]]) -> None:
        await self._state.set(_key(conversation), [*entries] or None, keep=_KEPT)


def _key(conversation: Conversation) -> str:
    return f"receipts:{conversation.key}"


def _written(change: Change) -> dict[str, Json]:
    return {
        "tool": change.tool,
        "message": change.message_id,
        "agent": change.agent_name,
        "receipts": [_receipt(receipt) for receipt in change.receipts],
    }


def _receipt(receipt: Receipt) -> dict[str, Json]:
    written: dict[str, Json] = {"action": receipt.action, "subject": receipt.subject}
    if receipt.undo is not None:
        written["undo"] = {"name": receipt.undo.name, "arguments": json_copy(dict(receipt.undo.arguments))}
    return written


def _read(entry: Mapping[str, Json]) -> Change:
    receipts = entry.get("receipts")
    return Change(
        tool=str(entry.get("tool")),
        message_id=str(entry.get("message")),
        agent_name=str(entry.get("agent", "")),
        receipts=tuple(_read_receipt(each) for each in receipts if isinstance(each, dict))
        if isinstance(receipts, list)
        else (),
    )


def _read_receipt(written: Mapping[str, Json]) -> Receipt:
    undo = written.get("undo")
    step = None
    if isinstance(undo, dict):
        arguments = undo.get("arguments")
        step = UndoStep(name=str(undo.get("name")), arguments=arguments if isinstance(arguments, dict) else {})
    return Receipt(action=str(written.get("action")), subject=str(written.get("subject")), undo=step)
