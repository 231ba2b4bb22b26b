"""Decide about a failed attempt: retry after a pause, or record the delivery as failed."""

from datetime import datetime, timedelta

from msgspec import Struct

from services.kernel.errors import DeliveryFailed
from services.kernel.network import pick_pause
from services.kernel.text import replace_unstorable
from services.reminders.records import DeliveryOutcome, DeliveryState, Lease


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """Pauses double from `first` to `longest`, each shortened by up to half at random.

    A delivery fails for good when it is overdue by `keep` and has had `fewest` attempts (about six hours), because the
    bot may have been down for most of that time or its clock wrong.
    """

    first: timedelta = timedelta(seconds=1)
    longest: timedelta = timedelta(minutes=5)
    keep: timedelta = timedelta(days=7)
    fewest: int = 100

    def pause(self, attempt: int, retry_after: float | None) -> timedelta:
        """Return the pause after `attempt` (from 1), at least the seconds `retry_after` that the platform asked for."""
        pause = pick_pause(attempt, self.first.total_seconds(), self.longest.total_seconds())
        return timedelta(seconds=max(pause, retry_after or 0.0))

    def outcome_after(self, lease: Lease, failure: DeliveryFailed, now: datetime, pause: timedelta) -> DeliveryOutcome:
        """Return the outcome of a failed attempt that may be repeated after `pause`.

        A message that may have arrived once stays `unknown`, even if a repeated attempt was refused.
        """
        notice = lease.notice
        is_too_late = now - notice.due_at > self.keep and notice.attempt >= self.fewest
        is_hopeless = failure.is_permanent or is_too_late
        if is_hopeless:
            state, at = DeliveryState.FAILED, now
        else:
            is_unknown = failure.is_unknown or notice.may_be_repeat
            state, at = DeliveryState.UNKNOWN if is_unknown else DeliveryState.LEASED, now + pause
        return DeliveryOutcome(
            delivery_id=notice.delivery_id,
            reminder_key=lease.reminder_key,
            state=state,
            attempt=notice.attempt,
            at=at,
            error=replace_unstorable(str(failure)) or type(failure).__name__,
        )
