"""Make calls of requests to change when existing reminders come."""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import dropwhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.reminder_words import find_stems
from function_calls.understanding.reading.tag_repair import tag_same_time
from function_calls.understanding.reading.times import (
    TimeWords,
    choose_nearer_half,
    keep_clock_in_part,
    list_halves,
    names_only_day,
    names_single_day,
    set_clock,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, Token, is_time, split_clauses
from function_calls.understanding.reminder_times import FROM_THEN
from function_calls.understanding.requests.arguments import (
    format_shift,
    format_time,
    make_change_arguments,
)
from function_calls.understanding.requests.changes.deletions import (
    find_day_in_name,
    read_time_in_name,
    refuses_weekdays,
    repeats_on,
    skip,
    update,
)
from function_calls.understanding.requests.new_reminders import repeat_last
from function_calls.understanding.requests.references import (
    INDEFINITE,
    JUST_NOW,
    find_due,
    find_messages_of,
    find_named_reminder,
    find_old_lead,
    find_references,
    find_remark,
    find_rule,
    list_own,
    says_remind_me,
)
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.request_times import are_listed_times, find_leads, find_times, tag_lead
from services.recurrence.rules import WEEKDAYS, Rule
from services.recurrence.schedule import rule_text
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading

_NEAR, _FAR, _DAY = timedelta(hours=1), timedelta(hours=3), timedelta(days=1)
_ANSWER_TIME = timedelta(seconds=2)
"""The longest time between a message and the reminder that it sets."""
_PERIODS = {"DAILY": _DAY, "WEEKLY": timedelta(days=7), "MONTHLY": timedelta(days=31)}
"""The longest time between two occurrences at each frequency."""
_LAST_HOUR, _NEAR_MINUTES = 12, 180
_BOTH, _WEEK = 2, 7
_DAYS_OF_MONTH = re.compile(r"FREQ=MONTHLY;(?:BYMONTHDAY=[\d,]+|BYDAY=-?\d[A-Z]{2})(?:;BYHOUR=\d+;BYMINUTE=\d+)?")
_WEEKDAYS = re.compile(r"FREQ=WEEKLY;BYDAY=(?P<days>[A-Z]{2}(?:,[A-Z]{2})*)(?:;BYHOUR=\d+;BYMINUTE=\d+)?")
_WEEKDAY = re.compile(r"FREQ=WEEKLY;BYDAY=[A-Z]{2}")
_CLOCK = re.compile(r"\d\d:\d\d")
_CLOCKS = re.compile(r"FREQ=DAILY;BYHOUR=\d+(?:,\d+)+;BYMINUTE=\d+")
_COUNT = re.compile(r"(?P<ahead>\D*?) ?(?P<count>\d{1,3})")
_FROM = re.compile(r"\bfrom\b|[从從]")


def move(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder, or how often it comes, and in Chinese also its text."""
    if _is_about_other_day(request):
        return None
    made, content = _move(request), _find_new_text(request)
    if made is None or not content or [call.name for call in made.calls] != ["reminder_update"]:
        return made
    call = made.calls[0]
    return replace(made, calls=(replace(call, arguments={**call.arguments, "content": content}),))


def _is_about_other_day(request: RequestContext) -> bool:
    """Return whether another day than that of the reminder is the reason for a new one: 改到周六吧，周五我没空."""
    is_open = not (request.is_addressed or request.reading.has("REF"))
    reminder = find_named_reminder(request) if is_open else None
    times = find_times(request) if reminder is not None and find_remark(request).strip() else []
    days = {time.best.start.date() for time in times if names_single_day(time.best) and not time.best.has_clock}
    others = {*request.list_days(find_remark(request))} - days if days else set()
    if reminder is None or not others:
        return False
    return not any(due.date() in others for day in others for due in request.list_coming(reminder, day))


def _find_new_text(request: RequestContext) -> str:
    """Return the text behind a Chinese word for "change to" that shares a character with the present one.

    把看牙改成洗牙，下午三点 changes both. Return "" for none.
    """
    words, reading = request.words, request.reading
    reminder = None if words.joint else find_named_reminder(request)
    begins = [reading.text.find(word) + len(word) for word in words.substitutes if word in words.fold(reading.text)]
    if reminder is None or not begins or request.words.fold(reminder.content) in words.fold(reading.text[begins[0] :]):
        return ""
    parts = "".join(
        "\n" if is_time(token) or token.form in CLAUSE_ENDS else reading.text_of(token)
        for token in reading.tokens
        if token.start >= min(begins)
    )
    texts = (slots.strip_edges(part, words.courtesies, words.joint)[0] for part in parts.splitlines())
    shared = {*words.fold(reminder.content)} - request.common_words
    return next((text for text in texts if len(text) > 1 and shared & {*words.fold(text)}), "")


def _move(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder: to another time, by an amount, or to another repetition."""
    request = _tag_one_day(request.with_reading(tag_same_time(request.reading, request.words)))
    request = _tag_listed_number(_tag_old_and_new(_tag_length(untag_reasons(request))))
    if refuses_weekdays(request):
        return skip(request)
    name = _find_time_alone(request)
    if name:
        return request.answers.call_tool("reminder_list", {"filter": request.strip_time_words(name)})
    shifted = _move_by(request)
    if shifted is not None:
        return shifted
    has_rule = request.reading.has_form("@rule")
    if request.has_word(request.words.only_once) and not has_rule:
        return _move_occurrence(request)
    ahead = _move_ahead_of_itself(request)
    return _move_to(request) if ahead is None else update(request, ahead)


def move_named_series(request: RequestContext) -> Interpretation | None:
    """Move the repeating reminder that a request to set one names: "put the daily at 1 on Friday".

    None where the words may be those of a new one: with "remind me", without an article or with other words, or for
    a day on which the reminder does not come.
    """
    reading, words = request.reading, request.words
    article, _, name = words.fold(slots.extract_content(reading, words)).partition(" ")
    is_definite = article in words.articles - INDEFINITE and bool(name)
    is_order = words.has_any((*words.change_it, *words.adding), reading.join_untagged(words.joint))
    is_new = reading.has("PERSON") or request.has_phrase(words.triggers)
    named = request.find_closest(name) if is_definite and is_order and not is_new else None
    if named is None or named not in list_own(request):
        return None
    is_other = not find_stems(name, request.common_words) <= find_stems(words.fold(named.content), ())
    bests = [time.best for time in find_times(request)]
    if is_other or not bests or named.schedule.rule is None or any(best.rrule is not None for best in bests):
        return None
    days = {best.start.date() for best in bests if best.has_day}
    if any([due.date() for due in request.list_coming(named, day)] != [day] for day in days):
        return None
    request = request.retag("CONTENT", "REF")
    return repeat_last(request) if request.has_word(words.copying) else move(request)


def _move_by(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder by an amount: later, earlier, or as a lead; None without one, or with a time."""
    reminder = find_named_reminder(request)
    due = find_due(reminder, request.now)
    old = timedelta() if reminder is None or due is None else find_old_lead(reminder.content, due, request)
    is_lead = bool(old) and (says_remind_me(request) or request.has_word(request.words.substitutes))
    if is_lead and request.has_word(request.words.ahead):
        request = request.retag("EARLIER", "LEAD")  # "avísame dos horas antes" in place of one hour
    later, earlier = request.parse_amount("LATER"), request.parse_amount("EARLIER")
    names_clock = request.is_clock(request.reading.pieces("WHEN"))  # "half an hour earlier, so at 8:30"
    if later is not None and not names_clock and _is_corrected_amount(request):
        return update(request, {"time": format_time(request.now + later)})
    if (later is not None or earlier is not None) and not names_clock:
        shift = later or earlier or timedelta()
        dated = _tag_day_of_shift(request, -shift if later is None else shift)
        if dated is not None:
            return _move_to(dated)
        return update(request, {"time": format_shift(-shift if later is None or _is_ahead(request) else shift)})
    told = {request.parse_length(piece) for piece in request.reading.pieces("LEAD")} - {old}
    lead = told.pop() if len(told) == 1 else request.parse_amount("LEAD")  # "2 hours is a lot, one is enough"
    if lead is None or request.reading.has("WHEN") or request.reading.has("EVENT"):
        return None
    if not old and not request.has_word(request.words.ahead) and _is_corrected_amount(request):
        return update(request, {"time": format_time(request.now + lead)})
    if request.has_word(request.words.later) and not request.has_word(request.words.ahead):
        return update(request, {"time": format_shift(lead)})  # "make it an hour more"
    return update(request, {"time": format_shift(old - lead)})


def _is_corrected_amount(request: RequestContext) -> bool:
    """Return whether an amount of time replaces the previous one: "sorry, I meant 20 minutes"."""
    is_shift = request.has_word(request.words.later) or request.has_word(request.words.earlier)
    reminder = None if is_shift else find_named_reminder(request)
    due, is_amount = find_due(reminder, request.now), _find_amount_set(reminder, request) is not None
    if due is None or (due - request.now >= _DAY and not is_amount):
        return False
    is_corrected = request.has_phrase(request.words.corrections)
    return is_corrected or (is_amount and request.has_phrase(request.words.substitutes))


def _find_amount_set(reminder: Reminder | None, request: RequestContext) -> timedelta | None:
    """Return the amount of time after which a message of the chat asked to be reminded: "in 2 hours"; None for others.

    Such a time counts from the message, so that it is another one a minute later.
    """
    told = next(iter(find_messages_of("" if reminder is None else reminder.content, request)), None)
    if told is None:
        return None
    sent = told.sent_at.astimezone(request.now.tzinfo)
    minute = timedelta(minutes=1)
    both = [request.read_times(told.text, at) for at in (sent, sent + minute)]
    bests = [times[0].best for times in both if len(times) == 1]
    first, second = bests if len(bests) == _BOTH else (None, None)
    if first is None or second is None or first.rrule is not None or second.start - first.start != minute:
        return None
    return first.start - sent


def _tag_day_of_shift(request: RequestContext, shift: timedelta) -> RequestContext | None:
    """Return the request with the day that `shift` of a monthly reminder leads to as its time: 提前一天吧，19号."""
    reminder = find_named_reminder(request)
    due, reading = find_due(reminder, request.now), request.reading
    rule = find_rule(reminder)
    if due is None or rule is None or rule.frequency != "MONTHLY":
        return None
    texts = [reading.text_of(token) if token.form == "@day" else "" for token in reading.tokens]
    read = [next((time.best for time in request.read_times(text)), None) for text in texts]
    tags = [
        "WHEN" if best is not None and best.start.day == (due + shift).day else "REF" if tag == "REF" else NO_TAG
        for best, tag in zip(read, reading.tags, strict=True)
    ]
    return request.with_tags(tags) if "WHEN" in tags else None


def _move_ahead_of_itself(request: RequestContext) -> dict[str, object] | None:
    """Return the arguments for some days before the reminder's own time: "to the day before at 8pm"."""
    leads = [] if request.reading.has("EVENT") else find_leads(tag_lead(request), has_event=True)
    reminder = find_named_reminder(request) if len(leads) == 1 else None
    due = find_due(reminder, request.now)
    if reminder is None or due is None or reminder.schedule.rule is not None or leads[0][0] < timedelta(days=1):
        return None
    days, clock = leads[0]
    day = due + timedelta(days=find_old_lead(reminder.content, due, request).days) - days
    if clock is not None and clock.best is not None:
        day = day.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    return {"time": format_time(day)}


def _move_to(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder to the time that the words name."""
    reading = request.reading
    since = request.strip_time_words(reading.words("FROM"))
    if slots.are_function_words(since.casefold().split(), request.words):
        since = ""  # "a" alone of "a partir de ahora"
    clock = _parse_clock_beside_hour(request)
    if clock:
        return update(request, {"time": clock})
    begins = [FROM_THEN.sub("", piece) for piece in reading.pieces("FROM")]
    times = find_times(request) or request.parse_times(begins)
    times = list({time.best: time for time in reversed(times)}.values())  # "I start at 10, change mine to 10"
    if len(times) != 1:
        return _change_clocks(request) or _replace_weekdays(request)
    time = _choose_half_near_reminder(times[0], request)
    split = _split_weekdays(request, time.best)
    if split is not None:
        return split
    changed = (
        _read_amount(request, time)
        or _move_with_event(request, time.best)
        or _change_day_of_month(request)
        or _exchange_weekday(request)
        or _change_weekday(request, time.best)
        or _move_ahead_of_event(request, time.best)
        or _keep_begin(request, time.best)
        or _begin_on(request, time.best)
        or (None if since else _repeat_from_begin(time, request))
    )
    return _change_time(time, since, request) if changed is None else update(request, changed)


def _change_time(time: TimeWords, since: str, request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder to `time`, of a repeating one from the day `since` on where that is named."""
    old, new = _split_range(time, request)
    arguments = _make_arguments(new, request)
    due = find_due(find_named_reminder(request), request.now)
    if due is not None and since and request.is_clock([new.words]) and is_clock_without_half(new.words):
        arguments = {
            "time": f"{choose_nearer_half(new.best, due).wall:%H:%M}"
        }  # the half of the day is that of the reminder
    is_single = names_single_day(new.best)
    is_weekday_replaced = is_single and _replaces_weekday(request)
    is_from_day = is_single and not is_weekday_replaced and FROM_THEN.search(request.folded_text) is not None
    is_begin = not request.reading.has("WHEN") if since else is_from_day
    if is_begin and new.best.has_clock:
        arguments, since = {"time": f"{new.best.wall:%H:%M}"}, f"{new.best.wall:%Y-%m-%d}"
    is_later = FROM_THEN.search(request.folded_text) and not request.has_phrase(request.words.always)
    if due is not None and new.best.rrule and is_later and new.best.start > due + _DAY:
        since = since or f"{new.best.wall:%Y-%m-%d}"  # "from January every two weeks"
        arguments = {"time": f"{due:%H:%M}", **arguments}
    is_name = not request.reading.has("REF") and request.has_word(request.words.reference_marks)
    if old and not new.best.has_clock and not is_name:
        return update(request, {**arguments, "occurrence": old})
    if not since and _begins_daily_anew(arguments, request):
        return update(request, {**arguments, "type": "daily"})
    if is_single and not old and (is_weekday_replaced or request.has_word(request.words.always)):
        return update(request, {**arguments, "occurrence": "all"})
    return update(request, {**arguments, "since": since}, old=old)


def _change_clocks(request: RequestContext) -> Interpretation | None:
    """Let a daily reminder come at other clocks of a day: "at 9, 15 and 20"; None for anything else."""
    reminder, spans = find_named_reminder(request), request.reading.spans("WHEN")
    rule = find_rule(reminder)
    if rule is None or not spans or (rule.frequency, rule.interval) != ("DAILY", 1) or not are_listed_times(request):
        return None
    listed = request.strip_time_words(request.reading.text[spans[0][0] : spans[-1][1]])
    phrases = (request.words.each_day.format(time=form.format(time=listed)) for form in request.words.as_time[:2])
    times = (request.parse_time([phrase]) for phrase in phrases)
    bests = [time.best for time in times if time is not None and _CLOCKS.fullmatch(time.best.rrule or "")]
    return update(request, make_change_arguments(bests[0], request.now)) if bests else None


def _replace_weekdays(request: RequestContext) -> Interpretation | None:
    """Let a weekly or daily reminder come on other weekdays: "no, Tuesday and Friday"; None for anything else."""
    words = request.strip_time_words(request.reading.words("WHEN"))
    days = request.find_weekdays(words)
    rule = find_rule(find_named_reminder(request) if len(days) > 1 else None)
    if rule is None or rule.interval != 1 or rule.frequency not in {"DAILY", "WEEKLY"}:
        return None
    return update(request, {"days": words})


def _split_weekdays(request: RequestContext, best: Reading) -> Interpretation | None:
    """Give some weekdays of a reminder a clock of their own: "Saturdays at 8" for one on Tuesdays and Saturdays at 6.

    "Make it Saturdays at 8", "it should be Saturdays at 8" and "every Saturday at 8" are for all of them.
    """
    reading, words = request.reading, request.words
    found = _WEEKDAYS.fullmatch(best.rrule or "") if best.has_clock else None
    reminder = None if found is None else find_named_reminder(request)
    due = find_due(reminder, request.now)
    if found is None or due is None or request.known is None or reminder not in list_own(request):
        return None
    days = frozenset(found["days"].split(","))
    first = reading.tags.index("WHEN") if reading.has("WHEN") else 0
    ahead = f"{words.joint}{words.fold(reading.text[: reading.tokens[first].start]).rstrip()}"
    whole = {*words.itself, *words.prepositions, *words.copulas_of_events} if words.joint else words.substitutes
    is_told = ahead.endswith(tuple(f"{words.joint}{word}" for word in whole))
    is_whole = reading.tokens[first].form.startswith("@rule") and is_told
    when = words.fold(request.strip_time_words(reading.words("WHEN")))
    is_each = request.begins_with(when, words.each)
    rule = reminder.schedule.rule
    before = {WEEKDAYS[day] for _, day in rule.days} if rule is not None and rule.days else {*WEEKDAYS}
    is_bare = not (first or reading.has("REF") or request.has_word((*words.corrections, *words.substitutes)))
    is_beside = len(before) > 1 and days.isdisjoint(before) and is_bare  # weekends beside Monday to Friday
    is_same = is_each or best.start.time() == due.time() or not (is_beside or repeats_on(reminder, days))
    if is_same or (first and is_whole):
        return None
    until = None if rule is None else rule.until
    changed = {"rrule": _weekly_text(before - days), "reminder_id": reminder.id}
    same = request.known.make_arguments(reminder)
    time = {"type": "once", "time": format_time(best.start), "rrule": _weekly_text(days, until=until)}
    added = {"content": same["content"], "person": same["person"], **time}
    setting = request.answers.call_tool("reminder_set", added)
    return setting if is_beside else merge_or_none([request.answers.call_tool("reminder_update", changed), setting])


def _choose_half_near_reminder(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an open clock of a day or rule in the half of the day in which it is near the clock of the reminder."""
    due = find_due(find_named_reminder(request), request.now)
    found = request.read_times(time.words)
    hours = {each.start.hour for each in found[0].readings} if len(found) == 1 else set()
    if due is None or slots.is_clock_alone(time.best) or hours != {each.start.hour for each in list_halves(time.best)}:
        return time
    near = choose_nearer_half(time.best, due)
    distance = abs((near.start.hour - due.hour) * 60 + near.start.minute - due.minute)
    read = next(each for each in found[0].readings if each.start.hour == near.start.hour)
    best = read if read.rrule is not None else set_clock(time.best, near)
    return replace(time, readings=(best,)) if distance < _NEAR_MINUTES else time


def _repeat_from_begin(time: TimeWords, request: RequestContext) -> dict[str, object] | None:
    """Return the arguments of other days for a repeating reminder that begins later: no earlier than it begins."""
    frequency = (time.best.rrule or "").partition(";")[0].removeprefix("FREQ=")
    reminder = find_named_reminder(request) if frequency in _PERIODS else None
    rule = find_rule(reminder)
    first = find_due(reminder, request.now)
    if rule is None or first is None or time.best.has_clock or time.best.part:
        return None
    if first - request.now <= _PERIODS.get(rule.frequency, _PERIODS[frequency]) * rule.interval:
        return None
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    later = request.parse_time([time.words], midnight)
    if later is None or later.best.rrule != time.best.rrule:
        return None
    start = later.best.start.replace(hour=first.hour, minute=first.minute, second=first.second)
    return {"time": format_time(start), "rrule": str(time.best.rrule)}


def _change_weekday(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments for another weekday ("Thursdays") of a reminder that repeats every two or more weeks.

    "Every Thursday" is every week.
    """
    words = request.words.fold(request.strip_time_words(request.reading.words("WHEN")))
    is_bare = not request.begins_with(words, request.words.each)
    rule = find_rule(find_named_reminder(request) if is_bare and _WEEKDAY.fullmatch(best.rrule or "") else None)
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
    if _is_hour_of(reminder, request) or any(best.grain is Grain.MONTH for best in former):
        return None  # "in December make it the 17th" is for one of them
    pieces = [request.strip_time_words(piece) for piece in request.reading.pieces("WHEN")]
    phrases = [request.words.each_month.format(days=piece) for piece in pieces[:1]]
    time = request.parse_time([*phrases, *pieces[1:]])
    if time is None or not _DAYS_OF_MONTH.fullmatch(time.best.rrule or ""):
        return None
    if (time.best.rrule or "").count(",") + 1 < len(rule.month_days or rule.days):
        return None  # the 20th for one of the 15th and the 28th
    if rule.months:
        day = str(time.best.rrule).removeprefix("FREQ=MONTHLY;")
        return {"rrule": f"FREQ=YEARLY;BYMONTH={','.join(map(str, rule.months))};{day}"}
    return make_change_arguments(time.best, request.now)


def _is_hour_of(reminder: Reminder | None, request: RequestContext) -> bool:
    """Return whether a bare figure is an hour: it replaces that of the reminder, or this has no day of the month."""
    words, old = (request.strip_time_words(request.reading.words(tag)) for tag in ("WHEN", "OLD"))
    due = find_due(reminder, request.now)
    if reminder is None or reminder.schedule.rule is None or due is None or not slots.is_figure(words):
        return False
    is_replaced = slots.is_figure(old) and int(old) in {due.hour, due.hour % _LAST_HOUR}
    return is_replaced or not reminder.schedule.rule.month_days


def _exchange_weekday(request: RequestContext) -> dict[str, object] | None:
    """Return the arguments for another day in place of one of a weekly reminder: "Sunday instead of Saturday"."""
    rule = find_rule(None if request.has_word(request.words.one_time) else find_named_reminder(request))
    if rule is None or rule.frequency != "WEEKLY" or (len(rule.days) > 1 and find_references(request)):
        return None
    old, new = (_read_bare_weekday(request, tag) for tag in ("OLD", "WHEN"))
    days = [WEEKDAYS[day] for _, day in rule.days]
    if not old or not new or old not in days:
        return None
    return {"rrule": _weekly_text({new, *days} - {old}, rule.interval)}


def _weekly_text(days: Iterable[str], interval: int = 1, until: datetime | None = None) -> str:
    """Return the text of a rule for the weekdays `days`, as in BYDAY."""
    places = sorted(map(WEEKDAYS.index, days))
    return str(Rule(frequency="WEEKLY", interval=interval, days=tuple((0, at) for at in places), until=until))


def _read_bare_weekday(request: RequestContext, tag: str) -> str:
    """Return the weekday, as in BYDAY, that the words with `tag` name without a week or a clock; "" for others."""
    words = request.strip_time_words(request.reading.words(tag))
    if not words or not request.names_weekday(words):
        return ""
    return next(iter(request.find_weekdays(words)), "")


def _keep_begin(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments of another interval of hours or minutes that begins with the next time of the reminder."""
    parts = re.fullmatch(r"FREQ=(?P<unit>HOUR|MINUTE)LY(?:;INTERVAL=(?P<count>\d+))?", best.rrule or "")
    reminder = None if parts is None else find_named_reminder(request)
    rule = find_rule(reminder)
    due = find_due(reminder, request.now)
    if parts is None or rule is None or not rule.is_elapsed or due is None:
        return None
    interval = timedelta(**{f"{parts['unit'].lower()}s": int(parts["count"] or 1)})
    if best.start - request.now != interval:
        return None
    return {"time": format_time(due), "rrule": str(best.rrule)}


def _begin_on(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments of a repeating reminder that begins on another day: "starting the 17th"."""
    when, since = (request.reading.words(tag) for tag in ("WHEN", "FROM"))
    is_begin = not (when and since) and (FROM_THEN.search(when or since) or request.has_phrase(request.words.beginning))
    reminder = find_named_reminder(request) if is_begin and names_only_day(best) else None
    if reminder is None or reminder.schedule.rule is None:
        return None
    day = best.start.date()
    later = replace(reminder.schedule, start=datetime.combine(day, reminder.schedule.start.time()))
    coming = request.list_coming(replace(reminder, schedule=later), day)
    return {"time": format_time(coming[0]), "rrule": rule_text(reminder.schedule)} if coming else None


def _move_ahead_of_event(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the hour ahead of an event without a day, on the reminder's day: "it is at 4, an hour before"."""
    events = request.parse_times(request.reading.pieces("EVENT"))
    if len(events) != 1 or not request.reading.has("LEAD") or events[0].best.has_day:
        return None
    return {"time": f"{best.wall:%H:%M}"}


def _move_with_event(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments that keep the time ahead of an event whose new time is told: "the flight is at 3 now"."""
    words, reminder = request.words, find_named_reminder(request)
    due, start = find_due(reminder, request.now), min(request.reading.spans("WHEN"), default=(0, 0))[0]
    if reminder is None or due is None or (reminder.schedule.rule is not None and best.has_day):
        return None
    if not request.reading.has("REF") and request.has_phrase(words.corrections):
        return None  # 算了还是上午吧 names the reminder's time
    lead = find_old_lead(reminder.content, due, request)
    name = {*words.fold(reminder.content).split(), *words.articles, *words.itself}
    told = {token.form for token in request.reading.tokens if token.end <= start} - name
    verbs = told & (words.copulas_of_events - words.prepositions)
    if not lead or not verbs or not slots.are_function_words(told - words.copulas_of_events, words):
        return None
    event = due + lead
    clock = (best if best.has_day else choose_nearer_half(best, event)).start if best.has_clock else event
    moved = datetime.combine(best.start if best.has_day else event, clock.timetz())
    is_by_days = event.date() > due.date()  # "the day before at 8pm"
    early = due + (moved.date() - event.date()) if is_by_days else moved - lead
    return {"time": f"{early:%H:%M}" if reminder.schedule.rule is not None else format_time(early)}


def _begins_daily_anew(arguments: Mapping[str, object], request: RequestContext) -> bool:
    """Return whether a clock is another one for every day of a reminder set today, whose clock was past by then."""
    reminder = find_named_reminder(request)
    rule = find_rule(reminder)
    if reminder is None or rule is None or arguments.keys() != {"time"} or not _CLOCK.fullmatch(str(arguments["time"])):
        return False
    start, made = reminder.schedule.start, reminder.created_at.astimezone(request.now.tzinfo)
    is_past = start.date() - made.date() == _DAY and start.time() < made.time()
    return (rule.frequency, rule.interval) == ("DAILY", 1) and is_past and made.date() == request.now.date()


def _replaces_weekday(request: RequestContext) -> bool:
    """Return whether the words name a weekday for a reminder of one day of the week, without a word for one time."""
    rule, is_once = find_rule(find_named_reminder(request)), request.has_phrase(request.words.one_time)
    if rule is None or is_once or rule.frequency != "WEEKLY" or len(rule.days) > 1:
        return False
    words = [request.strip_time_words(piece).casefold() for piece in request.reading.pieces("WHEN")]
    bare = [request.strip_leading_word(word, request.words.articles) for word in words]
    return any(request.names_weekday(each) for each in bare)


def _parse_clock_beside_hour(request: RequestContext) -> str:
    """Return the clock of words without an hour near that of the reminder: "quarter to", 半; "" for none."""
    words = request.strip_time_words(request.reading.words("WHEN"))
    due = find_due(find_named_reminder(request), request.now)
    if not words or slots.is_figure(words) or request.read_times(words) or due is None:
        return ""
    whole = request.parse_time([words])
    if whole is not None and whole.best.rrule is None:
        return ""
    found: list[datetime] = []
    for hour in (due.hour - 1, due.hour, due.hour + 1):
        phrase = request.words.with_hour.format(time=words, hour=hour % _LAST_HOUR or _LAST_HOUR)
        time = request.parse_time([phrase])
        if time is not None:
            found += [due.replace(hour=half.start.hour, minute=half.start.minute) for half in list_halves(time.best)]
    clock = min(found, key=lambda each: abs(each - due), default=None)
    return "" if clock is None else f"{clock:%H:%M}"


def _is_ahead(request: RequestContext) -> bool:
    """Return whether untagged words say that an amount of time tagged as later is to be taken off."""
    text, words = request.reading.join_untagged(request.words.joint), request.words
    return words.has_any(words.earlier, text) and not words.has_any(words.later, text)


def _find_time_alone(request: RequestContext) -> str:
    """Return the time of a request that has only a time and a word such as 那个: 十二点那个; "" for others."""
    name = request.reading.words("WHEN") or slots.normalize_reference(request.reading.words("REF"), request.words)
    rest = request.folded_text.strip(" 。!！?？").removeprefix(name)
    is_time = not request.words.joint and bool(name) and len(request.read_times(name)) == 1
    return name if is_time and rest in request.words.reference_marks else ""


def _move_occurrence(request: RequestContext) -> Interpretation | None:
    """Move one occurrence of a repeating reminder: the one on the day that is named, or the next."""
    times = find_times(request)
    if len(times) != 1:
        return None
    _, new = _split_range(times[0], request)
    day = request.strip_time_words(request.reading.words("OLD") or find_day_in_name(request))
    return update(request, {**_make_arguments(new, request), "occurrence": day or "next"})


def untag_reasons(request: RequestContext) -> RequestContext:
    """Return a change with the times of a reason untagged.

    "Friday please, I'm busy on Thursday"; "I can start at 10, please change mine to 10".
    """
    request = _cut_reason(request)
    reading = request.reading
    dated = [clause for clause in split_clauses(reading.tokens) if any(reading.tags[at] == "WHEN" for at in clause)]
    asks = [_asks_for_change(clause, request) for clause in dated]
    others = dated[:-1] if asks[-1:] == [True] else dated[1:]
    told = (clause for clause in others if not _asks_for_change(clause, request) and _is_reason(clause, request))
    reasons = {at for clause in told for at in clause}
    if not reasons:
        return request
    tags = tuple(NO_TAG if at in reasons and tag == "WHEN" else tag for at, tag in enumerate(reading.tags))
    return request.with_tags(tags)


def _tag_one_day(request: RequestContext) -> RequestContext:
    """Return a change with its day in front, without a word such as "from", as the one to change: 明天遛狗改七点."""
    reading, text = request.reading, request.folded_text
    spans, starts = reading.spans("FROM"), {token.start for token in reading.tokens if is_time(token)}
    is_begin = reading.has("OLD") or FROM_THEN.search(text) or _FROM.search(text)
    is_changed = any(map(reading.has, ("WHEN", "LATER", "EARLIER")))
    if is_begin or not is_changed or not spans or spans[0][0] not in starts:
        return request
    return request.retag("FROM", "OLD")


def _tag_old_and_new(request: RequestContext) -> RequestContext:
    """Return a change with the old and the new time apart: "from Sunday at 8 to Saturday at 9" may be read as one.

    Both have a day and a clock, or are clocks that tell which reminder is meant: "mine from 3 to 5", "the one at 10 to
    11".
    """
    reading, words = request.reading, request.words
    times = reading.times
    if not times or not words.joint or reading.has_form("@rule"):
        return request
    start, end = times[0].start, times[-1].end
    is_unnamed = _is_at_clock(request, start)
    start += len(found[0]) if (found := _FROM.match(reading.text[start:end])) else 0
    for link in re.finditer(words.between_days, reading.text[start:end]):
        old, new = (start, start + link.start()), (start + link.end(), end)
        is_moved = is_unnamed and all(request.is_clock([reading.text[slice(*span)]]) for span in (old, new))
        if is_moved or (_names_day_and_clock(old, request) and _names_day_and_clock(new, request)):
            between = Token(old[1] + 1, new[0] - 1, link[0].strip())
            form = "@clock" if is_moved else "@dayclock"
            pieces = [(Token(*old, form), "OLD"), (between, NO_TAG), (Token(*new, form), "WHEN")]
            others = [NO_TAG if is_moved and tag == "REF" else tag for tag in reading.tags]
            pairs = list(zip(reading.tokens, others, strict=True))
            ahead = [pair for pair in pairs if pair[0].end <= start]
            behind = [pair for pair in pairs if pair[0].start >= end]
            tokens, tags = zip(*ahead, *pieces, *behind, strict=True)
            return request.with_reading(replace(reading, tokens=tokens, tags=tags, begins=(), known=frozenset()))
    return request


def _tag_listed_number(request: RequestContext) -> RequestContext:
    """Return a change with a number of the list apart from its clock: "cambia el 1 a las 16:00".

    It is a day where the list has not just been shown and no order stands in front.
    """
    reading, known = request.reading, request.known
    times = [at for at, token in enumerate(reading.tokens) if is_time(token)]
    if len(times) != 1 or known is None or reading.has("REF"):
        return request
    at, token = times[0], reading.tokens[times[0]]
    article, _, behind = reading.text_of(token).partition(" ")
    number, _, rest = behind.partition(" ")
    new = (token.end - len(rest), token.end)
    is_ordered = bool(at) and reading.tokens[at - 1].form in request.words.change_it
    listed = known.shown.ids if request.now - known.shown.at <= JUST_NOW else request.reminders if is_ordered else ()
    is_listed = number.isdecimal() and 0 < int(number) <= len(listed) and article.casefold() in request.words.articles
    if not (is_listed and rest and request.is_clock([rest])):
        return request
    begin = new[0] - 1 - len(number)
    name = [(Token(token.start, begin, article), "REF"), (Token(begin, new[0] - 1, "0"), "REF")]
    return request.with_reading(reading.split_token(at, [*name, (Token(*new, "@clock"), "WHEN")]))


def _is_at_clock(request: RequestContext, start: int) -> bool:
    """Return whether the time at `start` tells which reminder is meant: behind "from" or "the one", without a name."""
    reading, words = request.reading, request.words
    names = {words.fold(name) for name in slots.extract_references(reading, words)}
    figure = re.search(r"\d", reading.text[start:])
    *_, mark, link = ["", "", *words.fold(reading.text[: start + (figure.start() if figure else 0)]).split()]
    is_marked = mark in words.reference_marks and link in {*words.before_time} - words.until_words
    is_from = _FROM.search(request.folded_text) is not None
    return (is_from or is_marked) and names <= {*words.own_one, *words.itself}


def _names_day_and_clock(span: tuple[int, int], request: RequestContext) -> bool:
    """Return whether a piece of the text is one time with a day and a clock that does not repeat."""
    found = request.read_times(request.reading.text[slice(*span)])
    best = found[0].readings[0] if len(found) == 1 and found[0].readings else None
    return names_single_day(best) and best.has_clock


def _tag_length(request: RequestContext) -> RequestContext:
    """Tag the days for which a repetition goes on as its end: 要连喂五天，每天都是四点.

    They stand in a clause of their own, behind a word such as 连 or a character of the text of the reminder.
    """
    reading, words = request.reading, request.words
    is_repeated = reading.has_form("@rule") and not reading.has("UNTIL")
    reminder = find_named_reminder(request) if words.lasting and is_repeated else None
    content = "" if reminder is None else words.fold(reminder.content)
    clauses = split_clauses(reading.tokens) if content else []
    free = [clause for clause in clauses if all(reading.tags[at] == NO_TAG for at in clause)]
    for at, last in ((at, clause[-1]) for clause in free for at in clause[1:]):
        ahead = words.fold(reading.text[: reading.tokens[at].start])
        length = request.parse_length(reading.text_of(reading.tokens[at], reading.tokens[last]))
        if length is not None and length >= _DAY and ahead.endswith((*words.lasting, *content)):
            return request.with_tags("UNTIL" if at <= place <= last else tag for place, tag in enumerate(reading.tags))
    return request


def _cut_reason(request: RequestContext) -> RequestContext:
    """Return a Chinese change whose time ends at the comma in front of a reason: 改成每月2号，1号工资还没到.

    Lists have another mark in Chinese.
    """
    reading, words = request.reading, request.words
    tokens = reading.tokens
    clauses = [] if words.joint else split_clauses(tokens)
    for at, last in ((at, clause[-1]) for clause in clauses for at in clause if reading.tags[at] == "WHEN"):
        bare, comma, _ = reading.text_of(tokens[at], tokens[at]).replace("，", ",").partition(",")
        told = [token.form for token in tokens[at + 1 : last + 1]]
        if comma and not slots.are_function_words(told, words) and not words.has_any(words.calling, "".join(told)):
            cut = replace(tokens[at], end=tokens[at].start + len(bare))
            return request.with_reading(replace(reading, tokens=(*tokens[:at], cut, *tokens[at + 1 :])))
    return request


def _asks_for_change(clause: Sequence[int], request: RequestContext) -> bool:
    """Return whether a clause asks for a change: "please change mine", "next week, skip the 2nd"."""
    text = request.words.joint.join(request.reading.tokens[at].form for at in clause)
    return request.words.has_any((*request.words.change_it, *request.words.skipping), text)


def _is_reason(clause: Sequence[int], request: RequestContext) -> bool:
    """Return whether a clause says more than a time."""
    tokens = request.reading.tokens
    phrase = [tokens[at].form for at in clause if not is_time(tokens[at])]
    return not slots.are_function_words(phrase, request.words)


def _read_amount(request: RequestContext, time: TimeWords) -> dict[str, object] | None:
    """Return the arguments of an amount of time: "20 minutes sooner", or "20" after "in 15 minutes"."""
    piece = request.reading.words("WHEN")
    corrected = _correct_count(piece, request) or _correct_minutes(piece, request)
    if corrected is not None or slots.is_figure(piece):
        return corrected
    if time.best.has_clock and time.best.has_day and request.has_word(request.words.same_time):
        return {"time": f"{time.best.wall:%Y-%m-%d}"}
    is_earlier, words = request.has_word(request.words.earlier), request.words
    is_within = "@offset" in request.reading.forms and words.has_any(words.later, words.fold(piece))
    is_later = is_within or request.has_word(words.later)  # one token: "una hora más tarde"
    is_clock = ("@clock", "WHEN") in zip(request.reading.forms, request.reading.tags, strict=True)
    length = request.parse_length(piece) if (is_earlier or is_later) and not is_clock else None
    return None if length is None else {"time": format_shift(-length if is_earlier else length)}


def _correct_minutes(piece: str, request: RequestContext) -> dict[str, object] | None:
    """Return the time in as many minutes as a bare number says; None where it is an hour.

    It counts minutes where the reminder comes within the hour, and no hour is as great or it was set by an amount of
    time and the next such hour is far.
    """
    last = None if request.last_set is None else request.last_set.arguments.get("time")
    best = request.read_only_time(str(last)) if last else None
    due = None if best is None else best.start
    if due is None or not timedelta() < due - request.now <= _NEAR:
        return None
    amount = request.parse_length(request.words.as_length.format(minutes=piece))
    if amount is None or request.parse_length(piece) not in {None, amount}:  # "an hour and a half"
        return None
    is_amount = amount > timedelta(minutes=_LAST_HOUR) or _is_ahead_by_amount(piece, due, request)
    return {"time": format_time(request.now + amount)} if is_amount else None


def _correct_count(piece: str, request: RequestContext) -> dict[str, object] | None:
    """Return the time or the repetition of a bare number that corrects an amount of time, in the unit of that.

    "No, 3" and "in 3" after "in 2 hours" are hours, "every 3" after "every 2 days" is days.
    """
    words, reminder = request.words, find_named_reminder(request)
    found = _COUNT.fullmatch(words.fold(piece.strip()))
    if found is None or reminder is None or not int(found["count"]):
        return None
    count, rule, due = int(found["count"]), reminder.schedule.rule, find_due(reminder, request.now)
    if found["ahead"] in words.each:
        again = None if rule is None else str(replace(rule, interval=count))
        return None if again is None or due is None else {"time": format_time(due), "rrule": again}
    slips = [word for word in words.corrections if " " not in word]  # "make it 2" may be a clock
    is_bare = not found["ahead"] and count <= _LAST_HOUR and request.has_phrase(slips)
    is_ahead = any(piece.strip().casefold() == form.format(amount=count) for form in words.amount_ahead)
    amount = _find_amount_set(reminder, request) if is_bare or is_ahead else None
    units = (timedelta(days=_WEEK), _DAY, _NEAR) if is_ahead else (_NEAR,)
    unit = next((unit for unit in units if amount and not amount % unit), None)
    return None if unit is None else {"time": format_time(request.now + count * unit)}


def _is_ahead_by_amount(piece: str, due: datetime, request: RequestContext) -> bool:
    """Return whether the reminder at `due` was set once by whole minutes, and the next such hour is far."""
    reminder = find_named_reminder(request)
    clock = request.parse_time([piece])
    if reminder is None or clock is None or reminder.schedule.rule is not None or due - reminder.created_at > _NEAR:
        return False
    is_round = (due - reminder.created_at + _ANSWER_TIME) % timedelta(minutes=1) <= 2 * _ANSWER_TIME
    return is_round and min(half.start for half in clock.readings) - due > _FAR


def _make_arguments(time: TimeWords, request: RequestContext) -> dict[str, object]:
    """Return the arguments of a new time; the time of the reminder tells the half of the day of a bare "7"."""
    best = time.best
    words = request.strip_time_words(time.words)
    if slots.is_clock_alone(best) and is_clock_without_half(words):
        is_figure = words[-1:].isdecimal() and words.isascii()  # "6:30" alone is a clock of 24 hours
        half = _find_half_named(request)
        if half is not None:
            clock = list_halves(best)[half].start
            return {"time": f"{clock:%H:%M}"}
        is_read = not is_figure and bool(request.read_times(words))
        bare = " ".join(dropwhile(request.words.around_time.__contains__, words.split()))  # "around 9" is at 9
        return {"time": words if is_read else request.words.as_time[1].format(time=bare)}
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


def _move_behind_reminder(best: Reading, words: str, request: RequestContext) -> Reading:
    """Return a weekday "after" behind the day of the reminder: "move it to the Monday after"."""
    due = find_due(find_named_reminder(request), request.now)
    if due is None or best.start.date() > due.date() or best.has_clock:
        return best
    is_weekday = request.names_weekday(words)
    is_later = request.reading.words("WHEN").casefold().endswith(request.words.following)
    return best._replace(start=best.start + timedelta(days=_WEEK)) if is_weekday and is_later else best


def _find_half_named(request: RequestContext) -> int | None:
    """Return 0 for the morning or 1 for the evening of the reminder that is named: 晚上的药改成七点; None for none."""
    best = read_time_in_name(request)
    return int(best.start.hour >= _LAST_HOUR) if best is not None and best.part else None


def _move_near_reminder(day: datetime, words: str, request: RequestContext) -> datetime:
    """Return `day` near the reminder: the weekday beside it or in its week, the nearest 4th of a month."""
    olds = request.list_readings(request.reading.words("OLD"))
    week = next((best.start for best in olds if best.grain is Grain.WEEK), None)
    if week is not None and request.names_weekday(words):
        return day + timedelta(days=(week.date() - day.date()).days + day.weekday() - week.weekday())
    reminder = find_named_reminder(request)
    rule, due = find_rule(reminder), find_due(reminder, request.now)
    # "this Friday" is one token, in which `has_word` finds no "this".
    is_this = bool(request.words.joint) and request.has_phrase(request.words.one_time)
    if is_this or due is None or (rule is not None and rule.frequency != "MONTHLY"):
        return day
    if request.names_weekday(words):
        apart = day.weekday() - due.weekday()
        near = {1: 1, _WEEK - 1: -1}.get(apart % _WEEK, apart)
        return max(day, day + (due.date() - day.date()) + timedelta(days=near))
    is_dated = request.has_word(request.words.one_time)  # "the 4th of next month"
    phrase = request.words.each_month.format(days=words)
    monthly = None if is_dated else request.parse_time([phrase])
    if monthly is None or not _DAYS_OF_MONTH.fullmatch(monthly.best.rrule or ""):
        return day
    months = (due.year * 12 + due.month - 1 + beside for beside in (-1, 0, 1))
    days = [_replace_month(day, month) for month in months]
    return min((each for each in days if each >= day), key=lambda each: abs(each - due), default=day)


def _replace_month(day: datetime, month: int) -> datetime:
    """Return `day` in a month counted from the year 0, or its last day where that is shorter."""
    year, at = divmod(month, 12)
    return day.replace(year=year, month=at + 1, day=min(day.day, monthrange(year, at + 1)[1]))


def _split_range(time: TimeWords, request: RequestContext) -> tuple[str, TimeWords]:
    """Return the old time as text and the new time, where both were read as a range: "5pm to 6pm"."""
    best, is_from = time.best, _FROM.search(request.folded_text) is not None
    is_stretch = best.end is not None if best.rrule is None else is_from
    parts = [request.strip_time_words(part) for part in re.split(request.words.between_times, time.words)]
    new = request.parse_time(parts[1:]) if is_stretch and len(parts) == _BOTH else None
    if new is None:
        return "", time
    old = request.parse_time(parts[:1])
    is_day = old is not None and old.best.has_day and not old.best.has_clock
    is_same = old is not None and old.best.start == new.best.start
    if old is not None and old.best.has_clock and parts[0].partition(" ")[0] in request.words.articles:
        parts[0] = f"{old.best.start:%H:%M}"  # "de las 10 a las 12"
    return parts[0] if (is_day or not is_from) and not is_same else "", new
