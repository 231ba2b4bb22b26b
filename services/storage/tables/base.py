"""Declare the base class of the tables, column types and the conditions of partial indexes."""

from typing import Annotated, ClassVar, Final

import sqlalchemy as sa
from pydantic import AllowInfNan
from sqlmodel import Field, SQLModel

Whole = Annotated[int, Field(ge=-(2**31), lt=2**31)]
"""An integer for a plain column on every database."""
Large = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""An integer for a `BIG` column."""
Finite = Annotated[float, AllowInfNan(False)]
"""A finite number: SQLite stores NaN as NULL."""


class StoredTable(SQLModel):
    """The base class of the tables, with metadata separate from SQLModel classes of a host program."""

    metadata: ClassVar[sa.MetaData] = sa.MetaData()


# A plain int is 32 bits on PostgreSQL, where microseconds overflow; SQLite's row id must be a plain INTEGER.
BIG: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# `try_at` of an occurrence that has ended without being sent.
NEVER: Final = 0

# Text instead of bound values, so that SQLite recognises queries for a partial index.
IS_DUE: Final = sa.text("next_fire_at IS NOT NULL")
IS_REPEATED: Final = sa.text("(rule <> '' OR follow_up_minutes IS NOT NULL)")
IS_OPEN: Final = sa.text("state IN ('active', 'paused')")
# The condition of the index excludes the state, because PostgreSQL rewrites a row in all indexes when a column of one
# changes, and beginning an occurrence changes its state.
IS_TO_TRY: Final = sa.text(f"owner = '' AND sent_at IS NULL AND try_at <> {NEVER}")
IS_FREED: Final = sa.text(f"{IS_TO_TRY} AND state IN ('leased', 'unknown')")
IS_HELD: Final = sa.text("owner <> ''")
HAS_MESSAGE_ID: Final = sa.text("platform_message_id IS NOT NULL")
IS_SENT: Final = sa.text("sent_at IS NOT NULL")
