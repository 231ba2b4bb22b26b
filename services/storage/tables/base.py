"""Declare the base class of the tables."""

from typing import Annotated, ClassVar

import sqlalchemy as sa
from pydantic import AllowInfNan
from sqlmodel import Field, SQLModel

Whole = Annotated[int, Field(ge=-(2**31), lt=2**31)]
"""A number that a plain column holds on every database."""
Large = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""A number that a `BIG` column holds."""
Finite = Annotated[float, AllowInfNan(False)]
"""A number that is one: SQLite keeps NaN as NULL."""


class StoredTable(SQLModel):
    """Base of our tables, with its own metadata, so that a host's SQLModel classes stay out of it."""

    metadata: ClassVar[sa.MetaData] = sa.MetaData()
