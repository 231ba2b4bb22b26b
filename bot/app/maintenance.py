"""Check the database file for damage and delete expired data, once a day in the background."""

from datetime import timedelta
from typing import Final

from loguru import logger

from function_calls.tools.context import Services
from services.call_log.service import CallLog
from services.kernel.background_tasks import BackgroundTasks
from services.kernel.clock import Clock
from services.people.privacy import PrivacyService
from services.reminders.service import ReminderService
from services.scheduling.timetable import Timetable
from services.storage.database import Database

_DAY: Final = timedelta(hours=24)


def check_integrity_daily(timetable: Timetable, tasks: BackgroundTasks, database: Database) -> None:
    """Let `tasks` read the whole file (PRAGMA quick_check), and log the damage that it finds."""

    async def look() -> None:
        known = database.damage
        found = await database.find_damage()
        if found is not None and found != known:
            logger.critical("database {} is damaged ({}); stop the bot and restore a backup", database.name, found)

    def begin() -> None:
        tasks.start(look(), "look for damage of the database")

    begin()
    timetable.every(_DAY, begin, name="damage")


def delete_expired_daily(
    timetable: Timetable, tasks: BackgroundTasks, services: Services, clock: Clock, *, record_days: int
) -> None:
    """Let `tasks` delete finished reminders, old messages, and records older than `record_days` (0 keeps them)."""

    def purge() -> None:
        tasks.start(services.get(ReminderService).purge(), "purge the reminders")
        tasks.start(services.get(PrivacyService).purge(clock.now()), "purge the history")
        if record_days:
            oldest = clock.now() - timedelta(days=record_days)
            tasks.start(services.get(CallLog).purge(oldest), "purge the records")

    timetable.every(_DAY, purge, name="purge")
