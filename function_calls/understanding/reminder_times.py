"""Turn the arguments of `reminder_set` into a schedule, and a reading of time into such arguments."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import partial
from typing import Final

from msgspec.structs import replace

from function_calls.models import ReminderArgs
from function_calls.tools.context import CallContext
from function_calls.tools.errors import ArgumentRefused
from function_calls.understanding.reading.times import names_hour, split_rule
from services.kernel.errors import RequestRefused
from services.recurrence.edits import clamp_to_month_end
from services.recurrence.fires import next_after, zone_of
from services.recurrence.rules import WEEKDAYS, Rule
from services.recurrence.schedule import FollowUp, Schedule, read_schedule, rule_text
from services.reminders.lookup.references import is_in
from services.time_expressions import Reading, TimeReader

FROM_THEN: Final = re.compile(
    r"\b(?:starting|beginning|as of|effective|onwards?)\b|\bfrom\b(?!.{0,60}\bto\b)"
    r"|\b(?:desde|a partir del?)\b(?!.{0,60}\b(?:hasta|al?)\b)"
    r"|[从從].{1,8}起|(?:[天日号號月年早晚]|[周週][一二三四五六])起(?![床来來飞飛夜身])|开始|開始|以[后後]都",
    re.IGNORECASE,
)


def time_reader(ctx: CallContext) -> TimeReader:
    """Return the time reader of the bot; one with the usual conventions where there is none."""
    return ctx.services.get(TimeReader) if ctx.services.has(TimeReader) else TimeReader()


_DATE_TIME = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[T ](\d{1,2}):(\d{2})(?::(\d{2}))?")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_CLOCK_PARTS = frozenset({"FREQ", "BYHOUR", "BYMINUTE"})
"""The parts of a rule that `daily` can say."""
_YEARS = range(1970, 9999)  # a day less or more, or another zone, stays within the calendar
_MAX_FOLLOW_UPS = 12
_ReadWords = Callable[[str], Reading]


def schedule_from(
    arguments: ReminderArgs, *, now: datetime, zone: tzinfo, language: str, times: TimeReader
) -> Schedule:
    """Read when a reminder fires.

    `now` is timezone-aware; the schedule is wall clock in `zone`; `times` reads the person's own words.

    Raises:
        RequestRefused: `time_not_understood`, `weekday_missing`: the arguments do not name a time.
    """
    local = now.astimezone(zone)
    read = partial(_read_words, local=local, language=language, times=times)
    if arguments.rrule:
        rule = arguments.rrule.strip().removeprefix("RRULE:")
        return read_schedule(_read_first_fire(arguments, local, read), zone_name(zone), rule)
    if arguments.type == "once":
        return _read_single(arguments, local, zone_name(zone), read)
    clock = parse_clock(arguments.time)
    if clock is None:
        return _read_repeated_phrase(arguments, local, zone_name(zone), read)
    return _make_repeated(arguments.type, clock, arguments.weekday, local, zone_name(zone))


def schedule_of_call(arguments: ReminderArgs, ctx: CallContext) -> Schedule:
    """Read when the reminder of the call in `ctx` fires, as `schedule_from` does."""
    return schedule_from(arguments, now=ctx.message_time, zone=ctx.zone, language=ctx.language, times=time_reader(ctx))


def parse_moment(words: str, ctx: CallContext) -> datetime:
    """Return the time that `words` name ("明早"), or to which they last from now ("a week").

    Raises:
        RequestRefused: `time_not_understood`.
    """
    wish = ReminderArgs(type="once", time=words, content="", weekday=None, rrule=None, person=None)
    return schedule_of_call(wish, ctx).start.replace(tzinfo=ctx.zone)


def add_follow_up(schedule: Schedule, minutes: int | None) -> Schedule:
    """Return the schedule repeated every `minutes` until done; with 0 no longer, with None unchanged."""
    if minutes is None or (schedule.rule is not None and schedule.rule.is_elapsed):
        return schedule  # what counts elapsed time repeats itself
    follow_up = FollowUp(every=timedelta(minutes=minutes), times=_MAX_FOLLOW_UPS) if minutes else None
    return replace(schedule, follow_up=follow_up)


def zone_name(zone: tzinfo) -> str:
    """Return the IANA name of `zone`."""
    return getattr(zone, "key", None) or str(zone)


def _read_single(arguments: ReminderArgs, local: datetime, zone: str, read: _ReadWords) -> Schedule:
    """Return the schedule of a date and time, or of the person's own words, which may repeat."""
    fixed = _parse_date_time(arguments.time)
    if fixed is not None:
        return Schedule(start=fixed, zone=zone)
    reading = read(arguments.time)
    return clamp_to_month_end(read_schedule(reading.wall, zone, reading.rrule or ""), local)


def _read_repeated_phrase(arguments: ReminderArgs, local: datetime, zone: str, read: _ReadWords) -> Schedule:
    """Return a daily or weekly schedule from the person's words, or from a full date whose clock counts."""
    fixed = _parse_date_time(arguments.time)
    if fixed is None:
        reading = read(arguments.time)
        if reading.rrule:
            return clamp_to_month_end(read_schedule(reading.wall, zone, reading.rrule), local)
        fixed = reading.wall
    weekday = arguments.weekday if arguments.weekday is not None else fixed.weekday()
    return _make_repeated(arguments.type, fixed.time(), weekday, local, zone)


def _make_repeated(kind: str, clock: time, weekday: int | None, local: datetime, zone: str) -> Schedule:
    """Return a daily or weekly schedule at `clock` from the next such time on."""
    daily = Rule(frequency="DAILY", hours=(clock.hour,), minutes=(clock.minute,))
    if kind == "daily":
        return Schedule(start=_find_next(local, clock, step=1), zone=zone, rule=daily)
    if weekday is None:
        raise RequestRefused("weekday_missing")
    ahead = (weekday - local.weekday()) % 7
    first = _find_next(local, clock, step=7, ahead=ahead)
    return Schedule(start=first, zone=zone, rule=replace(daily, frequency="WEEKLY", days=((0, weekday),)))


def refuse_past(schedule: Schedule, ctx: CallContext) -> None:
    """Refuse a time that a model made up and that is over; the error tells the model the present time.

    Raises:
        ArgumentRefused: `time_in_past(due, now)`.
    """
    if schedule.rule is None and next_after(schedule, ctx.message_time) is None:
        due = schedule.start.replace(tzinfo=zone_of(schedule))
        raise ArgumentRefused("time_in_past", due=due, now=ctx.now)


def _find_next(local: datetime, clock: time, *, step: int, ahead: int = 0) -> datetime:
    """Return the next wall-clock `clock`, `ahead` days on, strictly after now."""
    candidate = datetime.combine(local.date() + timedelta(days=ahead), clock)
    return candidate if candidate > local.replace(tzinfo=None) else candidate + timedelta(days=step)


def _read_first_fire(arguments: ReminderArgs, local: datetime, read: _ReadWords) -> datetime:
    """Return the first fire of a rule: a date and time, the next time at a clock, or what the words mean."""
    fixed = _parse_date_time(arguments.time)
    if fixed is not None:
        return fixed
    clock = parse_clock(arguments.time)
    if clock is not None:
        return _find_next(local, clock, step=1)
    return read(arguments.time).wall


def _read_words(words: str, *, local: datetime, language: str, times: TimeReader) -> Reading:
    """Return the time that `words` name in `language`, else in any other."""
    best = times.parse(words, local, language=language).best or times.parse(words, local).best
    if best is None:
        raise RequestRefused("time_not_understood", time=words)
    return best


def _parse_date_time(text: str) -> datetime | None:
    """Return the wall-clock time of `YYYY-MM-DD HH:MM[:SS]`; None for any other text.

    Raises:
        RequestRefused: `time_not_understood`: there is no such time.
    """
    match = _DATE_TIME.fullmatch(text.strip())
    if match is None:
        return None
    numbers = [int(part or 0) for part in match.groups()]
    if numbers[0] not in _YEARS:  # what a model writes where it knows no time
        raise RequestRefused("time_not_understood", time=text)
    try:
        return datetime(*numbers)  # type: ignore[arg-type]  # noqa: DTZ001 - wall clock; the schedule carries the zone
    except ValueError as error:
        raise RequestRefused("time_not_understood", time=text) from error


def parse_clock(text: str) -> time | None:
    """Return the clock time of `HH:MM`; None for any other text."""
    match = _CLOCK.fullmatch(text.strip())
    return None if match is None else time(int(match[1]), int(match[2]))


def has_words_outside(pattern: re.Pattern[str], text: str, content: str) -> bool:
    """Return whether `text` matches `pattern` outside of `content`."""
    return any(not is_in(content, found[0]) for found in pattern.finditer(text))


def make_schedule_arguments(reading: Reading, now: datetime) -> dict[str, object]:
    """Return the arguments `type`, `time`, `weekday` and `rrule`; `now` is in the zone of `reading`.

    A repetition that daily and weekly cannot say keeps its RRULE, and `type` and `time` name its first fire.
    """
    if reading.rrule is None:
        return {"type": "once", "time": format_time(_drop_seconds(reading, now).wall)}
    parts = split_rule(reading.rrule)
    clock = f"{reading.wall:%H:%M}"
    if _is_plain(parts, "DAILY", _CLOCK_PARTS) and reading.start - now <= timedelta(days=1):
        return {"type": "daily", "time": clock}
    day = parts.get("BYDAY", WEEKDAYS[reading.start.weekday()])
    is_weekly = _is_plain(parts, "WEEKLY", _CLOCK_PARTS | {"BYDAY"}) and day in WEEKDAYS
    if is_weekly and reading.start - now <= timedelta(days=7):
        return {"type": "weekly", "time": clock, "weekday": WEEKDAYS.index(day)}
    try:
        schedule = clamp_to_month_end(read_schedule(reading.wall, zone_name(now.tzinfo or UTC), reading.rrule), now)
    except RequestRefused:  # the function that is called says what is wrong with it: "every 5 seconds"
        return {"type": "once", "time": format_time(reading.wall), "rrule": reading.rrule}
    return {"type": "once", "time": format_time(schedule.start), "rrule": rule_text(schedule)}


def make_change_arguments(reading: Reading, now: datetime) -> dict[str, object]:
    """Return the arguments of `reminder_update` for another time.

    A clock or a part of the day alone leaves the day, or the repetition; a day or a repetition alone leaves the clock.
    """
    if not reading.has_day:
        return {"time": f"{reading.wall:%H:%M}"}
    if reading.rrule is None and not names_hour(reading):
        return {"time": f"{reading.wall:%Y-%m-%d}"}
    schedule = make_schedule_arguments(reading, now)
    if reading.rrule is None or "rrule" in schedule:
        del schedule["type"]
    if reading.rrule is not None and not names_hour(reading):
        del schedule["time"]
    if "BYDAY" not in (reading.rrule or ""):
        schedule.pop("weekday", None)
    return schedule


def format_shift(moved: timedelta) -> str:
    """Return a shift as text: `+1:30` for an hour and a half later, `-0:15` for a quarter of an hour earlier."""
    minutes = round(abs(moved).total_seconds() / 60)
    return f"{'-' if moved < timedelta() else '+'}{minutes // 60}:{minutes % 60:02}"


def format_time(moment: datetime) -> str:
    """Return `YYYY-MM-DD HH:MM`, with seconds unless they are 0."""
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def _drop_seconds(reading: Reading, now: datetime) -> Reading:
    """Return `reading` without the seconds that it has of `now`: "this time tomorrow" is a clock time."""
    is_far = reading.start - now >= timedelta(days=1) and reading.start.second == now.second
    return reading._replace(start=reading.start.replace(second=0, microsecond=0)) if is_far else reading


def _is_plain(parts: dict[str, str], frequency: str, allowed: frozenset[str]) -> bool:
    """Return whether a rule has only its frequency, one clock time, and parts that are `allowed`."""
    clocks = parts.get("BYHOUR", "") + parts.get("BYMINUTE", "")
    return parts.get("FREQ") == frequency and parts.keys() <= allowed and "," not in clocks
