"""Make calls of requests to change how, or until when, reminders repeat."""

import re
from datetime import timedelta

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.slots.time_words import make_time_words
from function_calls.understanding.reading.times import names_single_day
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.reminder_times import FROM_THEN, format_time
from function_calls.understanding.requests.changes.deletions import is_last_single, skip
from function_calls.understanding.requests.changes.move_tags import untag_reasons
from function_calls.understanding.requests.changes.moves import move
from function_calls.understanding.requests.changes.partial_removals import refuses_days, remove_clock
from function_calls.understanding.requests.changes.skipped_days import find_weekdays_left_out
from function_calls.understanding.requests.changes.states import is_behind, pause
from function_calls.understanding.requests.changes.updates import repeats_on, update
from function_calls.understanding.requests.known_reminders import find_due, find_rule
from function_calls.understanding.requests.new_reminders.options import count_interval_minutes
from function_calls.understanding.requests.new_reminders.set_calls import repeat_last
from function_calls.understanding.requests.people import list_own_reminders, says_remind_me
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.repeated_times import find_end
from services.reminders.model import Reminder
from services.time_expressions import Reading

_DAY = timedelta(days=1)
_DAYS_A_WEEK = 7
_FREQUENCY = re.compile(r"FREQ=\w+(?:;INTERVAL=\d+)?")


def repeat(request: RequestContext) -> Interpretation | None:
    """Set the last reminder for another time as well; one that comes once is itself repeated: "every week please"."""
    return move(request) if _makes_last_repeat(request) else repeat_last(request)


def asks_for_copy(request: RequestContext) -> bool:
    """Return whether a change asks for one more reminder: "another time at 8", 再加一个, 提前一天也提醒我."""
    words, reading = request.words, request.reading
    if reading.has("REF") and request.has_word(words.too) and says_remind_me(request):
        return find_named_reminder(request) is not None
    also = {*words.beside} - words.and_words if not words.joint and reading.has("EARLIER") else ()
    is_also = words.has_any(also, request.folded_text) and words.has_any(words.calling, request.folded_text)
    is_copied = request.has_word(words.copying) and not reading.has("LATER")  # 再加五分钟 moves it
    return (is_also or is_copied) and not request.has_word(words.substitutes)


def _makes_last_repeat(request: RequestContext) -> bool:
    """Return whether the last reminder comes once and a request names only how often it is to come, without "also".

    The days of the repetition are none, or begin with the day of the reminder.
    """
    if not is_last_single(request) or request.reading.has("CONTENT") or request.has_word(request.words.too):
        return False
    time = request.parse_time(request.reading.pieces("WHEN"))
    due = find_due(find_named_reminder(request), request.now)
    if time is None or due is None or time.best.rrule is None or time.best.has_clock:
        return False
    return _FREQUENCY.fullmatch(time.best.rrule) is not None or time.best.start.date() == due.date()


def keep_days(request: RequestContext) -> Interpretation | None:
    """Limit a repeating reminder to some days of the week, to one day or until a day, or move a single one to a day.

    Where no reminder is named and the one set last comes once, this limits the sender's only repeating reminder on
    these days.
    """
    words = request.strip_time_words(untag_reasons(request).reading.words("WHEN"))
    if refuses_days(request) or (find_weekdays_left_out(request) and not words):
        return skip(request)
    one_clock = remove_clock(request, keep=True)
    if one_clock is not None or not words:
        return one_clock
    reminder = find_named_reminder(request)
    is_single = reminder is not None and reminder.schedule.rule is None
    if not is_single and request.begins_with(request.reading.words("WHEN"), request.words.until_words):
        return end_repetition(request)  # 只到周五
    limited_to_day = None if is_single else _limit_to_day(words, request)
    if limited_to_day is not None:
        return limited_to_day
    time = request.parse_time([words])
    if time is not None and time.best.rrule and "BYDAY" not in time.best.rrule:
        return move(request)  # "every 2 weeks is enough"
    return _limit_to_weekdays(words, reminder, request)


def _limit_to_weekdays(words: str, reminder: Reminder | None, request: RequestContext) -> Interpretation | None:
    """Keep `reminder`, or the sender's only one that comes on others as well, for the weekdays of `words`.

    Where it comes once and there is no such other reminder, it is moved.
    """
    is_single = reminder is not None and reminder.schedule.rule is None
    series = _list_on_days(words, request) if (reminder is None or is_single) and not find_references(request) else []
    own = [each for each in series if each.creator.id == request.turn.message.sender.id]
    if len(own) == 1:
        return request.answers.call_tool("reminder_update", {"days": words, "reminder_id": own[0].id})
    if not is_single:
        return update(request, {"days": words})
    return None if series else move(request)


def _limit_to_day(words: str, request: RequestContext) -> Interpretation | None:
    """Keep a repeating reminder for a day ("just today"), or move one occurrence: "only this week on Wednesday"."""
    time = request.parse_time([words]) if words else None
    if time is None or not names_single_day(time.best):
        return None
    is_one_time, is_weekday = request.words.has_any(request.words.one_time, words), bool(request.find_weekdays(words))
    if time.best.has_clock:
        return move(request) if is_one_time or not is_weekday else None
    day = time.best.start.date()
    monday = day - timedelta(days=day.weekday())
    reminder = find_named_reminder(request) if is_one_time else None
    coming = [] if reminder is None else request.list_coming(reminder, monday, _DAYS_A_WEEK)
    days = [due.date() for due in coming]
    if days and day not in days and days[0] < monday + timedelta(days=_DAYS_A_WEEK):
        return update(request, {"time": f"{day}", "occurrence": f"{days[0]}"})
    return None if is_weekday else update(request, {"type": "once", "time": f"{day}"})


def _list_on_days(words: str, request: RequestContext) -> list[Reminder]:
    """Return the reminders of or for the person that come on the weekdays of `words` and on others."""
    own = [each for each in list_own_reminders(request) if each.schedule.rule is not None]
    days = request.find_weekdays(words) if own else frozenset()
    return [each for each in own if days and repeats_on(each, days)]


def add_days(request: RequestContext) -> Interpretation | None:
    """Add days of the week to a repeating reminder; after a single one, set another."""
    words = request.strip_time_words(request.reading.words("WHEN"))
    named = find_named_reminder(request) if request.reading.has("REF") else None
    is_single = named is not None and named.schedule.rule is None
    time = request.parse_time([words])
    is_clock = time is not None and not (time.best.has_day or time.best.rrule)  # 再加个中午的
    if not words or is_clock or is_single or is_last_single(request):
        return repeat(request)
    return update(request, {"days": f"+{words}"})


def end_repetition(request: RequestContext) -> Interpretation | None:
    """End a repeating reminder on a day, or after a number of times."""
    if _asks_for_pause(request):
        return pause(request)
    before = _compute_last_day(request)
    if before:
        return update(request, {"until": before})
    end = find_end(request)
    if end.startswith("COUNT="):
        return update(request, {"times": int(end.removeprefix("COUNT="))})
    when, words = request.reading.words("UNTIL") or request.reading.words("WHEN"), request.words
    is_refused = request.has_part(words.exclusion_endings) and request.names_single_day(when)
    is_left_out = is_refused and not request.has_word(words.until_words)
    if is_left_out or len(request.find_weekdays(when)) > 1:  # 周末就不用了: no end is two days
        return skip(request.retag("UNTIL", "WHEN"))
    last = _find_day_of_length(when, request)
    return update(request, {"until": last}) if last else _end_at_time(when, request, is_end=bool(end))


def _asks_for_pause(request: RequestContext) -> bool:
    """Return whether a reminder goes on behind its end: "no yoga until the 24th", "stop it, start again on Monday"."""
    words, ends = request.words, [end for _, end in request.reading.spans("UNTIL")]
    behind = words.fold(request.reading.text[max(ends, default=0) :])
    # "Until the 24th, after that there are none".
    is_final = bool(ends) and words.has_any((*words.elapsed, *words.going_on), behind)
    if request.has_word(words.absences) and request.has_word(words.until_words) and not is_final:
        return True
    is_during = is_behind(request.reading.words("UNTIL"), words.during, request)
    goes_on = is_during or request.has_word(words.beginning_again)
    return goes_on and request.has_word((*words.ending, *words.holding))


def _end_at_time(when: str, request: RequestContext, *, is_end: bool) -> Interpretation | None:
    """End a repeating reminder at the time `when`; `is_end` says that it is one behind a preposition: "en junio"."""
    expressions = request.read_times(when) if when else ()
    time = request.parse_time([when])
    rule = None if time is None else _end_interval(time.best, request)
    if rule is not None:
        return update(request, rule)
    if expressions and time is None:
        when = make_time_words(when, expressions[0]).words  # "until Sunday when the event ends"
    elif time is not None and not expressions and is_end:
        return update(request, {"until": time.words})
    return update(request, {"until": when}) if expressions else None


def _end_interval(end: Reading, request: RequestContext) -> dict[str, object] | None:
    """Return the arguments of a reminder every few hours or minutes that ends at a clock; None for any other."""
    reminder = find_named_reminder(request)
    rule, due = find_rule(reminder), find_due(reminder, request.now)
    if rule is None or due is None or not (rule.is_elapsed and end.has_clock):
        return None
    return {"time": format_time(due), "rrule": str(replace(rule, count=None, until=end.start))}


def _find_day_of_length(words: str, request: RequestContext) -> str:
    """Return the last day of some days from the next time of a reminder: "for 2 weeks only"; "" for other words."""
    due, length = find_due(find_named_reminder(request), request.now), request.parse_length(words)
    if due is None or length is None or length < _DAY:
        return ""
    return f"{due + length - _DAY:%Y-%m-%d}"


def _compute_last_day(request: RequestContext) -> str:
    """Return the day before the one from which a reminder is to stop: "stop it from tomorrow on"; "" for none."""
    begins = [piece for piece in request.reading.pieces("UNTIL") if FROM_THEN.search(piece)]  # 从周日起就不用了
    times = request.parse_times(request.reading.pieces("FROM") or begins)
    best = times[0].best if len(times) == 1 else None
    return "" if best is None or not best.has_day else f"{best.start - _DAY:%Y-%m-%d}"


def stop_repeating(request: RequestContext) -> Interpretation | None:
    """Let a repeating reminder come once more, or at one of its clock times; move or skip it "just once"."""
    if request.has_word(request.words.skipping):
        return skip(request)
    timed = request.with_tags("WHEN" if is_time(token) else tag for token, tag in request.reading.tagged)
    time = request.parse_time(timed.reading.pieces("WHEN"))
    if time is not None and time.best.has_clock and request.has_word(request.words.only_once):
        return move(timed)
    return remove_clock(request, keep=True) or update(request, {"type": "once"})


def repeat_until_done(request: RequestContext) -> Interpretation | None:
    """Repeat a reminder until it is done, at an interval that is named with or without "every"."""
    pieces = request.reading.pieces("WHEN")
    bare = [request.strip_leading_word(piece, request.words.each) for piece in pieces]
    lengths = map(request.parse_length, [*pieces, *bare])
    return update(request, {"until_done": count_interval_minutes(next(filter(None, lengths), None))})


def set_catch_up(request: RequestContext) -> Interpretation | None:
    """Choose which missed occurrences of a repeating reminder are sent after the bot was down."""
    return update(request, {"missed": request.reading.intent.removeprefix("catch_up_")})
