"""Migrate tables of an older version, after a backup of the file, with row counts before and after."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from loguru import logger

from services.kernel.errors import ConfigError
from services.kernel.private_files import draft_of
from services.storage.schema.backup import copy_file
from services.storage.schema.migrations import SCHEMA_VERSION

_MIGRATIONS = Path(__file__).with_name("migrations")
_BOOKKEEPING = frozenset({"alembic_version"})


def upgrade(connection: sa.Connection, version: int, label: str, file: Path | None) -> None:
    """Run the migrations from `version` to the present one in the caller's transaction.

    Raises:
        ConfigError: a table lost or gained rows; the transaction must be rolled back.
    """
    copy = None if file is None else _copy(file, version)
    before = row_counts(connection)
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.stamp(config, str(version), purge=True)
    command.upgrade(config, str(SCHEMA_VERSION))
    after = row_counts(connection)
    changed = [name for name in before.keys() & after.keys() if before[name] != after[name]]
    if changed:
        differences = ", ".join(f"{name}: {before[name]} rows became {after[name]}" for name in sorted(changed))
        raise ConfigError(label, "storage.url", f"the upgrade to schema {SCHEMA_VERSION} was undone ({differences})")
    backup_note = f"; the old database is kept in {copy}" if copy else ""
    logger.info("upgraded the database from schema {} to {}{}", version, SCHEMA_VERSION, backup_note)


def row_counts(connection: sa.Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    names = set(sa.inspect(connection).get_table_names()) - _BOOKKEEPING
    counted = {name: sa.select(sa.func.count()).select_from(sa.table(name)) for name in names}
    return {name: connection.scalar(query) or 0 for name, query in counted.items()}


def _copy(file: Path, version: int) -> Path:
    """Copy a database that another connection of this process has open, completely or not at all."""
    copy = file.with_name(f"{file.name}.schema-{version}")
    with draft_of(copy) as draft:
        copy_file(file, draft)
    return copy
