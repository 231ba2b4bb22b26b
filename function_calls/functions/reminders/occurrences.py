"""Resolve the occurrences that a change is about: "tomorrow's standup", the next, or all."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from msgspec import Struct

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.named_days import EVERY, NAME_OF_ALL, days_in, readings_in, spoken
from function_calls.functions.reminders.skips import NEXT
from function_calls.language import date_format
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import says
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.edits import can_suspend
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import means_all
from services.time_expressions import Grain, Reading

MOST_A_DAY: Final = 9
LONG_SHIFT: Final = re.compile(r"[+-](?:2[4-9]|[3-9]\d|\d{3,}):\d\d")


class Occurrences(Struct, frozen=True, kw_only=True):
    """The occurrences that may be meant; `is_doubtful` when all others may be meant too."""

    fires: tuple[datetime, ...]
    is_doubtful: bool = False


def find_occurrences(args: ReminderUpdateArgs, old: Schedule, content: str, ctx: CallContext) -> Occurrences | None:
    """Return the occurrences to move; None where no single one is meant."""
    if not may_be_one(args, old, ctx):
        return None
    if args.occurrence:
        return None if means_all(args.occurrence) else Occurrences(fires=_named_by(args.occurrence, old, ctx))
    words = args.reminder_id or ""
    new_day = day_of(args.time or "", ctx)
    named = days_in(words, content, ctx)
    others = [day for day in named if new_day is None or day.start.date() != new_day]
    if not (new_day or others):
        return Occurrences(fires=next_of(old, ctx), is_doubtful=True) if LONG_SHIFT.fullmatch(args.time or "") else None
    is_name = any(map(NAME_OF_ALL.fullmatch, (spoken(day, words) for day in named))) and is_of_one_weekday(old, ctx)
    if others:
        return Occurrences(fires=fires_on(others[0], old, ctx), is_doubtful=is_name)
    fires = on_day(new_day, old, ctx) if new_day else ()
    is_doubtful = is_name or not fires or says(EVERY, words, content)
    return Occurrences(fires=fires or next_of(old, ctx), is_doubtful=is_doubtful)


def may_be_one(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> bool:
    """Return whether a wall-clock reminder gets a new time without another repetition."""
    if old.rule is None or not args.time or args.rrule is not None or args.skip or _repeats_otherwise(args, old):
        return False
    return args.type != "once" and can_suspend(old) and bool(next_of(old, ctx))


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
    fires = fires_on(found[0], old, ctx)
    at_clock = tuple(each for each in fires if found[0].has_clock and each.time() == found[0].wall.time())
    return at_clock or fires


def fires_on(named: Reading, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
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


def is_of_one_weekday(old: Schedule, ctx: CallContext) -> bool:
    """Return whether the next fires of `old` are all on the same weekday."""
    return len({fire.weekday() for fire in next_fires(old, ctx.now, 3)}) == 1
