"""Begin and settle occurrences on SQLite with one statement each.

Python's driver releases the interpreter lock for every row, and gets it back late while the event loop is busy: 500
single statements cost a hundred times as much as one statement over a JSON array.
"""

import json
from collections.abc import Sequence

import sqlalchemy as sa

_BEGIN = sa.text(
    "UPDATE delivery SET state = 'sending', message_key = '', "
    "attempt = attempt + CASE state WHEN 'sending' THEN 0 ELSE 1 END "
    "WHERE id IN (SELECT value FROM json_each(:ids)) AND owner = :owner AND state IN ('leased', 'unknown', 'sending') "
    "AND NOT is_withdrawn"
)
_BEGUN = sa.text(
    "SELECT json_group_array(json_array(id, version)) FROM delivery "
    "WHERE id IN (SELECT value FROM json_each(:ids)) AND owner = :owner AND state = 'sending' AND NOT is_withdrawn"
)
_SENT = sa.text(
    "UPDATE delivery SET state = 'sent', owner = '', error = '', sent_at = json_extract(mark.value, '$[1]'), "
    "platform_message_id = json_extract(mark.value, '$[2]') FROM json_each(:marks) AS mark "
    "WHERE delivery.id = json_extract(mark.value, '$[0]') AND delivery.state = 'sending'"
)
_DONE = sa.text(
    "UPDATE reminder SET state = 'done' "
    "WHERE id IN (SELECT value FROM json_each(:keys)) AND next_fire_at IS NULL AND state = 'active'"
)


def begin_at_once(connection: sa.Connection, owner: str, delivery_ids: Sequence[int]) -> dict[int, int]:
    """Mark the deliveries still leased by `owner` as `sending`; return their versions."""
    values = {"ids": json.dumps(list(delivery_ids)), "owner": owner}
    connection.execute(_BEGIN, values)
    found = connection.scalar(_BEGUN, values)
    return dict(json.loads(found or "[]"))


def settle_sent_at_once(
    connection: sa.Connection, outcomes: Sequence[tuple[int, int, str | None]], reminder_keys: Sequence[int]
) -> None:
    """Mark deliveries (id, time in microseconds, platform's message id) as `sent`, and finish the reminders."""
    connection.execute(_SENT, {"marks": json.dumps(outcomes)})
    connection.execute(_DONE, {"keys": json.dumps(list(reminder_keys))})
