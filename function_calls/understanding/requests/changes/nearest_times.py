"""Complete a new time by the reminder that it is for: its half of the day, its week or its month."""

from calendar import monthrange
from datetime import datetime, timedelta
from itertools import dropwhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.reading.slots.small_words import is_figure
from function_calls.understanding.reading.times import (
    HOURS_A_HALF,
    TimeWords,
    choose_nearer_half,
    is_clock_alone,
    keep_clock_in_part,
    list_halves,
    names_only_day,
    set_clock,
)
from function_calls.understanding.reminder_times import make_change_arguments
from function_calls.understanding.requests.changes.rule_changes import DAYS_OF_MONTH
from function_calls.understanding.requests.changes.updates import read_time_in_name
from function_calls.understanding.requests.known_reminders import find_due, find_rule
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.repeated_times import add_end, find_end
from services.time_expressions import Grain, Reading

_WEEK = timedelta(weeks=1)
_NEAR_MINUTES = 180
"""The distance from the clock of the reminder within which a new clock is in the same half of the day."""


def choose_half_near_reminder(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an open clock of a day or rule in the half of the day in which it is near the clock of the reminder."""
    expressions = [] if is_clock_alone(time.best) else request.read_times(time.words)
    hours = {each.start.hour for each in expressions[0].readings} if len(expressions) == 1 else set()
    is_open = hours == {each.start.hour for each in list_halves(time.best)}
    due = find_due(find_named_reminder(request), request.now) if is_open else None
    if due is None:
        return time
    near = choose_nearer_half(time.best, due)
    minutes = abs((near.start.hour - due.hour) * 60 + near.start.minute - due.minute)
    if near.start.hour == time.best.start.hour or minutes >= _NEAR_MINUTES:
        return time
    if time.best.rrule is None:
        return replace(time, readings=(set_clock(time.best, near),))
    read = next(each for each in expressions[0].readings if each.start.hour == near.start.hour)
    return add_end(replace(time, readings=(read,)), find_end(request, read))


def keep_days_of_series(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a part of all days ("evenings") as that part of the days on which the repeating reminder comes."""
    best = time.best
    is_part_alone = bool(best.part) and (best.rrule or "").startswith("FREQ=DAILY;BYHOUR=")
    if not is_part_alone or request.words.has_any(request.words.each, request.words.fold(time.words)):
        return time
    rule = find_rule(find_named_reminder(request))
    if rule is None or rule.frequency == "DAILY":
        return time
    words = f"{best.wall:%H:%M}" if best.has_clock else time.words
    return TimeWords(words=words, readings=(best._replace(rrule=None, has_day=False),))


def parse_clock_beside_hour(request: RequestContext) -> str:
    """Return the clock of words without an hour near that of the reminder: "quarter to", 半; "" for none."""
    words = request.strip_time_words(request.reading.words("WHEN"))
    if not words or is_figure(words) or request.read_times(words):
        return ""
    whole = request.parse_time([words])
    is_time = whole is not None and whole.best.rrule is None
    due = None if is_time else find_due(find_named_reminder(request), request.now)
    if due is None:
        return ""
    clocks: list[datetime] = []
    for hour in (due.hour, due.hour - 1, due.hour + 1):  # of two that are as near, "half past" is behind the full hour
        phrase = request.words.with_hour.format(time=words, hour=hour % HOURS_A_HALF or HOURS_A_HALF)
        time = request.parse_time([phrase])
        if time is not None:
            clocks += [due.replace(hour=half.start.hour, minute=half.start.minute) for half in list_halves(time.best)]
    nearest = min(clocks, key=lambda clock: abs(clock - due), default=None)
    return "" if nearest is None else f"{nearest:%H:%M}"


def make_time_arguments(time: TimeWords, request: RequestContext) -> dict[str, object]:
    """Return the arguments of a new time; the time of the reminder tells the half of the day of a bare "7"."""
    best = time.best
    words = request.strip_time_words(time.words)
    if is_clock_alone(best) and is_clock_without_half(words):
        return {"time": _complete_clock(best, words, request)}
    if names_only_day(best) and any(word in words for word in request.words.last_day):
        return {"time": words}
    if best.rrule is None and best.has_day:
        best = best._replace(start=_move_near_reminder(best.start, words, request))
        best = _move_behind_reminder(best, words, request)
    if best.has_clock and best.grain is Grain.DAY:
        best = best._replace(has_clock=False)  # "in two weeks" is at the clock of the reminder
    reminder = find_named_reminder(request)
    fires = () if reminder is None else [each.astimezone(request.now.tzinfo) for each in reminder.next_fires]
    return make_change_arguments(keep_clock_in_part(best, fires) if fires else best, request.now)


def _complete_clock(best: Reading, words: str, request: RequestContext) -> str:
    """Return a clock in the half of the day that names the reminder (晚上的药改成七点), else without a half."""
    named = read_time_in_name(request)
    if named is not None and named.part:
        half = int(named.start.hour >= HOURS_A_HALF)
        return f"{list_halves(best)[half].start:%H:%M}"
    ends_with_figure = words[-1:].isdecimal() and words.isascii()  # "6:30" alone is a clock of 24 hours
    if not ends_with_figure and request.read_times(words):
        return words
    bare = " ".join(dropwhile(request.words.around_time.__contains__, words.split()))  # "around 9" is at 9
    return request.words.as_time[1].format(time=bare)


def _move_near_reminder(day: datetime, words: str, request: RequestContext) -> datetime:
    """Return `day` near the reminder: the weekday beside it or in its week, the nearest 4th of a month."""
    former = request.list_readings(request.reading.words("OLD"))
    week = next((best.start for best in former if best.grain is Grain.WEEK), None)
    is_weekday = request.names_weekday(words)
    if week is not None and is_weekday:
        return day + timedelta(days=(week.date() - day.date()).days + day.weekday() - week.weekday())
    reminder = find_named_reminder(request)
    rule, due = find_rule(reminder), find_due(reminder, request.now)
    # "this Friday" is one token, in which `has_word` finds no "this".
    is_this = bool(request.words.joint) and request.has_phrase(request.words.one_time)
    if is_this or due is None or (rule is not None and rule.frequency != "MONTHLY"):
        return day
    if not is_weekday:
        return _choose_nearest_month(day, due, words, request)
    days_apart = day.weekday() - due.weekday()
    near = {1: 1, _WEEK.days - 1: -1}.get(days_apart % _WEEK.days, days_apart)
    return max(day, day + (due.date() - day.date()) + timedelta(days=near))


def _choose_nearest_month(day: datetime, due: datetime, words: str, request: RequestContext) -> datetime:
    """Return a day of the month without a month in the month in which it is nearest to `due`, but no earlier."""
    has_month = request.has_word(request.words.one_time)  # "the 4th of next month"
    monthly = None if has_month else request.parse_time([request.words.each_month.format(days=words)])
    if monthly is None or not DAYS_OF_MONTH.fullmatch(monthly.best.rrule or ""):
        return day
    months = (due.year * 12 + due.month - 1 + beside for beside in (-1, 0, 1))
    days = [_replace_month(day, month) for month in months]
    return min((each for each in days if each >= day), key=lambda each: abs(each - due), default=day)


def _replace_month(day: datetime, month: int) -> datetime:
    """Return `day` in a month counted from the year 0, or its last day where that is shorter."""
    year, at = divmod(month, 12)
    return day.replace(year=year, month=at + 1, day=min(day.day, monthrange(year, at + 1)[1]))


def _move_behind_reminder(best: Reading, words: str, request: RequestContext) -> Reading:
    """Return a weekday "after" behind the day of the reminder: "move it to the Monday after"."""
    is_following = request.reading.words("WHEN").casefold().endswith(request.words.following)
    is_weekday = is_following and not best.has_clock and request.names_weekday(words)
    due = find_due(find_named_reminder(request), request.now) if is_weekday else None
    return best if due is None or best.start.date() > due.date() else best._replace(start=best.start + _WEEK)
