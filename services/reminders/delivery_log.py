"""What the log says about deliveries."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loguru import logger

from services.reminders.records import DeliveryState, Lease, Mark

if TYPE_CHECKING:
    from loguru import Logger

_LOGGED_ONE_BY_ONE = 20


def log_settled(settled: Sequence[tuple[Lease, Mark]]) -> None:
    """One line for each delivery; of many at once the successes share a line, or the log would delay the rest."""
    sent = [(lease, mark) for lease, mark in settled if mark.state is DeliveryState.SENT]
    are_many = len(sent) > _LOGGED_ONE_BY_ONE
    if are_many:
        latest = max((mark.at - lease.notice.due_at).total_seconds() for lease, mark in sent)
        logger.info("{} reminders sent, at most {:.3f} s after they were due", len(sent), latest)
        if len(sent) == len(settled):
            return
    for lease, mark in settled:
        if mark.state is not DeliveryState.SENT:
            logger_of(lease).warning("reminder {} at attempt {}: {}", mark.state, mark.attempt, mark.error)
        elif not are_many:
            late = (mark.at - lease.notice.due_at).total_seconds()
            logger_of(lease).info("reminder sent at attempt {}, {:.3f} s after it was due", mark.attempt, late)


def logger_of(lease: Lease) -> "Logger":
    """A logger that knows chat, reminder and delivery."""
    notice = lease.notice
    return logger.bind(chat=str(notice.address), reminder=notice.reminder_id, delivery=notice.delivery_id)
