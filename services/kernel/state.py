"""Declare the interfaces of state: JSON values by key that expire, and permanent values by scope."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeAlias

from msgspec import Struct

from services.kernel.clock import Clock
from services.kernel.text import replace_unstorable

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

FOREVER: Final = timedelta(days=36_500)
"""The time to store values that do not expire in a `StateStore`."""


def to_json(value: Json) -> str:
    """Return `value` as JSON, with lone surrogates, which databases refuse, replaced by U+FFFD."""
    return replace_unstorable(json.dumps(value, ensure_ascii=False))


class StateDelta(Struct, frozen=True, kw_only=True):
    """The changes of one call in one scope, a key of the store such as `app`; keys have no prefix."""

    scope: str
    written: Mapping[str, Json]
    removed: frozenset[str] = frozenset()


class ScopeStore(Protocol):
    """Stores values by scope and key, until they are removed."""

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """Return the values of each of `scopes`, in that order; no values for an unknown scope."""

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Store all of `deltas` or none of them; other keys keep their values."""

    async def commit_unless_changed(self, deltas: Sequence[StateDelta], read: Mapping[str, Mapping[str, Json]]) -> bool:
        """Store all of `deltas` if the scopes in `read` still have these values; else store none and return False."""


class StateStore(Protocol):
    """Stores values under keys such as `reminders.shown:console:home#ann`."""

    async def get(self, key: str) -> Json:
        """Return the value under `key`; None if it is missing or expired."""

    async def set(self, key: str, value: Json, *, keep: timedelta, is_promised: bool = False) -> None:
        """Store `value` under `key` for `keep`; None deletes it.

        With `is_promised`, such as for the revocation of a token, it survives a power cut.

        Raises:
            StorageFull: the disk is full, for a promised value. Other values are dropped silently.
        """

    async def set_unless_changed(self, key: str, value: Json, *, read: Json, keep: timedelta) -> bool:
        """Store `value` like a promised one if `key` still has the value `read`; else return False."""

    async def take(self, key: str) -> Json:
        """Delete and return the value under `key`; only one of several concurrent callers gets it."""


async def change_value(state: StateStore, key: str, change: Callable[[Json], Json]) -> bool:
    """Store what `change` makes of the value under `key`, for ever; return False if it makes no other value.

    It is called again with the new value if another task or process has changed that meanwhile; its errors are raised.
    """
    while True:
        read = await state.get(key)
        value = change(read)
        if value == read:
            return False
        if await state.set_unless_changed(key, value, read=read, keep=FOREVER):
            return True


class MemoryStateStore:
    """A `StateStore` in memory."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._values: dict[str, tuple[str, datetime]] = {}

    async def get(self, key: str) -> Json:
        """Return the value under `key`."""
        text, end = self._values.get(key, ("null", self._clock.now()))
        value: Json = json.loads(text) if end > self._clock.now() else None
        return value

    async def set(self, key: str, value: Json, *, keep: timedelta, is_promised: bool = False) -> None:  # noqa: ARG002 - memory does not survive the process
        """Store `value` for `keep`."""
        now = self._clock.now()
        self._values = {
            stored_key: kept for stored_key, kept in self._values.items() if kept[1] > now and stored_key != key
        }
        if value is not None:
            self._values[key] = (to_json(value), now + keep)

    async def set_unless_changed(self, key: str, value: Json, *, read: Json, keep: timedelta) -> bool:
        """Store `value` for `keep` if the value is `read`."""
        is_unchanged = await MemoryStateStore.get(self, key) == read
        if is_unchanged:
            await self.set(key, value, keep=keep)
        return is_unchanged

    async def take(self, key: str) -> Json:
        """Delete and return the value under `key`."""
        now = self._clock.now()
        text, end = self._values.pop(key, ("null", now))
        value: Json = json.loads(text) if end > now else None
        return value
