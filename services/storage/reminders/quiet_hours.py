"""Read quiet hours in SQL and compute how long they defer claimed occurrences."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time

import sqlalchemy as sa

from services.kernel.chat import ChatAddress
from services.reminders.quiet_hours import QuietHours, quiet_keys, quiet_until
from services.storage.engine.rows import parse_people
from services.storage.reminders.rows import creator_of
from services.storage.tables import QUIET

_HOUR = 60


class Quiet:
    """The quiet hours that apply to the reminders of `rows`; `default` is for chats without their own."""

    def __init__(self, connection: sa.Connection, rows: Sequence[sa.RowMapping], default: QuietHours | None) -> None:
        self._default = default
        self._hours: Mapping[str, QuietHours] = {}
        if connection.scalar(sa.select(QUIET.c.key).limit(1)) is not None:
            keys = {key for row in rows for key in _keys(row)}
            found = connection.execute(sa.select(QUIET).where(QUIET.c.key.in_(keys))).mappings()
            self._hours = {row["key"]: hours_of(row) for row in found}

    def end(self, row: sa.RowMapping, moment: datetime) -> datetime | None:
        """Return the end of the quiet hours around `moment` for this reminder; None if it may be sent."""
        if row["is_urgent"] or (self._default is None and not self._hours):
            return None
        chat, *person = _keys(row)
        applicable = [self._hours.get(chat, self._default), *(self._hours.get(key) for key in person)]
        return quiet_until((hours for hours in applicable if hours is not None), moment)


def hours_of(row: sa.RowMapping) -> QuietHours:
    """Convert a row to quiet hours."""
    return QuietHours(starts=_clock(row["starts"]), ends=_clock(row["ends"]), zone=row["zone"])


def columns_of(key: str, hours: QuietHours) -> dict[str, object]:
    """Convert quiet hours to columns."""
    return {"key": key, "starts": _minutes(hours.starts), "ends": _minutes(hours.ends), "zone": hours.zone}


def _keys(row: sa.RowMapping) -> tuple[str, ...]:
    return quiet_keys(ChatAddress.of_key(row["chat_key"]), creator_of(row), parse_people(row["targets"]))


def _clock(minutes: int) -> time:
    return time(*divmod(minutes, _HOUR))


def _minutes(clock: time) -> int:
    return clock.hour * _HOUR + clock.minute
