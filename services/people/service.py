"""Accounts on several platforms that are one person, because that person proved it by a one-time code.

A link carries no rights: whoever is an admin or an owner is so by the account that speaks.
"""

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from services.chat import ChatAddress, Person
from services.errors import RequestRefused
from services.people.codes import LinkCodes
from services.people.model import Account, Linked, account_of
from services.people.ports import AccountBook
from services.session import Json, StateDelta

MOST_ACCOUNTS: Final = 10
_GROUP: Final = "group"


class PeopleService:
    """Links accounts, lists them, and takes links back."""

    def __init__(self, book: AccountBook, codes: LinkCodes) -> None:
        self._book = book
        self._codes = codes
        self._changing = asyncio.Lock()

    async def code_for(self, chat: ChatAddress, person: Person, language: str) -> str:
        """A one-time code for the account that speaks in this private chat, good for ten minutes."""
        return await self._codes.give(Account.of(chat, person), chat, language)

    async def redeem(self, chat: ChatAddress, person: Person, code: str) -> Linked:
        """Make the account that speaks here one person with the one that the code was given to.

        Raises:
            RequestRefused: `link_code_wrong(minutes)`, `link_code_own`, `link_guesses(minutes)`, `link_full(limit)`.
        """
        account = Account.of(chat, person)
        giver, told_in, language = await self._codes.take(code, account)
        async with self._changing:
            found = {each.key: each for each in (*await self._with(giver), *await self._with(account))}
            if len(found) > MOST_ACCOUNTS:
                raise RequestRefused("link_full", limit=MOST_ACCOUNTS)
            await self._join(tuple(found.values()))
        return Linked(accounts=tuple(found.values()), giver=giver, told_in=told_in, language=language)

    async def burn(self, code: str) -> None:
        """Make a code worthless that was said where others could read it."""
        await self._codes.burn(code)

    async def accounts_of(self, chat: ChatAddress, person: Person) -> tuple[Account, ...]:
        """All accounts of the person who speaks here, this one first."""
        own = Account.of(chat, person)
        return (own, *(each for each in await self._with(own) if each.key != own.key))

    async def unlink(self, chat: ChatAddress, person: Person, platform: str = "") -> tuple[Account, ...]:
        """Take this account out of its links, or those of `platform`; returns the accounts that stand alone now."""
        async with self._changing:
            own = Account.of(chat, person)
            accounts = await self._with(own)
            gone = [each for each in accounts if (each.platform == platform if platform else each.key == own.key)]
            if len(accounts) < 2 or not gone:
                return ()
            rest = [each for each in accounts if each not in gone]
            alone = (*gone, *rest) if len(rest) < 2 else tuple(gone)
            deltas = [_left(each) for each in alone]
            group = await self._group(own)
            deltas.append(StateDelta(scope=_scope(group), written={}, removed=frozenset(each.key for each in alone)))
            await self._book.commit(deltas)
        return tuple(alone)

    async def _with(self, account: Account) -> tuple[Account, ...]:
        """The account and those that it is linked with."""
        group = await self._group(account)
        if not group:
            return (account,)
        [kept] = await self._book.load([_scope(group)])
        found = [each for each in map(account_of, kept.values()) if each is not None]
        return tuple(found) or (account,)

    async def _group(self, account: Account) -> str:
        [kept] = await self._book.load([_account_scope(account)])
        group = kept.get(_GROUP)
        return group if isinstance(group, str) else ""

    async def _join(self, accounts: Sequence[Account]) -> None:
        groups = {each.key: await self._group(each) for each in accounts}
        group = uuid4().hex
        written: dict[str, Json] = {each.key: each.as_json() for each in accounts}
        before = {each for each in groups.values() if each}
        await self._book.commit(
            [
                *(StateDelta(scope=_account_scope(each), written={_GROUP: group}) for each in accounts),
                StateDelta(scope=_scope(group), written=written),
                *(StateDelta(scope=_scope(each), written={}, removed=frozenset(written)) for each in before),
            ]
        )


def _left(account: Account) -> StateDelta:
    return StateDelta(scope=_account_scope(account), written={}, removed=frozenset({_GROUP}))


def _account_scope(account: Account) -> str:
    return f"account:{account.key}"


def _scope(group: str) -> str:
    return f"accounts:{group}"
