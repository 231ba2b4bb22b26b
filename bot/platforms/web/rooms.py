"""Publish the events of the web rooms to their sockets, share them between workers, and track the members."""

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
"""Events that are kept for sockets that reconnect."""

HERE: Final = "here"
"""Kind of the event by which workers share the members of a room; it is not sent to sockets."""

_MAX_ROOMS: Final = 1000
_MAX_KNOWN_PEOPLE: Final = 500
_PRESENCE: Final = timedelta(minutes=10)  # of a person without a socket, after a message

Listener = Callable[[Frame], None]
OnEvent = Callable[[str, str, Mapping[str, object]], None]
"""Takes a numbered event: the room's session, the kind and the data."""


class Room:
    """Numbers its events (`seq`, from 1) and passes each to the listeners, which never wait.

    `on_event` takes the events of this worker.
    """

    def __init__(self, session_id: str, epoch: str, bot: Person, clock: Clock, on_event: OnEvent | None = None) -> None:
        self.session_id = session_id
        self.epoch = epoch
        self.seq = 0
        self._bot = bot
        self._clock = clock
        self._on_event = on_event
        self._ring: deque[Frame] = deque(maxlen=RING)
        self._listeners: dict[Listener, str | None] = {}
        self._reset_callbacks: dict[Listener, Callable[[], None]] = {}
        self._watches: list[tuple[set[Listener], Callable[[], None]]] = []
        self._here: Counter[str] = Counter()
        self._people: dict[str, Person] = {}
        self._known: dict[str, Person] = {}
        self._spoke_at: dict[str, datetime] = {}

    @property
    def people(self) -> tuple[Person, ...]:
        """Return the connected people, in the order in which they came."""
        return tuple(self._people.values())

    @property
    def members(self) -> list[AuthorShape]:
        """The connected people, and the bot."""
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
        """Return whether somebody else is connected, or has lately posted over HTTP."""
        since = self._clock.now() - _PRESENCE
        lately = (who for who, at in self._spoke_at.items() if at > since)
        return any(who != person.id for who in (*self._people, *lately))

    def remember(self, person: Person) -> None:
        """Remember the author of a message, who can be mentioned when they are not connected."""
        self._known.pop(person.id, None)
        self._known[person.id] = person
        self._spoke_at[person.id] = self._clock.now()
        if len(self._known) > _MAX_KNOWN_PEOPLE:
            gone = next(iter(self._known))
            del self._known[gone]
            self._spoke_at.pop(gone, None)

    def find_mentioned(self, text: str) -> tuple[Person, ...]:
        """Return the people whom `text` mentions by `@name`; the longest matching name wins."""
        people = sorted({**self._known, **self._people}.values(), key=lambda each: -len(each.name))
        return find_mentioned(text, people)

    def emit(self, kind: str, data: Mapping[str, object], *, top: Mapping[str, object] | None = None) -> None:
        """Publish an event to all sockets, also to those that reconnect."""
        self.publish(kind, data, top=top)
        if self._on_event is not None:
            self._on_event(self.session_id, kind, data)

    def add_remote_members(self, people: Iterable[Person], *, asks: bool) -> None:
        """Remember the members on another worker, and share those of this worker if `asks`."""
        for person in people:
            self.remember(person)
        if asks and self._people:
            self._share_members(asks=False)

    def _share_members(self, *, asks: bool) -> None:
        if self._on_event is not None:
            here = [author_shape(person) for person in self._people.values()]
            self._on_event(self.session_id, HERE, {"people": here, "asks": asks})

    def publish(self, kind: str, data: Mapping[str, object], *, top: Mapping[str, object] | None = None) -> None:
        """Publish an event of another worker to the sockets here."""
        self.seq += 1
        frame = make_frame(kind, self.session_id, self.seq, self._clock.now(), data, top=top)
        self._ring.append(frame)
        self._send_all(frame)

    def send_transient(self, kind: str, data: Mapping[str, object]) -> None:
        """Send an unnumbered event to the connected sockets."""
        self._send_all(self.frame(kind, data))

    def send_to(self, person_id: str, kind: str, data: Mapping[str, object]) -> int:
        """Send an unnumbered event to the sockets of a person; return the number of sockets."""
        own = self.listeners_of(person_id)
        self.send_to_listeners(own, kind, data)
        return len(own)

    def listeners_of(self, person_id: str) -> frozenset[Listener]:
        """Return the listeners of one person: their sockets in this room."""
        return frozenset(listener for listener, owner in self._listeners.items() if owner == person_id)

    def send_to_listeners(self, listeners: Iterable[Listener], kind: str, data: Mapping[str, object]) -> None:
        """Send an unnumbered event to some listeners."""
        frame = self.frame(kind, data)
        for listener in listeners:
            listener(frame)

    def watch_listeners(self, listeners: Iterable[Listener], on_gone: Callable[[], None]) -> Callable[[], None]:
        """Call `on_gone` when none of `listeners` listens any more; return a function that ends the watch."""
        watch = (set(listeners), on_gone)
        self._watches.append(watch)
        return lambda: self._watches.remove(watch) if watch in self._watches else None

    def frame(self, kind: str, data: Mapping[str, object]) -> Frame:
        """Return the frame of an unnumbered event."""
        return make_frame(kind, self.session_id, self.seq, self._clock.now(), data, is_kept=False)

    def since(self, epoch: str, seq: int) -> tuple[Frame, ...] | None:
        """Return the frames after `seq`; None if they are no longer kept, and the socket needs a snapshot."""
        if epoch != self.epoch or seq > self.seq:
            return None
        missed = tuple(frame for frame in self._ring if frame.seq > seq)
        return missed if len(missed) == self.seq - seq else None

    def reset(self, epoch: str) -> None:
        """Start a new epoch after missed events: all listeners must reconnect and load a snapshot."""
        self.epoch = epoch
        self._ring.clear()
        for on_reset in tuple(self._reset_callbacks.values()):
            on_reset()

    def listen(
        self, listener: Listener, person_id: str | None = None, on_reset: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Pass every frame to `listener` (of `person_id`); return a function that removes the listener.

        `on_reset` is called when the listener must reconnect, as it may have missed events.
        """
        self._listeners[listener] = person_id
        if on_reset is not None:
            self._reset_callbacks[listener] = on_reset
        return lambda: self._remove_listener(listener)

    def enter(self, person: Person) -> None:
        """Add a socket of `person`."""
        self._here[person.id] += 1
        is_new = person.id not in self._people
        self._people[person.id] = person
        if is_new:
            self._share_members(asks=True)
            self.send_transient("presence", {"members": self.members, "joined": author_shape(person)})

    def leave(self, person: Person) -> None:
        """Remove a socket of `person`."""
        self._here[person.id] -= 1
        if self._here[person.id] <= 0:
            del self._here[person.id]
            self._people.pop(person.id, None)
            self._spoke_at.pop(person.id, None)
            self.send_transient("presence", {"members": self.members, "left": author_shape(person)})

    def _send_all(self, frame: Frame) -> None:
        for listener in tuple(self._listeners):
            listener(frame)

    def _remove_listener(self, listener: Listener) -> None:
        self._listeners.pop(listener, None)
        self._reset_callbacks.pop(listener, None)
        for listeners, on_gone in tuple(self._watches):
            if listener in listeners:
                listeners.discard(listener)
                if not listeners:
                    on_gone()


def address_of(session_id: str) -> ChatAddress:
    """Return the chat that a session is."""
    return ChatAddress(platform=PAGE, chat_id=session_id)


class Rooms:
    """Rooms by session id. `refresh_reminders` takes the id of a room whose reminders may have changed."""

    def __init__(
        self, bot: Person, extras: ExtrasRepository, clock: Clock, refresh_reminders: Callable[[str], None]
    ) -> None:
        self._bot = bot
        self._extras = extras
        self._clock = clock
        self._refresh_reminders = refresh_reminders
        self._on_event: OnEvent | None = None
        self._rooms: dict[str, Room] = {}
        self._epoch = uuid.uuid4().hex[:12]
        self._opened = 0

    def __iter__(self) -> Iterator[Room]:
        """Yield the rooms that somebody has used since the start."""
        return iter(tuple(self._rooms.values()))

    def __contains__(self, session_id: str) -> bool:
        """Return whether somebody has used the room since the start."""
        return session_id in self._rooms

    def open(self, session_id: str) -> Room:
        """Return the room of a session, which is created at its first use."""
        found = self._rooms.get(session_id)
        if found is None:
            epoch = self._next_epoch()
            found = self._rooms[session_id] = Room(session_id, epoch, self._bot, self._clock, self._share)
            self._close_idle_rooms()
            self._refresh_reminders(session_id)
        return found

    def share(self, on_event: OnEvent | None) -> None:
        """Publish the events of the rooms to other workers; None ends that."""
        self._on_event = on_event

    def apply_remote_event(self, session_id: str, kind: str, data: Mapping[str, object]) -> None:
        """Publish an event of the same room on another worker."""
        self._extras.unload(address_of(session_id))  # the other worker may have changed them
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
        self._refresh_reminders(session_id)

    def reload_all(self) -> None:
        """Let every page load its room again, after events of other workers were missed."""
        self._extras.unload_all()
        for room in self:
            room.reset(self._next_epoch())

    def _close_idle_rooms(self) -> None:
        """Remove rooms without listeners, the oldest first, if there are too many rooms."""
        spare = len(self._rooms) - _MAX_ROOMS
        idle = [name for name, room in self._rooms.items() if room.is_idle][: max(0, spare)]
        for name in idle:
            del self._rooms[name]
            self._extras.unload(address_of(name))

    def _next_epoch(self) -> str:
        self._opened += 1
        return f"{self._epoch}-{self._opened}"

    def _share(self, session_id: str, kind: str, data: Mapping[str, object]) -> None:
        if self._on_event is not None:
            self._on_event(session_id, kind, data)
