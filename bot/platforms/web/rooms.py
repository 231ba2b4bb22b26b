"""Manage the web rooms: their members and events, which are published to listeners and shared between workers."""

import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

from bot.config.platform_catalog import PAGE
from bot.platforms.kit.markdown import find_mentioned
from bot.platforms.web.extras import ExtrasRepository
from bot.platforms.web.frames import AuthorShape, Frame, author_shape, make_frame
from bot.platforms.web.shapes import person_of
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock

RING: Final = 500
"""Number of events that are kept for sockets that reconnect."""

HERE: Final = "here"
"""Kind of the event by which workers share the members of a room; it is not sent to sockets."""

_MOST_ROOMS: Final = 1000
_MOST_KNOWN: Final = 500
_STAYS: Final = timedelta(minutes=10)  # who spoke without a socket counts as being there for so long

Listener = Callable[[Frame], None]
OnEvent = Callable[[str, str, Mapping[str, object]], None]
"""Gets every counted event: the room's session, the kind and the data."""


class Room:
    """Counts its events (`seq`, from 1) and hands each to the listeners at once; a listener never waits.

    `happened` is told of them too, but for those that come from another worker.
    """

    def __init__(self, session_id: str, epoch: str, bot: Person, clock: Clock, happened: OnEvent | None = None) -> None:
        self.session_id = session_id
        self.epoch = epoch
        self.seq = 0
        self._bot = bot
        self._clock = clock
        self._happened = happened
        self._ring: deque[Frame] = deque(maxlen=RING)
        self._listeners: dict[Listener, str | None] = {}
        self._reconnects: dict[Listener, Callable[[], None]] = {}
        self._watches: list[tuple[set[Listener], Callable[[], None]]] = []
        self._here: Counter[str] = Counter()
        self._people: dict[str, Person] = {}
        self._known: dict[str, Person] = {}
        self._spoke_at: dict[str, datetime] = {}

    @property
    def people(self) -> tuple[Person, ...]:
        """Return who is connected, in the order they came."""
        return tuple(self._people.values())

    @property
    def members(self) -> list[AuthorShape]:
        """The people that are connected, and the bot."""
        return [*map(author_shape, self._people.values()), author_shape(self._bot)]

    @property
    def bot(self) -> AuthorShape:
        """The bot as the author of messages."""
        return author_shape(self._bot)

    @property
    def is_idle(self) -> bool:
        """Return whether the room has no listeners."""
        return not self._listeners

    def has_others(self, person: Person) -> bool:
        """Return whether somebody else is connected, or spoke here a moment ago over HTTP."""
        since = self._clock.now() - _STAYS
        lately = (who for who, at in self._spoke_at.items() if at > since)
        return any(who != person.id for who in (*self._people, *lately))

    def remember(self, person: Person) -> None:
        """Remember somebody who speaks, so that they can be mentioned when they are not connected."""
        self._known.pop(person.id, None)
        self._known[person.id] = person
        self._spoke_at[person.id] = self._clock.now()
        if len(self._known) > _MOST_KNOWN:
            gone = next(iter(self._known))
            del self._known[gone]
            self._spoke_at.pop(gone, None)

    def find_mentioned(self, text: str) -> tuple[Person, ...]:
        """Return the people that `text` names with an @; of two names that begin alike the longer one."""
        people = sorted({**self._known, **self._people}.values(), key=lambda each: -len(each.name))
        return find_mentioned(text, people)

    def emit(self, kind: str, data: Mapping[str, object], *, top: Mapping[str, object] | None = None) -> None:
        """Publish an event to all sockets, those that reconnect included."""
        self.publish(kind, data, top=top)
        if self._happened is not None:
            self._happened(self.session_id, kind, data)

    def add_remote_members(self, people: Iterable[Person], *, asks: bool) -> None:
        """Note the members of this room on another worker, and publish those here if `asks`."""
        for person in people:
            self.remember(person)
        if asks and self._people:
            self._share_members(asks=False)

    def _share_members(self, *, asks: bool) -> None:
        if self._happened is not None:
            here = [author_shape(person) for person in self._people.values()]
            self._happened(self.session_id, HERE, {"people": here, "asks": asks})

    def publish(self, kind: str, data: Mapping[str, object], *, top: Mapping[str, object] | None = None) -> None:
        """Publish an event of another worker to the sockets here."""
        self.seq += 1
        frame = make_frame(kind, self.session_id, self.seq, self._clock.now(), data, top=top)
        self._ring.append(frame)
        self._send_all(frame)

    def hint(self, kind: str, data: Mapping[str, object]) -> None:
        """Send an event to the sockets that are connected now. Takes no number."""
        self._send_all(self.frame(kind, data))

    def tell(self, person_id: str, kind: str, data: Mapping[str, object]) -> int:
        """Send an event to one person's sockets and return how many there are. Takes no number."""
        own = self.listeners_of(person_id)
        self.tell_only(own, kind, data)
        return len(own)

    def listeners_of(self, person_id: str) -> frozenset[Listener]:
        """Return the listeners of one person: their sockets in this room."""
        return frozenset(listener for listener, owner in self._listeners.items() if owner == person_id)

    def tell_only(self, listeners: Iterable[Listener], kind: str, data: Mapping[str, object]) -> None:
        """Hand one frame to these listeners. Takes no number."""
        frame = self.frame(kind, data)
        for listener in listeners:
            listener(frame)

    def watch_leaving(self, listeners: Iterable[Listener], gone: Callable[[], None]) -> Callable[[], None]:
        """Call `gone` as soon as none of `listeners` listens any more; return a function that ends the watch."""
        watch = (set(listeners), gone)
        self._watches.append(watch)
        return lambda: self._watches.remove(watch) if watch in self._watches else None

    def frame(self, kind: str, data: Mapping[str, object]) -> Frame:
        """Return a frame for one listener, outside of the count."""
        return make_frame(kind, self.session_id, self.seq, self._clock.now(), data, is_kept=False)

    def since(self, epoch: str, seq: int) -> tuple[Frame, ...] | None:
        """Return the frames after `seq`; None when they are no longer kept, so that a snapshot is needed."""
        if epoch != self.epoch or seq > self.seq:
            return None
        missed = tuple(frame for frame in self._ring if frame.seq > seq)
        return missed if len(missed) == self.seq - seq else None

    def reset(self, epoch: str) -> None:
        """Start a new epoch after missed events: all listeners must reconnect and load a snapshot."""
        self.epoch = epoch
        self._ring.clear()
        for go in tuple(self._reconnects.values()):
            go()

    def listen(
        self, listener: Listener, person_id: str | None = None, go: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Pass every frame to `listener` (of `person_id`) from now on; return a function that ends that.

        `go` is called where the listener has to come back to see what it may have missed.
        """
        self._listeners[listener] = person_id
        if go is not None:
            self._reconnects[listener] = go
        return lambda: self._remove_listener(listener)

    def enter(self, person: Person) -> None:
        """Add a socket of `person`."""
        self._here[person.id] += 1
        is_new = person.id not in self._people
        self._people[person.id] = person
        if is_new:
            self._share_members(asks=True)
            self.hint("presence", {"members": self.members, "joined": author_shape(person)})

    def leave(self, person: Person) -> None:
        """Remove a socket of `person`."""
        self._here[person.id] -= 1
        if self._here[person.id] <= 0:
            del self._here[person.id]
            self._people.pop(person.id, None)
            self._spoke_at.pop(person.id, None)
            self.hint("presence", {"members": self.members, "left": author_shape(person)})

    def _send_all(self, frame: Frame) -> None:
        for listener in tuple(self._listeners):
            listener(frame)

    def _remove_listener(self, listener: Listener) -> None:
        self._listeners.pop(listener, None)
        self._reconnects.pop(listener, None)
        for listeners, gone in tuple(self._watches):
            if listener in listeners:
                listeners.discard(listener)
                if not listeners:
                    gone()


def address_of(session_id: str) -> ChatAddress:
    """Return the chat that a session is."""
    return ChatAddress(platform=PAGE, chat_id=session_id)


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
