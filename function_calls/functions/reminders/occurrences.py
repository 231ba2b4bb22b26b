"""Resolve the days and occurrences that words name: "tomorrow's standup", the next, or all; and skip one."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.language import date_format
from function_calls.language.recognized_phrases import is_clock
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import says, time_reader
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.edits import can_suspend
from services.recurrence.fires import next_fires
from services.recurrence.rules import with_exceptions
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import is_in, means_all
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading

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
    on_it = edits.fires_from(old, day.date(), ctx.now, 1)
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


EVERY: Final = re.compile(
    r"\b(?:daily|weekly|monthly|yearly|annual|every|each|regular|recurring|repeating)\b|每|天天|重复|重複|固定",
    re.IGNORECASE,
)
# "The Monday standup" of every Monday may be one of them, or all; "Monday's" and "on Monday" are one.
NAME_OF_ALL: Final = re.compile(
    r"(?:(?:the|my|our) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_MOVED_FROM: Final = re.compile(
    r"\bfrom (?P<day>(?:this |next |on )?(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b(?=.*\bto\b)",
    re.IGNORECASE,
)


def readings_in(words: str, ctx: CallContext) -> list[Reading]:
    """Return the times that `words` name."""
    found = time_reader(ctx).parse_all(words, ctx.message_time, language=ctx.language) if words else ()
    return [each.best for each in found if each.best is not None]


def days_in(words: str, content: str, ctx: CallContext) -> list[Reading]:
    """Return the days that `words` name, without those in the content: "the Monday report"."""
    named = [(each, words) for each in readings_in(words, ctx)]
    moved = _MOVED_FROM.search(words) if not named else None
    if moved is not None:  # "from Monday to Tuesday" would last two days
        named = [(each, moved["day"]) for each in readings_in(moved["day"], ctx)]
    return [
        each
        for each, spoken_in in named
        if each.has_day and each.rrule is None and not is_in(content, spoken(each, spoken_in))
    ]


def spoken(day: Reading, words: str) -> str:
    """Return the words of the day, without those of the clock that belongs to it."""
    parts = [words[start:end].strip() for start, end in day.spans]
    return " ".join(part for part in parts if not is_clock(part))


def comes_on(day: date, reminder: Reminder, ctx: CallContext) -> bool:
    """Return whether `reminder` fires on `day`, by its own clock."""
    return any(fire.date() == day for fire in edits.fires_from(reminder.schedule, day, ctx.now, 1))


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
