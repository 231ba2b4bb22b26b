"""What people need from outside."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from services.session import Json, StateDelta


class AccountBook(Protocol):
    """Keeps values by scope and key."""

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """The values of each of `scopes`, in that order."""
        ...

    async def commit_unless_changed(self, deltas: Sequence[StateDelta], read: Mapping[str, Mapping[str, Json]]) -> bool:
        """Keep all of `deltas` where the scopes of `read` still have those values; else none, and return False."""
        ...
