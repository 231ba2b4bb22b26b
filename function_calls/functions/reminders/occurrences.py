"""Resolve the occurrences that a change is about: "tomorrow's standup", the next, or all."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from msgspec import Struct

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.named_days import (
    EVERY,
    FROM_THEN,
    NAME_OF_ALL,
    ONLY,
    PART,
    days_in,
    readings_in,
    says,
    spoken,
)
from function_calls.functions.reminders.skips import NEXT
from function_calls.language import date_format
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.edits import can_suspend
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import means_all
from services.time_expressions import Grain, Reading

MOST_A_DAY: Final = 9
_LONG_SHIFT: Final = re.compile(r"[+-](?:2[4-9]|[3-9]\d|\d{3,}):\d\d")


class Meant(Struct, frozen=True, kw_only=True):
    """The occurrences that may be meant; `is_doubtful` when all others may be meant too."""

    fires: tuple[datetime, ...]
    is_doubtful: bool = False


def meant_by(args: ReminderUpdateArgs, old: Schedule, content: str, ctx: CallContext) -> Meant | None:
    """Return the occurrence to move; None where no single one is meant."""
    if not may_be_one(args, old, ctx):
        return None
    if args.occurrence:
        return None if means_all(args.occurrence) else Meant(fires=_named_by(args.occurrence, old, ctx))
    words = _words(args, content, ctx)
    new_day = day_of(args.time or "", ctx)
    named = days_in(words, content, ctx)
    others = [day for day in named if new_day is None or day.start.date() != new_day]
    if not (new_day or others) and _LONG_SHIFT.fullmatch(args.time or ""):
        return Meant(fires=next_of(old, ctx), is_doubtful=not says(ONLY, ctx.message.text, content))
    if not (new_day or others) or says(FROM_THEN, ctx.message.text, content):
        return None
    is_only, is_every = (says(pattern, ctx.message.text, content) for pattern in (ONLY, EVERY))
    is_name = any(map(NAME_OF_ALL.fullmatch, (spoken(day, words) for day in named))) and _is_of_one_weekday(old, ctx)
    if others:
        return Meant(fires=_fires_on(others[0], old, ctx), is_doubtful=is_name and not is_only)
    fires = on_day(new_day, old, ctx) if new_day else ()
    is_doubtful = is_every or is_name or not fires
    return Meant(fires=fires or next_of(old, ctx), is_doubtful=is_doubtful and not is_only)


def may_be_one(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> bool:
    """Return whether a wall-clock reminder gets a new time without another repetition."""
    if old.rule is None or not args.time or args.rrule is not None or args.skip or _repeats_otherwise(args, old):
        return False
    if args.type == "once" and says(ONLY, ctx.message.text, ""):
        return False
    return can_suspend(old) and bool(next_of(old, ctx))


def _repeats_otherwise(args: ReminderUpdateArgs, old: Schedule) -> bool:
    """Return whether another repetition is requested; models often repeat the present one."""
    is_as_before = (
        old.rule is not None
        and old.rule.frequency == (args.type or "").upper()
        and args.weekday
        in {
            None,
            old.start.weekday(),
        }
    )
    return args.type in {"daily", "weekly"} and not is_as_before


def _words(args: ReminderUpdateArgs, content: str, ctx: CallContext) -> str:
    """Return the words that may name the day of an occurrence: the reference, or the rest of the message.

    Of a message with several requests it is the part with this new time.
    """
    reference, text = args.reminder_id or "", ctx.message.text
    if days_in(reference, content, ctx):
        return reference
    clocks = [each for each in readings_in(text, ctx) if each.has_clock and each.rrule is None]
    wanted = [each.start.time() for each in readings_in(args.time or "", ctx) if each.has_clock]
    if len(clocks) < 2 or not wanted:
        return text
    parts = PART.split(text)
    return next((part for part in parts if any(each.start.time() in wanted for each in readings_in(part, ctx))), text)


def day_of(words: str, ctx: CallContext) -> date | None:
    """Return the one day that `words` name; None where they name none, or several."""
    found = [each.start.date() for each in readings_in(words, ctx) if each.has_day and each.rrule is None]
    return found[0] if len(found) == 1 else None


def _named_by(words: str, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the occurrences that the argument names: `next`, a day, or a day and its clock."""
    if words.strip().lower() == NEXT:
        return next_of(old, ctx)
    found = [each for each in readings_in(words, ctx) if each.has_day and each.rrule is None]
    if len(found) != 1:
        raise RequestRefused("time_not_understood", time=words)
    fires = _fires_on(found[0], old, ctx)
    at_clock = tuple(each for each in fires if found[0].has_clock and each.time() == found[0].wall.time())
    return at_clock or fires


def _fires_on(named: Reading, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the occurrences on the named day, or the first in the named week.

    Raises:
        RequestRefused: `not_on_that_day(day, next)`.
    """
    day = named.start.date()
    fires = on_day(day, old, ctx)
    if named.grain is Grain.WEEK:
        first = fires_from(day, old, ctx)[:1]
        fires = tuple(each for each in first if each.date().isocalendar()[:2] == day.isocalendar()[:2])
    if not fires:
        coming = date_format.moment(ctx.language, next_of(old, ctx)[0], ctx.now)
        raise RequestRefused("not_on_that_day", day=date_format.date(ctx.language, named.start), next=coming)
    return fires


def on_day(day: date, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the future fires of `old` on `day`."""
    return tuple(each for each in fires_from(day, old, ctx) if each.date() == day)


def fires_from(day: date, old: Schedule, ctx: CallContext) -> Sequence[datetime]:
    """Return the future fires of `old` from `day` on, at most as many as a day has."""
    return edits.fires_from(old, day, ctx.now, MOST_A_DAY)


def next_of(old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the next fire of `old`, if there is one."""
    return tuple(next_fires(old, ctx.now, 1))


def _is_of_one_weekday(old: Schedule, ctx: CallContext) -> bool:
    return len({fire.weekday() for fire in next_fires(old, ctx.now, 3)}) == 1
