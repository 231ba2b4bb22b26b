"""Begin, settle and arm deliveries on PostgreSQL in one statement each, over arrays: one plan, one round trip."""

import json
from collections.abc import Sequence

import sqlalchemy as sa

SentRecord = tuple[int, int, str | None, int]
"""Delivery, microsecond, message id of the platform, reminder."""

_APPEND = sa.text("INSERT INTO said (delivery_id, said) VALUES (:first, :all) ON CONFLICT DO NOTHING")
# Two arrays instead of a row each: the driver reads them in a third of the time, while the event loop waits for it.
_BEGIN = sa.text(
    "WITH begun AS (UPDATE delivery SET state = 'sending', message_key = '', "
    "attempt = attempt + CASE state WHEN 'sending' THEN 0 ELSE 1 END "
    "WHERE id = ANY(:ids) AND owner = :owner AND state IN ('leased', 'unknown', 'sending') "
    "AND NOT is_withdrawn RETURNING id, version) SELECT array_agg(id), array_agg(version) FROM begun"
)
_FINISH = "UPDATE reminder SET state = 'done' WHERE id = ANY(:keys) AND next_fire_at IS NULL AND state = 'active'"
_APPENDED = sa.text(
    "SELECT said.said FROM said JOIN delivery ON delivery.id = said.delivery_id WHERE delivery.owner = :owner"
)
# An occurrence that was freed because this process seemed frozen, and not begun by another since, counts as sent; so
# does one whose begin a crash of the server lost.
_SENT = sa.text(
    "WITH said AS (UPDATE delivery SET state = 'sent', owner = '', error = '', sent_at = mark.at, "  # noqa: S608
    "platform_message_id = mark.message FROM unnest("
    "CAST(:ids AS bigint[]), CAST(:moments AS bigint[]), CAST(:messages AS text[])) AS mark (id, at, message) "
    "WHERE delivery.id = mark.id AND delivery.state IN ('leased', 'sending', 'unknown')), "
    f"forgotten AS (DELETE FROM said WHERE delivery_id = ANY(:ids)) {_FINISH}"  # constants
)
_DONE = sa.text(_FINISH)
_ADVANCE = sa.text(
    "UPDATE reminder SET next_fire_at = plan.following, last_due_at = plan.due, updated_at = :now FROM unnest("
    "CAST(:ids AS bigint[]), CAST(:following AS bigint[]), CAST(:due AS bigint[])) AS plan (id, following, due) "
    "WHERE reminder.id = plan.id"
)


def begin_at_once(connection: sa.Connection, owner: str, delivery_ids: Sequence[int]) -> dict[int, int]:
    """Mark as `sending` the deliveries that are still `owner`'s; return their versions."""
    ids, versions = connection.execute(_BEGIN, {"ids": list(delivery_ids), "owner": owner}).one()
    return dict(zip(ids or (), versions or (), strict=True))


def settle_sent_at_once(
    connection: sa.Connection, outcomes: Sequence[tuple[int, int, str | None]], reminder_keys: Sequence[int]
) -> None:
    """Mark as `sent` (delivery, microsecond, platform's message id), and finish the reminders."""
    ids, moments, messages = (list(column) for column in zip(*outcomes, strict=True))
    values = {"ids": ids, "moments": moments, "messages": messages, "keys": list(reminder_keys)}
    connection.execute(_SENT, values)


def append_sent(connection: sa.Connection, outcomes: Sequence[SentRecord]) -> None:
    """Append sent occurrences, as one row, until they are settled."""
    connection.execute(_APPEND, {"first": outcomes[0][0], "all": json.dumps(outcomes)})


def settle_appended(connection: sa.Connection, owner: str) -> None:
    """Settle the occurrences that the dead worker `owner` had sent and not settled."""
    said = [outcome for outcomes in connection.scalars(_APPENDED, {"owner": owner}) for outcome in json.loads(outcomes)]
    if said:
        settle_sent_at_once(connection, [outcome[:3] for outcome in said], [outcome[3] for outcome in said])


def finish_at_once(connection: sa.Connection, reminder_keys: Sequence[int]) -> None:
    """Mark as `done` the reminders without a next fire."""
    connection.execute(_DONE, {"keys": list(reminder_keys)})


def advance_at_once(connection: sa.Connection, plans: Sequence[tuple[int, int | None, int]], now: int) -> None:
    """Arm reminders: row, next fire, last due; all in microseconds."""
    ids, following, due = (list(column) for column in zip(*plans, strict=True))
    connection.execute(_ADVANCE, {"ids": ids, "following": following, "due": due, "now": now})
