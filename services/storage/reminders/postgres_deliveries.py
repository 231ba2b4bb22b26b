"""Begin, settle and advance deliveries on PostgreSQL with one statement each, over arrays."""

import json
from collections.abc import Sequence

import sqlalchemy as sa

SentRecord = tuple[int, int, str | None, int]
"""Delivery id, time in microseconds, message id of the platform, reminder key."""

_APPEND = sa.text("INSERT INTO said (delivery_id, said) VALUES (:first, :all) ON CONFLICT DO NOTHING")
# Two arrays instead of rows: the driver reads them in a third of the time.
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
# An occurrence counts as sent if it was freed because this process seemed frozen and not begun by another since, or if
# a crash of the server lost its begin.
_SENT = sa.text(
    "WITH said AS (UPDATE delivery SET state = 'sent', owner = '', error = '', sent_at = mark.at, "  # noqa: S608
    "platform_message_id = mark.message FROM unnest("
    "CAST(:ids AS bigint[]), CAST(:moments AS bigint[]), CAST(:messages AS text[])) AS mark (id, at, message) "
    "WHERE delivery.id = mark.id AND delivery.state IN ('leased', 'sending', 'unknown')), "
    f"forgotten AS (DELETE FROM said WHERE delivery_id = ANY(:ids)) {_FINISH}"  # constants
)
_ADVANCE = sa.text(
    "UPDATE reminder SET next_fire_at = plan.following, last_due_at = plan.due, updated_at = :now FROM unnest("
    "CAST(:ids AS bigint[]), CAST(:following AS bigint[]), CAST(:due AS bigint[])) AS plan (id, following, due) "
    "WHERE reminder.id = plan.id"
)


def warm_up(connection: sa.Connection) -> None:
    """Begin nothing, so that the session does not load table data, for some 15 ms, with the first due occurrence."""
    begin_at_once(connection, "", ())


def begin_at_once(connection: sa.Connection, owner: str, delivery_ids: Sequence[int]) -> dict[int, int]:
    """Mark the deliveries still leased by `owner` as `sending`; return their versions."""
    ids, versions = connection.execute(_BEGIN, {"ids": list(delivery_ids), "owner": owner}).one()
    return dict(zip(ids or (), versions or (), strict=True))


def settle_sent_at_once(
    connection: sa.Connection, outcomes: Sequence[tuple[int, int, str | None]], reminder_keys: Sequence[int]
) -> None:
    """Mark deliveries (id, time in microseconds, platform's message id) as `sent`, and finish the reminders."""
    ids, moments, messages = (list(column) for column in zip(*outcomes, strict=True))
    values = {"ids": ids, "moments": moments, "messages": messages, "keys": list(reminder_keys)}
    connection.execute(_SENT, values)


def append_sent(connection: sa.Connection, outcomes: Sequence[SentRecord]) -> None:
    """Store sent occurrences as one row until they are settled."""
    connection.execute(_APPEND, {"first": outcomes[0][0], "all": json.dumps(outcomes)})


def settle_appended(connection: sa.Connection, owner: str) -> None:
    """Settle the occurrences that the dead worker `owner` sent and did not settle."""
    sent = [outcome for outcomes in connection.scalars(_APPENDED, {"owner": owner}) for outcome in json.loads(outcomes)]
    if sent:
        settle_sent_at_once(connection, [outcome[:3] for outcome in sent], [outcome[3] for outcome in sent])


def advance_at_once(connection: sa.Connection, plans: Sequence[tuple[int, int | None, int]], now: int) -> None:
    """Store next fires: reminder key, next fire and last due time in microseconds."""
    ids, following, due = (list(column) for column in zip(*plans, strict=True))
    connection.execute(_ADVANCE, {"ids": ids, "following": following, "due": due, "now": now})
