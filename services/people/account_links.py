"""Link accounts of one person on several platforms by one-time codes.

A link gives no rights: an account does not become admin or owner through a linked one.
"""

import asyncio
import hashlib
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final
from uuid import uuid4

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.kernel.state import Json, ScopeStore, StateDelta, StateStore
from services.people.model import GROUP, Account, LinkResult, account_of, account_scope, group_scope

CODE_LIFETIME: Final = timedelta(minutes=10)
MAX_GUESSES: Final = 5
"""The limit of wrong codes per account within `CODE_LIFETIME`."""

# Without letters and digits that look alike; eight of them are 39 bits.
_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE: Final = re.compile(r"link-?([A-Z0-9]{4})-?([A-Z0-9]{4})", re.IGNORECASE)


def parse_code(text: str) -> str | None:
    """Parse `text` as a code in any notation; None if it is not a code."""
    found = _CODE.fullmatch(unicodedata.normalize("NFKC", text).strip().strip("`\"'.。"))
    return f"link-{found[1]}-{found[2]}".upper().replace("LINK", "link") if found else None


def _code_key(code: str) -> str:
    return f"link.code:{hashlib.sha256(code.encode()).hexdigest()}"


def _issued_key(account: Account) -> str:
    return f"link.given:{account.key}"


def _guesses_key(account: Account) -> str:
    return f"link.guesses:{account.key}"


MAX_ACCOUNTS: Final = 10


class _LinkedAccounts(Struct, frozen=True, kw_only=True):
    """Accounts with their linked accounts and the ids of their `groups`; an unlinked account has no group.

    `read` are the stored values, for a commit that fails if they have changed.
    """

    accounts: tuple[Account, ...]
    groups: tuple[str, ...]
    read: Mapping[str, Mapping[str, Json]]


class PeopleService:
    """Links, lists and unlinks accounts; a change that conflicts with one of another process is repeated.

    Only hashes of codes are stored, and only the latest code of an account is valid.
    """

    def __init__(self, scopes: ScopeStore, state: StateStore) -> None:
        self._scopes = scopes
        self._state = state
        self._lock = asyncio.Lock()

    async def issue_code(self, chat: ChatAddress, person: Person, language: str) -> str:
        """Issue a one-time code, valid for ten minutes, to the account of `person` in this private chat."""
        account = Account.of(chat, person)
        letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
        code = f"link-{letters[:4]}-{letters[4:]}"
        async with self._lock:
            earlier = await self._state.get(_issued_key(account))
            if isinstance(earlier, str):
                await self._state.set(earlier, None, keep=CODE_LIFETIME, is_promised=True)
            value: Json = {"account": account.as_json(), "chat": chat.chat_id, "language": language}
            await self._state.set(_code_key(code), value, keep=CODE_LIFETIME, is_promised=True)
            await self._state.set(_issued_key(account), _code_key(code), keep=CODE_LIFETIME)
        return code

    async def redeem(self, chat: ChatAddress, person: Person, code: str) -> LinkResult:
        """Link the account of `person` in `chat` with the account that the code was issued to.

        Raises:
            RequestRefused: `link_code_wrong(minutes)`, `link_code_own`, `link_guesses(minutes)`, `link_full(limit)`.
        """
        account = Account.of(chat, person)
        holder, issued_in, language = await self._redeem(code, account)
        accounts = None
        while accounts is None:
            accounts = await self._link(await self._load_linked(holder, account))
        return LinkResult(accounts=accounts, holder=holder, issued_in=issued_in, language=language)

    async def revoke_code(self, code: str) -> None:
        """Invalidate a code that other people could read."""
        async with self._lock:
            await self._state.set(_code_key(code), None, keep=CODE_LIFETIME, is_promised=True)

    async def accounts_of(self, chat: ChatAddress, person: Person) -> tuple[Account, ...]:
        """Return all accounts of `person`, the one in `chat` first."""
        own = Account.of(chat, person)
        return (own, *(linked for linked in (await self._load_linked(own)).accounts if linked.key != own.key))

    async def unlink(self, chat: ChatAddress, person: Person, platform: str = "") -> tuple[Account, ...]:
        """Unlink the account in `chat`, or those of `platform`; return the unlinked accounts."""
        own = Account.of(chat, person)
        alone = None
        while alone is None:
            alone = await self._unlink(own, await self._load_linked(own), platform)
        return alone

    async def _redeem(self, code: str, by: Account) -> tuple[Account, ChatAddress, str]:
        """Redeem a code; return its account, the chat and the language in which it was issued."""
        minutes = round(CODE_LIFETIME.total_seconds() / 60)
        async with self._lock:
            wrong = await self._state.get(_guesses_key(by))
            guesses = wrong if isinstance(wrong, int) else 0
            if guesses >= MAX_GUESSES:
                raise RequestRefused("link_guesses", minutes=minutes)
            stored = await self._state.get(_code_key(code))
            holder = account_of(stored.get("account")) if isinstance(stored, dict) else None
            if holder is None or not isinstance(stored, dict):
                await self._state.set(_guesses_key(by), guesses + 1, keep=CODE_LIFETIME)
                raise RequestRefused("link_code_wrong", minutes=minutes)
            if holder.key == by.key:
                raise RequestRefused("link_code_own")
            if await self._state.take(_code_key(code)) is None:  # redeemed by another process meanwhile
                raise RequestRefused("link_code_wrong", minutes=minutes)
            return holder, ChatAddress(platform=holder.platform, chat_id=str(stored["chat"])), str(stored["language"])

    async def _load_linked(self, *accounts: Account) -> _LinkedAccounts:
        own = [account_scope(linked.key) for linked in accounts]
        scopes = await self._scopes.load(own)
        groups = tuple(dict.fromkeys(group for stored in scopes if isinstance(group := stored.get(GROUP), str)))
        linked = await self._scopes.load([group_scope(group_id) for group_id in groups]) if groups else []
        members = (account_of(value) for values in linked for value in values.values())
        return _LinkedAccounts(
            accounts=tuple({linked.key: linked for linked in (*accounts, *members) if linked is not None}.values()),
            groups=groups,
            read=dict(zip((*own, *map(group_scope, groups)), (*scopes, *linked), strict=True)),
        )

    async def _link(self, found: _LinkedAccounts) -> tuple[Account, ...] | None:
        """Link all accounts of `found`; return None if another process changed the links meanwhile."""
        if len(found.accounts) > MAX_ACCOUNTS:
            raise RequestRefused("link_full", limit=MAX_ACCOUNTS)
        group = uuid4().hex
        written: dict[str, Json] = {linked.key: linked.as_json() for linked in found.accounts}
        deltas = [
            *(StateDelta(scope=account_scope(linked.key), written={GROUP: group}) for linked in found.accounts),
            StateDelta(scope=group_scope(group), written=written),
            *(_without(group_id, written) for group_id in found.groups),
        ]
        return found.accounts if await self._scopes.commit_unless_changed(deltas, found.read) else None

    async def _unlink(self, own: Account, found: _LinkedAccounts, platform: str) -> tuple[Account, ...] | None:
        """Unlink accounts and return them; None if another process changed the links meanwhile."""
        gone = [
            linked for linked in found.accounts if (linked.platform == platform if platform else linked.key == own.key)
        ]
        if len(found.accounts) < 2 or not gone:
            return ()
        rest = [linked for linked in found.accounts if linked not in gone]
        alone = (*gone, *rest) if len(rest) < 2 else tuple(gone)
        deltas = [
            *(StateDelta(scope=account_scope(linked.key), written={}, removed=frozenset({GROUP})) for linked in alone),
            *(_without(group_id, [account.key for account in alone]) for group_id in found.groups),
        ]
        return alone if await self._scopes.commit_unless_changed(deltas, found.read) else None


def _without(group: str, keys: Iterable[str]) -> StateDelta:
    return StateDelta(scope=group_scope(group), written={}, removed=frozenset(keys))
