"""Manage aliases of chats, by which their members set reminders for them from other chats.

A chat without an alias, which only its admins can set, is not reachable.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from services.history.service import HistoryService
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.kernel.state import ScopeStore, StateDelta
from services.people.model import Account

ACTIVE_WITHIN: Final = timedelta(days=30)
"""People who wrote within this time count as members if the platform does not list members."""

_NAME: Final = re.compile(r"[^\W_][\w-]{0,31}")
_NAMES: Final = "places"

IsMember = Callable[[ChatAddress, str], Awaitable[bool | None]]
"""Returns whether a person is in a chat; None if the platform does not know."""


class ChatAliasService:
    """Sets and resolves aliases of chats; only members may use them."""

    def __init__(self, scopes: ScopeStore, history: HistoryService, clock: Clock, is_member: IsMember) -> None:
        self._scopes = scopes
        self._history = history
        self._clock = clock
        self._is_member = is_member

    async def open(self, chat: ChatAddress, name: str) -> str:
        """Set the alias of `chat`, which replaces its earlier one; return the stored name.

        Raises:
            RequestRefused: `place_name_bad(name)`, `place_name_taken(name)`.
        """
        name = name.strip().lstrip("#").casefold()
        if not _NAME.fullmatch(name):
            raise RequestRefused("place_name_bad", name=name)
        is_stored = False
        while not is_stored:  # repeated if another process changed the aliases meanwhile
            [aliases] = await self._scopes.load([_NAMES])
            if aliases.get(name, chat.key) != chat.key:
                raise RequestRefused("place_name_taken", name=name)
            before = frozenset(alias for alias, key in aliases.items() if key == chat.key and alias != name)
            named = StateDelta(scope=_NAMES, written={name: chat.key}, removed=before)
            is_stored = await self._scopes.commit_unless_changed([named], {_NAMES: aliases})
        return name

    async def close(self, chat: ChatAddress) -> bool:
        """Remove the alias of `chat`; return False if it had none."""
        while True:
            [aliases] = await self._scopes.load([_NAMES])
            names = frozenset(name for name, key in aliases.items() if key == chat.key)
            unnamed = StateDelta(scope=_NAMES, written={}, removed=names)
            if not names or await self._scopes.commit_unless_changed([unnamed], {_NAMES: aliases}):
                return bool(names)

    async def has_alias(self, name: str) -> bool:
        """Return whether a chat has this alias."""
        [aliases] = await self._scopes.load([_NAMES])
        return name.casefold() in aliases

    async def resolve(self, name: str, accounts: Sequence[Account]) -> tuple[ChatAddress, Account]:
        """Return the chat with the alias `name`, and the one of a person's `accounts` that is a member of it.

        Raises:
            RequestRefused: `place_unknown(name)`: there is no such chat, or the person is not a member.
        """
        [aliases] = await self._scopes.load([_NAMES])
        key = aliases.get(name.casefold())
        if isinstance(key, str):
            chat = ChatAddress.of_key(key)
            for account in accounts:
                if account.platform == chat.platform and await self._is_in(chat, account):
                    return chat, account
        raise RequestRefused("place_unknown", name=name)

    async def _is_in(self, chat: ChatAddress, account: Account) -> bool:
        is_member = await self._is_member(chat, account.person_id)
        if is_member is not None:
            return is_member
        last = await self._history.last_message_of(chat, account.person)
        return last is not None and self._clock.now() - last.sent_at <= ACTIVE_WITHIN
