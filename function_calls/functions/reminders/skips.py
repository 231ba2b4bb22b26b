"""Skip one day, or the next occurrence, of a repeating reminder."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.language import date_format
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import time_reader
from services.kernel.errors import RequestRefused
from services.recurrence.edits import can_suspend, fires_from
from services.recurrence.fires import next_fires
from services.recurrence.rules import with_exceptions
from services.recurrence.schedule import Schedule

NEXT: Final = "next"


def with_skipped(words: str, old: Schedule, ctx: CallContext) -> Schedule:
    """Return `old` without its fires on the day that `words` name, or without its next fire for `next`.

    Raises:
        RequestRefused: `nothing_to_skip`: it has no occurrences on wall-clock days;
            `not_on_that_day(day, next)`; `time_not_understood(time)`.

    Source: RFC 5545 section 3.8.5.1 (EXDATE).
    """
    coming = next_fires(old, ctx.now, 1)
    if not coming or old.rule is None or not can_suspend(old):
        raise RequestRefused("nothing_to_skip")
    if words.strip().lower() == NEXT:
        return replace(old, rule=with_exceptions(old.rule, coming, days_only=False))
    day = _day(words, ctx).replace(tzinfo=ZoneInfo(old.zone))
    on_it = fires_from(old, day.date(), ctx.now, 1)
    if not on_it or on_it[0].date() != day.date():
        raise RequestRefused(
            "not_on_that_day",
            day=date_format.date(ctx.language, day),
            next=date_format.moment(ctx.language, coming[0], ctx.now),
        )
    return replace(old, rule=with_exceptions(old.rule, [day], days_only=True))


def _day(words: str, ctx: CallContext) -> datetime:
    """Return the first moment of a day, on the wall clock."""
    named = time_reader(ctx).parse_all(words, ctx.message_time, language=ctx.language)
    found = [each.best for each in named if each.readings]
    if len(found) != 1 or found[0] is None or found[0].rrule:
        raise RequestRefused("time_not_understood", time=words)
    return found[0].wall.replace(hour=0, minute=0, second=0, microsecond=0)
