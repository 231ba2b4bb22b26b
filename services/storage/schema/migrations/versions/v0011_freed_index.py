"""Begin an occurrence without rewriting it in the indexes of PostgreSQL."""

import sqlalchemy as sa
from alembic import op

revision = "11"
down_revision = "10"

_ENDED = "UPDATE delivery SET try_at = 0 WHERE sent_at IS NULL AND state IN ('sent', 'parked', 'cancelled', 'skipped')"
_IS_TO_TRY = sa.text("owner = '' AND sent_at IS NULL AND try_at <> 0")


def upgrade() -> None:
    """Set `try_at` to 0 for ended occurrences, and create an index on the others."""
    op.drop_index("ix_delivery_freed", "delivery")
    op.execute(_ENDED)
    op.create_index("ix_delivery_freed", "delivery", ["try_at"], sqlite_where=_IS_TO_TRY, postgresql_where=_IS_TO_TRY)
    if op.get_context().dialect.name == "postgresql":
        op.execute("ALTER TABLE delivery SET (fillfactor = 50)")
