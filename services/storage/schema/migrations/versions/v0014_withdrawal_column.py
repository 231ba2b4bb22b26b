"""Mark withdrawn occurrences in a column; their version was 0."""

import sqlalchemy as sa
from alembic import op

revision = "14"
down_revision = "13"


def upgrade() -> None:
    """Add the column and fill it."""
    op.add_column("delivery", sa.Column("is_withdrawn", sa.Boolean(), nullable=False, server_default=sa.false()))
    delivery = sa.table("delivery", sa.column("version"), sa.column("is_withdrawn", sa.Boolean()))
    op.get_bind().execute(delivery.update().where(delivery.c.version == 0).values(is_withdrawn=True))
