"""Move the follow-ups of reminders out of the text of their rules."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "13"
down_revision = "12"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ONCE = "FREQ=DAILY;COUNT=1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_READ = sa.text("SELECT id, rule, start_local FROM reminder WHERE upper(rule) LIKE '%NAG=%'")
_WRITE = sa.text(
    "UPDATE reminder SET rule = :rule, start_local = :start, "
    "start_fold = CASE :rule WHEN '' THEN 0 ELSE start_fold END, "
    "follow_up_minutes = :minutes, follow_up_times = :times, done_until = :done_until WHERE id = :id"
)


def upgrade() -> None:
    """Add the columns and fill them; one-time reminders with follow-ups had a rule with COUNT=1."""
    for name, kind in (("follow_up_minutes", sa.Integer()), ("follow_up_times", sa.Integer()), ("done_until", _BIG)):
        op.add_column("reminder", sa.Column(name, kind))
    connection = op.get_bind()
    for row in connection.execute(_READ).all():
        columns = _columns(row.rule, row.start_local)
        if columns is not None:
            connection.execute(_WRITE, {"id": row.id, **columns})


def _columns(text: str, start: str) -> dict[str, object] | None:
    """Return the new columns; None for an unreadable rule, which pauses its reminder when it is due."""
    rule = ";".join(part for part in text.split(";") if not part.upper().startswith("NAG"))
    own = dict(part.upper().partition("=")[::2] for part in text.split(";") if part.upper().startswith("NAG"))
    after = own.get("NAGAFTER")
    try:
        done_until = datetime.strptime(after, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) if after else None
        return {
            "rule": "" if rule == _ONCE else rule,
            "start": datetime.fromisoformat(start).replace(microsecond=0).isoformat() if rule == _ONCE else start,
            "minutes": int(own["NAG"]),
            "times": int(own["NAGS"]),
            "done_until": None if done_until is None else (done_until - _EPOCH) // timedelta(microseconds=1),
        }
    except (KeyError, ValueError):
        return None
