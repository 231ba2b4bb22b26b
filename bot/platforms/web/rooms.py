"""Manage the web rooms: create on first use, close idle ones, share events between workers."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from bot.platforms.web.extras import ExtrasRepository
from bot.platforms.web.room import HERE, OnEvent, Room
from bot.platforms.web.shapes import person_of
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock

PLATFORM: Final = "web"
_MOST_ROOMS: Final = 1000


def address_of(session_id: str) -> ChatAddress:
    """Return the chat that a session is."""
    return ChatAddress(platform=PLATFORM, chat_id=session_id)


class Rooms:
    """Rooms by their session ids, with the extras of their messages.

    `look` is told of a room in which reminders may be others than were seen there.
    """

    def __init__(self, bot: Person, extras: ExtrasRepository, clock: Clock, look: Callable[[str], None]) -> None:
        self._bot = bot
        self._extras = extras
        self._clock = clock
        self._look = look
        self._happened: OnEvent | None = None
        self._rooms: dict[str, Room] = {}
        self._epoch = uuid.uuid4().hex[:12]
        self._opened = 0

    def __iter__(self) -> Iterator[Room]:
        """Yield the rooms that somebody has used since the start."""
        return iter(tuple(self._rooms.values()))

    def __contains__(self, session_id: str) -> bool:
        """Return whether somebody has used the room since the start."""
        return session_id in self._rooms

    def of(self, session_id: str) -> Room:
        """Return the room of a session."""
        found = self._rooms.get(session_id)
        if found is None:
            epoch = self._next_epoch()
            found = self._rooms[session_id] = Room(session_id, epoch, self._bot, self._clock, self._share)
            self._close_idle_rooms()
            self._look(session_id)
        return found

    def share(self, happened: OnEvent | None) -> None:
        """Publish the events of the rooms to other workers; None ends that."""
        self._happened = happened

    def apply_remote_event(self, session_id: str, kind: str, data: Mapping[str, object]) -> None:
        """Show a frame of the same room of another worker in a room."""
        self._extras.unload(address_of(session_id))  # what is kept there of its messages is not what was read here
        room = self._rooms.get(session_id)
        if room is None:
            return
        if kind == HERE:
            listed = data.get("people")
            people = [found for each in listed if (found := person_of(each))] if isinstance(listed, list) else []
            room.add_remote_members(people, asks=data.get("asks") is True)
            return
        message = data.get("message")
        author = person_of(message.get("author")) if isinstance(message, Mapping) else None
        if author is not None:
            room.remember(author)
        room.publish(kind, data)
        self._look(session_id)

    def reload_all(self) -> None:
        """Make every page load its room again, after events of other workers were missed."""
        self._extras.unload_all()
        for room in self:
            room.reset(self._next_epoch())

    def _close_idle_rooms(self) -> None:
        """Forget empty rooms, the oldest first, so that their names take no memory."""
        spare = len(self._rooms) - _MOST_ROOMS
        idle = [name for name, room in self._rooms.items() if room.is_idle][: max(0, spare)]
        for name in idle:
            del self._rooms[name]
            self._extras.unload(address_of(name))

    def _next_epoch(self) -> str:
        self._opened += 1
        return f"{self._epoch}-{self._opened}"

    def _share(self, session_id: str, kind: str, data: Mapping[str, object]) -> None:
        if self._happened is not None:
            self._happened(session_id, kind, data)
