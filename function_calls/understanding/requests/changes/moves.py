"""Make calls of requests to change when existing reminders come."""

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import dropwhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.reminder_words import find_stems
from function_calls.understanding.reading.times import (
    TimeWords,
    choose_nearer_half,
    keep_clock_in_part,
    list_halves,
    names_only_day,
    names_single_day,
    set_clock,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.reminder_times import FROM_THEN
from function_calls.understanding.requests.arguments import format_shift, format_time, make_change_arguments
from function_calls.understanding.requests.changes.deletions import refuses_weekdays, skip
from function_calls.understanding.requests.changes.move_tags import FROM_WORD, correct_tags
from function_calls.understanding.requests.changes.rule_changes import (
    DAYS_OF_MONTH,
    change_begin,
    change_days,
    change_listed_times,
    split_weekdays,
)
from function_calls.understanding.requests.changes.updates import find_day_in_name, read_time_in_name, update
from function_calls.understanding.requests.known_reminders import (
    find_due,
    find_messages_of,
    find_old_lead,
    find_rule,
    list_own,
)
from function_calls.understanding.requests.new_reminders import repeat_last
from function_calls.understanding.requests.references import (
    INDEFINITE,
    find_named_reminder,
    find_remark,
    says_remind_me,
)
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.request_times import find_leads, find_times, tag_lead
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading

_NEAR, _FAR, _DAY = timedelta(hours=1), timedelta(hours=3), timedelta(days=1)
_ANSWER_TIME = timedelta(seconds=2)
"""The longest time between a message and the reminder that it sets."""
_HOURS_A_HALF, _NEAR_MINUTES = 12, 180
_BOTH, _WEEK = 2, 7
_CLOCK = re.compile(r"\d\d:\d\d")
_COUNT = re.compile(r"(?P<ahead>\D*?) ?(?P<count>\d{1,3})")


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
    request = correct_tags(request)
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
        return change_listed_times(request)
    time = _choose_half_near_reminder(times[0], request)
    split = split_weekdays(request, time.best)
    if split is not None:
        return split
    changed = (
        _read_amount(request, time)
        or _move_with_event(request, time.best)
        or change_days(request, time.best)
        or _move_ahead_of_event(request, time.best)
        or change_begin(request, time, has_since=bool(since))
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
        phrase = request.words.with_hour.format(time=words, hour=hour % _HOURS_A_HALF or _HOURS_A_HALF)
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
    is_amount = amount > timedelta(minutes=_HOURS_A_HALF) or _is_ahead_by_amount(piece, due, request)
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
    is_bare = not found["ahead"] and count <= _HOURS_A_HALF and request.has_phrase(slips)
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
    return int(best.start.hour >= _HOURS_A_HALF) if best is not None and best.part else None


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
    best, is_from = time.best, FROM_WORD.search(request.folded_text) is not None
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
