"""Insert due occurrences into the ledger."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from services.reminders.model import CatchUp
from services.reminders.occurrences import MAX_CAUGHT_UP, DuePlan, Occurrence
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import DeliveryState
from services.storage.engine.rows import insert_new, new_from_json, to_micros
from services.storage.reminders.quiet_hours import Quiet
from services.storage.reminders.rows import DeliveryColumns, delivery_columns
from services.storage.tables import DELIVERY
from services.storage.tables.base import IS_FREED, NEVER


class ClaimRequest(Struct, frozen=True, kw_only=True):
    """A claim by `owner` of occurrences due by `until` (microseconds), at most `limit` rows of a kind.

    `quiet` are the quiet hours of chats without their own.
    """

    owner: str
    now: datetime
    until: int
    limit: int
    quiet: QuietHours | None = None


Planned = Sequence[tuple[sa.RowMapping, DuePlan]]
_ALL_ROWS = 1_000_000  # SQLite has no OFFSET without LIMIT


def merge_waiting(connection: sa.Connection, planned: Planned) -> dict[int, int]:
    """Merge older occurrences that wait for a retry into the newer one; return the numbers of merged ones by reminder.

    With the policy `all` they keep waiting, up to the limit of missed occurrences.
    """
    rows = [row for row, _ in planned if row["rule"] or row["follow_up_minutes"]]
    folded = [row["id"] for row in rows if row["catch_up"] != CatchUp.ALL.value]
    counts = _absorb(connection, DELIVERY.c.reminder_id.in_(folded)) if folded else {}
    for row in rows:
        if row["catch_up"] == CatchUp.ALL.value:
            older = sa.select(DELIVERY.c.id).where(DELIVERY.c.reminder_id == row["id"], IS_FREED)
            older = older.order_by(DELIVERY.c.due_at.desc()).offset(MAX_CAUGHT_UP - 1)
            surplus = connection.scalars(older.limit(_ALL_ROWS)).all()
            counts |= _absorb(connection, DELIVERY.c.id.in_(surplus)) if surplus else {}
    return counts


def _absorb(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> dict[int, int]:
    """Cancel the waiting occurrences of `condition`; return their number by reminder, with those missed before them."""
    cancelled = {"state": DeliveryState.CANCELLED.value, "try_at": NEVER, "error": "absorbed by a later occurrence"}
    absorb = DELIVERY.update().where(condition, IS_FREED).values(cancelled)
    counts: Counter[int] = Counter()
    for row in connection.execute(absorb.returning(DELIVERY.c.reminder_id, DELIVERY.c.missed)):
        counts[row.reminder_id] += row.missed + 1
    return dict(counts)


def insert_occurrences(
    connection: sa.Connection,
    request: ClaimRequest,
    planned: Planned,
    absorbed: Mapping[int, int],
) -> list[tuple[sa.RowMapping, DeliveryColumns]]:
    """Insert a ledger row for each occurrence; existing ones are not claimed again.

    Return those to send now: neither skipped nor deferred by quiet hours.
    """
    quiet = Quiet(connection, [row for row, _ in planned], request.quiet)
    values: dict[tuple[int, int], dict[str, Any]] = {}
    rows = {row["id"]: row for row, _ in planned}
    for row, plan in planned:
        for place, occurrence in enumerate(plan.occurrences):
            columns = _occurrence_columns(row, occurrence, 0 if place else absorbed.get(row["id"], 0))
            held_until = None if occurrence.is_skipped else quiet.end(row, max(occurrence.due_at, request.now))
            if held_until is not None:
                columns |= {"try_at": to_micros(held_until), "was_held": True}
            elif not occurrence.is_skipped:
                columns["owner"] = request.owner
            values[row["id"], columns["due_at"]] = columns
    inserted = _insert(connection, list(values.values()))
    stored = [values[each.reminder_id, each.due_at] | {"delivery_id": each.id} for each in inserted]
    return [(rows[columns["reminder_id"]], delivery_columns(columns)) for columns in stored if columns["owner"]]


def _insert(connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> Sequence[sa.Row[Any]]:
    """Return the ids of the new rows with their occurrences."""
    returned = (DELIVERY.c.id, DELIVERY.c.reminder_id, DELIVERY.c.due_at)
    if connection.dialect.name == "postgresql":
        return connection.execute(new_from_json(DELIVERY, tuple(rows[0])).returning(*returned), {"rows": rows}).all()
    return connection.execute(insert_new("sqlite", DELIVERY).returning(*returned), rows).all()


def _occurrence_columns(row: sa.RowMapping, occurrence: Occurrence, absorbed: int) -> dict[str, Any]:
    due_at = to_micros(occurrence.due_at)
    state = DeliveryState.SKIPPED if occurrence.is_skipped else DeliveryState.LEASED
    return {
        "reminder_id": row["id"],
        "due_at": due_at,
        "version": row["version"],
        "content": row["content"],
        "chat_key": row["chat_key"],
        "missed": occurrence.missed + absorbed,
        "state": state.value,
        "try_at": NEVER if occurrence.is_skipped else due_at,
        "attempt": 0,
        "message_key": "",
        "was_held": False,
        "owner": "",
        "error": "",
    }
