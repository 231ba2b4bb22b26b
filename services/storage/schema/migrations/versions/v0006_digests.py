"""Add the action of a reminder, and the mentions and attachments of messages."""

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    """Add the columns with their defaults."""
    op.add_column("reminder", sa.Column("action", sa.String(), nullable=False, server_default="say"))
    op.add_column("message", sa.Column("mentions", sa.String(), nullable=False, server_default=""))
    op.add_column("message", sa.Column("attachments", sa.String(), nullable=False, server_default=""))
