"""Names for reminders that hold in every bot: a reminder keeps its UID through export and import."""

import re

from services.chat import ChatAddress
from services.reminders.public_ids import public_id, row_key
from services.reminders.records import StoredReminder

_OWN = re.compile(r"([a-z0-9]+)-([0-9a-f]+)@bubbles")
_IMPORTED = re.compile(r"import:\d+:(.*)", re.DOTALL)


def uid_of(row: StoredReminder) -> str:
    """The UID of a reminder: that of the file it came from, else its public id and the microsecond of its making."""
    imported = _IMPORTED.fullmatch(row.request_key)
    chat_key = f"{row.address.key}:"
    if imported and imported[1].startswith(chat_key):
        return imported[1].removeprefix(chat_key)
    return f"{public_id(row.key)}-{_micros(row):x}@bubbles"


def request_key(chat: ChatAddress, uid: str, copy: int) -> str:
    """The key under which `uid` is kept in `chat`; `copy` counts what was imported again after it had ended."""
    return f"import:{copy}:{chat.key}:{uid}"


def key_in_uid(uid: str) -> int | None:
    """The row that a UID made here names, None for the UIDs of others."""
    own = _OWN.fullmatch(uid)
    return row_key(own[1]) if own else None


def _micros(row: StoredReminder) -> int:
    made = row.created_at
    return int(made.replace(microsecond=0).timestamp()) * 1_000_000 + made.microsecond
