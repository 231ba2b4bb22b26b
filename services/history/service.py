"""Record every message once and return recent ones."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Protocol
from uuid import uuid4

from loguru import logger

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import StorageFull


class MessageStore(Protocol):
    """Stores messages; a chat and a message id identify a message permanently."""

    async def add(self, messages: Sequence[ChatMessage]) -> tuple[bool, ...]:
        """Store messages in one transaction; return True for each that is new.

        They survive the end of the process immediately, and a power cut after `flush` or a moment later.
        """

    async def flush(self) -> None:
        """Wait until the stored messages survive a power cut."""

    async def find(self, address: ChatAddress, message_id: str) -> ChatMessage | None:
        """Return the message with that id in any thread of the chat; None if it is unknown or deleted."""

    async def recent(self, address: ChatAddress, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages of a chat, or of the thread in `address`, oldest first."""

    async def speakers(self, address: ChatAddress, limit: int) -> tuple[tuple[str, str], ...]:
        """Return the last `limit` messages of people, oldest first, as message and person ids.

        Deleted messages are included. The person is empty for people who opted out.
        """

    async def since(self, address: ChatAddress, moment: datetime, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages sent after `moment`, oldest first."""

    async def after(self, message: ChatMessage, limit: int) -> tuple[ChatMessage, ...]:
        """Return the first `limit` messages after `message` in its chat or thread, oldest first."""

    async def last_message_of(
        self, address: ChatAddress, person: Person, before: datetime | None
    ) -> ChatMessage | None:
        """Return the latest message of `person` in the chat, sent before `before`."""

    async def search(self, address: ChatAddress, query: str, limit: int) -> tuple[ChatMessage, ...]:
        """Return at most `limit` messages of people that match `query`, best first.

        Messages with all words come first, latest first; then those with half of the words or more.
        """

    async def edit(self, address: ChatAddress, message_id: str, text: str, at: datetime) -> bool:
        """Replace the text of a message; return False if it is unknown or deleted."""

    async def delete(self, address: ChatAddress, message_id: str, at: datetime) -> bool:
        """Delete the text of a message; its id stays known. Return False if it is unknown."""


_BATCH = 500
_MAX_QUEUED = 50


class HistoryService:
    """The history of every chat; concurrent writes share one transaction."""

    def __init__(
        self, store: MessageStore, *, bot_name: str = "Bubbles", on_kept: Callable[[ChatMessage], None] | None = None
    ) -> None:
        """Create the service; `on_kept` is called with every new message."""
        self._store = store
        self._on_kept = on_kept
        self._bot = Person(id="self", name=bot_name, is_bot=True)
        self._waiting: deque[tuple[ChatMessage, asyncio.Future[bool]]] = deque()
        self._is_writing = False
        self._writing: asyncio.Task[None] | None = None

    async def record(self, message: ChatMessage) -> bool:
        """Store `message`; return after the commit, with False if this chat has a message with this id.

        It survives the end of the process then, and a power cut a moment later or after `flush`.
        """
        if self._is_writing:
            done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            self._waiting.append((message, done))
            is_new = await done
        else:
            # No other write is running: a task and a future would cost as much as the insert.
            self._is_writing = True
            try:
                (is_new,) = await self._store.add([message])
            finally:
                self._write_next()
        if is_new and self._on_kept is not None:
            self._on_kept(message)
        return is_new

    async def flush(self) -> None:
        """Wait until the recorded messages survive a power cut."""
        await self._store.flush()

    async def record_own(
        self,
        address: ChatAddress,
        text: str,
        *,
        message_id: str | None,
        sent_at: datetime,
        reply_to: str | None = None,
    ) -> None:
        """Store a message of the bot; without a platform id, generate one."""
        own_id = message_id or f"own-{uuid4().hex}"
        await self.record(
            ChatMessage(id=own_id, address=address, sender=self._bot, text=text, sent_at=sent_at, reply_to=reply_to)
        )

    async def find(self, address: ChatAddress, message_id: str) -> ChatMessage | None:
        """Return the message with that id in any thread of the chat; None if it is unknown."""
        return await self._store.find(address, message_id)

    async def recent(self, address: ChatAddress, limit: int = 100) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages of a chat, or of the thread in `address`, oldest first."""
        return await self._store.recent(address, limit)

    async def before(self, message: ChatMessage, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages before `message` in its chat or thread, oldest first.

        Messages are recorded before their turn, so later messages of a burst may be stored already.
        """
        found = await self.recent(message.address, limit + 1)
        if found and found[-1].id != message.id:
            found = await self.recent(message.address, limit + 1 + _MAX_QUEUED)
        earlier = takewhile(lambda earlier: earlier.id != message.id and earlier.sent_at <= message.sent_at, found)
        return tuple(earlier)[-limit:]

    async def speakers(self, address: ChatAddress, limit: int) -> tuple[tuple[str, str], ...]:
        """Return message and person ids as `MessageStore.speakers` does."""
        return await self._store.speakers(address, limit)

    async def since(self, address: ChatAddress, moment: datetime, limit: int = 5000) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages sent after `moment` (timezone-aware), oldest first."""
        return await self._store.since(address, moment, limit)

    async def after(self, message: ChatMessage, limit: int) -> tuple[ChatMessage, ...]:
        """Return the first `limit` messages after `message` in its chat or thread, oldest first."""
        return await self._store.after(message, limit)

    async def search(self, chat: ChatAddress, query: str, limit: int = 10) -> tuple[ChatMessage, ...]:
        """Return at most `limit` messages of people in `chat` that match `query`, as `MessageStore.search` does."""
        return await self._store.search(chat, query, limit)

    async def last_message_of(
        self, address: ChatAddress, person: Person, *, before: datetime | None = None
    ) -> ChatMessage | None:
        """Return the latest message of `person` in the chat, sent before `before`; None without any."""
        return await self._store.last_message_of(address, person, before)

    async def edit(self, address: ChatAddress, message_id: str, text: str, *, at: datetime) -> bool:
        """Store the new text of an edited message; return False if it is unknown."""
        return await self._store.edit(address, message_id, text, at)

    async def delete(self, address: ChatAddress, message_id: str, *, at: datetime) -> bool:
        """Delete the text of a deleted message; return False if it is unknown."""
        return await self._store.delete(address, message_id, at)

    def _write_next(self) -> None:
        self._is_writing = bool(self._waiting)
        if self._is_writing:
            self._writing = asyncio.create_task(self._write_waiting())

    async def _write_waiting(self) -> None:
        """Write in batches: messages that arrive during one commit go into the next."""
        try:
            while self._waiting:
                await self._write([self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))])
        finally:  # also after a cancellation, so that the next message does not wait for this task
            self._is_writing = False

    async def _write(self, batch: list[tuple[ChatMessage, asyncio.Future[bool]]]) -> None:
        try:
            new = await self._store.add([message for message, _ in batch])
        except Exception as error:  # noqa: BLE001 - each waiting future gets the error
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
        else:
            for (_, done), is_new in zip(batch, new, strict=True):
                if not done.done():
                    done.set_result(is_new)


async def record_once(history: HistoryService, message: ChatMessage) -> bool:
    """Record `message`; return False if it is known. On a full disk it counts as new, so that it is answered."""
    try:
        return await history.record(message)
    except StorageFull as error:
        log = logger.bind(chat=str(message.address), message=message.id)
        log.warning("could not record a message in the history: {}", error)
        return True
