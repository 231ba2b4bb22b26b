"""Add memories, opt-outs and retention."""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of memories, opt-outs and retention."""
    op.create_table(
        "memory",
        sa.Column("id", _BIG, primary_key=True),
        sa.Column("chat_key", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("person_name", sa.String(), nullable=False),
        sa.Column("is_shared", sa.Boolean(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memory_chat", "memory", ["chat_key"])
    op.create_index("ix_memory_person", "memory", ["person_id"])
    op.create_table(
        "opt_out",
        sa.Column("place", sa.String(), primary_key=True),
        sa.Column("person_id", sa.String(), primary_key=True),
        sa.Column("since", _BIG, nullable=False),
    )
    op.create_table(
        "retention",
        sa.Column("chat_key", sa.String(), primary_key=True),
        sa.Column("keep_days", sa.Integer(), nullable=False),
    )
