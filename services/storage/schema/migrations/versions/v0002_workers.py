"""Add the registry of processes that share a PostgreSQL."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Create the table of workers."""
    op.create_table(
        "worker",
        sa.Column("owner", sa.String(), primary_key=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
