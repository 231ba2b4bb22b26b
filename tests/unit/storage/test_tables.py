"""The tables that the stores import are those that the classes declare."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from services.storage import tables
from services.storage.models import StoredTable
from services.storage.models.source import tables_source
from services.storage.schema import tables_for


def definitions(metadata: sa.MetaData, dialect: sa.Dialect) -> list[str]:
    """What makes each table and index of a database."""
    made = [CreateTable(table) for table in metadata.sorted_tables]
    made += [CreateIndex(each) for table in metadata.sorted_tables for each in table.indexes]
    return sorted(str(each.compile(dialect=dialect)) for each in made)


def defaults(metadata: sa.MetaData) -> dict[str, object]:
    """What an INSERT puts into the columns that it does not name."""
    return {str(each): each.default.arg for table in metadata.sorted_tables for each in table.c if each.default}


def test_the_file_of_tables_is_what_the_classes_say():
    """`make tables` writes it."""
    assert Path(tables.__file__).read_text(encoding="utf-8") == tables_source()


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()], ids=lambda it: it.name)
def test_tables_and_classes_make_the_same_database(dialect: sa.Dialect):
    assert definitions(tables.METADATA, dialect) == definitions(StoredTable.metadata, dialect)


def test_what_postgresql_wants_of_the_tables_is_not_put_into_those_of_sqlite():
    before = definitions(tables.METADATA, postgresql.dialect())

    assert definitions(tables_for("postgresql"), postgresql.dialect()) != before
    assert definitions(tables.METADATA, postgresql.dialect()) == before


def test_tables_and_classes_fill_the_same_columns():
    assert defaults(tables.METADATA) == defaults(StoredTable.metadata)
