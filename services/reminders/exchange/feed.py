"""Serve a chat's reminders as a calendar feed at a secret, revocable address."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256

from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.state import FOREVER, Json, StateStore
from services.reminders.exchange.ics_write import feed_ics
from services.reminders.exchange.model import read_chat, to_portable
from services.reminders.ports import ReminderReader

_TOKEN_BYTES = 32
_MAX_TOKEN_LENGTH = 200
_MAX_SHOWN = 1000
_MAX_TOKENS = 20


class FeedTokens:
    """Issues and revokes the secrets of calendar feeds. Only their hashes are stored.

    `is_current` returns whether the access token of a secret's holder is valid; the secret expires with it.
    """

    def __init__(self, state: StateStore, is_current: Callable[[str], Awaitable[bool]] | None = None) -> None:
        self._state = state
        self._is_current = is_current
        self._lock = asyncio.Lock()

    async def issue(self, chat: ChatAddress, holder: str = "") -> str:
        """Issue a secret of `holder` for `chat`, to be shown once. The oldest of more than 20 is revoked."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        entry: Json = {"chat": chat.key, "holder": holder}
        async with self._lock:
            hashes = [*await self._hashes(chat), _hash_token(token)]
            await self._forget(hashes[:-_MAX_TOKENS])
            await self._state.set(_token_key(hashes[-1]), entry, keep=FOREVER, is_promised=True)
            await self._state.set(_chat_key(chat), [*hashes[-_MAX_TOKENS:]], keep=FOREVER, is_promised=True)
        return token

    async def revoke(self, chat: ChatAddress) -> int:
        """Revoke all secrets of `chat`; return their number."""
        async with self._lock:
            hashes = await self._hashes(chat)
            await self._forget(hashes)
            await self._state.set(_chat_key(chat), None, keep=FOREVER, is_promised=True)
        return len(hashes)

    async def chat_of(self, token: str) -> ChatAddress | None:
        """Return the chat of `token`; None if it is unknown, expired or revoked."""
        if len(token) > _MAX_TOKEN_LENGTH:
            return None
        token_hash = _hash_token(token)
        entry = await self._state.get(_token_key(token_hash))
        if not isinstance(entry, dict):
            return None
        if self._is_current is not None and not await self._is_current(str(entry.get("holder"))):
            return None
        chat = read_chat(str(entry.get("chat")))
        # Another worker may have issued a secret at the same time; one that is not listed could not be revoked.
        return chat if token_hash in await self._hashes(chat) else None

    async def _hashes(self, chat: ChatAddress) -> list[str]:
        stored = await self._state.get(_chat_key(chat))
        return [str(token_hash) for token_hash in stored] if isinstance(stored, list) else []

    async def _forget(self, hashes: Sequence[str]) -> None:
        for token_hash in hashes:
            await self._state.set(_token_key(token_hash), None, keep=FOREVER, is_promised=True)


class CalendarFeed:
    """Serves the calendar feed of a chat to everyone with its token."""

    def __init__(self, reader: ReminderReader, tokens: FeedTokens, clock: Clock) -> None:
        self._reader = reader
        self._tokens = tokens
        self._clock = clock

    async def feed(self, token: str) -> str | None:
        """Return the active reminders of the token's chat as iCalendar (`text/calendar`); None for an unknown token.

        Raises:
            ConfigError: the extra `ical` is not installed.
        """
        chat = await self._tokens.chat_of(token)
        if chat is None:
            return None
        rows = await self._reader.in_chat(chat.key, _MAX_SHOWN)
        return feed_ics([to_portable(row) for row in rows], chat=chat.key, now=self._clock.now())


def _hash_token(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def _token_key(token_hash: str) -> str:
    return f"reminders.feed:{token_hash}"


def _chat_key(chat: ChatAddress) -> str:
    return f"reminders.feeds:{chat.key}"
