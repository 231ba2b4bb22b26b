"""Make calls of requests to change when existing reminders come."""

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import dropwhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.reminder_words import find_stems
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.slots.small_words import are_function_words, is_figure, strip_edges
from function_calls.understanding.reading.times import (
    TimeWords,
    choose_nearer_half,
    is_clock_alone,
    keep_clock_in_part,
    list_halves,
    names_only_day,
    names_single_day,
    set_clock,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.reminder_times import FROM_THEN, format_shift, format_time, make_change_arguments
from function_calls.understanding.requests.changes.deletions import refuses_weekdays, skip
from function_calls.understanding.requests.changes.move_tags import FROM_WORD, correct_tags
from function_calls.understanding.requests.changes.rule_changes import (
    DAYS_OF_MONTH,
    change_begin,
    change_clocks,
    change_days,
    replace_weekdays,
    split_weekdays,
)
from function_calls.understanding.requests.changes.updates import find_day_in_name, read_time_in_name, update
from function_calls.understanding.requests.known_reminders import find_due, find_messages_of, find_old_lead, find_rule
from function_calls.understanding.requests.leads import find_leads, tag_lead
from function_calls.understanding.requests.new_reminders.set_calls import repeat_last
from function_calls.understanding.requests.people import list_own, says_remind_me
from function_calls.understanding.requests.references import INDEFINITE, find_named_reminder, find_remark
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.request_times import find_times
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading

_MINUTE, _HOUR, _DAY, _WEEK = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
_HOURS_A_HALF = 12
_ANSWER_TIME = timedelta(seconds=2)
"""The longest time between a message and the reminder that it sets."""
_FAR_CLOCK = timedelta(hours=3)
"""The time behind which nobody means a clock by a bare number of minutes."""
_NEAR_MINUTES = 180
"""The distance from the clock of the reminder within which a new clock is in the same half of the day."""
_CLOCK = re.compile(r"\d\d:\d\d")
_COUNT = re.compile(r"(?P<ahead>\D*?) ?(?P<count>\d{1,3})")


def move(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder, or how often it comes, and in Chinese also its text."""
    if _gives_reason_on_another_day(request):
        return None
    made = _change_schedule(request)
    if made is None or [call.name for call in made.calls] != ["reminder_update"]:
        return made
    content, call = _find_new_text(request), made.calls[0]
    changed = replace(call, arguments={**call.arguments, "content": content})
    return replace(made, calls=(changed,)) if content else made


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


def _find_new_text(request: RequestContext) -> str:
    """Return the Chinese text behind "change to" that shares a character with the present one: 看牙改成洗牙."""
    words, reading = request.words, request.reading
    folded = words.fold(reading.text)
    substitutes = () if words.joint else words.substitutes
    starts = [reading.text.find(word) + len(word) for word in substitutes if word in folded]
    reminder = find_named_reminder(request) if starts else None
    if reminder is None or words.fold(reminder.content) in words.fold(reading.text[starts[0] :]):
        return ""
    behind = "".join(
        "\n" if is_time(token) or token.form in CLAUSE_ENDS else reading.text_of(token)
        for token in reading.tokens
        if token.start >= min(starts)
    )
    texts = (strip_edges(part, words.courtesies, words.joint)[0] for part in behind.splitlines())
    characters = {*words.fold(reminder.content)} - request.common_words
    return next((text for text in texts if len(text) > 1 and characters & {*words.fold(text)}), "")


def _change_schedule(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder: to another time, by an amount, or to another repetition."""
    request = correct_tags(request)
    if refuses_weekdays(request):
        return skip(request)
    name = _find_time_alone(request)
    if name:
        return request.answers.call_tool("reminder_list", {"filter": request.strip_time_words(name)})
    shifted = _shift_time(request)
    if shifted is not None:
        return shifted
    if request.has_word(request.words.only_once) and not request.reading.has_form("@rule"):
        return _move_occurrence(request)
    days_before = _find_days_before_itself(request)
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
    """Return the sender's repeating reminder that the content of an order names with an article and no other words."""
    reading, words = request.reading, request.words
    article, _, name = words.fold(request.content).partition(" ")
    is_definite = article in words.articles - INDEFINITE and bool(name)
    is_order = words.has_any((*words.change_it, *words.adding), reading.join_untagged(words.joint))
    is_new = reading.has("PERSON") or request.has_phrase(words.triggers)
    named = request.find_closest(name) if is_definite and is_order and not is_new else None
    if named is None or named.schedule.rule is None or named not in list_own(request):
        return None
    has_other_words = not find_stems(name, request.common_words) <= find_stems(words.fold(named.content), ())
    return None if has_other_words else named


def _shift_time(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder by an amount: later, earlier, or as a lead; None without one, or with a time."""
    may_have_lead = request.reading.has("LEAD") or request.reading.has("EARLIER")
    reminder = find_named_reminder(request) if may_have_lead else None
    due = find_due(reminder, request.now)
    old_lead = timedelta() if reminder is None or due is None else find_old_lead(reminder.content, due, request)
    is_lead = bool(old_lead) and (says_remind_me(request) or request.has_word(request.words.substitutes))
    if is_lead and request.has_word(request.words.ahead):
        request = request.retag("EARLIER", "LEAD")  # "avísame dos horas antes" in place of one hour
    later, earlier = request.parse_amount("LATER"), request.parse_amount("EARLIER")
    has_clock = request.is_clock(request.reading.pieces("WHEN"))  # "half an hour earlier, so at 8:30"
    if has_clock or (later is None and earlier is None):
        return _change_lead(old_lead, request)
    if later is not None and _corrects_amount(request):
        return update(request, {"time": format_time(request.now + later)})
    amount = later or earlier or timedelta()
    dated = _tag_day_of_shift(request, -amount if later is None else amount)
    if dated is not None:
        return _replace_time(dated)
    is_earlier = later is None or _says_only_earlier(request)
    return update(request, {"time": format_shift(-amount if is_earlier else amount)})


def _change_lead(old_lead: timedelta, request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder before its event, which is `old_lead` now; None without a lead, or with a time."""
    leads = {request.parse_length(piece) for piece in request.reading.pieces("LEAD")} - {old_lead}
    lead = leads.pop() if len(leads) == 1 else request.parse_amount("LEAD")  # "2 hours is a lot, one is enough"
    if lead is None or request.reading.has("WHEN") or request.reading.has("EVENT"):
        return None
    says_ahead = request.has_word(request.words.ahead)
    if not old_lead and not says_ahead and _corrects_amount(request):
        return update(request, {"time": format_time(request.now + lead)})
    if request.has_word(request.words.later) and not says_ahead:
        return update(request, {"time": format_shift(lead)})  # "make it an hour more"
    return update(request, {"time": format_shift(old_lead - lead)})


def _corrects_amount(request: RequestContext) -> bool:
    """Return whether an amount of time replaces the previous one: "sorry, I meant 20 minutes"."""
    words = request.words
    is_shift = request.has_word(words.later) or request.has_word(words.earlier)
    reminder = None if is_shift else find_named_reminder(request)
    due, was_amount = find_due(reminder, request.now), _find_amount_of_setting(reminder, request) is not None
    if due is None or (due - request.now >= _DAY and not was_amount):
        return False
    return request.has_phrase(words.corrections) or (was_amount and request.has_phrase(words.substitutes))


def _find_amount_of_setting(reminder: Reminder | None, request: RequestContext) -> timedelta | None:
    """Return the amount of time after which a message of the chat asked to be reminded: "in 2 hours"; None for others.

    Such a time counts from the message, so that it is another one a minute later.
    """
    messages = find_messages_of("" if reminder is None else reminder.content, request)
    if not messages:
        return None
    sent = messages[0].sent_at.astimezone(request.now.tzinfo)
    times, later_times = (request.read_times(messages[0].text, at) for at in (sent, sent + _MINUTE))
    if len(times) != 1 or len(later_times) != 1:
        return None
    first, second = times[0].best, later_times[0].best
    if first is None or second is None or first.rrule is not None or second.start - first.start != _MINUTE:
        return None
    return first.start - sent


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


def _find_days_before_itself(request: RequestContext) -> dict[str, object] | None:
    """Return the arguments for some days before the reminder's own time: "to the day before at 8pm"."""
    leads = [] if request.reading.has("EVENT") else find_leads(tag_lead(request), has_event=True)
    reminder = find_named_reminder(request) if len(leads) == 1 else None
    due = find_due(reminder, request.now)
    if reminder is None or due is None or reminder.schedule.rule is not None or leads[0][0] < _DAY:
        return None
    days, clock = leads[0]
    day = due + timedelta(days=find_old_lead(reminder.content, due, request).days) - days
    if clock is not None and clock.best is not None:
        day = day.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    return {"time": format_time(day)}


def _replace_time(request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder to the time that the words name."""
    clock = _parse_clock_beside_hour(request)
    if clock:
        return update(request, {"time": clock})
    begins = [FROM_THEN.sub("", piece) for piece in request.reading.pieces("FROM")]
    times = find_times(request) or request.parse_times(begins)
    times = list({time.best: time for time in reversed(times)}.values())  # "I start at 10, change mine to 10"
    if len(times) != 1:
        return change_clocks(request) or replace_weekdays(request)
    time = _choose_half_near_reminder(times[0], request)
    split = split_weekdays(request, time.best)
    if split is not None:
        return split
    since = request.strip_time_words(request.reading.words("FROM"))
    if are_function_words(since.casefold().split(), request.words):
        since = ""  # "a" alone of "a partir de ahora"
    changed = (
        _make_amount_arguments(request, time)
        or _move_with_event(request, time.best)
        or change_days(request, time.best)
        or _keep_day_of_event(request, time.best)
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
    arguments, best = _make_arguments(new, request), new.best
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


def _choose_half_near_reminder(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an open clock of a day or rule in the half of the day in which it is near the clock of the reminder."""
    found = [] if is_clock_alone(time.best) else request.read_times(time.words)
    hours = {each.start.hour for each in found[0].readings} if len(found) == 1 else set()
    is_open = hours == {each.start.hour for each in list_halves(time.best)}
    due = find_due(find_named_reminder(request), request.now) if is_open else None
    if due is None:
        return time
    near = choose_nearer_half(time.best, due)
    minutes = abs((near.start.hour - due.hour) * 60 + near.start.minute - due.minute)
    read = next(each for each in found[0].readings if each.start.hour == near.start.hour)
    best = read if read.rrule is not None else set_clock(time.best, near)
    return replace(time, readings=(best,)) if minutes < _NEAR_MINUTES else time


def _keep_day_of_event(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the hour ahead of an event without a day, on the reminder's day: "it is at 4, an hour before"."""
    events = request.parse_times(request.reading.pieces("EVENT"))
    if len(events) != 1 or not request.reading.has("LEAD") or events[0].best.has_day:
        return None
    return {"time": f"{best.wall:%H:%M}"}


def _move_with_event(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments that keep the lead of a reminder before an event that moves: "the flight is at 3 now"."""
    reminder = find_named_reminder(request)
    due = find_due(reminder, request.now)
    if reminder is None or due is None or (reminder.schedule.rule is not None and best.has_day):
        return None
    if not request.reading.has("REF") and request.has_phrase(request.words.corrections):
        return None  # 算了还是上午吧 is of the reminder's own time
    lead = find_old_lead(reminder.content, due, request)
    if not lead or not _states_event(reminder, request):
        return None
    event = due + lead
    clock = (best if best.has_day else choose_nearer_half(best, event)).start if best.has_clock else event
    moved = datetime.combine(best.start if best.has_day else event, clock.timetz())
    is_lead_of_days = event.date() > due.date()  # "the day before at 8pm"
    early = due + (moved.date() - event.date()) if is_lead_of_days else moved - lead
    return {"time": f"{early:%H:%M}" if reminder.schedule.rule is not None else format_time(early)}


def _states_event(reminder: Reminder, request: RequestContext) -> bool:
    """Return whether the words ahead of the new time have a verb, and no other words than those of the reminder."""
    words = request.words
    start = min(request.reading.spans("WHEN"), default=(0, 0))[0]
    name = {*words.fold(reminder.content).split(), *words.articles, *words.itself}
    ahead = {token.form for token in request.reading.tokens if token.end <= start} - name
    has_verb = not ahead.isdisjoint(words.copulas_of_events - words.prepositions)
    return has_verb and are_function_words(ahead - words.copulas_of_events, words)


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


def _parse_clock_beside_hour(request: RequestContext) -> str:
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
    for hour in (due.hour - 1, due.hour, due.hour + 1):
        phrase = request.words.with_hour.format(time=words, hour=hour % _HOURS_A_HALF or _HOURS_A_HALF)
        time = request.parse_time([phrase])
        if time is not None:
            clocks += [due.replace(hour=half.start.hour, minute=half.start.minute) for half in list_halves(time.best)]
    nearest = min(clocks, key=lambda clock: abs(clock - due), default=None)
    return "" if nearest is None else f"{nearest:%H:%M}"


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
    return update(request, {**_make_arguments(new, request), "occurrence": day or "next"})


def _make_amount_arguments(request: RequestContext, time: TimeWords) -> dict[str, object] | None:
    """Return the arguments of an amount of time: "20 minutes sooner", or "20" after "in 15 minutes"."""
    piece, words = request.reading.words("WHEN"), request.words
    corrected = _correct_count(piece, request) or _correct_minutes(piece, request)
    if corrected is not None or is_figure(piece):
        return corrected
    if time.best.has_clock and time.best.has_day and request.has_word(words.same_time):
        return {"time": f"{time.best.wall:%Y-%m-%d}"}
    is_earlier = request.has_word(words.earlier)
    # "Una hora más tarde" is one token.
    is_later_in_token = "@offset" in request.reading.forms and words.has_any(words.later, words.fold(piece))
    is_shift = is_earlier or is_later_in_token or request.has_word(words.later)
    has_clock = ("@clock", "WHEN") in zip(request.reading.forms, request.reading.tags, strict=True)
    length = request.parse_length(piece) if is_shift and not has_clock else None
    return None if length is None else {"time": format_shift(-length if is_earlier else length)}


def _correct_minutes(piece: str, request: RequestContext) -> dict[str, object] | None:
    """Return the time in as many minutes as a bare number says; None where it is an hour.

    It counts minutes where the reminder comes within the hour, and no hour is as great or it was set by an amount of
    time and the next such hour is far.
    """
    last = None if request.last_set is None else request.last_set.arguments.get("time")
    last_time = request.read_only_time(str(last)) if last else None
    due = None if last_time is None else last_time.start
    if due is None or not timedelta() < due - request.now <= _HOUR:
        return None
    amount = request.parse_length(request.words.as_length.format(minutes=piece))
    if amount is None or request.parse_length(piece) not in {None, amount}:  # "an hour and a half"
        return None
    is_minutes = amount > timedelta(minutes=_HOURS_A_HALF) or _was_set_by_amount(due, piece, request)
    return {"time": format_time(request.now + amount)} if is_minutes else None


def _correct_count(piece: str, request: RequestContext) -> dict[str, object] | None:
    """Return the time or the repetition of a bare number that corrects an amount of time, in the unit of that.

    "No, 3" and "in 3" after "in 2 hours" are hours, "every 3" after "every 2 days" is days.
    """
    words = request.words
    found = _COUNT.fullmatch(words.fold(piece.strip()))
    reminder = None if found is None else find_named_reminder(request)
    if found is None or reminder is None or not int(found["count"]):
        return None
    count, rule, due = int(found["count"]), reminder.schedule.rule, find_due(reminder, request.now)
    if found["ahead"] in words.each:
        changed = None if rule is None else str(replace(rule, interval=count))
        return None if changed is None or due is None else {"time": format_time(due), "rrule": changed}
    slips = [word for word in words.corrections if " " not in word]  # "make it 2" may be a clock
    is_bare = not found["ahead"] and count <= _HOURS_A_HALF and request.has_phrase(slips)
    is_after = any(piece.strip().casefold() == form.format(amount=count) for form in words.amount_ahead)
    amount = _find_amount_of_setting(reminder, request) if is_bare or is_after else None
    units = (_WEEK, _DAY, _HOUR) if is_after else (_HOUR,)
    unit = next((unit for unit in units if amount and not amount % unit), None)
    return None if unit is None else {"time": format_time(request.now + count * unit)}


def _was_set_by_amount(due: datetime, piece: str, request: RequestContext) -> bool:
    """Return whether the reminder at `due` was set once by whole minutes, and the next hour `piece` is far."""
    reminder = find_named_reminder(request)
    clock = request.parse_time([piece])
    if reminder is None or clock is None or reminder.schedule.rule is not None or due - reminder.created_at > _HOUR:
        return False
    is_whole = (due - reminder.created_at + _ANSWER_TIME) % _MINUTE <= 2 * _ANSWER_TIME
    return is_whole and min(half.start for half in clock.readings) - due > _FAR_CLOCK


def _make_arguments(time: TimeWords, request: RequestContext) -> dict[str, object]:
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
        half = int(named.start.hour >= _HOURS_A_HALF)
        return f"{list_halves(best)[half].start:%H:%M}"
    ends_with_figure = words[-1:].isdecimal() and words.isascii()  # "6:30" alone is a clock of 24 hours
    if not ends_with_figure and request.read_times(words):
        return words
    bare = " ".join(dropwhile(request.words.around_time.__contains__, words.split()))  # "around 9" is at 9
    return request.words.as_time[1].format(time=bare)


def _move_behind_reminder(best: Reading, words: str, request: RequestContext) -> Reading:
    """Return a weekday "after" behind the day of the reminder: "move it to the Monday after"."""
    is_following = request.reading.words("WHEN").casefold().endswith(request.words.following)
    is_weekday = is_following and not best.has_clock and request.names_weekday(words)
    due = find_due(find_named_reminder(request), request.now) if is_weekday else None
    return best if due is None or best.start.date() > due.date() else best._replace(start=best.start + _WEEK)


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
