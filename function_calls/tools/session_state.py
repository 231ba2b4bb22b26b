"""Keep session state: tools use it like a mapping, and a successful call commits its changes.

A key belongs to this session (one person in one chat), or by its prefix to the person everywhere (`user:`), to the
chat (`chat:`), to the whole bot (`app:`), or to this turn only (`temp:`). Values are JSON.

Calls of one turn run at the same time. Those of tools that use the state run one after the other
(`CallState.exclusive`), and none overwrites a value that another changed after it was read (`StateConflict`).
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, MutableMapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeVar, overload

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from function_calls.tools.calls import Conversation
from services.kernel.state import Json, StateDelta

SESSION: Final = ""
USER: Final = "user:"
CHAT: Final = "chat:"
APP: Final = "app:"
TEMP: Final = "temp:"
_PREFIXES: Final = (USER, CHAT, APP, TEMP)

Value = TypeVar("Value")


class StateConflict(Exception):
    """Another call of the session changed `keys` after this one had read them."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__(f"changed by another call in the meantime: {', '.join(keys)}")
        self.keys = tuple(keys)


class SessionStateStore(Protocol):
    """Storage for the values of scopes."""

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """Return the values of each of `scopes`, in that order; an unknown scope has none."""
        ...

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Store all of `deltas` or none of them; keys that they do not name stay unchanged."""
        ...


class MemorySessionStateStore:
    """A `SessionStateStore` in memory."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Json]] = {}

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """Return copies of the values of each of `scopes`."""
        return [dict(self._values.get(scope, {})) for scope in scopes]

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Store all of `deltas`."""
        for delta in deltas:
            _apply(self._values.setdefault(delta.scope, {}), delta)

    async def commit_unless_changed(self, deltas: Sequence[StateDelta], read: Mapping[str, Mapping[str, Json]]) -> bool:
        """Store all of `deltas` if the scopes of `read` still have those values; else store none and return False."""
        is_unchanged = all(self._values.get(scope, {}) == values for scope, values in read.items())
        if is_unchanged:
            await self.commit(deltas)
        return is_unchanged


class Session:
    """The values that calls of one turn share, loaded once; without a store they last as long as this object."""

    __slots__ = ("_commits", "_scopes", "_store", "_values", "lock")

    def __init__(
        self,
        store: SessionStateStore | None = None,
        scopes: Mapping[str, str] | None = None,
        values: Mapping[str, dict[str, Json]] | None = None,
    ) -> None:
        self._store = store
        self._scopes = scopes or {}
        self._values: dict[str, dict[str, Json]] = {prefix: {} for prefix in (SESSION, *_PREFIXES)} | dict(values or {})
        self._commits = asyncio.Lock()
        self.lock = asyncio.Lock()

    @classmethod
    async def open(cls, store: SessionStateStore, conversation: Conversation) -> "Session":
        """Load the state that `store` has for one person in one chat."""
        scopes = {
            SESSION: f"session:{conversation.key}",
            USER: f"user:{conversation.chat.platform}:{conversation.person.id}",
            CHAT: f"chat:{conversation.chat.key}",
            APP: "app",
        }
        loaded = await store.load(tuple(scopes.values()))
        return cls(store, scopes, {prefix: dict(values) for prefix, values in zip(scopes, loaded, strict=True)})

    def get(self, prefix: str, name: str) -> Json:
        """Return one value.

        Raises:
            KeyError: there is none.
        """
        return self._values[prefix][name]

    def keys(self) -> Iterator[str]:
        """Return all keys with their prefixes."""
        return (prefix + name for prefix, values in self._values.items() for name in values)

    async def commit(self, changes: Mapping[str, StateDelta], read: Mapping[str, bytes]) -> None:
        """Store the changes of a call, by prefix, and let the next calls see them.

        `read` are the values that it changed as the call had read them, see `encoded`.

        Raises:
            StateConflict: they have changed; nothing is stored.
        """
        async with self._commits:
            changed = [key for key, value in read.items() if self.encode(key) != value]
            if changed:
                raise StateConflict(changed)
            stored = [delta for prefix, delta in changes.items() if prefix != TEMP]
            if stored and self._store is not None:
                await self._store.commit(stored)
            for prefix, delta in changes.items():
                _apply(self._values[prefix], delta)

    def encode(self, key: str) -> bytes:
        """Return one value as JSON; empty where there is none."""
        prefix, name = _split(key)
        values = self._values[prefix]
        return to_json(values[name]) if name in values else b""

    def scope(self, prefix: str) -> str:
        """Return the store's name for the keys with `prefix`."""
        return self._scopes.get(prefix, prefix)


class LazySession:
    """The session of a turn, loaded when its first call is made: most messages make none."""

    __slots__ = ("_conversation", "_opened", "_store")

    def __init__(self, store: SessionStateStore, conversation: Conversation) -> None:
        self._store = store
        self._conversation = conversation
        self._opened: Session | None = None

    async def get(self) -> Session:
        """Return the session, the same one every time."""
        if self._opened is None:
            self._opened = await Session.open(self._store, self._conversation)
        return self._opened


class TypedState(MutableMapping[str, object]):
    """A mapping of JSON values that are also read as instances of a class."""

    __slots__ = ()

    @overload
    def get_as(self, kind: type[Value], key: str) -> Value | None: ...

    @overload
    def get_as(self, kind: type[Value], key: str, default: Value) -> Value: ...

    def get_as(self, kind: type[Any], key: str, default: Any = None) -> Any:
        """Return the value under `key` as an instance of `kind`, or `default` where there is none.

        `kind` is any type that Pydantic reads from JSON. The instance is a copy; assign its JSON to change the value.

        Raises:
            TypeError: the value does not fit `kind`.
        """
        try:
            value = self[key]
        except KeyError:
            return default
        try:
            return TypeAdapter(kind).validate_json(to_json(value), strict=True)
        except ValidationError as error:
            raise TypeError(f"state {key!r} cannot be read as {kind}: {error.errors()[0]['msg']}") from error


class StateScope(TypedState):
    """The values of one scope, by keys without prefix; changes are stored with those of `state`."""

    __slots__ = ("_prefix", "_state")

    def __init__(self, state: MutableMapping[str, object], prefix: str) -> None:
        self._state = state
        self._prefix = prefix

    def __getitem__(self, key: str) -> object:
        return self._state[self._prefix + key]

    def __setitem__(self, key: str, value: object) -> None:
        self._state[self._prefix + key] = value

    def __delitem__(self, key: str) -> None:
        del self._state[self._prefix + key]

    def __iter__(self) -> Iterator[str]:
        return (key.removeprefix(self._prefix) for key in self._state if key.startswith(self._prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class CallState(TypedState):
    """The state as one call sees it. Changes, also inside a list or dict, are stored by `commit` or dropped.

    Its own keys are those of the person in this chat; `person`, `chat` and `app` have those of the wider scopes.
    """

    __slots__ = ("_copies", "_lock", "_lock_inside", "_opened", "_read", "_removed", "_written")

    def __init__(self, session: Session | None = None, lock: asyncio.Lock | None = None) -> None:
        self._opened = session
        self._lock = lock
        self._lock_inside: asyncio.Lock | None = None
        self._written: dict[str, object] = {}
        self._removed: set[str] = set()
        self._copies: dict[str, Json] = {}
        self._read: dict[str, bytes] = {}

    @property
    def _session(self) -> Session:
        if self._opened is None:  # most calls touch no state, so an own copy is made only for those that do
            self._opened = Session()
        return self._opened

    @property
    def person(self) -> StateScope:
        """The values of the person in all chats."""
        return StateScope(self, USER)

    @property
    def chat(self) -> StateScope:
        """The values that all people of the chat share."""
        return StateScope(self, CHAT)

    @property
    def app(self) -> StateScope:
        """The values of the whole bot."""
        return StateScope(self, APP)

    def sibling(self) -> "CallState":
        """Return the same session for another call; it sees committed values only."""
        return CallState(self._session, self._lock_inside or self._lock)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Let no other call of the session be inside this context at the same time.

        Calls that a call makes while it is inside (see `sibling`) wait for each other and not for that one.
        """
        async with self._lock or self._session.lock:
            self._lock_inside = asyncio.Lock()
            try:
                yield
            finally:
                self._lock_inside = None

    def __getitem__(self, key: str) -> object:
        if key in self._written:
            return self._written[key]
        if key in self._removed:
            raise KeyError(key)
        if key in self._copies:
            return self._copies[key]
        self._read[key] = self._session.encode(key)
        value = self._session.get(*_split(key))
        if isinstance(value, list | dict):  # the caller may change it in place, so it gets a copy that is compared
            value = self._copies[key] = json_copy(value)
        return value

    def __setitem__(self, key: str, value: object) -> None:
        json_copy(value)  # refused here and not at the commit, so that the traceback shows the line
        self._removed.discard(key)
        self._written[key] = value

    def __delitem__(self, key: str) -> None:
        self[key]  # a key that is not there cannot be removed
        self._written.pop(key, None)
        self._copies.pop(key, None)
        self._removed.add(key)

    def __iter__(self) -> Iterator[str]:
        present = (key for key in self._session.keys() if key not in self._removed)  # noqa: SIM118 - a session is no mapping
        return iter(dict.fromkeys((*present, *self._written)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    async def commit(self) -> None:
        """Store the changes, if there are any.

        Raises:
            StateConflict: another call changed a value between its being read and written here; nothing is stored.
        """
        changed = self._changed_values()
        keys = {*changed, *self._removed}
        if keys:
            deltas = {prefix: self._delta(prefix, changed) for prefix in {_split(key)[0] for key in keys}}
            await self._session.commit(deltas, {key: value for key, value in self._read.items() if key in keys})
            self.discard()

    def discard(self) -> None:
        """Drop uncommitted changes."""
        self._written, self._removed, self._copies, self._read = {}, set(), {}, {}

    def _changed_values(self) -> dict[str, Json]:
        changed = {key: json_copy(value) for key, value in self._written.items()}
        for key, value in self._copies.items():
            if key not in changed and to_json(value) != self._read[key]:
                changed[key] = json_copy(value)
        return changed

    def _delta(self, prefix: str, changed: Mapping[str, Json]) -> StateDelta:
        written = {name: value for key, value in changed.items() for at, name in (_split(key),) if at == prefix}
        removed = frozenset(name for at, name in map(_split, self._removed) if at == prefix)
        return StateDelta(scope=self._session.scope(prefix), written=written, removed=removed)


def json_copy(value: object) -> Json:
    """Return a copy of a JSON value that shares nothing with it that could be changed.

    Raises:
        TypeError: it is not JSON.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [json_copy(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: json_copy(member) for key, member in value.items()}
    raise TypeError(f"session state is JSON; a {type(value).__name__} cannot be kept, its text or a dict of it can")


def _split(key: str) -> tuple[str, str]:
    prefix = next((prefix for prefix in _PREFIXES if key.startswith(prefix)), SESSION)
    return prefix, key[len(prefix) :]


def _apply(values: dict[str, Json], delta: StateDelta) -> None:
    for name in delta.removed:
        values.pop(name, None)
    values.update(delta.written)
