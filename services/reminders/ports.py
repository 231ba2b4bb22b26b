"""What the reminder service needs from outside."""

from typing import Protocol

from services.reminders.model import DueNotice


class Courier(Protocol):
    """Says a due notice in its chat; the bot's outbox is one."""

    async def deliver(self, notice: DueNotice) -> str | None:
        """Hand `notice` to the platform and return the platform's message id, None when it has none.

        Raises:
            DeliveryFailed: the platform did not take it; `retry_after`, `is_permanent` and `is_unknown` say what next.
        """
        ...

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        """Tell the owner, where that can still be done, that `notice` could not be delivered."""
        ...
