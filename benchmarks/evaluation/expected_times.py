"""Compare the times of reminders with those that a conversation expects."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from msgspec import Struct

MAX_COMPARED = 10
"""The number of occurrences to compare; more than a week, to tell "daily" from "daily except Sundays"."""
TOLERANCE = timedelta(seconds=60)
_MAX_SKIPPED_FIRES = 2000
_LAST_DAYS = "BYMONTHDAY=28,29,30,31;BYSETPOS=-1"


class ReminderState(Struct, frozen=True, kw_only=True, rename={"people": "for", "following": "next"}):
    """A reminder after a message, with its next times and its people, which are names or "everyone"."""

    id: str
    content: str
    following: datetime | None = None
    rrule: str | None = None
    occurrences: tuple[datetime, ...] = ()
    people: tuple[str, ...] = ()
    creator: str = ""
    paused: bool = False
    nag: bool = False

    def list_times(self, zone: str) -> list[datetime]:
        """Return the next times, naive and local to `zone`."""
        times = self.occurrences or ((self.following,) if self.following is not None else ())
        return [_convert_to_local(each, zone) for each in times]


def parse_local(text: str, zone: str) -> datetime:
    """Return an ISO time as naive and local to `zone`."""
    return _convert_to_local(datetime.fromisoformat(text), zone)


def _convert_to_local(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) if moment.tzinfo else moment


class _ExpectedTime:
    """An expected time: a minute, a day, or a window."""

    def __init__(self, text: str, zone: str) -> None:
        first, _, last = text.partition("/")
        self.moment = parse_local(first, zone)
        self.length = parse_local(last, zone) - self.moment if last else None
        self.is_day = not last and "T" not in text

    def is_match(self, given: datetime, planned: datetime | None = None) -> bool:
        """Return whether `given` is this time, or the one of its occurrences that is `planned`."""
        goal = planned or self.moment
        if self.length is not None:
            return goal - TOLERANCE <= given <= goal + self.length + TOLERANCE
        return given.date() == goal.date() if self.is_day else abs(given - goal) <= TOLERANCE


def is_expected_time(
    item: dict[str, Any], reminder: ReminderState, zone: str, now: datetime, before: ReminderState | None = None
) -> bool:
    """Return whether the times of a reminder are those of `item`; `before` is its state before a change."""
    values = item.get("at") or []
    options = [_ExpectedTime(each, zone) for each in ([values] if isinstance(values, str) else values)]
    rule, coming = item.get("rrule"), reminder.list_times(zone)
    if rule:
        return bool(reminder.rrule and coming) and _is_expected_rule(rule, options, coming, now)
    if "rrule" in item and reminder.rrule:
        return False
    if not options:
        return True
    if before is not None and "rrule" not in item and bool(before.rrule) != bool(reminder.rrule):
        return False
    following = None if reminder.following is None else _convert_to_local(reminder.following, zone)
    if following is None or (reminder.rrule and "rrule" not in item):
        following = coming[0] if coming else following
    return following is not None and any(each.is_match(following) for each in options)


def _is_expected_rule(rule: str, options: Sequence[_ExpectedTime], coming: Sequence[datetime], now: datetime) -> bool:
    if not options:
        planned, given = _expand(rule, coming[0]), coming[:MAX_COMPARED]
        gaps = [[after - one for one, after in pairwise(each)] for each in (given, planned)]
        return len(given) == len(planned) and all(
            abs(one - other) <= TOLERANCE for one, other in zip(*gaps, strict=True)
        )
    return any(_is_by_rule(rule, each, coming[:MAX_COMPARED], now) for each in options)


def _is_by_rule(rule: str, wanted: _ExpectedTime, given: Sequence[datetime], now: datetime) -> bool:
    is_open = wanted.is_day or wanted.length is not None
    planned = _expand(rule, wanted.moment, after=None if is_open else now)
    if wanted.is_day:
        planned = [each for each in planned if each.date() >= now.date()]
        given = given[: len(planned)]
    is_same = bool(planned) and len(given) == len(planned)
    return is_same and all(wanted.is_match(one, other) for one, other in zip(given, planned, strict=True))


def _expand(rule: str, start: datetime, after: datetime | None = None) -> list[datetime]:
    """Return the first occurrences of `rule` from `start` on, or the first ones `after` a time."""
    parts = [part for part in rule.upper().removeprefix("RRULE:").split(";") if not part.startswith("SKIP=")]
    if "SKIP=BACKWARD" in rule.upper():  # in a month without the day, the last day counts
        parts = [_LAST_DAYS if part.startswith("BYMONTHDAY=") else part for part in parts]
    text = ";".join(_convert_until(part) if part.startswith("UNTIL=") else part for part in parts)
    found: list[datetime] = []
    for number, each in enumerate(rrulestr(text, dtstart=start)):
        if number > _MAX_SKIPPED_FIRES or len(found) >= MAX_COMPARED:
            break
        if after is None or each > after:
            found.append(each)
    return found


def _convert_until(part: str) -> str:
    """Return an UNTIL part with a local time, which is the end of the day if there is none."""
    digits = re.sub(r"\D", "", part)
    return f"UNTIL={digits[:8]}T{digits[8:14] or '235959':0<6}"
