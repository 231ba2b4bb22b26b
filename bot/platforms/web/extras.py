"""Store the extras of messages: buttons, reactions and the reminder of the message."""

from typing import Final

from msgspec import Struct, ValidationError, convert, field, to_builtins

from bot.platforms.web.frames import AttachmentShape, ChoiceShape, FiredShape
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.state import FOREVER, Json, MemoryStateStore, StateStore

_MAX_MESSAGES: Final = 300
_MAX_EMOJI: Final = 50
_CHOICE_DEFAULTS: Final[dict[str, Json]] = {"only_for": [], "state": "live", "expires_at": None, "change_id": None}


class Extras(Struct, kw_only=True):
    """The extras of a message. `reactions` are the ids of people by emoji.

    `confirmed`, of the answer to a confirmation, are the messages whose calls it has confirmed.
    """

    choices: list[ChoiceShape] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    reminder: FiredShape | None = None
    attachments: list[AttachmentShape] = field(default_factory=list)
    stopped: bool = False
    can_retry: bool = False
    confirmed: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Return whether there are no extras."""
        return self == NO_EXTRAS

    def react(self, person_id: str, emoji: str) -> None:
        """Add the person's emoji, or remove it if it is there; a message has at most fifty different ones."""
        if emoji not in self.reactions and len(self.reactions) >= _MAX_EMOJI:
            return
        people = self.reactions.setdefault(emoji, [])
        if person_id in people:
            people.remove(person_id)
        else:
            people.append(person_id)
        if not people:
            del self.reactions[emoji]


NO_EXTRAS = Extras()


class RoomExtras:
    """The extras of the last 300 messages of a room that have any; `state` keeps them over restarts."""

    def __init__(self, state: StateStore, chat_key: str) -> None:
        self._state = state
        self._key = f"web.extras:{chat_key}"
        self._of: BoundedDict[str, Extras] | None = None

    async def get(self, message_id: str) -> Extras:
        """Return the extras of a message, for reading only."""
        return (await self._all()).get(message_id, NO_EXTRAS)

    async def with_change(self, change_id: str) -> tuple[str, ...]:
        """Return the ids of the messages with a button that undoes this change."""
        known = await self._all()
        return tuple(
            name for name, extras in known.items() if any(each["change_id"] == change_id for each in extras.choices)
        )

    async def set(self, message_id: str, extras: Extras) -> None:
        """Store the extras of a message; empty ones are deleted."""
        known = await self._all()
        if not extras.is_empty:
            known[message_id] = extras
        elif known.pop(message_id, None) is None:
            return
        await self._state.set(self._key, [{"id": each, **to_builtins(known[each])} for each in known], keep=FOREVER)

    async def _all(self) -> BoundedDict[str, Extras]:
        if self._of is None:
            stored = await self._state.get(self._key)
            read = [_decode(entry) for entry in stored if isinstance(entry, dict)] if isinstance(stored, list) else []
            if self._of is None:  # another task may have read it meanwhile
                self._of = BoundedDict(_MAX_MESSAGES)
                self._of.update(read)
        return self._of


class ExtrasRepository:
    """The extras of all rooms, loaded on first use; before `use_state` they are in memory only."""

    def __init__(self, clock: Clock) -> None:
        self._state: StateStore = MemoryStateStore(clock)
        self._rooms: dict[str, RoomExtras] = {}

    def use_state(self, state: StateStore) -> None:
        """Store the extras in `state`."""
        self._state = state
        self.unload_all()

    def unload(self, address: ChatAddress) -> None:
        """Load the extras of a room again at the next use."""
        self._rooms.pop(address.key, None)

    def unload_all(self) -> None:
        """Load the extras of all rooms again at the next use."""
        self._rooms.clear()

    def room(self, address: ChatAddress) -> RoomExtras:
        """Return the extras of a room."""
        if address.key not in self._rooms:
            self._rooms[address.key] = RoomExtras(self._state, address.key)
        return self._rooms[address.key]


def _decode(entry: dict[str, Json]) -> tuple[str, Extras]:
    """Return the message id and extras of a stored entry, which an earlier version may have written."""
    choices = entry.get("choices")
    listed = choices if isinstance(choices, list) else []
    known = [{**_CHOICE_DEFAULTS, **each} for each in listed if isinstance(each, dict)]
    try:
        return str(entry.get("id")), convert({**entry, "choices": known}, Extras)
    except ValidationError:
        return str(entry.get("id")), Extras()
