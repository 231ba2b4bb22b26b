"""Change a repeating reminder's days of the week and its end."""

from datetime import UTC, date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.functions.reminders.answers import Option, ask_which_times
from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.named_weekdays import find_recurring_weekdays, find_weekdays, parse_last_day
from function_calls.understanding.reminder_times import time_reader
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.calendars.workdays import Workdays
from services.recurrence.fires import next_fires
from services.recurrence.rules import WEEKDAYS, Rule
from services.recurrence.schedule import Schedule
from services.reminders.model import Reminder

ADDED: Final = "+"
LEFT_OUT: Final = "-"
_DAY: Final = timedelta(days=1)
_MAX_PER_FORTNIGHT: Final = 200
_WORKDAYS: Final = 5


def convert_recurring_skip(args: ReminderUpdateArgs, ctx: CallContext) -> ReminderUpdateArgs:
    """Turn a recurring `skip` ("Sundays") into a change of the weekdays; other arguments stay."""
    if (
        not args.skip
        or args.days
        or not find_recurring_weekdays(args.skip, ctx.message_time, ctx.language, time_reader(ctx).parse_all)
    ):
        return args
    return args.model_copy(update={"skip": None, "days": LEFT_OUT + args.skip})


def change_repetition(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> Schedule | None:
    """Return `old` with the weekdays and the end in `args`; None if they have neither.

    Raises:
        RequestRefused: `time_not_understood`, `no_repetition`, `no_days_of_week`, `no_day_left`, `not_on_that_day`.
    """
    if args.days is None and args.until is None and args.times is None:
        return None
    coming = next_fires(old, ctx.now, 1)
    if old.rule is None or not coming:
        raise RequestRefused("no_repetition")
    new = old if args.days is None else _change_days(args.days, old, ctx)
    if args.until is not None:
        new = _until(args.until, new, ctx)
    return new if args.times is None else _with_count(args.times, new, ctx)


async def ask_once_or_always(args: ReminderUpdateArgs, old: Reminder, ctx: CallContext) -> ToolResult:
    """Ask whether "not on Sunday", given as both `skip` and `days`, means the next Sunday or all Sundays.

    Raises:
        RequestRefused: as `change_repetition`.
    """
    bare = edits.drop_follow_up(old.schedule)
    for_good = change_repetition(args, bare, ctx) or bare
    kept = _weekdays_of(for_good)
    coming = next_fires(bare, ctx.now, _MAX_PER_FORTNIGHT)
    day = next((fire for fire in coming if WEEKDAYS[fire.weekday()] not in kept), coming[0])
    day_text = date_format.date(ctx.language, day)
    changed = recurrence_text.rule(ctx.language, replace(old, schedule=for_good))
    options = [
        Option(
            label=say(ctx.language, "reminder.not_that_day", day=day_text),
            call="reminder_update",
            arguments={"reminder_id": old.id, "skip": f"{day:%Y-%m-%d}"},
            answers=("once",),
        ),
        Option(
            label=say(ctx.language, "reminder.from_now_on", rule=changed),
            call="reminder_update",
            arguments={"reminder_id": old.id, "days": args.days},
            answers=("always",),
        ),
    ]
    return await ask_which_times(old, options, ctx)


def skips_every_day(args: ReminderUpdateArgs, old: Schedule, ctx: CallContext) -> bool:
    """Return whether the skipped weekdays are all weekdays of the rule, so that only the next day can be meant."""
    named = find_weekdays(
        (args.days or "").lstrip(LEFT_OUT), ctx.message_time, ctx.language, time_reader(ctx).parse_all
    )
    return bool(named) and _weekdays_of(old) <= named


def _change_days(words: str, old: Schedule, ctx: CallContext) -> Schedule:
    sign, day_words = (words[0], words[1:]) if words[:1] in {ADDED, LEFT_OUT} else ("", words)
    named = find_weekdays(day_words.strip(), ctx.message_time, ctx.language, time_reader(ctx).parse_all)
    if not named:
        raise RequestRefused("time_not_understood", time=day_words)
    if old.rule is None:
        raise RequestRefused("no_repetition")
    if not sign and _is_of_every_few_days(old.rule):
        return _with_remaining_count(replace(old, rule=_weekly(replace(old.rule, interval=1), named)), old, ctx)
    before = _weekdays_of(old)
    if sign == LEFT_OUT and not named & before:
        raise RequestRefused(
            "not_on_that_day",
            day=date_format.join(
                ctx.language,
                (date_format.weekday(ctx.language, at) for at, name in enumerate(WEEKDAYS) if name in named),
            ),
            next=date_format.moment(ctx.language, next_fires(old, ctx.now, 1)[0], ctx.now),
        )
    after = before | named if sign == ADDED else before - named if sign == LEFT_OUT else named
    if not after:
        raise RequestRefused("no_day_left")
    return _with_remaining_count(edits.begin_anew(replace(old, rule=_weekly(old.rule, after)), old, ctx.now), old, ctx)


def _is_of_every_few_days(rule: Rule) -> bool:
    """Return whether a rule is "every other day" or the like, for which days of the week can be named instead."""
    is_plain = rule.calendar is None and not (rule.months or rule.month_days or rule.days or rule.is_rare)
    return rule.frequency == "DAILY" and rule.interval > 1 and is_plain


def _weekdays_of(schedule: Schedule) -> frozenset[str]:
    """Return the weekdays of a daily or weekly rule, Monday to Friday for workdays.

    Raises:
        RequestRefused: `no_days_of_week`: the rule has another frequency, calendar or interval.
    """
    rule = schedule.rule
    is_daily = rule is not None and rule.frequency == "DAILY" and rule.interval == 1
    if rule is None or not (is_daily or rule.frequency == "WEEKLY"):
        raise RequestRefused("no_days_of_week")
    is_other = rule.calendar is not None and not isinstance(rule.calendar, Workdays)
    if is_other or rule.months or rule.month_days or rule.is_rare:
        raise RequestRefused("no_days_of_week")
    if rule.calendar is not None:
        return frozenset(WEEKDAYS[:_WORKDAYS])
    if rule.days:
        return frozenset(WEEKDAYS[weekday] for _, weekday in rule.days)
    return frozenset(WEEKDAYS if is_daily else (WEEKDAYS[schedule.start.weekday()],))


def _weekly(rule: Rule, days: frozenset[str]) -> Rule:
    """Return `rule` with the weekdays `days`; with all seven it becomes daily."""
    if len(days) == len(WEEKDAYS) and rule.interval == 1:
        return replace(rule, frequency="DAILY", days=(), calendar=None)
    kept = tuple((0, place) for place, day in enumerate(WEEKDAYS) if day in days)
    return replace(rule, frequency="WEEKLY", days=kept, calendar=None)


def _with_remaining_count(new: Schedule, old: Schedule, ctx: CallContext) -> Schedule:
    """Return `new` with the remaining count of `old`, if it has one."""
    count = None if old.rule is None else old.rule.count
    return new if count is None else _with_count(len(next_fires(old, ctx.now, count)), _endless(new), ctx)


def _until(words: str, old: Schedule, ctx: CallContext) -> Schedule:
    """Return `old` with the day in `words` as its last day."""
    read = time_reader(ctx).parse_all
    last = _date(words) or parse_last_day(words, ctx.message_time, ctx.language, read)
    if last is None:
        raise RequestRefused("time_not_understood", time=words)
    ended = edits.end_before(_endless(old), last + _DAY)
    if not next_fires(ended, ctx.now, 1):
        when = date_format.moment(ctx.language, next_fires(old, ctx.now, 1)[0], ctx.now)
        raise RequestRefused("not_in_that_time", next=when)
    return ended


def _date(words: str) -> date | None:
    """Parse `words` as YYYY-MM-DD; the time reader would refuse today."""
    try:
        return date.fromisoformat(words.strip())
    except ValueError:
        return None


def _with_count(times: int, old: Schedule, ctx: CallContext) -> Schedule:
    """Return `old` with `times` remaining fires."""
    endless = _endless(old)
    fires = next_fires(endless, ctx.now, times)
    if not fires or endless.rule is None:
        raise RequestRefused("no_repetition")
    zone = ZoneInfo(old.zone)
    counted = replace(
        endless,
        start=fires[0].astimezone(zone).replace(tzinfo=None),
        rule=replace(endless.rule, count=times),
    )
    if next_fires(counted, ctx.now, times + 1) == fires:
        return counted
    # COUNT includes excluded days and depends on the start for longer intervals: use UNTIL instead.
    return replace(endless, rule=replace(endless.rule, until=fires[-1].astimezone(UTC).replace(microsecond=0)))


def _endless(schedule: Schedule) -> Schedule:
    if schedule.rule is None:
        return schedule
    return replace(schedule, rule=replace(schedule.rule, count=None, until=None))
