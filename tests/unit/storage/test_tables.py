"""The tables of each dialect."""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from services.storage import tables
from services.storage.schema.schema import tables_for


def definitions(metadata: sa.MetaData, dialect: sa.Dialect) -> list[str]:
    """Return the definition of each table and index of a database."""
    made = [CreateTable(table) for table in metadata.sorted_tables]
    made += [CreateIndex(each) for table in metadata.sorted_tables for each in table.indexes]
    return sorted(str(each.compile(dialect=dialect)) for each in made)


def test_options_of_postgresql_are_not_in_the_tables_of_sqlite():
    before = definitions(tables.METADATA, postgresql.dialect())

    assert definitions(tables_for("postgresql"), postgresql.dialect()) != before
    assert definitions(tables.METADATA, postgresql.dialect()) == before
