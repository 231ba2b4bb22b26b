"""Check the machine: its clock, time zone data and database, and the bot that runs on it."""

import asyncio
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bot.config.field_errors import config_message
from bot.config.settings import HttpSettings
from bot.http.security.networks import page_address
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from services.kernel.errors import ConfigError, StorageBusy, StorageFull
from services.recurrence.calendars.data_version import zone_data_version
from services.storage.database import Database, first_line
from services.storage.engine.integrity import find_damage, refuse_empty_beside_old
from services.storage.engine.readonly import has_tables

_MAX_SKEW = timedelta(seconds=30)
_MAX_AGE_YEARS = 2
_ABOUT: Final = "running bot"


def examine_clock(skews: Mapping[str, timedelta]) -> Finding:
    """Compare the clock of this machine with those of the servers, by `skews`."""
    if not skews:
        return good("clock", "clock_alone")
    # The smallest difference counts, as a single server may be wrong.
    host, skew = min(skews.items(), key=lambda each: abs(each[1]))
    seconds = skew.total_seconds()
    if abs(skew) <= _MAX_SKEW:
        return good("clock", "clock_right", seconds=f"{abs(seconds):.0f}", host=host)
    state = "clock_behind" if seconds > 0 else "clock_ahead"
    return problem("clock", state, "clock_set", seconds=f"{abs(seconds):.0f}", host=host)


def examine_zone_data(now: datetime, version: str | None = None) -> Finding:
    """Check the age of the time zone data; countries change their rules every year."""
    version = zone_data_version() if version is None else version
    if version == "none":
        return problem("time zones", "zones_none", "zones_update")
    year = _year_of(version)
    if year is None:
        return good("time zones", "zones_undated", version=version)
    if now.year - year >= _MAX_AGE_YEARS:
        return problem("time zones", "zones_old", "zones_update", year=year)
    return good("time zones", "zones_recent", year=year, version=version)


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
        return problem("database", "database_invalid", "database_url", reason=config_message(error))
    try:
        await database.try_write()
        damage = await asyncio.to_thread(_damage_of, database)
    except StorageBusy as busy:
        damage = await asyncio.to_thread(_damage_of, database)
        if damage is None and not database.is_disk_full:
            return good("database", "database_used", name=database.name, holder=busy.holder)
    except StorageFull:
        return problem("database", "database_full", "make_room", name=database.name)
    except ConfigError as error:
        return problem("database", "database_fails", "database_server", name=error.path, reason=config_message(error))
    except Exception as error:  # noqa: BLE001 - the error of a driver is part of the report
        fields = {"name": database.name, "reason": first_line(error)}
        return problem("database", "database_unwritable", "database_rights", **fields)
    return _examine_contents(database, damage)


def _examine_contents(database: Database, damage: str | None) -> Finding:
    """Report damaged pages, a full disk or a missing write-ahead log."""
    if damage is not None:
        return problem("database", "database_damaged", "database_restore", name=database.name, reason=damage)
    if database.is_disk_full:
        return problem("database", "database_full", "make_room", name=database.name)
    if database.has_lost_journal:
        return problem("database", "database_log", "database_log_find", name=database.name)
    return good("database", "database_ok", name=database.name)


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
        return good("database", "database_new", name=database.name)
    return problem("database", "database_no_place", "database_folder", name=database.name, folder=folder)


async def examine_running(settings: HttpSettings, prober: Prober, *, data_dir: Path) -> list[Finding]:
    """Request the state of the platforms from the bot of these settings, if it runs."""
    if not settings.enabled or settings.port == 0:
        return []
    address = page_address(settings.host, settings.port)
    answer = await prober.ask("GET", f"{address}/api/admin/adapters", token=settings.token.get_secret_value())
    found = answer.body.get("adapters")
    if not isinstance(found, list):
        if answer.problem:
            return [good(_ABOUT, "bot_none", address=address)]
        return [good(_ABOUT, "bot_silent", address=address, status=answer.status)]
    own, other = _absolute(data_dir), answer.body.get("data_dir")
    if other and other != own:
        return [problem(_ABOUT, "bot_other", "bot_port", address=address, other=other, own=own)]
    platforms = [each for each in found if isinstance(each, dict)]
    # A live connection may have a problem too, such as a room that removed the bot.
    broken = [
        _describe_broken(each)
        for each in platforms
        if each.get("state") in {"deaf", "stopped"} or (each.get("state") == "live" and each.get("detail"))
    ]
    if broken:
        return broken
    states = ", ".join(f"{each.get('name')} {each.get('state')}" for each in platforms)
    return [good(_ABOUT, "bot_platforms", names=states) if states else good(_ABOUT, "bot_no_platforms")]


def _absolute(folder: Path) -> str:
    return str(folder.resolve())


def _describe_broken(platform: Mapping[str, object]) -> Finding:
    state, step = {
        "deaf": ("connection_stale", "connection_wait"),
        "live": ("connection_partial", "connection_rooms"),
    }.get(str(platform.get("state")), ("connection_stopped", "connection_start"))
    return problem(_ABOUT, state, step, name=platform.get("name"), reason=platform.get("detail") or "–")
