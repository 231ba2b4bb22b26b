"""Check the machine: its clock, time zone data and database."""

import asyncio
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from bot.platforms.kit.doctor import Finding, good, problem
from services.kernel.errors import ConfigError, StorageBusy, StorageFull
from services.recurrence.calendars.data_version import zone_data_version
from services.storage.database import Database, first_line
from services.storage.engine.integrity import find_damage, refuse_empty_beside_old
from services.storage.engine.readonly import has_tables

_MAX_SKEW = timedelta(seconds=30)
_MAX_AGE_YEARS = 2
_MAKE_ROOM = "make room on that disk"


def examine_clock(skews: Mapping[str, timedelta]) -> Finding:
    """Compare the clock of this machine with those of the servers, by `skews`."""
    if not skews:
        return good("clock", "no server to compare it with")
    # The smallest difference counts, as a single server may be wrong.
    host, skew = min(skews.items(), key=lambda each: abs(each[1]))
    seconds = skew.total_seconds()
    if abs(skew) <= _MAX_SKEW:
        return good("clock", f"within {abs(seconds):.0f} s of {host}")
    direction = "behind" if seconds > 0 else "ahead of"
    return problem(
        "clock",
        f"{abs(seconds):.0f} s {direction} {host}: reminders are sent at the wrong time",
        "let the system set it, for example: timedatectl set-ntp true",
    )


def examine_zone_data(now: datetime, version: str | None = None) -> Finding:
    """Check the age of the time zone data; countries change their rules every year."""
    version = zone_data_version() if version is None else version
    step = "update it: the package tzdata of the system, or pip install -U tzdata"
    if version == "none":
        return problem("time zones", "there is no zone data", step)
    year = _year_of(version)
    if year is None:
        return good("time zones", f"data {version}, of unknown age")
    if now.year - year >= _MAX_AGE_YEARS:
        return problem("time zones", f"data of {year} is old: recent changes of daylight saving are missing", step)
    return good("time zones", f"data of {year} ({version})")


def _year_of(version: str) -> int | None:
    """Return the year of a version such as `2025b`, or of a Unix timestamp."""
    if version[:4].isdecimal() and not version.isdecimal():
        return int(version[:4])
    return datetime.fromtimestamp(int(version), UTC).year if version.isdecimal() else None


async def examine_database(url: str) -> Finding:
    """Check that the database is writable and undamaged, without changing it."""
    try:
        database = Database(url)
        if not await has_tables(url) and not await asyncio.to_thread(_has_remains, database):
            return await asyncio.to_thread(_examine_place, database)
    except ConfigError as error:
        return problem("database", error.problem, "correct storage.url")
    try:
        await database.try_write()
        damage = await asyncio.to_thread(_damage_of, database)
    except StorageBusy as busy:
        damage = await asyncio.to_thread(_damage_of, database)
        if damage is None and not database.is_disk_full:
            return good("database", f"{database.name} is in use by {busy.holder}; its pages are undamaged")
    except StorageFull as full:
        return problem("database", str(full), _MAKE_ROOM)
    except ConfigError as error:
        return problem(
            "database",
            f"{error.path} {error.problem}",
            "correct storage.url or bot.data_dir, start the server, or let the bot's user write there",
        )
    except Exception as error:  # noqa: BLE001 - the error of a driver is part of the report
        return problem(
            "database",
            f"{database.name} cannot be written: {first_line(error)}",
            "let the bot's user write there (bot.data_dir, storage.url), and see that the disk is not full",
        )
    return _examine_contents(database, damage)


def _examine_contents(database: Database, damage: str | None) -> Finding:
    """Report damaged pages, a full disk or a missing write-ahead log."""
    if damage is not None:
        step = "stop the bot and restore a backup (bubbles restore FILE)"
        return problem("database", f"{database.name} is damaged: {damage}", step)
    if database.is_disk_full:
        return problem("database", f"the disk of {database.name} is full", _MAKE_ROOM)
    if database.has_lost_journal:
        step = "look for it, or compare with a backup; if another program has opened the database, ignore this"
        return problem("database", f"the write-ahead log of {database.name} is missing after a crash", step)
    return good("database", f"{database.name} can be written, and its pages are undamaged")


def _has_remains(database: Database) -> bool:
    """Return whether files of an earlier database exist beside the missing one; opening it reports them."""
    try:
        if database.path is not None:
            refuse_empty_beside_old(database.path)
    except ConfigError:
        return True
    return False


def _damage_of(database: Database) -> str | None:
    return None if database.path is None else find_damage(database.path)


def _examine_place(database: Database) -> Finding:
    """Check that the first start can create the database."""
    folder = None if database.path is None else database.path.parent
    while folder is not None and not folder.exists():
        folder = folder.parent
    if folder is None or (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return good("database", f"{database.name} does not exist yet; the first start creates it")
    step = "let the bot's user write there (bot.data_dir, storage.url)"
    return problem("database", f"{database.name} cannot be created: {folder} is not writable", step)
