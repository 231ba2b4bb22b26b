"""Check the database file for damage at the start and once a day, in the background."""

from datetime import timedelta
from typing import Final

from loguru import logger

from services.kernel.background_tasks import BackgroundTasks
from services.scheduling.timetable import Timetable
from services.storage.database import Database

_EVERY: Final = timedelta(hours=24)


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
    timetable.every(_EVERY, begin, name="damage")
