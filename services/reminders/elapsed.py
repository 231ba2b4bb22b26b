"""Fires of rules that count elapsed time: every n minutes or hours, whatever the wall clock does."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count

from services.reminders.rules import Rule

_NOTHING = timedelta(0)


def elapsed_step(rule: Rule) -> timedelta:
    """The time between two fires (of an hourly rule with minutes: between two of the same minute)."""
    return timedelta(minutes=rule.interval) if rule.frequency == "MINUTELY" else timedelta(hours=rule.interval)


def elapsed_instants(rule: Rule, start: datetime, minute: int, after: datetime) -> Iterator[datetime]:
    """Instants of `rule` strictly after `after`, counted from `start`; both in UTC, endless.

    `minute` is the minute of `start` on the wall clock, which BYMINUTE of an HOURLY rule refers to.
    """
    step = elapsed_step(rule)
    offsets = tuple(timedelta(minutes=each - minute) for each in rule.minutes) or (_NOTHING,)
    first = max(0, (after - start) // step)
    for index in count(first):
        base = start + step * index
        for offset in offsets:
            instant = base + offset
            if instant >= start and instant > after:
                yield instant
