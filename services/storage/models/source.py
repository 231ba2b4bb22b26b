"""Puts the declared tables into words: the Python text of `services/storage/tables.py`."""

import inspect
import json
import re
from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

from services.storage import declaring
from services.storage.declaring import BIG
from services.storage.models import StoredTable

_HEAD: Final = '''"""The tables. Instants are UTC microseconds; wall clock, zone and rule of a reminder are the truth.

Made by `make tables` from the classes of `services/storage/models`, which is where to change them. A test compares.
"""

import sqlalchemy as sa

from services.storage.declaring import {declared}

METADATA = sa.MetaData()
'''
_CONDITIONS: Final = {str(each): name for name, each in vars(declaring).items() if isinstance(each, sa.TextClause)}


def tables_source() -> str:
    """The text of the module of tables, as ruff would format it."""
    rows: list[type[StoredTable]] = StoredTable.__subclasses__()
    tables = "".join(_table(each) for each in rows)
    declared = sorted({"BIG", *re.findall(r"\bIS_\w+", tables)})
    return _HEAD.format(declared=", ".join(declared)) + tables


def _table(row: type[StoredTable]) -> str:
    """One table under the name of its class: `ReminderRow` is `REMINDER`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", row.__name__.removesuffix("Row")).upper()
    table = StoredTable.metadata.tables[str(row.__tablename__)]
    lines = [json.dumps(table.name), "METADATA", *map(_column, table.columns), *_constraints(table), *_indexes(table)]
    if table.dialect_options["sqlite"]["autoincrement"]:
        lines.append("sqlite_autoincrement=True")
    if table.info:
        lines.append(f"info={json.dumps(table.info)}")
    arguments = "".join(f"    {line},\n" for line in lines)
    return f'\n{name} = sa.Table(\n{arguments})\n"""{inspect.getdoc(row)}"""\n'


def _column(column: sa.Column[object]) -> str:
    said = [json.dumps(column.name), _type(column.type)]
    if column.primary_key:
        said.append("primary_key=True")
    elif not column.nullable:
        said.append("nullable=False")
    if column.autoincrement is False:
        said.append("autoincrement=False")
    if column.unique:
        said.append("unique=True")
    if isinstance(column.default, sa.ColumnDefault):
        said.append(f"default={_value(column.default.arg)}")
    if isinstance(column.server_default, sa.DefaultClause):
        said.append(f"server_default={_value(column.server_default.arg)}")
    return f"sa.Column({', '.join(said)})"


def _type(of: sa.types.TypeEngine[object]) -> str:
    if of is BIG:
        return "BIG"
    if isinstance(of, sa.DateTime):
        return f"sa.DateTime(timezone={of.timezone})"
    plain = of.impl_instance if isinstance(of, sa.types.TypeDecorator) else of
    return f"sa.{type(plain).__name__}"


def _value(value: object) -> str:
    if isinstance(value, sa.ColumnElement):
        return f"sa.{value}()"  # false and true
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _constraints(table: sa.Table) -> Iterator[str]:
    """The constraints over several columns; those of one are said with it."""
    named = [each for each in table.constraints if isinstance(each, sa.UniqueConstraint) and each.name]
    for each in sorted(named, key=lambda it: str(it.name)):
        yield f"sa.UniqueConstraint({_names(each.columns)}, name={_value(each.name)})"


def _indexes(table: sa.Table) -> Iterator[str]:
    for each in sorted(table.indexes, key=lambda it: str(it.name)):
        where = each.dialect_options["sqlite"]["where"]
        condition = "" if where is None else f", sqlite_where={_CONDITIONS[str(where)]}"
        yield f"sa.Index({_value(str(each.name))}, {_names(each.columns)}{condition})"


def _names(columns: sa.ColumnCollection[str, sa.Column[object]]) -> str:
    return ", ".join(json.dumps(each.name) for each in columns)
