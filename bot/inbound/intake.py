"""Sanitise and record messages and new ids of chats as they arrive, and retry while the database is unavailable."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, TypeVar

from loguru import logger
from msgspec.structs import replace

from bot.inbound.middleware import AccessFilter, Next
from services.history.service import HistoryService, record_once
from services.kernel.chat import ChatMessage, ChatMoved, MessageEdited, Person, Reaction
from services.kernel.clock import Clock
from services.kernel.errors import StorageBusy, StorageUnavailable
from services.kernel.network import growing_pauses
from services.kernel.text import replace_unstorable

M = TypeVar("M")

T = TypeVar("T")

_FIRST_PAUSE_SECONDS: Final = 0.5
_MAX_PAUSE_SECONDS: Final = 5.0
_LOG_INTERVAL: Final = timedelta(minutes=1)

TRANSIENT_ERRORS: Final = (StorageBusy, StorageUnavailable)
"""Errors that end when the database is available again."""


def sanitize_text(incoming: M) -> M:
    """Replace characters that cannot be stored in the text, names and file descriptions of `incoming`."""
    if isinstance(incoming, MessageEdited):
        return replace(incoming, text=replace_unstorable(incoming.text))
    if isinstance(incoming, Reaction):
        return replace(incoming, person=_sanitize_person(incoming.person))
    if not isinstance(incoming, ChatMessage):
        return incoming
    sanitized = replace(
        incoming,
        text=replace_unstorable(incoming.text),
        sender=_sanitize_person(incoming.sender),
        mentions=tuple(_sanitize_person(person) for person in incoming.mentions),
        attachments=tuple(
            replace(each, description=replace_unstorable(each.description)) for each in incoming.attachments
        ),
    )
    return incoming if sanitized == incoming else sanitized


def _sanitize_person(person: Person) -> Person:
    return replace(person, name=replace_unstorable(person.name), username=replace_unstorable(person.username))


class StorageRetry:
    """Repeats work while the database is unavailable; one instance is shared, so that an outage is logged once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged_at: datetime | None = None
        self._waiting = 0

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Handle `message` again if the database became unavailable before it was answered.

        Call ids derive from the message, so no change is made twice.
        """
        await self.run(lambda: call_next(message))

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Repeat `work` with growing pauses until the database is available, and return its result."""
        try:
            return await work()
        except TRANSIENT_ERRORS as error:
            self._log(error)
        self._waiting += 1
        try:
            return await self._repeat(work)
        finally:
            self._waiting -= 1

    async def _repeat(self, work: Callable[[], Awaitable[T]]) -> T:
        pauses = growing_pauses(_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS)
        while True:
            await self._clock.nap(next(pauses))
            try:
                result = await work()
            except TRANSIENT_ERRORS as error:
                self._log(error)
            else:
                if self._logged_at is not None:
                    self._logged_at = None
                    logger.info("database available again")
                return result

    def _log(self, error: Exception) -> None:
        now = self._clock.now()
        if self._logged_at is None or not timedelta() <= now - self._logged_at < _LOG_INTERVAL:
            self._logged_at = now
            logger.warning("database not available, {} messages wait for it: {}", self._waiting + 1, error)


MoveChat = Callable[[ChatMoved], Awaitable[None]]
"""Gives all stored data of a chat its new id."""


class Intake:
    """Writes messages and new ids of chats to the database, and retries while it is unavailable.

    A platform moves its position (sync token, update offset, acknowledgement) after a method has returned, so an event
    during an outage is either recorded or delivered again.
    """

    def __init__(
        self, history: HistoryService, access: AccessFilter, retry: StorageRetry, *, move_chat: MoveChat
    ) -> None:
        self._history = history
        self._access = access
        self._retry = retry
        self._move_chat = move_chat

    async def move(self, moved: ChatMoved) -> None:
        """Give the reminders, messages and settings of a chat its new id."""
        log = logger.bind(chat=moved.address.key)
        log.info("{} has a new id: {}", moved.previous, moved.address)
        if self._access.serves(moved.previous) and not self._access.serves(moved.address):
            log.warning("{} is not in router.allowed_chats; add it there instead of {}", moved.address, moved.previous)
        await self._retry.run(lambda: self._move_chat(moved))

    async def record(self, message: ChatMessage) -> ChatMessage:
        """Commit `message` and return it, marked as recorded unless it is a duplicate or `AccessFilter` stops it."""
        if message.is_recorded or not self._access.admits(message):
            return message
        may_be_committed = False

        async def write() -> bool:
            nonlocal may_be_committed
            try:
                # If the confirmation of a commit was lost, the next attempt finds the message, which is unhandled.
                return await record_once(self._history, message) or may_be_committed
            except TRANSIENT_ERRORS:
                may_be_committed = True
                raise

        return replace(message, is_recorded=True) if await self._retry.run(write) else message
