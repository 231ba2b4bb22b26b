"""Add stored tools and their versions."""

import sqlalchemy as sa
from alembic import op

revision = "7"
down_revision = "6"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of stored tools and of their versions."""
    op.create_table(
        "stored_tool",
        sa.Column("id", sa.String(), primary_key=True),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("owner", "name", "content", "specs")),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("meta", "access", "valves")),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
    )
    op.create_table(
        "stored_tool_version",
        sa.Column("tool_id", sa.String(), primary_key=True),
        sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("saved_at", _BIG, nullable=False),
    )
