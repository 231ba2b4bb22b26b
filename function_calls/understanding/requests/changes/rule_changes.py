"""Change the rules of repeating reminders to days and clocks that a request names."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.slots.small_words import is_figure
from function_calls.understanding.reading.times import HOURS_A_HALF, TimeWords, names_hour, names_only_day
from function_calls.understanding.reminder_times import FROM_THEN, format_time, make_change_arguments
from function_calls.understanding.requests.changes.amounts import find_amount_of_setting
from function_calls.understanding.requests.changes.updates import repeats_on, update
from function_calls.understanding.requests.known_reminders import find_due, find_rule, list_weekdays
from function_calls.understanding.requests.people import list_own_reminders
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.request_times import are_listed_times
from services.recurrence.rules import WEEKDAYS, Rule
from services.recurrence.schedule import rule_text
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading

_DAY = timedelta(days=1)
_MAX_PERIODS = {"DAILY": _DAY, "WEEKLY": timedelta(days=7), "MONTHLY": timedelta(days=31)}
"""The longest time between two occurrences at each frequency."""
DAYS_OF_MONTH = re.compile(r"FREQ=MONTHLY;(?:BYMONTHDAY=[\d,]+|BYDAY=-?\d[A-Z]{2})(?:;BYHOUR=\d+;BYMINUTE=\d+)?")
_WEEKDAYS = re.compile(r"FREQ=WEEKLY;BYDAY=(?P<days>[A-Z]{2}(?:,[A-Z]{2})*)(?:;BYHOUR=\d+;BYMINUTE=\d+)?")
_WEEKDAY = re.compile(r"FREQ=WEEKLY;BYDAY=[A-Z]{2}")
_INTERVAL = re.compile(r"FREQ=(?P<unit>HOUR|MINUTE)LY(?:;INTERVAL=(?P<count>\d+))?")
_CLOCKS = re.compile(r"FREQ=DAILY;BYHOUR=\d+(?:,\d+)+;BYMINUTE=\d+")


def change_days(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments for other days of the month or of the week of a repeating reminder."""
    return (
        _change_day_of_month(request)
        or _replace_one_weekday(request)
        or _change_weekday_of_long_interval(request, best)
    )


def change_begin(request: RequestContext, time: TimeWords, *, has_since: bool) -> dict[str, object] | None:
    """Return the arguments of a repeating reminder that keeps its begin, or begins on another day.

    `has_since` says that the request names the day from which the change holds.
    """
    begin = _change_interval(request, time.best) or _move_begin(request, time.best)
    return begin or (None if has_since else _keep_later_begin(time, request))


def change_clocks(request: RequestContext) -> Interpretation | None:
    """Let a daily reminder come at other clocks of a day: "at 9, 15 and 20"; None for anything else."""
    rule, spans = find_rule(find_named_reminder(request)), request.reading.spans("WHEN")
    if rule is None or not spans or (rule.frequency, rule.interval) != ("DAILY", 1) or not are_listed_times(request):
        return None
    listed = request.strip_time_words(request.reading.text[spans[0][0] : spans[-1][1]])
    phrases = (request.words.each_day.format(time=form.format(time=listed)) for form in request.words.as_time[:2])
    times = (request.parse_time([phrase]) for phrase in phrases)
    daily = [time.best for time in times if time is not None and _CLOCKS.fullmatch(time.best.rrule or "")]
    return update(request, make_change_arguments(daily[0], request.now)) if daily else None


def replace_weekdays(request: RequestContext) -> Interpretation | None:
    """Let a weekly or daily reminder come on other weekdays: "no, Tuesday and Friday"; None for anything else."""
    words = request.strip_time_words(request.reading.words("WHEN"))
    days = request.find_weekdays(words)
    rule = find_rule(find_named_reminder(request) if len(days) > 1 else None)
    if rule is None or rule.interval != 1 or rule.frequency not in {"DAILY", "WEEKLY"}:
        return None
    return update(request, {"days": words})


def split_weekdays(request: RequestContext, best: Reading) -> Interpretation | None:
    """Give some weekdays of a reminder a clock of their own: "Saturdays at 8" for one on Tuesdays and Saturdays at 6.

    Weekdays on which it does not come are set beside it: weekends beside Monday to Friday.
    """
    weekly = _WEEKDAYS.fullmatch(best.rrule or "") if best.has_clock else None
    reminder = None if weekly is None else find_named_reminder(request)
    due = find_due(reminder, request.now)
    if weekly is None or due is None or request.chat_reminders is None or reminder not in list_own_reminders(request):
        return None
    days, rule = frozenset(weekly["days"].split(",")), reminder.schedule.rule
    old_days = {*WEEKDAYS} if rule is None or not rule.days else {*list_weekdays(rule)}
    is_beside = len(old_days) > 1 and days.isdisjoint(old_days) and _is_time_alone(request)
    are_some_days = is_beside or repeats_on(reminder, days)
    if best.start.time() == due.time() or not are_some_days or _is_for_all_days(request):
        return None
    until = None if rule is None else rule.until
    shortened = {"rrule": _format_weekly_rule(old_days - days), "reminder_id": reminder.id}
    same = request.chat_reminders.make_arguments(reminder)
    time = {"type": "once", "time": format_time(best.start), "rrule": _format_weekly_rule(days, until=until)}
    setting = request.answers.call_tool("reminder_set", {"content": same["content"], "person": same["person"], **time})
    return setting if is_beside else merge_or_none([request.answers.call_tool("reminder_update", shortened), setting])


def _is_time_alone(request: RequestContext) -> bool:
    """Return whether a request begins with its time, names no reminder and corrects nothing."""
    reading, words = request.reading, request.words
    is_first = not reading.has("WHEN") or reading.tags[0] == "WHEN"
    is_correction = request.has_word((*words.corrections, *words.substitutes))
    return is_first and not is_correction and not reading.has("REF")


def _is_for_all_days(request: RequestContext) -> bool:
    """Return whether weekdays are for a reminder as a whole: "every Saturday at 8", "make it Saturdays at 8"."""
    reading, words = request.reading, request.words
    first = reading.tags.index("WHEN") if reading.has("WHEN") else 0
    ahead = f"{words.joint}{words.fold(reading.text[: reading.tokens[first].start]).rstrip()}"
    links = {*words.itself, *words.prepositions, *words.copulas_of_events} if words.joint else words.substitutes
    is_linked = ahead.endswith(tuple(f"{words.joint}{word}" for word in links))
    return first > 0 and is_linked and reading.tokens[first].form.startswith("@rule")


def _keep_later_begin(time: TimeWords, request: RequestContext) -> dict[str, object] | None:
    """Return the arguments of other days for a reminder that begins in a later week or month, so that it still does."""
    frequency = (time.best.rrule or "").partition(";")[0].removeprefix("FREQ=")
    reminder = find_named_reminder(request) if frequency in _MAX_PERIODS else None
    rule = find_rule(reminder)
    first = find_due(reminder, request.now)
    if rule is None or first is None or names_hour(time.best):
        return None
    if first - request.now <= _MAX_PERIODS.get(rule.frequency, _MAX_PERIODS[frequency]) * rule.interval:
        return None
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    later = request.parse_time([time.words], midnight)
    if later is None or later.best.rrule != time.best.rrule:
        return None
    start = later.best.start.replace(hour=first.hour, minute=first.minute, second=first.second)
    return {"time": format_time(start), "rrule": str(time.best.rrule)}


def _change_weekday_of_long_interval(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments for "Thursdays", not "every Thursday", of a reminder that comes every few weeks."""
    words = request.words.fold(request.strip_time_words(request.reading.words("WHEN")))
    is_each = request.begins_with(words, request.words.each)
    rule = find_rule(find_named_reminder(request) if not is_each and _WEEKDAY.fullmatch(best.rrule or "") else None)
    if rule is None or rule.interval == 1:
        return None
    return {"time": f"{best.wall:%Y-%m-%d}", "occurrence": "all"}


def _change_day_of_month(request: RequestContext) -> dict[str, object] | None:
    """Return the arguments for other days of a reminder that repeats every month: "the 28th", "first Tuesday"."""
    reminder = None if request.has_word(request.words.one_time) else find_named_reminder(request)
    rule = find_rule(reminder)
    if rule is None or ((rule.frequency, rule.interval) != ("MONTHLY", 1) and not rule.months[1:]):
        return None
    former = (best for piece in request.reading.pieces("OLD") for best in request.list_readings(piece))
    if _is_hour_figure(reminder, request) or any(best.grain is Grain.MONTH for best in former):
        return None  # "in December make it the 17th" is for one of them
    pieces = [request.strip_time_words(piece) for piece in request.reading.pieces("WHEN")]
    phrases = [request.words.each_month.format(days=piece) for piece in pieces[:1]]
    time = request.parse_time([*phrases, *pieces[1:]])
    text = "" if time is None else time.best.rrule or ""
    if time is None or not DAYS_OF_MONTH.fullmatch(text):
        return None
    if text.count(",") + 1 < len(rule.month_days or rule.days):
        return None  # the 20th for one of the 15th and the 28th
    if rule.months:
        months = ",".join(map(str, rule.months))
        return {"rrule": f"FREQ=YEARLY;BYMONTH={months};{text.removeprefix('FREQ=MONTHLY;')}"}
    return make_change_arguments(time.best, request.now)


def _is_hour_figure(reminder: Reminder | None, request: RequestContext) -> bool:
    """Return whether a bare figure is an hour: it replaces that of the reminder, or this has no day of the month."""
    figure, old = (request.strip_time_words(request.reading.words(tag)) for tag in ("WHEN", "OLD"))
    due = find_due(reminder, request.now)
    if reminder is None or reminder.schedule.rule is None or due is None or not is_figure(figure):
        return False
    is_replaced = is_figure(old) and int(old) in {due.hour, due.hour % HOURS_A_HALF}
    return is_replaced or not reminder.schedule.rule.month_days


def _replace_one_weekday(request: RequestContext) -> dict[str, object] | None:
    """Return the arguments for another day in place of one of a weekly reminder: "Sunday instead of Saturday"."""
    rule = find_rule(None if request.has_word(request.words.one_time) else find_named_reminder(request))
    if rule is None or rule.frequency != "WEEKLY" or (len(rule.days) > 1 and find_references(request)):
        return None
    reading, words = request.reading, request.words
    in_front = (day for day in reading.times if words.fold(reading.text[day.end :]).startswith(words.substitutes))
    replaced = reading.words("OLD") or next(map(reading.text_of, in_front), "")  # 周五换成周四
    old, new = (_read_bare_weekday(each, request) for each in (replaced, reading.words("WHEN")))
    days = list_weekdays(rule)
    if not old or not new or old not in days:
        return None
    return {"rrule": _format_weekly_rule({new, *days} - {old}, rule.interval)}


def _format_weekly_rule(days: Iterable[str], interval: int = 1, until: datetime | None = None) -> str:
    """Return the text of a rule for the weekdays `days`, as in BYDAY."""
    places = sorted(map(WEEKDAYS.index, days))
    return str(Rule(frequency="WEEKLY", interval=interval, days=tuple((0, at) for at in places), until=until))


def _read_bare_weekday(words: str, request: RequestContext) -> str:
    """Return the weekday, as in BYDAY, that `words` name without a week or a clock; "" for others."""
    words = request.strip_time_words(words)
    if not words or not request.names_weekday(words):
        return ""
    return next(iter(request.find_weekdays(words)), "")


def _change_interval(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments of another interval of hours or minutes that begins with the next time of the reminder.

    One that has not come yet, and counts from its message, counts from there with the new interval.
    """
    parts = _INTERVAL.fullmatch(best.rrule or "")
    reminder = None if parts is None else find_named_reminder(request)
    rule = find_rule(reminder)
    due = find_due(reminder, request.now)
    if parts is None or reminder is None or rule is None or not rule.is_elapsed or due is None:
        return None
    interval = timedelta(**{f"{parts['unit'].lower()}s": int(parts["count"] or 1)})
    if best.start - request.now != interval:
        return None
    amount = find_amount_of_setting(reminder, request, repeats=True)
    begin = due if amount is None else due - amount + interval
    is_first = amount is not None and due - amount <= reminder.created_at
    return {"time": format_time(begin if is_first and begin > request.now else due), "rrule": str(best.rrule)}


def _move_begin(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments of a repeating reminder that begins on another day: "starting the 17th"."""
    when, since = (request.reading.words(tag) for tag in ("WHEN", "FROM"))
    says_begin = FROM_THEN.search(when or since) is not None or request.has_phrase(request.words.beginning)
    is_begin = says_begin and not (when and since)
    reminder = find_named_reminder(request) if is_begin and names_only_day(best) else None
    if reminder is None or reminder.schedule.rule is None:
        return None
    day = best.start.date()
    later = replace(reminder.schedule, start=datetime.combine(day, reminder.schedule.start.time()))
    coming = request.list_coming(replace(reminder, schedule=later), day)
    return {"time": format_time(coming[0]), "rrule": rule_text(reminder.schedule)} if coming else None
