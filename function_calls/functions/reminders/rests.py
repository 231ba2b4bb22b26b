"""Parse the time of a suspension, and word its confirmation."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from function_calls.functions.reminders.answers import named
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import LANGUAGES, phrases
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import moment_of, time_reader
from services.kernel.errors import RequestRefused
from services.recurrence.edits import Suspension, drop_follow_up
from services.recurrence.fires import next_fires
from services.recurrence.rules import WEEKDAYS
from services.reminders.lookup.due_words import is_weekend
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading

_DAY: Final = timedelta(days=1)
_TICK: Final = timedelta(microseconds=1)
_DAYS_A_WEEK: Final = 7
_WEEKLY: Final = re.compile("FREQ=WEEKLY;BYDAY=(?P<days>[A-Z]{2}(?:,[A-Z]{2})*)")
_MONTHS: Final = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}


def rest_until(words: str, ctx: CallContext) -> Suspension:
    """Return the time from now until `words`; until a day means until it begins.

    Raises:
        RequestRefused: `time_not_understood`, `time_in_past`.
    """
    until = moment_of(words, ctx)
    reading = _reading(words, ctx)
    if reading is not None and not reading.has_clock and not reading.part:
        until = _midnight(until)
    if until <= ctx.now:
        raise RequestRefused("time_in_past", due=until, now=ctx.now)
    return Suspension(since=ctx.now, until=until)


def rest_during(words: str, ctx: CallContext) -> Suspension:
    """Return the period that `words` name: "next week", "tomorrow", "Dec 20 to Jan 3", or a length from now.

    Raises:
        RequestRefused: `time_not_understood`, `time_in_past`.
    """
    reading = _reading(words, ctx)
    stretch = _consecutive_days(reading)
    if stretch is not None:
        return Suspension(since=max(stretch.since, ctx.now), until=stretch.until)
    is_end = any(phrases(language).until.match(words) for language in LANGUAGES)
    if is_end or reading is None or reading.has_clock or reading.part or reading.rrule:
        return rest_until(words, ctx)
    since = _midnight(reading.start)
    return Suspension(since=max(since, ctx.now), until=_end(reading, since, words))


def morning_after(rest: Suspension, ctx: CallContext) -> datetime:
    """Return the time to ask whether to resume: in the day, if the suspension ends at midnight."""
    local = rest.until.astimezone(ctx.zone)
    return moment_of(f"{local:%Y-%m-%d}", ctx) if local == _midnight(local) else local


def rest_told(reminder: Reminder, rest: Suspension, missed: Sequence[datetime], ctx: CallContext) -> str:
    """Word the skipped times of a reminder, and when it resumes."""
    language = ctx.language
    coming = next_fires(drop_follow_up(reminder.schedule), rest.until - _TICK)
    dates = tuple(dict.fromkeys(date_format.date(language, each) for each in (missed[0], missed[-1])))
    key = "reminder.rest_day" if len(dates) == 1 else "reminder.rest_span"
    return say(
        language,
        "reminder.rest_told",
        **named(reminder, ctx),
        rule=recurrence_text.rule(language, reminder),
        span=say(language, key, first=dates[0], last=dates[-1]),
        fires=say(language, "rule.joint").join(date_format.moment(language, each, ctx.now) for each in coming),
    )


def _reading(words: str, ctx: CallContext) -> Reading | None:
    return time_reader(ctx).parse(words, ctx.message_time.astimezone(ctx.zone), language=ctx.language).best


def _consecutive_days(reading: Reading | None) -> Suspension | None:
    """Return the consecutive coming days of a reading with days of the week: "Monday to Friday"."""
    rule = _WEEKLY.fullmatch(reading.rrule or "") if reading is not None else None
    if reading is None or rule is None or reading.has_clock or reading.part:
        return None
    places = [WEEKDAYS.index(day) for day in rule["days"].split(",")]
    if places != list(range(places[0], places[-1] + 1)):
        return None
    first = _midnight(reading.start)
    return Suspension(since=first, until=first + (places[-1] - first.weekday() + 1) * _DAY)


def _end(reading: Reading, since: datetime, words: str) -> datetime:
    """Return the first moment after the named days."""
    if reading.end is not None:
        return reading.end
    if is_weekend(reading, words):
        return since + 2 * _DAY
    if reading.grain is Grain.WEEK:
        return since + (_DAYS_A_WEEK - since.weekday()) * _DAY
    months = _MONTHS.get(reading.grain)
    if months is None:
        return since + _DAY
    month = since.month - 1 + months
    return since.replace(year=since.year + month // 12, month=month % 12 + 1, day=1)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
