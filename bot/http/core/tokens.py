"""Issue, find and revoke API tokens: the operator's from the settings, and those that admins issue."""

import asyncio
import hmac
import secrets
from contextlib import suppress
from hashlib import sha256
from typing import Final, Literal

from msgspec import Struct, ValidationError, convert, to_builtins

from bot.http.core.errors import HttpRefused
from services.kernel.clock import Clock
from services.kernel.state import Json, StateStore, change_value

Role = Literal["admin", "member", "client"]
Scope = Literal["chat", "reminders", "tools", "search", "models", "mcp", "metrics", "admin"]

SCOPES: Final[dict[Role, frozenset[Scope]]] = {
    "admin": frozenset(("chat", "reminders", "tools", "search", "models", "mcp", "metrics", "admin")),
    "member": frozenset(("chat", "reminders", "tools", "search")),
    "client": frozenset(("tools", "models", "mcp")),
}
"""The scopes of a role; a token may be restricted to some of them."""

_KEY: Final = "http.tokens"
_PREFIX: Final = "bub_"
_BYTES: Final = 32
_MAX_SECRET_CHARS: Final = 200
_ID_LENGTH: Final = 12
_CHECK_SECONDS: Final = 60.0  # another worker may revoke a token
MAX_TOKENS: Final = 200


class Token(Struct, frozen=True, kw_only=True):
    """An issued token; `id` names it and gives no access.

    `rooms` are the only rooms that it gives access to; None leaves that to the memberships of its holder.
    """

    id: str
    name: str
    role: Role
    scopes: frozenset[Scope]
    created_at: str
    rooms: frozenset[str] | None = None


OPERATOR: Final = Token(id="settings", name="operator", role="admin", scopes=SCOPES["admin"], created_at="")


class Tokens:
    """Stores tokens with hashes of their secrets; `operator_secret` is the token of the settings, or empty."""

    def __init__(self, state: StateStore, clock: Clock, operator_secret: str = "") -> None:
        self._state = state
        self._clock = clock
        self._operator_secret = operator_secret
        self._revoked = asyncio.Event()

    async def find(self, secret: str) -> Token | None:
        """Return the token with `secret`, or None."""
        if self._operator_secret and hmac.compare_digest(secret.encode(), self._operator_secret.encode()):
            return OPERATOR
        if not secret.startswith(_PREFIX) or len(secret) > _MAX_SECRET_CHARS:
            return None
        hashed = _hash_secret(secret)
        return next((_decode(each) for each in await self._entries() if each.get("hash") == hashed), None)

    async def issue(
        self,
        name: str,
        role: Role,
        scopes: frozenset[Scope] | None = None,
        rooms: frozenset[str] | None = None,
    ) -> tuple[Token, str]:
        """Issue a token for `name`; return it with its secret, which is not stored.

        `scopes` restrict it to some of the scopes of its role, `rooms` to these rooms.

        Raises:
            HttpRefused: there are 200 tokens (409).
        """
        secret = _PREFIX + secrets.token_urlsafe(_BYTES)
        allowed = SCOPES[role] if scopes is None else scopes & SCOPES[role]
        hashed = _hash_secret(secret)
        now = self._clock.now().isoformat(timespec="seconds")
        token = Token(id=hashed[:_ID_LENGTH], name=name, role=role, scopes=allowed, created_at=now, rooms=rooms)

        def add(stored: Json) -> Json:
            entries: list[Json] = [*_entries_of(stored), _encode(token, hashed)]
            if len(entries) > MAX_TOKENS:
                raise HttpRefused(409, "too_many_tokens", limit=MAX_TOKENS)
            return entries

        await change_value(self._state, _KEY, add)
        return token, secret

    async def list_tokens(self) -> tuple[Token, ...]:
        """Return the issued tokens."""
        found = (_decode(each) for each in await self._entries())
        return tuple(token for token in found if token is not None)

    def holder(self, token_id: str) -> str:
        """Return an identifier of a token; that of the operator's token changes with its secret."""
        return f"{token_id}:{_hash_secret(self._operator_secret)[:_ID_LENGTH]}" if token_id == OPERATOR.id else token_id

    async def is_current(self, holder: str) -> bool:
        """Return whether the token with the identifier `holder` is valid; an empty one, without a token, always is."""
        if holder.startswith(OPERATOR.id):
            return holder == self.holder(OPERATOR.id)
        return not holder or any(each.get("id") == holder for each in await self._entries())

    async def revoke(self, token_id: str) -> bool:
        """Revoke a token; return False if no token has the id."""

        def remove(stored: Json) -> Json:
            entries = _entries_of(stored)
            remaining: list[Json] = [each for each in entries if each.get("id") != token_id]
            return stored if len(remaining) == len(entries) else remaining

        if not await change_value(self._state, _KEY, remove):
            return False
        self._revoked.set()
        self._revoked = asyncio.Event()
        return True

    async def wait_revoked(self, token_id: str) -> None:
        """Wait until an issued token is revoked; a revocation by another worker is seen within a minute."""
        while True:
            revoked = self._revoked
            if all(each.get("id") != token_id for each in await self._entries()):
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_CHECK_SECONDS):
                    await revoked.wait()

    async def _entries(self) -> list[dict[str, Json]]:
        return _entries_of(await self._state.get(_KEY))


def _entries_of(stored: Json) -> list[dict[str, Json]]:
    return [each for each in stored if isinstance(each, dict)] if isinstance(stored, list) else []


def _hash_secret(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _encode(token: Token, hashed: str) -> dict[str, Json]:
    encoded: dict[str, Json] = to_builtins(token, order="sorted")
    return encoded | {"hash": hashed}


def _decode(entry: dict[str, Json]) -> Token | None:
    """Read a stored token; None if this version does not know its role or a scope."""
    try:
        return convert(entry, Token)
    except ValidationError:
        return None
