"""Name chats so that their members can set reminders for them from other chats.

A chat is closed until one of its admins gives it a name.
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

SPOKE_WITHIN: Final = timedelta(days=30)
"""Where the platform does not list members, people who wrote this recently count as members."""

_NAME: Final = re.compile(r"[^\W_][\w-]{0,31}")
_NAMES: Final = "places"

IsMember = Callable[[ChatAddress, str], Awaitable[bool | None]]
"""Returns whether a person is in a chat; None where the platform does not know."""


class ChatAliasService:
    """Gives chats aliases and checks who may use them."""

    def __init__(self, scopes: ScopeStore, history: HistoryService, clock: Clock, is_member: IsMember) -> None:
        self._scopes = scopes
        self._history = history
        self._clock = clock
        self._is_member = is_member

    async def open(self, chat: ChatAddress, name: str) -> str:
        """Let members address `chat` as `name`, in place of its earlier name; return the stored name.

        Raises:
            RequestRefused: `place_name_bad(name)`, `place_name_taken(name)`.
        """
        name = name.strip().lstrip("#").casefold()
        if not _NAME.fullmatch(name):
            raise RequestRefused("place_name_bad", name=name)
        is_kept = False
        while not is_kept:  # another process may have given a name meanwhile
            [kept] = await self._scopes.load([_NAMES])
            if kept.get(name, chat.key) != chat.key:
                raise RequestRefused("place_name_taken", name=name)
            before = frozenset(each for each, key in kept.items() if key == chat.key and each != name)
            named = StateDelta(scope=_NAMES, written={name: chat.key}, removed=before)
            is_kept = await self._scopes.commit_unless_changed([named], {_NAMES: kept})
        return name

    async def close(self, chat: ChatAddress) -> bool:
        """Remove the name of `chat`; False when it had none."""
        while True:
            [kept] = await self._scopes.load([_NAMES])
            names = frozenset(name for name, key in kept.items() if key == chat.key)
            unnamed = StateDelta(scope=_NAMES, written={}, removed=names)
            if not names or await self._scopes.commit_unless_changed([unnamed], {_NAMES: kept}):
                return bool(names)

    async def has_alias(self, name: str) -> bool:
        """Return whether a chat has this name."""
        [kept] = await self._scopes.load([_NAMES])
        return name.casefold() in kept

    async def resolve(self, name: str, accounts: Sequence[Account]) -> tuple[ChatAddress, Account]:
        """Return the chat called `name`, and with which of one person's `accounts` they are a member there.

        Raises:
            RequestRefused: `place_unknown(name)`: there is none, or the person is not in it.
        """
        [kept] = await self._scopes.load([_NAMES])
        key = kept.get(name.casefold())
        if isinstance(key, str):
            platform, _, chat_id = key.partition(":")
            chat = ChatAddress(platform=platform, chat_id=chat_id)
            for account in accounts:
                if account.platform == platform and await self._is_in(chat, account):
                    return chat, account
        raise RequestRefused("place_unknown", name=name)

    async def _is_in(self, chat: ChatAddress, account: Account) -> bool:
        told = await self._is_member(chat, account.person_id)
        if told is not None:
            return told
        last = await self._history.last_message_of(chat, account.person)
        return last is not None and self._clock.now() - last.sent_at <= SPOKE_WITHIN
