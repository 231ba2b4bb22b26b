"""Compare the coming times of reminders with those that a conversation wants."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from msgspec import Struct

COMPARED = 10
"""The number of occurrences to compare. Five can be the same for "daily" and "daily except Sundays"."""
TOLERANCE = timedelta(seconds=60)
_MAX_SKIPPED_FIRES = 2000
_LAST_DAYS = "BYMONTHDAY=28,29,30,31;BYSETPOS=-1"


class ReminderState(Struct, frozen=True, kw_only=True, rename={"people": "for", "following": "next"}):
    """A reminder as it is after a message; `occurrences` are its coming times, `people` names or "everyone"."""

    id: str
    content: str
    following: datetime | None = None
    rrule: str | None = None
    occurrences: tuple[datetime, ...] = ()
    people: tuple[str, ...] = ()
    creator: str = ""
    paused: bool = False
    nag: bool = False

    def coming(self, zone: str) -> list[datetime]:
        """Return the coming times on the clock of `zone`, without the zone."""
        times = self.occurrences or ((self.following,) if self.following is not None else ())
        return [_local(each, zone) for each in times]


def local_time(text: str, zone: str) -> datetime:
    """Return the time that `text` (ISO) names on the clock of `zone`, without the zone."""
    return _local(datetime.fromisoformat(text), zone)


def _local(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) if moment.tzinfo else moment


class _Wanted:
    """One wanted time: a minute, a day, or a window."""

    def __init__(self, text: str, zone: str) -> None:
        first, _, last = text.partition("/")
        self.moment = local_time(first, zone)
        self.length = local_time(last, zone) - self.moment if last else None
        self.is_day = not last and "T" not in text

    def fits(self, given: datetime, planned: datetime | None = None) -> bool:
        """Return whether `given` is this time, or the occurrence of its rule that is `planned`."""
        goal = planned or self.moment
        if self.length is not None:
            return goal - TOLERANCE <= given <= goal + self.length + TOLERANCE
        return given.date() == goal.date() if self.is_day else abs(given - goal) <= TOLERANCE


def is_wanted_time(
    item: dict[str, Any], reminder: ReminderState, zone: str, now: datetime, before: ReminderState | None = None
) -> bool:
    """Return whether a reminder comes when `item` wants it to; `before` is how it was, where it is to be changed."""
    named = item.get("at") or []
    options = [_Wanted(each, zone) for each in ([named] if isinstance(named, str) else named)]
    rule, coming = item.get("rrule"), reminder.coming(zone)
    if rule:
        return bool(reminder.rrule and coming) and _is_wanted_rule(rule, options, coming, now)
    if "rrule" in item and reminder.rrule:
        return False
    if not options:
        return True
    if before is not None and "rrule" not in item and bool(before.rrule) != bool(reminder.rrule):
        return False
    following = None if reminder.following is None else _local(reminder.following, zone)
    if following is None or (reminder.rrule and "rrule" not in item):
        following = coming[0] if coming else following
    return following is not None and any(each.fits(following) for each in options)


def _is_wanted_rule(rule: str, options: Sequence[_Wanted], coming: Sequence[datetime], now: datetime) -> bool:
    if not options:
        planned, given = _expanded(rule, coming[0]), coming[:COMPARED]
        gaps = [[after - one for one, after in pairwise(each)] for each in (given, planned)]
        return len(given) == len(planned) and all(
            abs(one - other) <= TOLERANCE for one, other in zip(*gaps, strict=True)
        )
    return any(_comes_by_rule(rule, each, coming[:COMPARED], now) for each in options)


def _comes_by_rule(rule: str, wanted: _Wanted, given: Sequence[datetime], now: datetime) -> bool:
    is_open = wanted.is_day or wanted.length is not None
    planned = _expanded(rule, wanted.moment, after=None if is_open else now)
    if wanted.is_day:
        planned = [each for each in planned if each.date() >= now.date()]
        given = given[: len(planned)]
    is_same = bool(planned) and len(given) == len(planned)
    return is_same and all(wanted.fits(one, other) for one, other in zip(given, planned, strict=True))


def _expanded(rule: str, start: datetime, after: datetime | None = None) -> list[datetime]:
    """Return the first times of `rule` from `start` on, or those `after` a time."""
    parts = [part for part in rule.upper().removeprefix("RRULE:").split(";") if not part.startswith("SKIP=")]
    if "SKIP=BACKWARD" in rule.upper():  # a day that a month lacks is its last one
        parts = [_LAST_DAYS if part.startswith("BYMONTHDAY=") else part for part in parts]
    text = ";".join(_with_end(part) if part.startswith("UNTIL=") else part for part in parts)
    found: list[datetime] = []
    for number, each in enumerate(rrulestr(text, dtstart=start)):
        if number > _MAX_SKIPPED_FIRES or len(found) >= COMPARED:
            break
        if after is None or each > after:
            found.append(each)
    return found


def _with_end(part: str) -> str:
    """Return an UNTIL part as a local time; a day alone ends at midnight."""
    digits = re.sub(r"\D", "", part)
    return f"UNTIL={digits[:8]}T{digits[8:14] or '235959':0<6}"
