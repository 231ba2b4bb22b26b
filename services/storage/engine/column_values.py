"""Convert instants and addresses to column values: whole microseconds since 1970, UTC."""

from datetime import UTC, datetime, timedelta

from services.kernel.chat import ChatAddress

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
LATEST = 2**63 - 1
"""Later than every instant."""


def to_micros(moment: datetime) -> int:
    """Convert a timezone-aware instant to microseconds."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Convert microseconds to an instant in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def to_micros_or_none(moment: datetime | None) -> int | None:
    """Convert as `to_micros`, None to None."""
    return None if moment is None else to_micros(moment)


def from_micros_or_none(micros: int | None) -> datetime | None:
    """Convert as `from_micros`, None to None."""
    return None if micros is None else from_micros(micros)


def address_of(chat_key: str, thread_id: str | None) -> ChatAddress:
    """Return the address whose key was stored."""
    platform, _, chat_id = chat_key.partition(":")
    return ChatAddress(platform=platform, chat_id=chat_id, thread_id=thread_id)
