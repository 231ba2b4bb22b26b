"""Add the table of sent occurrences that are not settled yet, for shared databases."""

import sqlalchemy as sa
from alembic import op

revision = "10"
down_revision = "9"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of sent messages."""
    op.create_table(
        "said",
        sa.Column("delivery_id", _BIG, primary_key=True, autoincrement=False),
        sa.Column("said", sa.String(), nullable=False),
    )
