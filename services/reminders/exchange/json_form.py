"""Read and write reminders as JSON without loss: one object, with one reminder per line."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from services.kernel.errors import RequestRefused
from services.reminders.exchange.model import (
    MAX_REMINDERS,
    ImportRefused,
    PortableFile,
    PortableReminder,
    Problem,
    reason_of,
)
from services.reminders.exchange.record import ReminderRecord, record_of

_FORMAT = "bubbles-reminders"
_VERSION = 1


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["bubbles-reminders"]
    version: Annotated[int, Field(le=_VERSION, ge=1)]
    chat: str = ""
    exported_at: AwareDatetime | None = None
    reminders: Annotated[tuple[JsonValue, ...], Field(max_length=MAX_REMINDERS)]


def export_json(reminders: Sequence[PortableReminder], *, chat: str, now: datetime) -> str:
    """Return the reminders of `chat` (its key) as a JSON document; `now` is timezone-aware."""
    head = {"format": _FORMAT, "version": _VERSION, "chat": chat, "exported_at": now.isoformat()}
    lines = ",\n".join(record_of(reminder).model_dump_json() for reminder in reminders)
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "reminders": [\n{lines}\n]}}\n'


def import_json(text: str) -> PortableFile:
    """Read a file of `export_json`, of this version or an earlier one.

    Raises:
        ImportRefused: some reminders are not valid, with one problem for each.
    """
    document = _document(text)
    reminders: list[PortableReminder] = []
    problems: list[Problem] = []
    for place, raw in enumerate(document.reminders, start=1):
        try:
            reminders.append(ReminderRecord.model_validate_json(json.dumps(raw), strict=True).reminder())
        except (ValueError, RequestRefused) as error:
            problems.append(Problem(place=f"reminder {place}", uid=_uid(raw), reason=reason_of(error)))
    if problems:
        raise ImportRefused(problems)
    return PortableFile(reminders=tuple(reminders), chat=document.chat)


def _document(text: str) -> _Document:
    try:
        return _Document.model_validate(json.loads(text.removeprefix("\ufeff")))
    except json.JSONDecodeError as error:
        place, reason = f"line {error.lineno}", f"not JSON: {error.msg}"
    except ValidationError as error:
        place, reason = "the file", f"not an export of reminders: {reason_of(error)}"
    except (RecursionError, ValueError) as error:
        place, reason = "the file", f"not JSON that can be read: {error}"
    raise ImportRefused([Problem(place=place, uid="", reason=reason)])


def _uid(raw: JsonValue) -> str:
    found = raw.get("uid") if isinstance(raw, dict) else None
    return found[:80] if isinstance(found, str) else ""
