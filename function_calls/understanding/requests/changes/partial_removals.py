"""Remove a clock or weekdays from a reminder that has others."""

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.times import names_single_day
from function_calls.understanding.reading.tokens import split_clauses
from function_calls.understanding.requests.changes.skipped_days import find_day_beside_name
from function_calls.understanding.requests.changes.updates import read_time_in_name, repeats_on
from function_calls.understanding.requests.known_reminders import find_rule
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.references.remarks import join_forms
from function_calls.understanding.requests.references.unnamed_reminders import find_last_reminder
from function_calls.understanding.requests.request_context import RequestContext
from services.recurrence.schedule import rule_text
from services.reminders.lookup.due_words import fits_time
from services.reminders.model import Reminder

_NAMING_TAGS = ("REF", "OLD", "WHEN")


def remove_clock(request: RequestContext, *, keep: bool = False) -> Interpretation | None:
    """Remove one clock time from a reminder with several a day: 晚上那次取消; with `keep`, all others."""
    reminder = find_named_reminder(request)
    rule = find_rule(reminder)
    if reminder is None or rule is None or len(rule.hours) < 2:
        return None
    time = request.parse_time(request.reading.pieces("WHEN"))
    others = (token.form for token in request.reading.untagged) if keep else ()
    best = read_time_in_name(request, others) or (None if time is None else time.best)
    if best is None or best.has_day:
        return None
    fires = [reminder.schedule.start.replace(hour=hour, minute=next(iter(rule.minutes), 0)) for hour in rule.hours]
    hours_left = tuple(fire.hour for fire in fires if fits_time(fire, best) is keep)
    if not 0 < len(hours_left) < len(rule.hours):
        return None
    changed = replace(reminder.schedule, rule=replace(rule, hours=hours_left))
    arguments = {"rrule": rule_text(changed), "reminder_id": reminder.id}
    if len(hours_left) == 1:
        arguments["time"] = f"{fires[0].replace(hour=hours_left[0]):%H:%M}"
    return request.answers.call_tool("reminder_update", arguments)


def drop_kept_clauses(request: RequestContext) -> tuple[RequestContext, bool]:
    """Return the request without clauses that say what is kept: "I only need the 9pm one, drop the morning one".

    Return it as it is, and True, where only those name a reminder.
    """
    reading, words = request.reading, request.words
    clauses = split_clauses(reading.tokens)
    removed = [clause for clause in clauses if not words.has_any(words.keep_phrases, join_forms(clause, request))]
    if removed in ([], clauses) or reading.has("SPARED"):  # "drop the 9am one but keep the 9pm one"
        return request, False
    rest = reading.with_tokens([at for clause in removed for at in clause])
    if any(map(rest.has, _NAMING_TAGS)):
        return request.with_reading(rest), False
    return request, any(map(reading.has, _NAMING_TAGS))


def remove_weekdays(request: RequestContext) -> Interpretation | None:
    """Remove weekdays from a reminder that has others: "drop the Fridays off the produce one".

    A weekday that names no more may be one day only ("drop the Friday one", 跑步周四的不要了), which is asked about.
    One that is taken from a reminder recurs: "quita el sábado de lo de las plantas".
    """
    reading, words = request.reading, request.words
    rules = [token for token in reading.tokens if token.form == "@rule"]
    has_name = bool(normalize_reference(reading.words("REF"), words))
    taken = find_removed_weekday(request)
    single = taken or request.strip_time_words(find_day_beside_name(request) if has_name else reading.words("OLD"))
    if len(rules) > 1 or not (rules or single):
        return None
    named = reading.text_of(rules[0]) if rules else single
    days = request.find_recurring_weekdays(named) if rules else request.find_weekdays(named)
    may_be_last = bool(days) and not (reading.has("REF") or request.has_word(words.reference_marks))
    just_set = _find_just_set(days, request) if may_be_last else None
    reminder = just_set or (find_named_reminder(request) if days else None)
    if reminder is None or not repeats_on(reminder, days):
        return None
    is_slip = just_set is not None and request.has_phrase(words.corrections)
    skipped = {} if rules or taken or is_slip else {"skip": named}
    return request.answers.call_tool("reminder_update", {"days": f"-{named}", "reminder_id": reminder.id, **skipped})


def find_removed_weekday(request: RequestContext) -> str:
    """Return the weekday between a word such as "remove" and "from" a reminder, or behind "quítale"; "" for none."""
    forms, words, is_named = [*request.reading.forms, ""], request.words, request.reading.has("REF")
    from_words = words.prepositions - words.articles if is_named else frozenset[str]()
    for at, token in enumerate(request.reading.tokens[1:], 1):
        is_taken = forms[at - 1] in words.removing and forms[at + 1] in from_words
        if token.form == "@day" and (is_taken or forms[at - 1] in words.removing_from):
            return request.strip_time_words(request.reading.text_of(token))
    return ""


def _find_just_set(days: frozenset[str], request: RequestContext) -> Reminder | None:
    """Return the reminder that the person has just set on weekdays, `days` being some of them; None for others."""
    reminder = find_last_reminder(request)
    rule = find_rule(reminder)
    return reminder if reminder is not None and rule is not None and rule.days and repeats_on(reminder, days) else None


def refuses_days(request: RequestContext) -> bool:
    """Return whether a change only refuses days of a reminder that comes on others as well: "no Wednesdays"."""
    reading, words = request.reading, request.words
    spans = [*reading.spans("WHEN"), *reading.spans("OLD")]
    if len(spans) != 1 or not set(reading.tags) <= {NO_TAG, "REF", "WHEN", "OLD"}:
        return False
    start, end = spans[0]
    ahead = f"{words.joint}{words.fold(reading.text[:start]).rstrip()}"
    is_refused = ahead.endswith(tuple(f"{words.joint}{word}" for word in words.without))
    reminder = find_named_reminder(request) if is_refused else None
    if reminder is None or find_rule(reminder) is None:
        return False
    days = request.find_weekdays(reading.text[start:end])
    if days and repeats_on(reminder, days):
        return True
    time = request.parse_time([reading.text[start:end]])
    day = time.best.start.date() if time is not None and names_single_day(time.best) else None
    return day is not None and [due.date() for due in request.list_coming(reminder, day)] == [day]
