"""Back up the whole database while the bot runs, check the copy, and restore it."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from msgspec import Struct

from services.kernel.errors import ConfigError
from services.kernel.private_files import draft_of, make_private_folder, open_private
from services.storage.engine import sqlite
from services.storage.engine.file_lock import FileLock
from services.storage.schema.migrations import SCHEMA_VERSION
from services.storage.tables import META

_SIDE_FILES: Final = ("-wal", "-shm", "-sent")
_TOOL_SECONDS: Final = 3600


class Backup(Struct, frozen=True, kw_only=True):
    """The result of a backup or a restore. `earlier` is the copy of the database that was replaced."""

    file: Path
    size: int
    earlier: Path | None = None


def back_up(url: str, target: Path) -> Backup:
    """Copy the database at `url` to `target`, also while the bot runs. A failure leaves no partial copy.

    Raises:
        ConfigError: there is no database, or it cannot be copied.
        FileExistsError: `target` exists.
    """
    if target.exists():
        raise FileExistsError(target)
    make_private_folder(target.parent)
    parsed = sqlite.parse_url(url)
    with _draft_of_copy(target) as draft:
        if parsed.get_backend_name() == "sqlite":
            source = _file(parsed)
            if not source.is_file():
                problem = "there is no database yet; start the bot once, or go to the folder in which it runs"
                raise ConfigError(str(source), "", problem, "none")
            copy_file(source, draft)
            _check_version(draft)
        else:
            os.close(open_private(draft, os.O_RDWR | os.O_CREAT))
            _tool("pg_dump", parsed, ["--format=custom", f"--file={draft}"])
    return Backup(file=target, size=target.stat().st_size)


def restore(url: str, source: Path) -> Backup:
    """Replace the database at `url` by the backup `source`; the bot must be stopped.

    The replaced database is kept as `….before-restore`, also if it is damaged. An older schema is upgraded at the next
    start.

    Raises:
        ConfigError: `source` is not a backup, is damaged, or was made by a newer Bubbles.
        StorageBusy: the bot is running.
    """
    parsed = sqlite.parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        _tool("pg_restore", parsed, ["--clean", "--if-exists", "--no-owner", "--single-transaction", str(source)])
        return Backup(file=source, size=source.stat().st_size)
    _check_version(source)
    file = _file(parsed)
    make_private_folder(file.parent)
    with FileLock(file), _draft_of_copy(file) as draft:
        copy_file(source, draft)
        earlier = file.with_name(f"{file.name}.before-restore") if file.exists() else None
        if earlier is not None:
            _keep(file, earlier)
        for ending in _SIDE_FILES:  # they belong to the replaced file
            file.with_name(f"{file.name}{ending}").unlink(missing_ok=True)
    return Backup(file=source, size=source.stat().st_size, earlier=earlier)


@contextmanager
def _draft_of_copy(path: Path) -> Iterator[Path]:
    """Yield the path of a draft that replaces `path` when the database is copied."""
    try:
        with draft_of(path) as draft:
            yield draft
    except sqlite3.Error as error:
        raise ConfigError(str(path), "backup", f"the database cannot be copied ({error})") from error


def _keep(file: Path, copy: Path) -> None:
    """Copy a database that is replaced; of a damaged one, the bytes of the file and of its log."""
    copy.unlink(missing_ok=True)
    try:
        copy_file(file, copy)
    except sqlite3.Error:
        for ending in ("", "-wal"):
            part, target = (each.with_name(f"{each.name}{ending}") for each in (file, copy))
            if part.exists():
                os.close(open_private(target, os.O_RDWR | os.O_CREAT))
                shutil.copyfile(part, target)


def copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite file, which may be in use, with its journals to a file without journals."""
    os.close(open_private(target, os.O_RDWR | os.O_CREAT))
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as here,
        closing(sqlite3.connect(target)) as there,
    ):
        here.backup(there)
        # Reading a file in WAL mode creates an empty log beside it and needs a writable folder.
        there.execute("PRAGMA journal_mode = DELETE")


def _file(url: sa.URL) -> Path:
    file = sqlite.file_of(url)
    if file is None:
        raise ConfigError("settings", "storage.url", "a database in memory cannot be backed up or restored")
    return file


def _check_version(file: Path) -> None:
    """Check a copy and the version of its tables.

    Raises:
        ConfigError: it is not a Bubbles database, is damaged, or has a newer version.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (check_result,) = connection.execute("PRAGMA quick_check").fetchone()
            found = connection.execute(f"SELECT value FROM {META.name} WHERE key = 'schema'").fetchone()  # noqa: S608
    except sqlite3.Error as error:
        raise ConfigError(str(file), "backup", f"this is no backup of Bubbles ({error})") from error
    if check_result != "ok" or found is None:
        raise ConfigError(str(file), "backup", f"the copy is damaged ({check_result})")
    schema = int(found[0])
    if schema > SCHEMA_VERSION:
        problem = f"written by a newer Bubbles (schema {schema}, this one knows {SCHEMA_VERSION}); update Bubbles"
        raise ConfigError(str(file), "backup", problem)


def _tool(name: str, url: sa.URL, arguments: list[str]) -> None:
    """Run a program of PostgreSQL, with the password in its environment, which process lists do not show."""
    program = shutil.which(name)
    if program is None:
        raise ConfigError("settings", "storage.url", f"{name} is not installed; it comes with PostgreSQL's client")
    environment = dict(os.environ)
    if url.password:
        environment["PGPASSWORD"] = url.password
    # `set` would keep the password: None means no change there.
    plain = url._replace(drivername="postgresql", password=None).render_as_string(hide_password=False)
    try:
        done = subprocess.run(  # noqa: S603 - a program of PostgreSQL with arguments of ours
            [program, f"--dbname={plain}", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=_TOOL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        problem = f"{name} took longer than {_TOOL_SECONDS} seconds and was stopped"
        raise ConfigError(str(url), "storage.url", problem) from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no error message"]
        raise ConfigError(str(url), "storage.url", f"{name} failed: {lines[-1]}")
