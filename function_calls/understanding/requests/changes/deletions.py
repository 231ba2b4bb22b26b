"""Make calls of requests to delete reminders or to skip occurrences of them."""

import re

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.slots.small_words import find_longest_ending
from function_calls.understanding.reading.times import names_single_day
from function_calls.understanding.reminder_times import FROM_THEN
from function_calls.understanding.requests.changes.partial_removals import (
    drop_kept_clauses,
    find_removed_weekday,
    remove_clock,
    remove_weekdays,
)
from function_calls.understanding.requests.changes.skipped_days import (
    count_skipped,
    find_named_occurrence,
    find_occurrence_on_day_of_month,
    find_weekdays_left_out,
    find_words_for_one_time,
    find_words_to_skip,
    list_dates_to_skip,
    list_named_days,
    means_single_days,
)
from function_calls.understanding.requests.changes.states import change_state, pause
from function_calls.understanding.requests.changes.updates import find_day_in_name
from function_calls.understanding.requests.chat_reminders import IT, LAST, SEVERAL
from function_calls.understanding.requests.known_reminders import find_rule
from function_calls.understanding.requests.last_reminder import is_repeating
from function_calls.understanding.requests.people import reminds, says_remind_me
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.references.remarks import names_unknown_matter
from function_calls.understanding.requests.references.unnamed_reminders import (
    find_default_reference,
    find_last_reminder,
)
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.model import EVERYONE, Reminder

_LEAVE_PROBABILITY = 0.05
"""The probability that who deletes the reminder of somebody else only wants to be reminded no longer."""
_MIN_DELETION_PROBABILITY = 0.7
"""The probability from which the only occurrence that is to be skipped is deleted."""
_MAX_SKIPPED = 10
"""The most occurrences that a request can skip."""


def delete(request: RequestContext) -> Interpretation | None:
    """Delete the reminders that are named, or the last one; ask which where neither is known."""
    request, keep = drop_kept_clauses(request)
    if keep:
        return remove_clock(request, keep=True)
    references = _find_references_to_delete(request)
    if references is None:
        return request.answers.ask_reminder()
    shared = _find_reminder_to_leave(request)
    if shared is not None:
        return change_state(request, "leave", {"reminder_id": shared.id})
    partly = remove_clock(request) or remove_weekdays(request)
    if partly is not None:
        return partly
    day = request.reading.words("OLD") or request.reading.words("WHEN") or find_day_in_name(request)
    day = request.strip_time_words(day or _find_untagged_day(request))
    if not day and find_words_for_one_time(request) and find_rule(find_named_reminder(request)) is not None:
        return skip(request)
    references = _fix_numbers(_narrow_to_day(references, day, request), request)
    if not references:
        is_order = request.is_addressed or request.has_part(request.words.triggers)
        return request.answers.ask_reminder() if is_order else None
    return merge_or_none(
        [request.answers.call_tool("reminder_delete", {"reminder_id": reference}) for reference in references]
    )


def _find_references_to_delete(request: RequestContext) -> list[str] | None:
    """Return the references of a deletion, or the default one; None where the bot must ask which reminder is meant."""
    references = find_references(request, may_be_several=True)
    may_point = request.may_point or request.reading.has("REF")
    if not references and may_point and not request.has_word(request.words.indefinite):
        return None if names_unknown_matter(request) else [find_default_reference(request)]
    says_delete = not request.words.deleting or request.has_phrase(request.words.deleting)
    is_sure = says_delete or SEVERAL.isdisjoint(references)  # 我的提醒 asks for no deletion
    return references if is_sure else None


def _narrow_to_day(references: list[str], day: str, request: RequestContext) -> list[str]:
    """Return the references with a `day` that narrows a single one; all of them where there is none."""
    if references == [IT] and request.names_single_day(day):
        last = find_last_reminder(request)
        is_then = last is not None and request.filter_by_time(day, (last,))
        references = [last.id] if last is not None and is_then else [day]  # "cancela el de mañana"
    if len(references) == 1 and day and _is_name_without_day(references[0], day):
        return [_name_on_day(references[0], day, request)]
    return references


def _fix_numbers(references: list[str], request: RequestContext) -> list[str]:
    """Return several references with ids for numbers of the list, which each deletion changes."""
    numbers = [name for name in references if name.isdecimal() and len(references) > 1]
    ids = {name: each.id for name in numbers for each in request.resolve(name)}
    return [ids.get(name, name) for name in references]


def _find_untagged_day(request: RequestContext) -> str:
    """Return an untagged day in front of a word for one occurrence: 15号那次; "" for none.

    It may also stand in front of a word that leaves it out: 垃圾我下午倒了，今晚不用提醒.
    """
    reading, words = request.reading, request.words
    behind = (*words.one_time, *words.exclusion_endings)
    days = (day for day in reading.times if words.fold(reading.text[day.end :]).lstrip().startswith(behind))
    return next(map(reading.text_of, days), "")


def _name_on_day(reference: str, day: str, request: RequestContext) -> str:
    """Return the reference for a `day` of a reminder; one that comes once, or at a clock, is meant as a whole."""
    reminder = next((each for each in request.reminders if each.id == reference), None)
    if reminder is not None and (reminder.schedule.rule is None or not request.names_single_day(day)):
        return reference
    return request.words.on_day.format(name=reference if reminder is None else reminder.content, day=day)


def _find_reminder_to_leave(request: RequestContext) -> Reminder | None:
    """Return the shared reminder that the sender leaves, though the words ask to delete it; None for others.

    Somebody else has set it for the sender and for others, and the sender says "me" or does not name it. Only the
    creator can delete a reminder for everyone.
    """
    reminder, words = find_named_reminder(request), request.words
    if reminder is None or not _is_shared_by_other(reminder, request):
        return None
    says_mine = any(words.has_any(words.own_one, words.fold(piece)) for piece in request.reading.pieces("REF"))
    is_unnamed = len(reminder.targets) > 1 and not says_mine and not find_references(request)
    is_leaving = request.reading.probability("leave") >= _LEAVE_PROBABILITY or says_remind_me(request)
    return reminder if is_unnamed or is_leaving else None


def _is_shared_by_other(reminder: Reminder, request: RequestContext) -> bool:
    """Return whether somebody else has set a reminder for the person who asks and for others."""
    sender = request.turn.message.sender
    is_for_one = len(reminder.targets) == 1 and reminder.targets[0].id != EVERYONE
    return not is_for_one and reminder.creator.id != sender.id and reminds(reminder, sender)


def _is_name_without_day(reference: str, day: str) -> bool:
    """Return whether `reference` is a name without the `day`, and no number or word for several."""
    if day in reference or reference.isdecimal():
        return False
    return reference.split(maxsplit=1)[0] not in {IT, LAST, *SEVERAL}


def skip(request: RequestContext) -> Interpretation | None:
    """Skip a day of a repeating reminder; weekdays that recur are removed from it.

    In Chinese, what is not to come before a day or from one day to another is paused: 周五之前都不用提醒我.
    """
    paused = _find_bounds_of_pause(request)
    if paused is not None:
        return change_state(request, "pause", paused)
    if _asks_for_pause(request):
        return pause(request)
    weekday_removed = remove_weekdays(request) if find_removed_weekday(request) else None
    if weekday_removed is not None:
        return weekday_removed
    words = find_words_to_skip(request)
    if _is_single_occurrence(request, words):
        return delete(request) if request.reading.certainty >= _MIN_DELETION_PROBABILITY else None
    count = count_skipped(request)
    if count > _MAX_SKIPPED:
        return request.answers.say("offline.pause_end")
    name = ", ".join(find_references(request)) or _find_series_on(words, request)
    name = name or find_default_reference(request).removeprefix(IT)
    changes = [{"reminder_id": name, **each} for each in _list_skips(words, count, request)]
    return merge_or_none([request.answers.call_tool("reminder_update", each) for each in changes])


def _list_skips(words: str, count: int, request: RequestContext) -> list[dict[str, str]]:
    """Return the arguments of each call that skips one of `count` occurrences, or one on the days of `words`."""
    days = ["next"] * count if count > 1 else list_named_days(words, request) or list_dates_to_skip(words, request)
    at_clock = "" if days else find_named_occurrence(words, request)
    return [{"skip": day} for day in days] or [{"skip": at_clock} if at_clock else _skip_or_remove(words, request)]


def _asks_for_pause(request: RequestContext) -> bool:
    """Return whether days on which nothing is to come have a begin or an end: "no pills from tomorrow"."""
    when, words = request.reading.words("WHEN"), request.words
    is_this_time = words.has_any(words.this_time, words.fold(when))  # 这周不用,下周才开始
    begin = request.read_only_time(when) if FROM_THEN.search(request.folded_text) and not is_this_time else None
    is_begin = begin is not None and names_single_day(begin) and begin.start > request.now
    return bool(when) and (is_begin or request.begins_with(when, words.until_words))


def _skip_or_remove(words: str, request: RequestContext) -> dict[str, str]:
    """Return the arguments that skip the day of `words`, or remove its weekdays; both where that is open: 周一."""
    skipped = {"skip": find_occurrence_on_day_of_month(words, request) or words or "next"}
    removed = {"days": f"-{words}"}
    weekdays = request.find_weekdays(words)
    if not weekdays:
        return skipped
    is_recurring = bool(request.find_recurring_weekdays(words)) or "@rule" in request.reading.forms  # "los viernes"
    is_one_time = bool(request.words.joint) and len(request.read_times(words)) == 1
    is_span = len(weekdays) > 1 and is_one_time  # "el fin de semana", but 周末不用
    is_once = means_single_days(request)
    are_listed_days = len(weekdays) > 1 and not is_span
    are_days_of_daily = not is_once and _refuses_days_of_daily(request)
    if is_recurring or are_listed_days or are_days_of_daily:
        return removed
    return skipped if is_once or is_span else skipped | removed


def _refuses_days_of_daily(request: RequestContext) -> bool:
    """Return whether weekdays are left out of a daily reminder: 周日不用."""
    is_refused = bool(find_weekdays_left_out(request)) and request.has_phrase(request.words.without)
    rule = find_rule(find_named_reminder(request)) if is_refused else None
    return rule is not None and rule.frequency == "DAILY"


def follow_skip(request: RequestContext) -> Interpretation | None:
    """Skip another day after one ("and Friday too"), or take the same day back ("no, do remind me tomorrow")."""
    last = request.last_call.arguments
    pieces = request.reading.pieces("WHEN") if last.get("skip") and not request.reading.has("REF") else []
    time, intent = request.parse_time(pieces), request.reading.intent
    if time is None or not names_single_day(time.best) or time.best.has_clock:
        return None
    day, adds_day = time.best.start.date(), intent in {"add_days", "repeat_last"}
    if day in request.list_days(str(last["skip"])) and (adds_day or intent == "move"):
        return request.answers.call_tool("undo", {"count": 1})
    another = {"reminder_id": last.get("reminder_id"), "skip": f"{day}"}
    return request.answers.call_tool("reminder_update", another) if adds_day else None


def _find_bounds_of_pause(request: RequestContext) -> dict[str, object] | None:
    """Return the end or the bounds of the days on which a Chinese request asks for nothing; None for single days."""
    reading, words, spans = request.reading, request.words, request.reading.spans("WHEN")
    when = reading.words("WHEN").removesuffix("都").strip()
    if words.joint or not when or not find_references(request):
        return None
    deadline = find_longest_ending(when, words.deadlines)
    last_day = when.removesuffix(deadline)
    if deadline and request.names_single_day(last_day):
        return {"until": last_day}
    start, end = spans[0][0], max(spans[-1][1], *(token.end for token in reading.times), 0)
    has_from = "从" in words.fold(reading.text[max(start - 1, 0) : start + 1])
    bounds = re.split(words.between_times, reading.text[start:end], maxsplit=1) if has_from else []
    bounds = [bound.strip("从從停休") for bound in bounds]
    is_range = len(bounds) > 1 and all(bound and request.read_times(bound) for bound in bounds)
    return {"during": "-".join(bounds)} if is_range else None


def _find_series_on(words: str, request: RequestContext) -> str:
    """Return the id of the sender's only repeating reminder at the time `words`; "" if the one set last comes then."""
    if not words or request.last_set is None:
        return ""
    sender, last = request.turn.message.sender, find_last_reminder(request)
    own = [each for each in request.reminders if each.creator.id == sender.id and each.schedule.rule is not None]
    if last is None and not is_last_single(request):  # the last request has set several
        own = [each for each in own if each.content == request.last_content]
    elif last in own and request.filter_by_time(words, (last,)):
        return ""
    at_time = request.filter_by_time(words, own)
    return at_time[0].id if len(at_time) == 1 else ""


def _is_single_occurrence(request: RequestContext, words: str) -> bool:
    """Return whether the named reminder, or with a day the one set last, comes once and on that day."""
    reminder = find_named_reminder(request) if words or request.reading.has("REF") else None
    if reminder is None or reminder.schedule.rule is not None:
        return False
    return not words or bool(request.filter_by_time(words, [reminder]))


def is_last_single(request: RequestContext) -> bool:
    """Return whether the reminder set last comes only once, and none is named."""
    return request.last_set is not None and not is_repeating(request.last_set) and not find_references(request)
