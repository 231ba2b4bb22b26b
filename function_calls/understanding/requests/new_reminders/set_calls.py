"""Make the calls that set the reminders of a request, or ask for what is missing."""

from datetime import timedelta

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation
from function_calls.understanding.open_questions import ReminderRequest
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.repair.event_repair import (
    has_unclear_time,
    tag_event,
    tag_event_behind_day,
    tag_event_behind_lead,
)
from function_calls.understanding.reading.repair.tag_repair import bound_names, repair_tags, tag_edge_time
from function_calls.understanding.reading.segments.reminder_splits import split_reminders
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.earlier_messages import quote_pointed_message
from function_calls.understanding.requests.last_reminder import (
    carry_days_to_reminders,
    find_call_to_repeat,
    share_time_between_people,
)
from function_calls.understanding.requests.new_reminders.copies import copy_last
from function_calls.understanding.requests.new_reminders.options import (
    add_options,
    exclude_days,
    move_to_workdays,
    read_options,
    skip_day,
    split_excluded_days,
    split_interval,
    split_skipped_day,
)
from function_calls.understanding.requests.new_reminders.pieces import open_time_of_event, read_piece
from function_calls.understanding.requests.new_reminders.same_day import find_same_day_time
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.lead_events import (
    counts_back_from_other_event,
    join_times_of_event,
    separate_event_from_clock,
)
from function_calls.understanding.requests.times.leads import tag_lead
from function_calls.understanding.requests.times.repeated_times import find_end
from function_calls.understanding.requests.times.request_times import find_times
from function_calls.understanding.requests.times.unclear_times import find_day_without_clock, find_impossible_time_words

_MAX_NAME_WORDS = 3


def set_reminders(request: RequestContext) -> Interpretation | None:
    """Set the reminders that a request asks for, or ask for what is missing."""
    split = split_skipped_day(request)
    if split is None:
        return _set_reminders_on_all_days(request)
    repeating, day = split
    interpretation = set_reminders(repeating)
    return (
        interpretation if interpretation is None or not interpretation.calls else skip_day(interpretation, day, request)
    )


def _set_reminders_on_all_days(request: RequestContext) -> Interpretation | None:
    """Set the reminders of a request that has no "but not on …" at its end."""
    request, excluded_days = split_excluded_days(request)
    request = request.with_reading(bound_names(request.reading, request.words))
    request, interval = split_interval(tag_lead(request))
    reading = repair_tags(request.reading, request.words, find_members(request.turn))
    repetition = _find_request_to_repeat(reading, request)
    if repetition is not None:
        return repeat_last(repetition)
    impossible_time = find_impossible_time_words(request)
    request = _tag_events_and_reasons(request.with_reading(reading))
    pieces = _split_pieces(request)
    reminders = [each for piece in pieces for each in read_piece(request, piece)]
    if excluded_days:
        reminders = [exclude_days(reminder, excluded_days, request) for reminder in reminders]
    if has_unclear_time(request.reading, request.words) and find_same_day_time(request) is None:
        without_time = [replace(each, time=None, day=find_day_without_clock(request)) for each in reminders[:1]]
        return request.answers.set_reminders(without_time)
    reminders = _complete_reminders(reminders, request, interval, are_of_pieces=len(pieces) > 1)
    if impossible_time:
        interpretation = request.answers.ask_other_time(reminders[0], impossible_time)
    else:
        interpretation = _set_with_titles(request, reminders)
    return _apply_options(interpretation, interval, request)


def _apply_options(
    interpretation: Interpretation, interval: timedelta | None, request: RequestContext
) -> Interpretation:
    """Return calls that set reminders with the options of the request, which an open question keeps."""
    options = read_options(request, interval)
    if options:
        request.answers.keep_options(options)
    interpretation = add_options(interpretation, options)
    return replace(interpretation, calls=tuple(move_to_workdays(call, request) for call in interpretation.calls))


def _find_request_to_repeat(reading: MessageReading, request: RequestContext) -> RequestContext | None:
    """Return the request where it is for the last reminder once more, without words for that; else None.

    `reading` is that of the request with repaired tags.
    """
    if counts_back_from_other_event(request):
        return None
    if _names_only_pronoun(request.reading, reading, request.words) and find_call_to_repeat(request):
        return request
    return request.retag("CONTENT", NO_TAG) if _names_only_last_task(reading, request) else None


def _names_only_pronoun(original: MessageReading, repaired: MessageReading, words: Lexicon) -> bool:
    """Return whether a request names no content but a pronoun: "an extra one".

    The tags of the network, `original`, have no content, and the `repaired` ones have one that ends in the pronoun.
    """
    *_, last_word = ["", *extract_content(repaired, words).casefold().split()]
    return bool(words.joint) and not original.has("CONTENT") and last_word in words.itself


def _names_only_last_task(reading: MessageReading, request: RequestContext) -> bool:
    """Return whether a request has only words for the last task: "to do the same", or its verb: "also water at 5pm"."""
    words = request.words
    last = words.fold(request.last_content)
    named = words.fold(extract_content(reading, words))
    if named in words.same_task and last:
        return True
    content = request.strip_leading_word(named, words.too)
    is_verb = bool(content) and content != last and f"{last}{words.joint}".startswith(f"{content}{words.joint}")
    return is_verb and request.has_word(words.too)


def repeat_last(request: RequestContext) -> Interpretation | None:
    """Set the last reminder for another time as well, or a new one that counts back from an event of its own."""
    request = separate_event_from_clock(request.retag("EARLIER", "LEAD"))
    if counts_back_from_other_event(request):
        return set_reminders(request)
    return copy_last(request)


def _tag_events_and_reasons(request: RequestContext) -> RequestContext:
    """Return the request with its events tagged, and with counts and times of reasons that belong to its content."""
    request, words = join_times_of_event(request), request.words
    reading = tag_event_behind_lead(tag_event_behind_day(request.reading, words), words)
    request = _keep_count_in_content(request.with_reading(reading))
    return request.with_reading(tag_event(_keep_time_of_reason_in_content(request.reading, words), words))


def _keep_count_in_content(request: RequestContext) -> RequestContext:
    """Tag "3 times" as content where nothing repeats, so that the bot asks about it."""
    if not find_end(request).startswith("COUNT") or any(time.best.rrule for time in find_times(request)):
        return request
    return request.retag("UNTIL", "CONTENT")


def _keep_time_of_reason_in_content(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Tag the time of a reason as content: "to leave, the doctor closes at 5"."""
    last = len(reading.tags) - 1
    whens = [at for at, tag in enumerate(reading.tags) if tag == "WHEN" and is_time(reading.tokens[at])]
    if not words.joint or len(whens) < 2 or whens[-1] != last:
        return reading
    commas = [at for at in range(whens[-2] + 1, last) if reading.tokens[at].form == ","]
    reason = reading.tags[commas[-1] + 1 : last] if commas else ()
    if len(reason) < 3 or set(reason) != {"CONTENT"}:
        return reading
    return reading.with_tags((*reading.tags[:last], "CONTENT"))


def _split_pieces(request: RequestContext) -> list[MessageReading]:
    """Return the pieces of a request that each name reminders; a last "and then" asks for none."""
    pieces = split_reminders(request.reading)
    pieces = [piece for piece in pieces if set(piece.tags) - {NO_TAG, "PERSON"}] or pieces
    return [tag_edge_time(piece, request.words) for piece in pieces] if len(pieces) > 1 else pieces


def _complete_reminders(
    reminders: list[ReminderRequest], request: RequestContext, interval: timedelta | None, *, are_of_pieces: bool
) -> list[ReminderRequest]:
    """Return `reminders` with the contents, clocks and days that they share, and the end of the first `interval`."""
    reminders = [open_time_of_event(reminder, request) for reminder in reminders]
    if are_of_pieces:
        reminders = _complete_verbs(_share_last_content(reminders, request), request.words)
    if interval is not None:
        reminders = [_start_after_interval(reminder, interval, request) for reminder in reminders]
    return carry_days_to_reminders(share_time_between_people(reminders, request), request)


def _share_last_content(reminders: list[ReminderRequest], request: RequestContext) -> list[ReminderRequest]:
    """Return `reminders` with what the last one says, and its clock, for the people in front: "Ann at 5 and Bob at 6".

    Each of them has a time of their own.
    """
    *others, last = reminders
    are_only_times = all(each.time is not None and not each.content for each in others)
    has_people = any(each.person for each in reminders)
    if not last.content or last.time is None or not (are_only_times and has_people):
        return reminders
    clock = last.time.best if last.time.best.has_clock and not last.time.is_ambiguous else None
    completed = []
    for each in others:
        time = each.time
        if time is not None and clock is not None and not time.best.has_clock:
            words = request.words.with_hour.format(time=time.words, hour=f"{clock.start:%H:%M}")
            time = request.parse_time([words]) or time
        completed.append(replace(each, content=last.content, time=time))
    return [*completed, last]


def _complete_verbs(reminders: list[ReminderRequest], words: Lexicon) -> list[ReminderRequest]:
    """Return `reminders` with the verb of the one before for those that only name somebody: "call Ann …, Bob …"."""
    verb = ""
    completed: list[ReminderRequest] = []
    for reminder in reminders:
        first, *_ = [*reminder.content.split(), ""]
        is_verb = first.casefold() in words.common_verbs
        if verb and not is_verb and _is_person_name(reminder.content, words):
            completed.append(replace(reminder, content=f"{verb} {reminder.content}"))
            continue
        verb = first if is_verb else ""
        completed.append(reminder)
    return completed


def _is_person_name(content: str, words: Lexicon) -> bool:
    """Return whether a content is no more than the name of a person."""
    *before, last = content.split() or [""]
    return len(before) < _MAX_NAME_WORDS and (last.casefold() in words.people_nouns or last[:1].isupper())


def _start_after_interval(reminder: ReminderRequest, interval: timedelta, request: RequestContext) -> ReminderRequest:
    """Return `reminder` at the end of the first interval where it has no other time."""
    if reminder.time is not None:
        return reminder
    phrase = request.words.as_amount.format(minutes=max(1, round(interval.total_seconds() / 60)))
    return replace(reminder, time=request.parse_time([phrase]))


def _set_with_titles(request: RequestContext, reminders: list[ReminderRequest]) -> Interpretation:
    """Set `reminders`; those without a content have that of the message pointed at, or a usual title."""
    if all(reminder.content for reminder in reminders):
        return request.answers.set_reminders(reminders)
    title = _choose_title(request)
    if title is None:
        return request.answers.ask_content(reminders)
    return request.answers.set_reminders(
        [reminder if reminder.content else replace(reminder, content=title) for reminder in reminders]
    )


def _choose_title(request: RequestContext) -> str | None:
    """Return the content of a request without one; None where the bot must ask, "" for the usual title."""
    if request.has_part(request.words.waking):
        return request.words.wake_up
    if request.has_word(request.words.demonstratives):
        return quote_pointed_message(request)
    is_amount = any(token.form.endswith("offset") for token in request.reading.tokens)
    is_timer = request.has_part(request.words.alarms)
    return "" if is_amount or is_timer else None
