"""Track sent messages that are not recorded yet and would be sent again after a crash."""

import asyncio
from collections.abc import Iterable

from services.reminders.ports import DeliveryLedger
from services.reminders.records import DeliveryOutcome, DeliveryState, Lease


class PendingAcks:
    """Records sent messages in batches, ahead of the commit that settles them.

    `len` is how many messages are neither recorded nor settled.
    """

    def __init__(self, ledger: DeliveryLedger) -> None:
        self._ledger = ledger
        self._open: set[int] = set()  # the first delivery of each message
        self._sent: list[tuple[Lease, DeliveryOutcome]] = []
        self._recording = asyncio.Lock()
        self.is_commit_wanted = False
        """True if some of them need a commit to be recorded."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, outcomes: list[tuple[Lease, DeliveryOutcome]]) -> None:
        """Add the outcomes of one message."""
        self._open.add(outcomes[0][1].delivery_id)
        if any(outcome.state is not DeliveryState.SENT for _, outcome in outcomes):
            self.is_commit_wanted = True
        else:
            self._sent += outcomes

    async def record(self) -> bool:
        """Record what was sent until now; return whether it was. Otherwise only a commit does."""
        async with self._recording:
            sent, self._sent = self._sent, []
            is_recorded = bool(sent) and await self._ledger.record_sent(sent)
            if is_recorded:
                self.discard(outcome for _, outcome in sent)
            elif sent:
                self.is_commit_wanted = True
            return is_recorded

    def discard(self, outcomes: Iterable[DeliveryOutcome]) -> None:
        """Remove outcomes that survive a crash of this process."""
        self._open.difference_update(outcome.delivery_id for outcome in outcomes)
