"""Keep the user names of those who write, by which others name them."""

import sqlalchemy as sa
from alembic import op

revision = "12"
down_revision = "11"


def upgrade() -> None:
    """Add the column; messages of before have no user name."""
    op.add_column("message", sa.Column("sender_username", sa.String(), nullable=False, server_default=""))
