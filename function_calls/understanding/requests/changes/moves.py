"""Make calls of requests to change when existing reminders come."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.times import TimeWords, choose_nearer_half, list_halves, names_single_day
from function_calls.understanding.reminder_times import FROM_THEN, format_shift, format_time
from function_calls.understanding.requests.changes.amounts import corrects_amount, make_amount_arguments
from function_calls.understanding.requests.changes.deletions import skip
from function_calls.understanding.requests.changes.lead_changes import (
    change_lead,
    find_days_before_itself,
    keep_day_of_event,
    move_with_event,
)
from function_calls.understanding.requests.changes.move_tags import FROM_WORD, correct_tags
from function_calls.understanding.requests.changes.nearest_times import (
    choose_half_near_reminder,
    keep_days_of_series,
    make_time_arguments,
    parse_clock_beside_hour,
)
from function_calls.understanding.requests.changes.partial_removals import refuses_days
from function_calls.understanding.requests.changes.rule_changes import (
    change_begin,
    change_clocks,
    change_days,
    replace_weekdays,
    split_weekdays,
)
from function_calls.understanding.requests.changes.text_changes import correct_clock_in_text
from function_calls.understanding.requests.changes.updates import find_day_in_name, update
from function_calls.understanding.requests.known_reminders import find_due, find_old_lead, find_rule
from function_calls.understanding.requests.new_reminders.set_calls import repeat_last
from function_calls.understanding.requests.people import list_own_reminders, says_remind_me
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.references.remarks import INDEFINITE, find_remark
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.request_times import find_times
from services.reminders.model import Reminder

_DAY = timedelta(days=1)
_CLOCK = re.compile(r"\d\d:\d\d")


def move(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder, or how often it comes."""
    return None if _gives_reason_on_another_day(request) else _change_schedule(request)


def _gives_reason_on_another_day(request: RequestContext) -> bool:
    """Return whether the reason for a new day is a day on which the reminder does not come: 改到周六吧，周五我没空."""
    remark = "" if request.is_addressed or request.reading.has("REF") else find_remark(request)
    reminder = find_named_reminder(request) if remark.strip() else None
    if reminder is None:
        return False
    times = [time.best for time in find_times(request)]
    new_days = {time.start.date() for time in times if names_single_day(time) and not time.has_clock}
    reason_days = {*request.list_days(remark)} - new_days if new_days else set()
    coming = {due.date() for day in reason_days for due in request.list_coming(reminder, day)}
    return bool(reason_days) and reason_days.isdisjoint(coming)


def _change_schedule(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder: to another time, by an amount, or to another repetition."""
    request = correct_tags(request)
    if refuses_days(request):
        return skip(request)
    corrected = correct_clock_in_text(request)
    if corrected is not None:
        return corrected
    name = _find_time_alone(request)
    if name:
        return request.answers.call_tool("reminder_list", {"filter": request.strip_time_words(name)})
    shifted = _shift_time(request)
    if shifted is not None:
        return shifted
    if request.has_word(request.words.only_once) and not request.reading.has_rule:
        return _move_occurrence(request)
    days_before = find_days_before_itself(request)
    return _replace_time(request) if days_before is None else update(request, days_before)


def move_named_series(request: RequestContext) -> Interpretation | None:
    """Move the repeating reminder that a request to set one names: "put the daily at 1 on Friday".

    None where the words may be those of a new one, or for a day on which the reminder does not come.
    """
    series = _find_series_in_content(request)
    if series is None:
        return None
    times = [time.best for time in find_times(request)]
    if not times or any(time.rrule is not None for time in times):
        return None
    days = {time.start.date() for time in times if time.has_day}
    if any([due.date() for due in request.list_coming(series, day)] != [day] for day in days):
        return None
    request = request.retag("CONTENT", "REF")
    return repeat_last(request) if request.has_word(request.words.copying) else move(request)


def _find_series_in_content(request: RequestContext) -> Reminder | None:
    """Return the sender's repeating reminder that the content of an order names with an article."""
    reading, words = request.reading, request.words
    article, _, name = words.fold(request.content).partition(" ")
    is_definite = article in words.articles - INDEFINITE and bool(name)
    is_order = words.has_any((*words.change_it, *words.adding), reading.join_untagged(words.joint))
    is_new = reading.has("PERSON") or request.has_phrase(words.triggers)
    named = request.find_closest(name) if is_definite and is_order and not is_new else None
    is_own_series = named is not None and named.schedule.rule is not None and named in list_own_reminders(request)
    return named if is_own_series else None


def _shift_time(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder by an amount: later, earlier, or as a lead; None without one, or with a time."""
    may_have_lead = any(map(request.reading.has, ("LEAD", "EARLIER", "LATER")))
    reminder = find_named_reminder(request) if may_have_lead else None
    due = find_due(reminder, request.now)
    old_lead = timedelta() if reminder is None or due is None else find_old_lead(reminder.content, due, request)
    is_new = not request.words.joint and not request.has_word(request.words.beside)  # 再提前半小时 adds to the lead
    instead = (*request.words.corrections, *request.words.substitutes)
    is_lead = bool(old_lead) and (is_new or says_remind_me(request) or request.has_word(instead))
    if is_lead and request.has_word(request.words.ahead):
        request = request.retag("EARLIER", "LEAD")  # "avísame dos horas antes" in place of one hour
    later, earlier = request.parse_amount("LATER"), request.parse_amount("EARLIER")
    has_clock = request.is_clock(request.reading.pieces("WHEN"))  # "half an hour earlier, so at 8:30"
    event = due + old_lead if due is not None and old_lead else None
    is_shift_of_event = event is not None and _names_shifted_event(event, later, earlier, request)
    if (has_clock and not is_shift_of_event) or (later is None and earlier is None):
        return change_lead(old_lead, request)
    if later is not None and corrects_amount(request):
        return update(request, {"time": format_time(request.now + later)})
    amount = later or earlier or timedelta()
    dated = _tag_day_of_shift(request, -amount if later is None else amount)
    if dated is not None:
        return _replace_time(dated)
    is_earlier = later is None or _says_only_earlier(request)
    return update(request, {"time": format_shift(-amount if is_earlier else amount)})


def _names_shifted_event(
    event: datetime, later: timedelta | None, earlier: timedelta | None, request: RequestContext
) -> bool:
    """Return whether the named clock is that of a moved `event`: "dinner is at 10 now, move it by an hour"."""
    clock = request.parse_time(request.reading.pieces("WHEN"))
    moved = event + (later or -(earlier or timedelta()))
    return clock is not None and any(half.start.time() == moved.time() for half in list_halves(clock.best))


def _tag_day_of_shift(request: RequestContext, shift: timedelta) -> RequestContext | None:
    """Return the request with the day that `shift` of a monthly reminder leads to as its time: 提前一天吧，19号."""
    reminder = find_named_reminder(request)
    due, rule, reading = find_due(reminder, request.now), find_rule(reminder), request.reading
    if due is None or rule is None or rule.frequency != "MONTHLY":
        return None
    words = [reading.text_of(token) if token.form == "@day" else "" for token in reading.tokens]
    days = [next((time.best for time in request.read_times(each)), None) for each in words]
    tags = [
        "WHEN" if day is not None and day.start.day == (due + shift).day else "REF" if tag == "REF" else NO_TAG
        for day, tag in zip(days, reading.tags, strict=True)
    ]
    return request.with_tags(tags) if "WHEN" in tags else None


def _replace_time(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder to the time that the words name."""
    clock = parse_clock_beside_hour(request)
    if clock:
        return update(request, {"time": clock})
    begins = [FROM_THEN.sub("", piece) for piece in request.reading.pieces("FROM")]
    times = find_times(request) or request.parse_times(begins)
    times = list({time.best: time for time in reversed(times)}.values())  # "I start at 10, change mine to 10"
    if len(times) != 1:
        return change_clocks(request) or replace_weekdays(request)
    time = keep_days_of_series(choose_half_near_reminder(times[0], request), request)
    split = split_weekdays(request, time.best)
    if split is not None:
        return split
    since = request.strip_time_words(request.reading.words("FROM"))
    if are_function_words(since.casefold().split(), request.words):
        since = ""  # "a" alone of "a partir de ahora"
    changed = (
        make_amount_arguments(request, time)
        or move_with_event(request, time.best)
        or change_days(request, time.best)
        or keep_day_of_event(request, time.best)
        or change_begin(request, time, has_since=bool(since))
    )
    return _change_time(time, since, request) if changed is None else update(request, changed)


def _change_time(time: TimeWords, since: str, request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder to `time`, of a repeating one from the day `since` on where that is named."""
    old, new = _split_range(time, request)
    is_single = names_single_day(new.best)
    is_other_weekday = is_single and _replaces_weekday(request)
    is_from_day = is_single and not is_other_weekday and FROM_THEN.search(request.folded_text) is not None
    is_begin = not request.reading.has("WHEN") if since else is_from_day
    arguments, since = _find_begin_of_change(new, since, request, is_begin=is_begin)
    is_name = not request.reading.has("REF") and request.has_word(request.words.reference_marks)
    if old and not new.best.has_clock and not is_name:
        return update(request, {**arguments, "occurrence": old})
    if not since and _begins_daily_anew(arguments, request):
        return update(request, {**arguments, "type": "daily"})
    if is_single and not old and (is_other_weekday or request.has_word(request.words.always)):
        return update(request, {**arguments, "occurrence": "all"})
    return update(request, {**arguments, "since": since}, old_time=old)


def _find_begin_of_change(
    new: TimeWords, since: str, request: RequestContext, *, is_begin: bool
) -> tuple[dict[str, object], str]:
    """Return the arguments of a new time, and the day from which it holds: `since` or a day in `new`; "" for none.

    `is_begin` says that the day in `new` is the one from which its clock holds.
    """
    arguments, best = make_time_arguments(new, request), new.best
    due = find_due(find_named_reminder(request), request.now)
    if is_begin and best.has_clock:
        return {"time": f"{best.wall:%H:%M}"}, f"{best.wall:%Y-%m-%d}"
    if due is not None and since and request.is_clock([new.words]) and is_clock_without_half(new.words):
        # The half of the day is that of the reminder.
        arguments = {"time": f"{choose_nearer_half(best, due).wall:%H:%M}"}
    is_from_then = FROM_THEN.search(request.folded_text) and not request.has_phrase(request.words.always)
    if due is not None and best.rrule and is_from_then and best.start > due + _DAY:
        # "from January every two weeks"
        return {"time": f"{due:%H:%M}", **arguments}, since or f"{best.wall:%Y-%m-%d}"
    return arguments, since


def _begins_daily_anew(arguments: Mapping[str, object], request: RequestContext) -> bool:
    """Return whether a clock is for every day of a reminder set today, whose first clock was over by then."""
    is_clock = arguments.keys() == {"time"} and _CLOCK.fullmatch(str(arguments["time"]))
    reminder = find_named_reminder(request) if is_clock else None
    rule = find_rule(reminder)
    if reminder is None or rule is None:
        return False
    start, created = reminder.schedule.start, reminder.created_at.astimezone(request.now.tzinfo)
    begins_tomorrow = start.date() - created.date() == _DAY and start.time() < created.time()
    is_daily = (rule.frequency, rule.interval) == ("DAILY", 1)
    return is_daily and begins_tomorrow and created.date() == request.now.date()


def _replaces_weekday(request: RequestContext) -> bool:
    """Return whether the words name a weekday for a reminder of one day of the week, without a word for one time."""
    is_once = request.has_phrase(request.words.one_time)
    rule = find_rule(None if is_once else find_named_reminder(request))
    if rule is None or rule.frequency != "WEEKLY" or len(rule.days) > 1:
        return False
    times = [request.strip_time_words(piece).casefold() for piece in request.reading.pieces("WHEN")]
    return any(request.names_weekday(request.strip_leading_word(time, request.words.articles)) for time in times)


def _says_only_earlier(request: RequestContext) -> bool:
    """Return whether untagged words say that an amount of time tagged as later is to be taken off."""
    text, words = request.reading.join_untagged(request.words.joint), request.words
    return words.has_any(words.earlier, text) and not words.has_any(words.later, text)


def _find_time_alone(request: RequestContext) -> str:
    """Return the time of a Chinese request that has only a time and a word such as 那个: 十二点那个; "" for others."""
    name = request.reading.words("WHEN") or normalize_reference(request.reading.words("REF"), request.words)
    rest = request.folded_text.strip(" 。!！?？").removeprefix(name)
    is_one_time = not request.words.joint and bool(name) and len(request.read_times(name)) == 1
    return name if is_one_time and rest in request.words.reference_marks else ""


def _move_occurrence(request: RequestContext) -> Interpretation | None:
    """Move one occurrence of a repeating reminder: the one on the day that is named, or the next."""
    times = find_times(request)
    if len(times) != 1:
        return None
    _, new = _split_range(times[0], request)
    day = request.strip_time_words(request.reading.words("OLD") or find_day_in_name(request))
    return update(request, {**make_time_arguments(new, request), "occurrence": day or "next"})


def _split_range(time: TimeWords, request: RequestContext) -> tuple[str, TimeWords]:
    """Return the old time as text and the new time, where both were read as a range: "5pm to 6pm"."""
    best, has_from = time.best, FROM_WORD.search(request.folded_text) is not None
    is_range = best.end is not None if best.rrule is None else has_from
    words, *behind = map(request.strip_time_words, re.split(request.words.between_times, time.words))
    new = request.parse_time(behind) if is_range and len(behind) == 1 else None
    if new is None:
        return "", time
    old = request.parse_time([words])
    is_day = old is not None and old.best.has_day and not old.best.has_clock
    is_same = old is not None and old.best.start == new.best.start
    if old is not None and old.best.has_clock and words.partition(" ")[0] in request.words.articles:
        words = f"{old.best.start:%H:%M}"  # "de las 10 a las 12"
    return words if (is_day or not has_from) and not is_same else "", new
