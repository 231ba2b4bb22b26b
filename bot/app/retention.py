"""Delete expired data once a day."""

from datetime import timedelta
from typing import Final

from function_calls.tools.context import Services
from services.call_log.service import CallLog
from services.kernel.background_tasks import BackgroundTasks
from services.kernel.clock import Clock
from services.people.privacy import PrivacyService
from services.reminders.service import ReminderService
from services.scheduling.timetable import Timetable

_EVERY: Final = timedelta(hours=24)


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

    timetable.every(_EVERY, purge, name="purge")
