"""Make the call that changes the reminder that a request names."""

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.known_reminders import find_rule, list_weekdays
from function_calls.understanding.requests.new_reminders.options import move_to_workdays
from function_calls.understanding.requests.people import (
    find_people,
    list_own_reminders,
    list_target_names,
)
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.references.remarks import find_remark, list_untagged_times
from function_calls.understanding.requests.references.unnamed_reminders import (
    find_default_reference,
    find_newest_shared,
    list_set_by_call,
)
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.recurrence.rules import WEEKDAYS
from services.reminders.lookup.due_words import due_words
from services.reminders.model import Reminder
from services.time_expressions import Reading

DAYS_AHEAD = 92
"""The days ahead in which the next dates of a reminder are sought."""
_SAME_MESSAGE = timedelta(seconds=5)
"""The longest time between the reminders that one message sets."""
_DATE = re.compile(r"\d{4}-")


def find_day_in_name(request: RequestContext) -> str:
    """Return the words of the day in the name of a reminder: "this Thursday's run"; "" for none."""
    named = (request.reading.text_of(token) for token, tag in request.reading.tagged if tag == "REF" and is_time(token))
    return next(filter(request.names_single_day, named), "")


def read_time_in_name(request: RequestContext, others: Iterable[str] = ()) -> Reading | None:
    """Return the clock or part of the day in the name of a reminder, or in `others`: "the evening one"."""
    zone = str(request.now.tzinfo)
    for piece in (*request.reading.pieces("OLD"), *request.reading.pieces("REF"), *others):
        name = request.strip_time_words(normalize_reference(piece, request.words))
        due = due_words(name, request.now, zone, request.times)
        if due is not None and len(due.readings) == 1:
            return due.readings[0]
    return None


def update(request: RequestContext, arguments: Mapping[str, object], *, old_time: str = "") -> Interpretation | None:
    """Make the call that changes the reminder that is named, or the last one; of a repeating one, one occurrence.

    `old_time` has the words of a time that names the reminder where nothing else does.
    """
    references = find_references(request)
    day = _find_words_of_occurrence(request, arguments)
    former_day = str(arguments.get("occurrence") or "all")
    if references == ["all"] and former_day != "all":  # "everything from Thursday to Friday"
        references, arguments = _list_on_day(former_day, request), {**arguments, "occurrence": None}
    if not references and not old_time and _sets_only_clock(arguments):
        references = _list_set_together(request)
    named: dict[str, object] = {"reminder_id": ", ".join(references) or old_time or find_default_reference(request)}
    weekdays = request.find_weekdays(day)
    is_series = _names_series(weekdays, request)
    reminder = find_named_reminder(request) if len(weekdays) > 1 and not is_series else None
    if reminder is not None and _sets_only_clock(arguments) and day not in reminder.content:
        return _move_on_weekdays(reminder, day, weekdays, arguments, request)
    has_name_with_day = bool(weekdays) and any(day in name and name != day for name in references)
    is_name = is_series or has_name_with_day
    if day and not is_name and request.names_single_day(day):
        named["occurrence"] = day
    people = {} if "person" in arguments else _find_people_of_change(request)
    interpretation = request.answers.call_tool("reminder_update", {**arguments, **named, **people})
    return replace(interpretation, calls=tuple(move_to_workdays(call, request) for call in interpretation.calls))


def _move_on_weekdays(
    reminder: Reminder, words: str, weekdays: frozenset[str], arguments: Mapping[str, object], request: RequestContext
) -> Interpretation | None:
    """Change the next occurrence of `reminder` on each of the `weekdays` that `words` name: 周末遛狗改到九点."""
    days = list_dates_on_weekdays(words, len(weekdays), request)
    moved = ({**arguments, "reminder_id": reminder.id, "occurrence": day} for day in days)
    return merge_or_none([request.answers.call_tool("reminder_update", each) for each in moved])


def _list_set_together(request: RequestContext) -> list[str]:
    """Return the ids of the reminders that the last message of the sender set for several days at one clock time."""
    own = [each for each in list_set_by_call(request.last_set, request) if each.schedule.rule is None]
    created = [each.created_at for each in own]
    clocks = {each.schedule.start.time() for each in own}
    is_together = len(own) > 1 and len(clocks) == 1 and max(created) - min(created) <= _SAME_MESSAGE
    return [each.id for each in own] if is_together and request.discussed_reminder is None else []


def _find_words_of_occurrence(request: RequestContext, arguments: Mapping[str, object]) -> str:
    """Return the words of the day whose occurrence is to change; "" for none."""
    old = request.reading.words("OLD")
    day = request.strip_time_words(old) or _find_day_of_occurrence(request, arguments)
    return day if request.read_times(day) else old  # "in December" is a time with its preposition


def _find_people_of_change(request: RequestContext) -> dict[str, object]:
    """Return the people whom a change of a shared reminder names: all of them, or the sender alone ("make mine 8")."""
    sender, words = request.turn.message.sender, request.words
    reminder = find_named_reminder(request) or (None if find_references(request) else find_newest_shared(request))
    people = list_target_names(reminder)
    if reminder is None or people in ([], [sender.name]):
        return {}
    named = find_people(request)
    if named == EVERYONE_ARGUMENT or request.has_word(words.both_of_us):
        return {"person": ", ".join(people), "reminder_id": reminder.id}
    is_own = named is None and request.names_own_one
    return {"person": sender.name, "reminder_id": reminder.id} if is_own else {}


def _list_on_day(day: str, request: RequestContext) -> list[str]:
    """Return the ids of the sender's single reminders on a day; "all" with the day where there are none."""
    single = [each for each in list_own_reminders(request) if each.schedule.rule is None]
    return [each.id for each in request.filter_by_time(day, single)] or [f"all {day}"]


def _names_series(weekdays: frozenset[str], request: RequestContext) -> bool:
    """Return whether old weekdays are the name of a reminder that comes on no others: "the Saturday one"."""
    reading, marks = request.reading, request.words.reference_marks
    behind = [token.form for token, tag in zip(reading.tokens[1:], reading.tags, strict=False) if tag == "OLD"]
    rule = find_rule(find_named_reminder(request) if weekdays and behind and behind[-1] in marks else None)
    return rule is not None and {*list_weekdays(rule)} == weekdays


def _find_day_of_occurrence(request: RequestContext, arguments: Mapping[str, object]) -> str:
    """Return the day of the only occurrence of a repeating reminder that is meant; "" for none.

    Its name has it ("this Thursday's run"), or a remark beside another clock: "I'm in late tomorrow, make it 10".
    """
    reminder = find_named_reminder(request)
    if reminder is None or reminder.schedule.rule is None:
        return ""
    day, fold = find_day_in_name(request), request.words.fold
    is_series = bool(request.find_weekdays(request.strip_time_words(day)))  # "the Wednesday one"
    is_own_day = bool(day) and not is_series and fold(day) not in fold(reminder.content)  # "la basura de hoy"
    if request.words.joint and (is_own_day or fold(day).startswith(request.words.one_time)):
        return day
    if not _sets_only_clock(arguments) or request.has_word(request.words.always):
        return ""
    remarks = [*list_untagged_times(request), *request.reading.pieces("EVENT"), find_remark(request)]
    days = {day for words in remarks for day in request.list_days(words)}
    coming = request.list_coming(reminder, min(days)) if len(days) == 1 else []
    return f"{coming[0]:%Y-%m-%d}" if coming and coming[0].date() in days else ""


def _sets_only_clock(arguments: Mapping[str, object]) -> bool:
    """Return whether a change sets a clock, and neither a day nor anything else."""
    return {key for key, value in arguments.items() if value} == {"time"} and not _DATE.match(str(arguments["time"]))


def list_dates_on_weekdays(words: str, count: int, request: RequestContext) -> list[str]:
    """Return the next days on which the named reminder comes on the weekdays of `words`; empty without weekdays."""
    named = request.find_weekdays(words)
    reminder = find_named_reminder(request) if named else None
    coming = [] if reminder is None else request.list_coming(reminder, request.now.date(), DAYS_AHEAD)
    days = dict.fromkeys(due.date() for due in coming if WEEKDAYS[due.weekday()] in named)
    return [f"{day}" for day in days][:count]


def repeats_on(reminder: Reminder, days: frozenset[str]) -> bool:
    """Return whether a reminder comes every day, or every week on more than `days`."""
    rule = reminder.schedule.rule
    if rule is None or rule.interval != 1:
        return False
    return rule.frequency == "DAILY" or days < {*list_weekdays(rule)}
