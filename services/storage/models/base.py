"""The base of the classes that declare our tables."""

from typing import ClassVar

import sqlalchemy as sa
from sqlmodel import SQLModel


class StoredTable(SQLModel):
    """Base of our tables, with metadata of our own so that a host's SQLModel classes stay out of it."""

    metadata: ClassVar[sa.MetaData] = sa.MetaData()
