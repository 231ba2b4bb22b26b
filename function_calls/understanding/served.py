"""Remember for whom something has just been done: "make it 6pm" is said to the bot then.

Otherwise people say such things to each other.
"""

from datetime import datetime, timedelta
from typing import Final

from function_calls.tools.calls import ReplyScope
from services.kernel.bounded import BoundedDict

_EVERYTHING: Final = ReplyScope()


class ServedLately:
    """When each person of each chat was last served; the oldest are forgotten first."""

    def __init__(self, *, limit: int = 1000, lifetime: timedelta = timedelta(minutes=3)) -> None:
        self._lifetime = lifetime
        self._served: BoundedDict[str, tuple[datetime, str]] = BoundedDict(limit)

    def note(self, key: str, now: datetime, message_id: str = "") -> None:
        """Something was done under `key` (chat and person) for the message with this id."""
        self._served[key] = (now, message_id)

    def forget(self, key: str) -> None:
        """What was done last under `key` changed nothing."""
        self._served.pop(key, None)

    def is_recent(self, key: str, now: datetime, scope: ReplyScope = _EVERYTHING) -> bool:
        """Whether that is no longer ago than the lifetime, and within `scope`, that of the message which follows."""
        at, message_id = self._served.get(key, (None, ""))
        return at is not None and timedelta() <= now - at <= self._lifetime and scope.covers(message_id)
