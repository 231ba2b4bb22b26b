"""Index deliveries by message and by time."""

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Create indexes on sent deliveries, by chat and message and by chat and time."""
    for name, column in (("ix_delivery_said", "platform_message_id"), ("ix_delivery_sent", "sent_at")):
        is_said = sa.text(f"{column} IS NOT NULL")
        op.create_index(name, "delivery", ["chat_key", column], sqlite_where=is_said, postgresql_where=is_said)
