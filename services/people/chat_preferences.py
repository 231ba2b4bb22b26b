"""Store the instructions and the call style of chats."""

from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.state import Json, StateStore

LONGEST_INSTRUCTIONS: Final = 4000
_KEEP: Final = timedelta(days=36_500)
_CACHED_FOR: Final = timedelta(seconds=30)  # a change by another process is seen after this time
_MOST_CHATS: Final = 2000


class ChatPreferences(Struct, frozen=True, kw_only=True):
    """The `instructions` for a model that answers in the chat, and its `call_style` (empty: that of the settings)."""

    instructions: str = ""
    call_style: str = ""


class ChatPreferenceService:
    """Sets and returns the preferences of chats."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._read: BoundedDict[str, tuple[datetime, ChatPreferences]] = BoundedDict(_MOST_CHATS)

    async def of(self, chat: ChatAddress) -> ChatPreferences:
        """Return the preferences of a chat, empty by default."""
        now = self._clock.now()
        known = self._read.get(chat.key)
        if known is not None and now - known[0] < _CACHED_FOR:
            return known[1]
        stored = await self._state.get(_key(chat))
        values = stored if isinstance(stored, dict) else {}
        found = ChatPreferences(**{name: str(values.get(name, "")) for name in ChatPreferences.__struct_fields__})
        self._read[chat.key] = (now, found)
        return found

    async def set(self, chat: ChatAddress, preferences: ChatPreferences) -> None:
        """Store the preferences of a chat."""
        values: Json = {"instructions": preferences.instructions, "call_style": preferences.call_style}
        is_empty = preferences == ChatPreferences()
        await self._state.set(_key(chat), None if is_empty else values, keep=_KEEP, is_promised=True)
        self._read[chat.key] = (self._clock.now(), preferences)


def _key(chat: ChatAddress) -> str:
    return f"chat.preferences:{chat.key}"
