"""Compute a reminder's new schedule from the arguments of `reminder_update` and the old one."""

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.occurrences import names_present_rule, read_times
from function_calls.language.recognized_phrases import is_clock, is_clock_without_half
from function_calls.models import ReminderArgs
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import parse_clock, schedule_of_call, time_reader, zone_name
from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_fires, zone_of
from services.recurrence.rules import ELAPSED, Rule
from services.recurrence.schedule import Schedule, read_schedule, schedule_once
from services.reminders.lookup.references import means_all

_DAY = timedelta(days=1)
_HALF_DAY = 12
_SEVERAL = 2
_LAST_DAYS = (date(2027, 2, 28), date(2027, 4, 30), date(2027, 5, 31))
_SOON_AFTER = timedelta(hours=2, minutes=30)
_EARLIEST = 7
_SHIFT = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,4}):(?P<minutes>[0-5]\d)")


def new_schedule(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> Schedule | None:
    """Return the new schedule of a reminder; None when its times stay the same.

    A clock time without a date keeps the day or the days; a day without a clock time keeps the clock time. `+1:30` and
    `-0:15` shift it by hours and minutes. Times of a one-time reminder are in the zone of the sender, those of a
    repeating one in its own.

    Raises:
        RequestRefused: `time_not_understood(time)`, also for a shift that would move a repetition to other days.
    """
    if args.time is None and args.rrule is None and (args.type is None or _is_type_repeated(args, old)):
        return None
    if old.rule is None:
        old = schedule_once(old.start.replace(tzinfo=zone_of(old)), zone_name(ctx.zone))
    if old.rule is not None and args.time and means_all(args.occurrence or ""):
        return move_every_fire(args, old, ctx) or old
    if args.rrule is not None and args.time is None:
        return _keep_end(_apply_rule(args.rrule, old, ctx), old)
    if args.rrule is not None or args.type in {"daily", "weekly"}:
        weekday = old.start.weekday() if args.weekday is None else args.weekday
        new = _parse_schedule(args.model_copy(update={"weekday": weekday}), args.time or f"{old.start:%H:%M}", ctx)
        new = _keep_end(new, old)
        is_ahead = (
            old.rule is None and not args.time and old.start > new.start
        )  # "make it daily": starting at its next time
        return replace(new, start=old.start) if is_ahead else new
    if args.time is None:
        return _next_only(old, ctx)
    shift = _SHIFT.fullmatch(args.time)
    if shift is not None:
        return _shift(old, args.time, shift, ctx)
    clock = _requested_clock(args.time, old, ctx)
    if clock is not None:
        return _set_clock(_start_after_today(old, ctx), clock)
    day = _requested_day(args.time, ctx)
    if day is not None:
        clock = old.start.time().replace(second=0, microsecond=0)
        return Schedule(start=datetime.combine(day, clock), zone=old.zone)
    return _parse_schedule(args, args.time, ctx)


def _is_type_repeated(args: ReminderUpdateArgs, old: Schedule) -> bool:
    """Return whether `type` only repeats that of `old`, beside another change, as models write it.

    Alone it is a request: a reminder of every second day becomes daily.
    """
    others = args.model_dump(exclude_none=True).keys() - {"reminder_id", "type", "weekday"}
    is_simple = old.rule is not None and old.rule.interval == 1 and old.rule.calendar is None
    return bool(others) and is_simple and names_present_rule(args, old)


def _apply_rule(rrule: str, old: Schedule, ctx: CallContext) -> Schedule:
    """Return the schedule of the rule `rrule` at the clock time of `old`.

    It begins like `old`; a rule with days of the month or week begins with its first such day from now on.
    """
    new = read_schedule(old.start, old.zone, rrule)
    if new.rule is None or not (new.rule.month_days or new.rule.days):
        return new
    now = _wall_clock(ctx.now, old.zone)
    today = datetime.combine(now.date(), old.start.time())
    begin = today if today > now else today + timedelta(days=1)
    return read_schedule(begin, old.zone, rrule) if begin < old.start else new


def _keep_end(new: Schedule, old: Schedule) -> Schedule:
    """Return `new` with the UNTIL of `old`, if `new` repeats without an end."""
    if old.rule is None or old.rule.until is None or new.rule is None:
        return new
    until = old.rule.until
    last = until if until.tzinfo is None else _wall_clock(until, old.zone)
    has_end = new.rule.until is not None or new.rule.count is not None
    return new if has_end or new.start > last else replace(new, rule=replace(new.rule, until=until))


def _wall_clock(moment: datetime, zone: str) -> datetime:
    """Convert `moment` (timezone-aware) to naive wall-clock time in `zone`."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def _next_only(old: Schedule, ctx: CallContext) -> Schedule:
    """Return a one-time schedule for the next fire of `old`."""
    coming = next_fires(old, ctx.now, 1)
    return Schedule(start=coming[0].replace(tzinfo=None) if coming else old.start, zone=old.zone)


def move_every_fire(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> Schedule | None:
    """Move every fire of `old` in the same way as its next one; None if no rule can express that."""
    coming = next_fires(old, ctx.now, 1)
    if not coming:
        return None
    first = _wall_clock(coming[0], old.zone)
    once = args.model_copy(update={"type": None, "occurrence": None})
    goal = new_schedule(once, Schedule(start=first, zone=old.zone), ctx)
    if goal is None:
        return None
    at_clock = _set_clock(old, goal.start.time())
    if goal.start.date() == first.date() or _is_fire(at_clock, goal, ctx):
        return at_clock
    if at_clock.rule is None:
        return None
    rule = _rule_on_day(at_clock.rule, goal.start, is_last_day=names_last_day(args.time or "", ctx))
    return None if rule is None else replace(at_clock, start=goal.start, rule=rule)


def _is_fire(schedule: Schedule, goal: Schedule, ctx: CallContext) -> bool:
    moment = goal.start.replace(tzinfo=ZoneInfo(goal.zone))
    return moment in next_fires(schedule, max(ctx.now, moment - timedelta(seconds=1)), 1)


def names_last_day(words: str, ctx: CallContext) -> bool:
    """Return whether `words` mean the last day of a month, for months of 28, 30 and 31 days."""
    return all(_names_day(words, last, ctx) for last in _LAST_DAYS)


def _names_day(words: str, day: date, ctx: CallContext) -> bool:
    """Return whether `words`, read on the first of the month, mean `day`."""
    now = ctx.message_time.replace(year=day.year, month=day.month, day=1)
    found = time_reader(ctx).parse_all(words, now, language=ctx.language)
    return any(
        reading.best is not None and reading.best.has_day and reading.best.start.date() == day for reading in found
    )


def _rule_on_day(rule: Rule, day: datetime, *, is_last_day: bool) -> Rule | None:
    """Return `rule` on the weekday, day of the month or date of `day`; None if it has more than one such day."""
    bare = replace(rule, except_days=frozenset(), except_walls=frozenset())
    month_day = -1 if is_last_day else day.day
    match (rule.frequency, len(rule.days), len(rule.month_days), len(rule.months)):
        case _ if rule.is_rare:
            return None
        case ("WEEKLY", 1, 0, 0):
            return replace(bare, days=((0, day.weekday()),))
        case ("MONTHLY", 0, 1, 0):
            return replace(bare, month_days=(month_day,))
        case ("YEARLY", 0, 1, 1):
            return replace(bare, month_days=(month_day,), months=(day.month,))
        case _:
            return None


def is_shift(words: str | None) -> bool:
    """Return whether the argument `time` is an offset, such as `+1:30`."""
    return _SHIFT.fullmatch(words or "") is not None


def add_length(moment: datetime, length: timedelta) -> datetime:
    """Return the time after `length` from `moment` on: the same clock time for whole days, else elapsed time."""
    if not length % _DAY:
        return moment + length
    return (moment.astimezone(UTC) + length).astimezone(moment.tzinfo)


def _shift(old: Schedule, words: str, shift: re.Match[str], ctx: CallContext) -> Schedule:
    """Shift `old` by hours and minutes; a one-time reminder that has fired is shifted from now.

    Raises:
        RequestRefused: `time_not_understood(time)`: a repetition would move to other days.
    """
    length = timedelta(hours=int(shift["hours"]), minutes=int(shift["minutes"])) * (-1 if shift["sign"] == "-" else 1)
    now = _wall_clock(ctx.now, old.zone).replace(second=0, microsecond=0)
    if old.rule is None:
        base = max(old.start, now).replace(tzinfo=zone_of(old))
        return replace(old, start=add_length(base, length).replace(tzinfo=None))
    start = old.start + length
    if start.date() != old.start.date():
        raise RequestRefused("time_not_understood", time=words)
    return _set_clock(old, start.time())


def _parse_schedule(args: ReminderUpdateArgs, when: str, ctx: CallContext) -> Schedule:
    wish = ReminderArgs(
        type=args.type or "once", time=when, content="", weekday=args.weekday, rrule=args.rrule, person=None
    )
    return schedule_of_call(wish, ctx)


def _requested_clock(words: str, old: Schedule, ctx: CallContext) -> time | None:
    """Return the clock time that `words` are; None if they are more than a clock time."""
    given = parse_clock(words)
    if given is not None or not is_clock(words):
        return given
    found = read_times(words, ctx)
    if len(found) != 1 or found[0].rrule:
        return None
    clock = found[0].start.time().replace(tzinfo=None)
    return choose_nearer_half(clock, old.start.time()) if is_clock_without_half(words) else clock


def _requested_day(words: str, ctx: CallContext) -> date | None:
    """Return the day that `words` are; None if they are more than a day."""
    found = time_reader(ctx).parse_all(words, ctx.message_time, language=ctx.language)
    reading = found[0].best if len(found) == 1 else None
    if reading is None or reading.rrule or reading.has_clock or reading.part or not reading.has_day:
        return None
    return reading.start.date()


def choose_nearer_half(clock: time, old: time) -> time:
    """Choose a.m. or p.m. for a bare "8:30", nearer to `old`; before seven only if that is within 2.5 hours of it."""
    is_early = old.hour < _EARLIEST
    candidates = [
        candidate
        for candidate in (clock, other_half(clock))
        if candidate.hour >= _EARLIEST or is_early or _distance(candidate, old) <= _SOON_AFTER
    ]
    return min(candidates, key=lambda candidate: _distance(candidate, old))


def other_half(clock: time) -> time:
    """Return `clock` in the other half of the day: 20:30 for 8:30."""
    return clock.replace(hour=(clock.hour + _HALF_DAY) % (2 * _HALF_DAY))


def _distance(clock: time, other: time) -> timedelta:
    minutes = clock.hour * 60 + clock.minute - other.hour * 60 - other.minute
    return timedelta(minutes=abs(minutes))


def _start_after_today(old: Schedule, ctx: CallContext) -> Schedule:
    """Start `old` after today if it has fired today, so that a later clock time does not fire a second time today."""
    now = ctx.now.astimezone(ZoneInfo(old.zone))
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if old.rule is None or old.rule.frequency in ELAPSED or len(old.rule.hours) > 1:
        return old
    of_today = next_fires(old, midnight - timedelta(seconds=1), 1)
    coming = next_fires(old, ctx.now, 1)
    if not of_today or not coming or of_today[0] > ctx.now:
        return old
    return replace(old, start=_wall_clock(coming[0], old.zone))


def _other_hours(rule: Rule, clock: time) -> tuple[int, ...]:
    """Return the hours of `rule` without the one nearest to the new `clock`, which takes its place."""
    nearest = min(rule.hours, key=lambda hour: _distance(clock, time(hour)))
    return tuple(hour for hour in rule.hours if hour != nearest)


def split_clock(words: str, old: Schedule, ctx: CallContext) -> tuple[Schedule, Schedule] | None:
    """Return the clock `words` as a schedule of its own, and `old` without the clock nearest to it.

    None where `words` are no clock, or one rule can have it beside the others.
    """
    clock = _requested_clock(words, old, ctx)
    rule = old.rule
    if clock is None or rule is None or len(rule.hours) < _SEVERAL or rule.minutes in {(), (clock.minute,)}:
        return None
    alone = replace(rule, hours=(clock.hour,), minutes=(clock.minute,))
    others = replace(rule, hours=_other_hours(rule, clock))
    first = time(others.hours[0], rule.minutes[0])
    day = old.start.date()
    return (
        replace(old, start=datetime.combine(day, clock), rule=alone),
        replace(old, start=datetime.combine(day, first), rule=others),
    )


def _set_clock(old: Schedule, clock: time) -> Schedule:
    """Set the clock time of `old`, or the nearest one of several; the start moves only with its own clock time."""
    start = datetime.combine(old.start.date(), clock)
    rule = old.rule
    if rule is None or rule.frequency in ELAPSED:
        return Schedule(start=start, zone=old.zone)
    hours = tuple(sorted({clock.hour, *_other_hours(rule, clock)})) if rule.hours else ()
    minutes = tuple(sorted({clock.minute, *rule.minutes[1:]})) if rule.minutes else ()
    if old.start.hour in hours and old.start.minute in minutes:
        start = old.start
    return Schedule(start=start, zone=old.zone, rule=replace(rule, hours=hours, minutes=minutes))
