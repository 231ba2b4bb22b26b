"""What is said in one message, and the key that makes a repeat of that message recognisable."""

from hashlib import blake2s
from typing import NamedTuple

from services.reminders.records import Lease

Together = tuple[Lease, ...]
"""Occurrences of one chat that are said in one message."""


class Begun(NamedTuple):
    """A message that the ledger knows as being sent since `at`, a time of the event loop.

    `edited` are the deliveries whose words changed meanwhile.
    """

    leases: Together
    key: str
    at: float
    edited: tuple[int, ...] = ()


def message_key(leases: Together) -> str:
    """The same for the same occurrences in the same message, and for no others.

    A single occurrence has its own key. One that was said together with others before keeps the key of that message,
    even when the others are gone by now: the platform may have shown it.
    """
    first = leases[0]
    if first.notice.may_be_repeat and first.message_key:
        return first.message_key
    if len(leases) == 1:
        return first.notice.idempotency_key
    others = ",".join(lease.notice.idempotency_key for lease in leases)
    return f"{first.notice.idempotency_key}+{blake2s(others.encode(), digest_size=6).hexdigest()}"
