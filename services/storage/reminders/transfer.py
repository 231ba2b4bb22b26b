"""Keep the documented import path of the reader of reminders, which `store` defines."""

from services.storage.reminders.store import SqlReminderReader

__all__ = ["SqlReminderReader"]
