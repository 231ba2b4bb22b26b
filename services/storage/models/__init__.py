"""The tables, each declared once as an SQLModel class; statements use them through `services.storage.tables`."""

from services.storage.models import messages, people, records, reminders, states, tools, workers
from services.storage.models.base import StoredTable

__all__ = ["StoredTable", "messages", "people", "records", "reminders", "states", "tools", "workers"]
