"""Add the user names of people who write."""

import sqlalchemy as sa
from alembic import op

revision = "12"
down_revision = "11"


def upgrade() -> None:
    """Add the column; existing messages have no user name."""
    op.add_column("message", sa.Column("sender_username", sa.String(), nullable=False, server_default=""))
