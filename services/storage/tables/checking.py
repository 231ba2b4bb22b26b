"""Validate external data against the class that declares its table."""

from collections.abc import Mapping

import sqlalchemy as sa

from services.storage.tables.base import StoredTable

_CLASSES = {str(each.__tablename__): each for each in StoredTable.__subclasses__()}


def check_row(table: sa.Table, columns: Mapping[str, object]) -> None:
    """Raise when `columns` are not a row that the table can hold on every database.

    Raises:
        ValidationError: they are not; Pydantic's, which names the columns.
    """
    _CLASSES[table.name].model_validate(columns)
