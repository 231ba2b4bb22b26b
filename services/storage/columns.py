"""The words in which the tables are written: their metadata, and the kinds of columns."""

from typing import Any

import sqlalchemy as sa

METADATA = sa.MetaData()
"""Of our own, so that the tables of a host's program stay out of it."""

# SQLite's row id must be a plain INTEGER; on PostgreSQL that has 32 bits, and microseconds do not fit.
Big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Moment = sa.DateTime(timezone=True)

Kind = sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]]
Default = str | int | bool


def key(name: str, kind: Kind = sa.String, *, is_numbered: bool = True) -> sa.Column[Any]:
    """A column of the primary key; a whole number is numbered by the database unless `is_numbered` is False."""
    return sa.Column(name, kind, primary_key=True, autoincrement="auto" if is_numbered else False)


def needed(
    name: str,
    kind: Kind = sa.String,
    *,
    default: Default | None = None,
    is_default_stored: bool = False,
    unique: bool | None = None,
) -> sa.Column[Any]:
    """A column that always has a value: `default` where none is given.

    With `is_default_stored` the database knows the default too, as it must of columns that came later.
    """
    stored = (sa.false() if default is False else str(default)) if is_default_stored else None
    return sa.Column(name, kind, nullable=False, default=default, server_default=stored, unique=unique)


def optional(name: str, kind: Kind = sa.String, *, index: bool | None = None) -> sa.Column[Any]:
    """A column that may be NULL."""
    return sa.Column(name, kind, nullable=True, index=index)
