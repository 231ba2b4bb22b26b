"""Find the days and occurrences named in a request ("tomorrow's standup", the next, all), and skip one."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.language import date_format
from function_calls.language.recognized_phrases import is_clock
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import has_words_outside, time_reader, zone_name
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.edits import Suspension, can_suspend, suspended_fires
from services.recurrence.fires import next_fires
from services.recurrence.rules import with_exceptions
from services.recurrence.schedule import Schedule
from services.reminders.lookup.due_words import DueWords, due_words, fits_time
from services.reminders.lookup.references import all_of, is_in, means_all
from services.reminders.model import Reminder, row_key
from services.time_expressions import Grain, Reading

NEXT: Final = "next"
EVERY: Final = re.compile(
    r"\b(?:daily|weekly|monthly|yearly|annual|every|each|regular|recurring|repeating)\b|每|天天|重复|重複|固定",
    re.IGNORECASE,
)
# "The Monday standup" and "move it to Tuesday" mean all of them; "Monday's" and "on Monday" mean one.
NAME_OF_ALL: Final = re.compile(
    r"(?:(?:the|my|our) )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|(?:(?:a )?(?:el|al|los|mi) )?(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bados?|domingos?)"
    r"|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_MOVED_FROM: Final = re.compile(
    r"\bfrom (?P<day>(?:this |next |on )?(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b(?=.*\bto\b)",
    re.IGNORECASE,
)
MAX_PER_DAY: Final = 9
_DAY: Final = timedelta(days=1)
LONG_SHIFT: Final = re.compile(r"[+-](?:2[4-9]|[3-9]\d|\d{3,}):\d\d")


def skip_fires(words: str, old: Schedule, ctx: CallContext) -> Schedule:
    """Return `old` without its fires on the day in `words`, or at the clock or in the part of that day that they name.

    `next` means the next fire.

    Raises:
        RequestRefused: `nothing_to_skip`: its rule is not bound to days; `not_on_that_day(day, next)`;
            `time_not_understood(time)`.

    Source: RFC 5545 section 3.8.5.1 (EXDATE).
    """
    coming = next_fires(old, ctx.now, 1)
    if not coming or old.rule is None or not can_suspend(old):
        raise RequestRefused("nothing_to_skip")
    if words.strip().lower() == NEXT:
        return replace(old, rule=with_exceptions(old.rule, coming, days_only=False))
    readings = _read_day(words, ctx)
    day = readings[0].wall.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=ZoneInfo(old.zone))
    period = Suspension(since=day, until=day + _DAY)
    on_it = [fire for fire in suspended_fires(old, period) if fire > ctx.now]
    if not on_it:
        raise RequestRefused(
            "not_on_that_day",
            day=date_format.date(ctx.language, day),
            next=date_format.moment(ctx.language, coming[0], ctx.now),
        )
    named = [fire for fire in on_it if any(fits_time(fire, each) for each in readings)]
    if 0 < len(named) < len(on_it):
        return replace(old, rule=with_exceptions(old.rule, named, days_only=False))
    return replace(old, rule=with_exceptions(old.rule, [day], days_only=True))


def _read_day(words: str, ctx: CallContext) -> tuple[Reading, ...]:
    """Read the day in `words`; of a clock without a half of the day, both."""
    found = time_reader(ctx).parse_all(words, ctx.message_time, language=ctx.language) if words else ()
    if len(found) != 1 or found[0].best is None or found[0].best.rrule:
        raise RequestRefused("time_not_understood", time=words)
    return found[0].readings


def read_times(words: str, ctx: CallContext) -> list[Reading]:
    """Read the times in `words`, the best reading of each."""
    found = time_reader(ctx).parse_all(words, ctx.message_time, language=ctx.language) if words else ()
    return [reading.best for reading in found if reading.best is not None]


def read_due_words(words: str, ctx: CallContext) -> DueWords | None:
    """Read the due time that `words` name; None for other words."""
    return due_words(words, ctx.message_time, zone_name(ctx.zone), time_reader(ctx).parse_all)


def read_due_day(reference: str, ctx: CallContext) -> DueWords | None:
    """Read the day on which reminders are due that `reference` names ("sunday's"); None for any other reference."""
    if row_key(reference) is not None and not reference.isalpha():  # an id may contain "9h"
        return None
    read = read_due_words(all_of(reference) or reference, ctx)
    return read if read is not None and any(reading.has_day for reading in read.readings) else None


def named_days(words: str, content: str, ctx: CallContext) -> list[Reading]:
    """Return the days in `words`, except days that belong to the content ("the Monday report")."""
    named = [(reading, words) for reading in read_times(words, ctx)]
    moved = _MOVED_FROM.search(words) if not named else None
    if moved is not None:  # the time reader reads "from Monday to Tuesday" as a period of two days
        named = [(reading, moved["day"]) for reading in read_times(moved["day"], ctx)]
    return [
        reading
        for reading, spoken_in in named
        if reading.has_day and reading.rrule is None and not is_in(content, day_words(reading, spoken_in))
    ]


def day_words(day: Reading, words: str) -> str:
    """Return the part of `words` that names the day, without its clock time."""
    parts = [words[start:end].strip() for start, end in day.spans]
    return " ".join(part for part in parts if not is_clock(part))


def has_fire_on(day: date, reminder: Reminder, ctx: CallContext) -> bool:
    """Return whether `reminder` fires on `day`, in its own zone."""
    return any(fire.date() == day for fire in edits.fires_from(reminder.schedule, day, ctx.now, 1))


class Occurrences(Struct, frozen=True, kw_only=True):
    """The occurrences to change; with `is_doubtful` the request may mean the whole series instead."""

    fires: tuple[datetime, ...]
    is_doubtful: bool = False


def find_occurrences(args: ReminderUpdateArgs, old: Schedule, content: str, ctx: CallContext) -> Occurrences | None:
    """Return the occurrences to move; None if the whole series is to be moved."""
    if not may_move_one(args, old, ctx):
        return None
    if args.occurrence:
        return None if means_all(args.occurrence) else Occurrences(fires=_find_named(args.occurrence, old, ctx))
    words = args.reminder_id or ""
    new_day = single_day(args.time or "", ctx)
    named = named_days(words, content, ctx)
    old_days = [day for day in named if new_day is None or day.start.date() != new_day]
    if not (new_day or old_days):
        return (
            Occurrences(fires=next_fire(old, ctx), is_doubtful=True) if LONG_SHIFT.fullmatch(args.time or "") else None
        )
    is_name = any(map(NAME_OF_ALL.fullmatch, (day_words(day, words) for day in named))) and is_on_one_weekday(old, ctx)
    if is_name:
        return None
    if old_days:
        return Occurrences(fires=occurrences_on(old_days[0], old, ctx))
    fires = fires_of_day(new_day, old, ctx) if new_day else ()
    is_doubtful = not fires or has_words_outside(EVERY, words, content)
    return Occurrences(fires=fires or next_fire(old, ctx), is_doubtful=is_doubtful)


def may_move_one(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> bool:
    """Return whether the request gives a repeating wall-clock reminder a new time and keeps its rule."""
    if old.rule is None or not args.time or args.rrule is not None or args.skip or _repeats_otherwise(args, old):
        return False
    return args.type != "once" and can_suspend(old) and bool(next_fire(old, ctx))


def _repeats_otherwise(args: ReminderUpdateArgs, old: Schedule) -> bool:
    """Return whether another rule is requested; models often repeat the present one in the arguments."""
    return args.type in {"daily", "weekly"} and not names_present_rule(args, old)


def names_present_rule(args: ReminderUpdateArgs, old: Schedule) -> bool:
    """Return whether the arguments `type` and `weekday` are those of `old`."""
    is_same_type = old.rule is not None and old.rule.frequency == (args.type or "").upper()
    return is_same_type and args.weekday in {None, old.start.weekday()}


def single_day(words: str, ctx: CallContext) -> date | None:
    """Return the day in `words`; None if they name none or several."""
    found = [reading.start.date() for reading in read_times(words, ctx) if reading.has_day and reading.rrule is None]
    return found[0] if len(found) == 1 else None


def _find_named(words: str, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the occurrences that the argument `occurrence` names: `next`, a day, or a day with a time."""
    if words.strip().lower() == NEXT:
        return next_fire(old, ctx)
    found = [reading for reading in read_times(words, ctx) if reading.has_day and reading.rrule is None]
    if len(found) != 1:
        raise RequestRefused("time_not_understood", time=words)
    fires = occurrences_on(found[0], old, ctx)
    return tuple(fire for fire in fires if fits_time(fire, found[0])) or fires


def _identify(day: date, grain: Grain) -> tuple[int, int]:
    """Return the year and the number of the week or the month of `day`."""
    return day.isocalendar()[:2] if grain is Grain.WEEK else (day.year, day.month)


def occurrences_on(named: Reading, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the occurrences on the day `named`, or the first one in a named week or month.

    Raises:
        RequestRefused: `not_on_that_day(day, next)`.
    """
    day = named.start.date()
    fires = fires_of_day(day, old, ctx)
    if named.grain in {Grain.WEEK, Grain.MONTH}:
        first = fires_from(day, old, ctx)[:1]
        fires = tuple(fire for fire in first if _identify(fire.date(), named.grain) == _identify(day, named.grain))
    if not fires:
        coming = date_format.moment(ctx.language, next_fire(old, ctx)[0], ctx.now)
        raise RequestRefused("not_on_that_day", day=date_format.date(ctx.language, named.start), next=coming)
    return fires


def fires_of_day(day: date, old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the future fires of `old` on `day`."""
    return tuple(fire for fire in fires_from(day, old, ctx) if fire.date() == day)


def fires_from(day: date, old: Schedule, ctx: CallContext) -> Sequence[datetime]:
    """Return the future fires of `old` from `day` on, at most `MAX_PER_DAY`."""
    return edits.fires_from(old, day, ctx.now, MAX_PER_DAY)


def next_fire(old: Schedule, ctx: CallContext) -> tuple[datetime, ...]:
    """Return the next fire of `old`, or an empty tuple."""
    return tuple(next_fires(old, ctx.now, 1))


def is_on_one_weekday(old: Schedule, ctx: CallContext) -> bool:
    """Return whether the next fires of `old` are all on the same weekday."""
    return len({fire.weekday() for fire in next_fires(old, ctx.now, 3)}) == 1
