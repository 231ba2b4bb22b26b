"""Add claims of turns."""

import sqlalchemy as sa
from alembic import op

revision = "9"
down_revision = "8"


def upgrade() -> None:
    """Create the table of claims."""
    op.create_table(
        "turn_claim",
        sa.Column("chat_key", sa.String(), primary_key=True),
        sa.Column("message_id", sa.String(), primary_key=True),
        sa.Column("owner", sa.String(), nullable=False),
    )
