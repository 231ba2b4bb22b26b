"""Add quiet hours, the catch-up policy, and several occurrences in one message."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the columns with their defaults, and the table of quiet hours."""
    op.add_column("reminder", sa.Column("is_urgent", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("reminder", sa.Column("catch_up", sa.String(), nullable=False, server_default="latest"))
    op.add_column("delivery", sa.Column("was_held", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("delivery", sa.Column("message_key", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "quiet_hours",
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("starts", sa.Integer(), nullable=False),
        sa.Column("ends", sa.Integer(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
    )
