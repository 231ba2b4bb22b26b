"""Link accounts on several platforms to one person, proved by one-time codes.

A link carries no rights: only the account that speaks may be an admin or an owner.
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
from services.people.model import GROUP, Account, Linked, account_of, account_scope, group_scope

CODE_LASTS: Final = timedelta(minutes=10)
MOST_GUESSES: Final = 5
"""Wrong codes that one account may say within `CODE_LASTS`."""

# Without letters and digits that look alike; eight of them are 39 bits.
_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE: Final = re.compile(r"link-?([A-Z0-9]{4})-?([A-Z0-9]{4})", re.IGNORECASE)


def parse_code(text: str) -> str | None:
    """Return the code in `text` in its usual form; None when it is not a code."""
    found = _CODE.fullmatch(unicodedata.normalize("NFKC", text).strip().strip("`\"'.。"))
    return f"link-{found[1]}-{found[2]}".upper().replace("LINK", "link") if found else None


class LinkCodes:
    """Issues and redeems codes. Only digests are stored, and per account only the latest code."""

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._lock = asyncio.Lock()

    async def issue(self, account: Account, told_in: ChatAddress, language: str) -> str:
        """Issue a new code for `account`, which invalidates its previous one."""
        letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
        code = f"link-{letters[:4]}-{letters[4:]}"
        async with self._lock:
            earlier = await self._state.get(_issued_key(account))
            if isinstance(earlier, str):
                await self._state.set(earlier, None, keep=CODE_LASTS, is_promised=True)
            value: Json = {"account": account.as_json(), "chat": told_in.chat_id, "language": language}
            await self._state.set(_code_key(code), value, keep=CODE_LASTS, is_promised=True)
            await self._state.set(_issued_key(account), _code_key(code), keep=CODE_LASTS)
        return code

    async def redeem(self, code: str, by: Account) -> tuple[Account, ChatAddress, str]:
        """Redeem a code: return its account, where it was issued and in which language.

        Raises:
            RequestRefused: `link_code_wrong(minutes)`, `link_code_own`, `link_guesses(minutes)`.
        """
        minutes = round(CODE_LASTS.total_seconds() / 60)
        async with self._lock:
            wrong = await self._state.get(_guesses_key(by))
            guesses = wrong if isinstance(wrong, int) else 0
            if guesses >= MOST_GUESSES:
                raise RequestRefused("link_guesses", minutes=minutes)
            kept = await self._state.get(_code_key(code))
            giver = account_of(kept.get("account")) if isinstance(kept, dict) else None
            if giver is None or not isinstance(kept, dict):
                await self._state.set(_guesses_key(by), guesses + 1, keep=CODE_LASTS)
                raise RequestRefused("link_code_wrong", minutes=minutes)
            if giver.key == by.key:
                raise RequestRefused("link_code_own")
            if await self._state.take(_code_key(code)) is None:  # another process was faster
                raise RequestRefused("link_code_wrong", minutes=minutes)
            return giver, ChatAddress(platform=giver.platform, chat_id=str(kept["chat"])), str(kept["language"])

    async def revoke(self, code: str) -> None:
        """Invalidate a code that others have seen."""
        async with self._lock:
            await self._state.set(_code_key(code), None, keep=CODE_LASTS, is_promised=True)


def _code_key(code: str) -> str:
    return f"link.code:{hashlib.sha256(code.encode()).hexdigest()}"


def _issued_key(account: Account) -> str:
    return f"link.given:{account.key}"


def _guesses_key(account: Account) -> str:
    return f"link.guesses:{account.key}"


MOST_ACCOUNTS: Final = 10


class _LinkedAccounts(Struct, frozen=True, kw_only=True):
    """Accounts and those that they are linked with, in `groups`; an unlinked account is in none.

    `read` are the values that were read: a change is committed only while they are unchanged.
    """

    accounts: tuple[Account, ...]
    groups: tuple[str, ...]
    read: Mapping[str, Mapping[str, Json]]


class PeopleService:
    """Links, lists and unlinks accounts.

    Several processes may do so at once: a change that conflicts with another is repeated.
    """

    def __init__(self, scopes: ScopeStore, codes: LinkCodes) -> None:
        self._scopes = scopes
        self._codes = codes

    async def issue_code(self, chat: ChatAddress, person: Person, language: str) -> str:
        """Issue a one-time code, valid for ten minutes, to the account that speaks in this private chat."""
        return await self._codes.issue(Account.of(chat, person), chat, language)

    async def redeem(self, chat: ChatAddress, person: Person, code: str) -> Linked:
        """Link the account that speaks here with the one that the code was given to.

        Raises:
            RequestRefused: `link_code_wrong(minutes)`, `link_code_own`, `link_guesses(minutes)`, `link_full(limit)`.
        """
        account = Account.of(chat, person)
        giver, told_in, language = await self._codes.redeem(code, account)
        accounts = None
        while accounts is None:
            accounts = await self._link(await self._load_circle(giver, account))
        return Linked(accounts=accounts, giver=giver, told_in=told_in, language=language)

    async def revoke_code(self, code: str) -> None:
        """Invalidate a code that other people could read."""
        await self._codes.revoke(code)

    async def accounts_of(self, chat: ChatAddress, person: Person) -> tuple[Account, ...]:
        """Return all accounts of the person who speaks here, this one first."""
        own = Account.of(chat, person)
        return (own, *(each for each in (await self._load_circle(own)).accounts if each.key != own.key))

    async def unlink(self, chat: ChatAddress, person: Person, platform: str = "") -> tuple[Account, ...]:
        """Unlink this account, or those of `platform`; return the accounts that are unlinked now."""
        own = Account.of(chat, person)
        alone = None
        while alone is None:
            alone = await self._unlink(own, await self._load_circle(own), platform)
        return alone

    async def _load_circle(self, *accounts: Account) -> _LinkedAccounts:
        own = [account_scope(each.key) for each in accounts]
        kept = await self._scopes.load(own)
        groups = tuple(dict.fromkeys(group for each in kept if isinstance(group := each.get(GROUP), str)))
        linked = await self._scopes.load([group_scope(each) for each in groups]) if groups else []
        members = (account_of(value) for values in linked for value in values.values())
        return _LinkedAccounts(
            accounts=tuple({each.key: each for each in (*accounts, *members) if each is not None}.values()),
            groups=groups,
            read=dict(zip((*own, *map(group_scope, groups)), (*kept, *linked), strict=True)),
        )

    async def _link(self, circle: _LinkedAccounts) -> tuple[Account, ...] | None:
        """Link all accounts of the circle; None when another process changed the links meanwhile."""
        if len(circle.accounts) > MOST_ACCOUNTS:
            raise RequestRefused("link_full", limit=MOST_ACCOUNTS)
        group = uuid4().hex
        written: dict[str, Json] = {each.key: each.as_json() for each in circle.accounts}
        deltas = [
            *(StateDelta(scope=account_scope(each.key), written={GROUP: group}) for each in circle.accounts),
            StateDelta(scope=group_scope(group), written=written),
            *(_without(each, written) for each in circle.groups),
        ]
        return circle.accounts if await self._scopes.commit_unless_changed(deltas, circle.read) else None

    async def _unlink(self, own: Account, circle: _LinkedAccounts, platform: str) -> tuple[Account, ...] | None:
        """Return the accounts that are unlinked from now on; None when another process changed the links meanwhile."""
        gone = [each for each in circle.accounts if (each.platform == platform if platform else each.key == own.key)]
        if len(circle.accounts) < 2 or not gone:
            return ()
        rest = [each for each in circle.accounts if each not in gone]
        alone = (*gone, *rest) if len(rest) < 2 else tuple(gone)
        deltas = [
            *(StateDelta(scope=account_scope(each.key), written={}, removed=frozenset({GROUP})) for each in alone),
            *(_without(each, [account.key for account in alone]) for each in circle.groups),
        ]
        return alone if await self._scopes.commit_unless_changed(deltas, circle.read) else None


def _without(group: str, keys: Iterable[str]) -> StateDelta:
    return StateDelta(scope=group_scope(group), written={}, removed=frozenset(keys))
