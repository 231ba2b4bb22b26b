"""Store the instructions and the call style of chats."""

from datetime import timedelta
from functools import partial
from typing import Final

from msgspec import Struct, convert, to_builtins

from services.kernel.bounded import TimedCache
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.state import FOREVER, StateStore

MAX_INSTRUCTIONS_LENGTH: Final = 4000
_CACHED_FOR: Final = timedelta(seconds=30)  # a change by another process is seen after this time
_MAX_CHATS: Final = 2000


class ChatPreferences(Struct, frozen=True, kw_only=True):
    """The `instructions` for a model that answers in the chat, and its `call_style` (empty: that of the settings)."""

    instructions: str = ""
    call_style: str = ""


class ChatPreferenceService:
    """Sets and returns the preferences of chats."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        self._state = state
        self._cache: TimedCache[ChatPreferences] = TimedCache(clock, _CACHED_FOR, _MAX_CHATS)

    async def of(self, chat: ChatAddress) -> ChatPreferences:
        """Return the preferences of a chat, empty by default."""
        return await self._cache.get(chat.key, partial(self._load, chat))

    async def _load(self, chat: ChatAddress) -> ChatPreferences:
        stored = await self._state.get(_key(chat))
        return convert(stored, ChatPreferences) if isinstance(stored, dict) else ChatPreferences()

    async def set(self, chat: ChatAddress, preferences: ChatPreferences) -> None:
        """Store the preferences of a chat."""
        values = None if preferences == ChatPreferences() else to_builtins(preferences)
        await self._state.set(_key(chat), values, keep=FOREVER, is_promised=True)
        self._cache.clear()


def _key(chat: ChatAddress) -> str:
    return f"chat.preferences:{chat.key}"
