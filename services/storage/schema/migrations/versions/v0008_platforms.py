"""Add platform leases and the remote outbox."""

import sqlalchemy as sa
from alembic import op

revision = "8"
down_revision = "7"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of leases and of messages on their way."""
    op.create_table(
        "platform_lease",
        sa.Column("platform", sa.String(), primary_key=True),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "handed_over",
        sa.Column("id", _BIG, primary_key=True),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("taken_by", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("outcome", sa.String()),
    )
