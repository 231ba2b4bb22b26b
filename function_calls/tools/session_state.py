"""Store session state: tools use it like a mapping, and a successful call commits its changes.

The prefix of a key is its scope: none for the session (one person in one chat), `user:` for the person in all chats,
`chat:` for the chat, `app:` for the whole bot, `temp:` for this turn only. Values are JSON.

Calls of one turn run concurrently. Tools that use the state run one after the other (`CallState.exclusive`), and a
commit fails if another call, also of another turn, has changed a value since it was read (`StateConflict`).
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, MutableMapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar, overload

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from function_calls.tools.calls import Conversation
from services.kernel.state import Json, ScopeStore, StateDelta

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


class MemoryScopeStore:
    """A `ScopeStore` in memory."""

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
    """The values shared by the calls of one turn, loaded once; by default they are stored in memory only."""

    __slots__ = ("_commits", "_scopes", "_store", "_values", "lock")

    def __init__(
        self,
        store: ScopeStore | None = None,
        scopes: Mapping[str, str] | None = None,
        values: Mapping[str, dict[str, Json]] | None = None,
    ) -> None:
        self._store = store or MemoryScopeStore()
        self._scopes = scopes or {}
        self._values: dict[str, dict[str, Json]] = {prefix: {} for prefix in (SESSION, *_PREFIXES)} | dict(values or {})
        self._commits = asyncio.Lock()
        self.lock = asyncio.Lock()

    @classmethod
    async def open(cls, store: ScopeStore, conversation: Conversation) -> "Session":
        """Load the state of one person in one chat."""
        scopes = {
            SESSION: f"session:{conversation.key}",
            USER: f"user:{conversation.chat.platform}:{conversation.person.id}",
            CHAT: f"chat:{conversation.chat.key}",
            APP: "app",
        }
        loaded = await store.load(tuple(scopes.values()))
        return cls(store, scopes, {prefix: dict(values) for prefix, values in zip(scopes, loaded, strict=True)})

    def get(self, prefix: str, name: str) -> Json:
        """Return a value.

        Raises:
            KeyError: the key is unknown.
        """
        return self._values[prefix][name]

    def keys(self) -> Iterator[str]:
        """Return all keys with their prefixes."""
        return (prefix + name for prefix, values in self._values.items() for name in values)

    async def commit(self, changes: Mapping[str, StateDelta], read: Mapping[str, bytes]) -> None:
        """Store the changes of a call by prefix, for the next calls too.

        `read` are the changed values as the call had read them, encoded with `encode`.

        Raises:
            StateConflict: another call has changed them; nothing is stored.
        """
        stored = [delta for prefix, delta in changes.items() if prefix != TEMP]
        scopes = {prefix: self.scope(prefix) for prefix in {_split(key)[0] for key in read} - {TEMP}}
        async with self._commits:
            loaded: dict[str, Mapping[str, Json]] = {}
            is_stored = False
            while not is_stored:
                if scopes:
                    loaded = dict(zip(scopes.values(), await self._store.load(tuple(scopes.values())), strict=True))
                    self._values |= {prefix: dict(loaded[scope]) for prefix, scope in scopes.items()}
                changed = [key for key, value in read.items() if self.encode(key) != value]
                if changed:
                    raise StateConflict(changed)
                is_stored = not stored or await self._store.commit_unless_changed(stored, loaded)
            for prefix, delta in changes.items():
                _apply(self._values[prefix], delta)

    def encode(self, key: str) -> bytes:
        """Return a value as JSON; empty for an unknown key."""
        prefix, name = _split(key)
        values = self._values[prefix]
        return to_json(values[name]) if name in values else b""

    def scope(self, prefix: str) -> str:
        """Return the name of the scope of `prefix` in the store."""
        return self._scopes.get(prefix, prefix)


class LazySession:
    """The session of a turn, loaded for its first call, because most messages lead to none."""

    __slots__ = ("_conversation", "_opened", "_store")

    def __init__(self, store: ScopeStore, conversation: Conversation) -> None:
        self._store = store
        self._conversation = conversation
        self._opened: Session | None = None

    async def get(self) -> Session:
        """Return the session, which is loaded once."""
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
        """Return the value under `key` as an instance of `kind`; `default` for an unknown key.

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
    """The state of one call. Changes, also inside of a list or dict, are stored by `commit` or dropped.

    Keys without prefix are of the person in this chat; `person`, `chat` and `app` are mappings of the wider scopes.
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
        if self._opened is None:  # most calls use no state
            self._opened = Session()
        return self._opened

    @property
    def person(self) -> StateScope:
        """The values of the person in all chats."""
        return StateScope(self, USER)

    @property
    def chat(self) -> StateScope:
        """The values of the chat."""
        return StateScope(self, CHAT)

    @property
    def app(self) -> StateScope:
        """The values of the whole bot."""
        return StateScope(self, APP)

    def sibling(self) -> "CallState":
        """Return the state of another call in the same session; it has committed values only."""
        return CallState(self._session, self._lock_inside or self._lock)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Exclude other calls of the session within the context.

        Calls made within the context (see `sibling`) wait for each other, but not for the enclosing call.
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
        if isinstance(value, list | dict):  # may be changed in place, so it is copied and compared
            value = self._copies[key] = json_copy(value)
        return value

    def __setitem__(self, key: str, value: object) -> None:
        json_copy(value)  # so that an error has the line in its traceback
        self._removed.discard(key)
        self._written[key] = value

    def __delitem__(self, key: str) -> None:
        self[key]  # raises KeyError for an unknown key
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
    """Return a deep copy of a JSON value.

    Raises:
        TypeError: the value is not JSON.
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
