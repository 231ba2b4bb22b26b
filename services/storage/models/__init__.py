"""What is stored, declared as SQLModel classes. `make tables` writes `services/storage/tables.py` from them.

They are imported where rows are checked and where tables are compared, never to read or write rows: with them comes an
object-relational mapper, a quarter of a second of each start.
"""

from services.storage.models import messages, people, records, reminders, states, tools, workers
from services.storage.models.base import StoredTable

__all__ = ["StoredTable", "messages", "people", "records", "reminders", "states", "tools", "workers"]
