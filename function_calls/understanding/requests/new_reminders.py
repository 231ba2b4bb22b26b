"""Make calls of requests to be reminded: contents, people, times and options."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation, ToolCall
from function_calls.understanding.open_questions import OpenQuestion, ReminderRequest
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.repair import events
from function_calls.understanding.reading.repair.tag_repair import (
    bound_names,
    repair_tags,
    tag_edge_time,
    tag_same_time,
)
from function_calls.understanding.reading.segments import split_reminders
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.slots.people import EVERYONE, extract_people
from function_calls.understanding.reading.slots.small_words import are_function_words, tidy
from function_calls.understanding.reading.times import (
    TimeWords,
    is_clock_alone,
    list_halves,
    move_to_day,
    names_single_day,
    set_clock,
    subtract_lead,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.requests import last_reminder, leads, request_times
from function_calls.understanding.requests.day_halves import choose_usual_half
from function_calls.understanding.requests.known_reminders import reminds
from function_calls.understanding.requests.options import (
    add_options,
    exclude_days,
    move_to_workdays,
    read_options,
    skip_day,
    split_excluded_days,
    split_interval,
    split_skipped_day,
)
from function_calls.understanding.requests.references import IT, find_references, says_remind_me
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.time_expressions import Reading

_NOON_HOUR = 12
_AFTERNOON_HOURS = range(13, 18)
"""The hours of the afternoon, of which a bare figure is one."""
_MOST_NAME_WORDS = 3
_FEWEST_TASK_TOKENS = 2
"""The tokens of a task at the end of a request, with "to" in front of it."""
_PAIR_OF_PEOPLE = 2
_DAY = timedelta(days=1)


def set_reminders(request: RequestContext) -> Interpretation | None:
    """Set the reminders that a request asks for, or ask for what is missing."""
    split = split_skipped_day(request)
    if split is not None:
        repeating, day = split
        made = set_reminders(repeating)
        return made if made is None or not made.calls else skip_day(made, day, request)
    request, excluded_days = split_excluded_days(request)
    request = request.with_reading(bound_names(request.reading, request.words))
    request, interval = split_interval(leads.tag_lead(request))
    reading = repair_tags(request.reading, request.words, find_members(request.turn))
    repetition = _find_request_to_repeat(reading, request)
    if repetition is not None:
        return repeat_last(repetition)
    impossible_time = request_times.find_impossible_time_words(request)
    request = _tag_events_and_reasons(request.with_reading(reading))
    pieces = _split_pieces(request)
    reminders = [each for piece in pieces for each in _read_piece(request, piece)]
    if excluded_days:
        reminders = [exclude_days(reminder, excluded_days, request) for reminder in reminders]
    if events.has_unclear_time(request.reading, request.words) and last_reminder.resolve_same_day(request) is None:
        without_time = [
            replace(each, time=None, day=request_times.find_day_without_clock(request)) for each in reminders[:1]
        ]
        return request.answers.set_reminders(without_time)
    reminders = _complete_reminders(reminders, request, interval, are_of_pieces=len(pieces) > 1)
    if impossible_time:
        made = request.answers.ask_other_time(reminders[0], impossible_time)
    else:
        made = _set_with_titles(request, reminders)
    options = read_options(request, interval)
    if options:
        request.answers.keep_options(options)
    made = add_options(made, options)
    return replace(made, calls=tuple(move_to_workdays(call, request) for call in made.calls))


def _find_request_to_repeat(reading: MessageReading, request: RequestContext) -> RequestContext | None:
    """Return the request where it is for the last reminder once more, without words for that; else None.

    `reading` is that of the request with repaired tags.
    """
    if leads.counts_back_from_other_event(request):
        return None
    if _names_only_pronoun(request.reading, reading, request.words) and last_reminder.find_call_to_repeat(request):
        return request
    return request.retag("CONTENT", NO_TAG) if _names_only_last_task(reading, request) else None


def _complete_reminders(
    reminders: list[ReminderRequest], request: RequestContext, interval: timedelta | None, *, are_of_pieces: bool
) -> list[ReminderRequest]:
    """Return `reminders` with the contents, clocks and days that they share, and the end of the first `interval`."""
    reminders = [_open_time_of_event(reminder, request) for reminder in reminders]
    if are_of_pieces:
        reminders = _complete_verbs(_share_last_content(reminders, request), request.words)
    if interval is not None:
        reminders = [_start_after_interval(reminder, interval, request) for reminder in reminders]
    return last_reminder.carry_days_to_reminders(reminders, request)


def _tag_events_and_reasons(request: RequestContext) -> RequestContext:
    """Return the request with its events tagged, and with counts and times of reasons that belong to its content."""
    words = request.words
    reading = events.tag_event_behind_lead(events.tag_event_behind_day(request.reading, words), words)
    request = _keep_count_in_content(request.with_reading(reading))
    return request.with_reading(events.tag_event(_keep_time_of_reason_in_content(request.reading, words), words))


def _split_pieces(request: RequestContext) -> list[MessageReading]:
    """Return the pieces of a request that each name reminders; a last "and then" asks for none."""
    pieces = split_reminders(request.reading)
    pieces = [piece for piece in pieces if set(piece.tags) - {NO_TAG, "PERSON"}] or pieces
    return [tag_edge_time(piece, request.words) for piece in pieces] if len(pieces) > 1 else pieces


def _open_time_of_event(reminder: ReminderRequest, request: RequestContext) -> ReminderRequest:
    """Return `reminder` with the day alone where an event names its time: "tomorrow when I leave work"."""
    best = None if reminder.time is None else reminder.time.best
    if best is None or best.has_clock or best.part or best.rrule is not None:
        return reminder
    has_event = events.names_event_for_clock(request.reading, request.words)
    return replace(reminder, time=None, day=best) if has_event else reminder


def _names_only_pronoun(found: MessageReading, repaired: MessageReading, words: Lexicon) -> bool:
    """Return whether a request names no content but a pronoun: "an extra one".

    The network has `found` no content, and the `repaired` tags have one that ends in the pronoun.
    """
    *_, last_word = ["", *extract_content(repaired, words).casefold().split()]
    return bool(words.joint) and not found.has("CONTENT") and last_word in words.itself


def _names_only_last_task(reading: MessageReading, request: RequestContext) -> bool:
    """Return whether a request has only words for the last task: "to do the same", or its verb: "also water at 5pm"."""
    words = request.words
    last = "" if request.last_set is None else words.fold(str(request.last_set.arguments.get("content", "")))
    named = words.fold(extract_content(reading, words))
    if named in words.same_task and last:
        return True
    content = request.strip_leading_word(named, words.too)
    is_verb = bool(content) and content != last and f"{last}{words.joint}".startswith(f"{content}{words.joint}")
    return is_verb and request.has_word(words.too)


def _keep_count_in_content(request: RequestContext) -> RequestContext:
    """Tag "3 times" as content where nothing repeats, so that the bot asks about it."""
    if not request_times.find_end(request).startswith("COUNT") or any(
        time.best.rrule for time in request_times.find_times(request)
    ):
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


def _share_last_content(reminders: list[ReminderRequest], request: RequestContext) -> list[ReminderRequest]:
    """Return `reminders` with what the last one says, and its clock, for the people in front: "Ann at 5 and Bob at 6".

    Each of them has a time of their own.
    """
    *others, last = reminders
    are_open = not any(each.content or each.time is None for each in others) and any(each.person for each in reminders)
    if not last.content or last.time is None or not are_open:
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


def _is_person_name(content: str, words: Lexicon) -> bool:
    """Return whether a content is no more than the name of a person."""
    *before, last = content.split() or [""]
    return len(before) < _MOST_NAME_WORDS and (last.casefold() in words.people_nouns or last[:1].isupper())


def repeat_last(request: RequestContext) -> Interpretation | None:
    """Set the last reminder for another time as well."""
    request = leads.separate_event_from_clock(request.retag("EARLIER", "LEAD"))
    if leads.counts_back_from_other_event(request):
        return set_reminders(request)
    last = last_reminder.find_call_to_repeat(request)
    if last is None:
        return _ask_content(request)
    days = request.strip_time_words(request.reading.words("WHEN"))
    if last_reminder.is_repeating(last) and request.find_weekdays(days):
        name = ", ".join(find_references(request)) or IT
        return request.answers.call_tool("reminder_update", {"days": f"+{days}", "reminder_id": name})
    request = request.with_reading(events.untag_that_day(tag_same_time(request.reading, request.words), request.words))
    times = last_reminder.read_times_of_copy(request, last)
    times = [last_reminder.complete_time(time, last, request) for time in times]
    if not times:
        return None
    content = request.content or _find_task_at_end(request) or str(last.arguments["content"])
    person = _choose_people_of_copy(last, request)
    made = request.answers.set_reminders([ReminderRequest(content=content, person=person, time=time) for time in times])
    if not _adds_clock(times, request):
        return made
    return replace(made, calls=tuple(last_reminder.copy_rule(call, last) for call in made.calls))


def _choose_people_of_copy(last: ToolCall, request: RequestContext) -> str | None:
    """Return the people to remind once more: those that are named, else those of the last reminder, but for "me"."""
    is_named, says_me = request.reading.has("PERSON"), says_remind_me(request)
    is_for_everyone = last.arguments.get("person") == EVERYONE
    is_for_sender = (is_named or says_me) if is_for_everyone else (is_named and not says_me)  # "and me at 5"
    person = find_people(request) or (None if is_for_sender else last.arguments.get("person"))
    return None if person is None else str(person)


def _adds_clock(times: Sequence[TimeWords], request: RequestContext) -> bool:
    """Return whether a request adds a clock to the days of the last reminder: "also at 9pm"."""
    if any(time.best.has_day or time.best.rrule for time in times):
        return False
    adding = request.words.adding if request.reading.has("REF") else ()
    return request.last_set is None or request.has_word((*request.words.too, *request.words.copying, *adding))


def set_variant_of_last(request: RequestContext) -> Interpretation | None:
    """Set a reminder like the chat's last one for a person who joins: "me too, but the red folder"."""
    last = request.last_here or request.last_set
    if last is None or any(map(request.reading.has, ("WHEN", "OLD", "REF"))):
        return None
    content = _find_different_content(request) or _find_task_at_end(request)
    person = find_people(request)
    if not content or (person is not None and request.words.fold(person) in request.words.pronouns):
        return None
    verb, _, matter = str(last.arguments.get("content", "")).partition(" ")
    has_article = [text.partition(" ")[0].casefold() in request.words.articles for text in (content, matter)]
    content = f"{verb} {content}" if all(has_article) else content
    return request.answers.call_tool("reminder_set", {**last.arguments, "content": content, "person": person})


def _find_different_content(request: RequestContext) -> str:
    """Return the words behind "but" that are no time: "me too, but the red folder"."""
    tokens = request.reading.tokens
    at = next((at for at, token in enumerate(tokens) if token.form in request.words.but), len(tokens))
    rest = tokens[at + 1 :]
    if not rest or any(map(is_time, rest)) or are_function_words((token.form for token in rest), request.words):
        return ""
    text = request.words.strip_same_time(request.reading.text_of(rest[0], rest[-1]))
    return tidy(text, (*(request.words.prepositions - request.words.articles), *request.words.before_content))


def _ask_content(request: RequestContext) -> Interpretation | None:
    """Ask for the content at the time of "another reminder", where there is none to repeat."""
    times = request_times.find_times(request) if request.is_addressed else []
    if not times:
        return None
    return request.answers.ask_content([ReminderRequest(content="", person=find_people(request), time=times[0])])


def _find_task_at_end(request: RequestContext) -> str:
    """Return the untagged words behind "to" at the end of a request: "another one at 10 to pack"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    first = max((at + 1 for at, tag in enumerate(tags) if tag in {"WHEN", "PERSON", "LEAD"}), default=len(tags))
    has_other = "REF" in tags[first:] or any(token.form in CLAUSE_ENDS for token in tokens[first:])
    is_task = len(tokens) - first >= _FEWEST_TASK_TOKENS and tokens[first].form in request.words.task_links
    if not request.words.joint or has_other or not is_task:
        return ""
    task = tidy(request.reading.text[tokens[first + 1].start :], request.words.before_content)
    return "" if request.words.fold(task) in request.words.itself | request.words.same_task else task


def answer_when(request: RequestContext) -> Interpretation | None:
    """Set the reminder that was asked about at the time of the answer."""
    question, times = request.question, request_times.find_times(request)
    is_event = not times and events.names_event_for_clock(request.reading, request.words)
    if question is None or question.asks == "reminder" or not (len(times) == 1 or is_event):
        return None
    is_vague = is_event or (events.names_vague_time(request.reading, request.words) and not times[0].best.has_clock)
    time = None if is_vague else _read_answered_time(times[0], question, request)
    content = question.content or request.content or _find_text_beside_times(request)
    person = question.person and question.person.replace("@", "")  # who was mentioned before is known by name
    reminder = ReminderRequest(content=content, person=person, time=time, event=question.event, lead=question.lead)
    reminder = _open_time_of_event(reminder, request)
    if content or question.asks == "option":
        return request.answers.set_reminders([reminder, *question.rest])
    return request.answers.ask_content([reminder])


def _read_answered_time(time: TimeWords, question: OpenQuestion, request: RequestContext) -> TimeWords | None:
    """Return when to remind, where `time` answers `question`; None where it leaves that open.

    A lead counts back from the time of an event, but not where `time` is a correction ("Sunday at 10, I mean") or the
    day of an event that people have named, less the lead.
    """
    time = _complete_by_question(time, question, request)
    lead = leads.parse_lead(question.lead, request) if question.event else None
    if lead is None:
        return None if question.event else time
    is_final = request.has_word(request.words.slips) or _counts_back_from_named_day(time, lead[0], request)
    return time if is_final else subtract_lead(time, *lead)


def _counts_back_from_named_day(time: TimeWords, lead: timedelta, request: RequestContext) -> bool:
    """Return whether people have lately named the day from which `time` already counts back, but not its own day."""
    messages = (each for each in request.turn.recent if not each.sender.is_bot)
    readings = [time.best for each in messages for time in request.read_times(each.text, each.sent_at)]
    days = {best.start.date() for best in readings if best is not None and best.has_day}
    day = time.best.start.date()
    return time.best.has_day and lead >= _DAY and day + lead in days and day not in days


def _complete_by_question(time: TimeWords, question: OpenQuestion, request: RequestContext) -> TimeWords:
    """Return an answer with what is known of the time that was asked for."""
    if question.asks != "time" or not question.options:
        return _complete_by_options(time, question.options, request)
    if question.options[0].has_clock:  # "every lunar month at 7", then "every 1st and 15th"
        clock, names_clock = replace(time, readings=question.options), time.best.has_clock or time.best.part
        return time if names_clock or question.event else request_times.repeat_clock(clock, time.best, request)
    moved = last_reminder.move_open_time_to_day(time, question.options[0].start.date(), request)
    if time.best.has_day or not is_clock_without_half(time.words):
        return moved
    halves = _list_possible_halves(moved.best)
    return choose_usual_half(replace(moved, readings=halves, is_ambiguous=len(halves) > 1), request)


def _complete_by_options(time: TimeWords, options: Sequence[Reading], request: RequestContext) -> TimeWords:
    """Return an answer with the day, or the clock, of the `options` where it names none."""
    best, days = time.best, {option.start.date() for option in options}
    if not options:
        return time
    if is_clock_alone(best) and len(days) == 1:
        readings = tuple(move_to_day(reading, min(days)) for reading in time.readings)
        if is_clock_without_half(time.words):
            # Only for alarms are these hours asked about.
            is_alarm = any(option.start.hour in _AFTERNOON_HOURS for option in options)
            halves = list_halves(readings[0]) if is_alarm else _list_possible_halves(readings[0])
            readings = _keep_offered_half(options[0], halves)
        time = replace(time, readings=readings, is_ambiguous=len(readings) > 1)
        return (
            time if options[0].rrule is None else request_times.repeat_clock(time, options[0], request)
        )  # "every day"
    if best.has_clock or best.part:
        return time
    readings = tuple(set_clock(best, option) for option in options)
    return replace(time, readings=readings, is_ambiguous=len(readings) > 1)


def _list_possible_halves(reading: Reading) -> tuple[Reading, ...]:
    """Return a clock without a half of the day in both; one from 1 to 5 is of the afternoon."""
    halves = list_halves(reading)
    return tuple(half for half in halves if half.start.hour in _AFTERNOON_HOURS) or halves


def _keep_offered_half(offered: Reading, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return those of `readings` in the half of the day of the part that was `offered`: "8" of the morning."""
    same = tuple(
        reading for reading in readings if (reading.start.hour < _NOON_HOUR) == (offered.start.hour < _NOON_HOUR)
    )
    return same if offered.part and not offered.has_clock else readings


def _find_text_beside_times(request: RequestContext) -> str:
    """Return the words of an answer outside of its times, which are the content where that was asked as well."""
    text = request.reading.text
    for start, end in reversed(request.reading.spans("WHEN")):
        text = f"{text[:start]} {text[end:]}"
    rest = tidy(" ".join(text.split()), request.words.before_content)
    parts = rest.casefold().split() if request.words.joint else list(rest)
    return "" if are_function_words(parts, request.words) else rest


def answer_content(request: RequestContext) -> Interpretation | None:
    """Set the reminder that was asked about with the content of the answer."""
    question, content = request.question, request.content
    if question is None or not content or question.content or question.asks == "reminder":
        return None
    if not question.options:
        return request.answers.set_reminders([ReminderRequest(content=content, person=question.person, time=None)])
    return merge_or_none(
        [request.answers.set_reminder(content, question.person, option) for option in question.options]
    )


def _read_piece(request: RequestContext, piece: MessageReading) -> list[ReminderRequest]:
    """Return the reminders of one piece: its content at each of its times."""
    part = leads.separate_event_from_clock(leads.tag_day_of_event(request.with_reading(piece)))
    content = _strip_bot_name(extract_content(piece, request.words), request)
    is_sign = not any(map(str.isalnum, content)) and part.has_part(request.words.waking)  # "wake me up at 6 🙏"
    is_pronoun = content.casefold() in {*request.words.itself, *request.words.indefinites}
    content = "" if is_sign or is_pronoun else content
    person = find_people(part)
    times = _share_repetition(_add_event_itself(_read_times(part), request.with_reading(piece)), request)
    event = None if content or not times else leads.find_reminder_counted_from(part)
    content = content if event is None else event.content
    if times and (len(times) == 1 or request_times.are_listed_times(part)):
        return [ReminderRequest(content=content, person=person, time=time) for time in times]
    event_name, lead = leads.find_event_without_time(part)
    day = request_times.find_day_without_clock(part)
    return [ReminderRequest(content=content, person=person, day=day, event=event_name, lead=lead)]


def _share_repetition(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` with the repetition behind the last: "Monday at 9 and Thursday at 6pm every week"."""
    words = times[-1].words.split() if times else []
    at = next((at for at, word in enumerate(words) if at and request.words.fold(word) in request.words.each), 0)
    are_days = len(times) > 1 and all(names_single_day(each.best) for each in times[:-1])
    if not at or not are_days or times[-1].best.rrule is None:
        return times
    repeated = (request.parse_time([" ".join([each.words, *words[at:]])]) for each in times[:-1])
    return [*(each or time for each, time in zip(repeated, times[:-1], strict=True)), times[-1]]


def _add_event_itself(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` and the day of an event that they are ahead of: "the day before and on the day"."""
    words, text = request.words, request.words.fold(request.turn.message.text).rstrip(" .!")
    joined = [f"{each}{words.joint}{day}" for each in words.and_words if each for day in words.same_day_phrases]
    ahead = [f"{each}{words.joint}{word}" for each in joined for word in words.ahead]  # "and on the day before"
    is_both = request.reading.has("LEAD") and words.has_any(joined, text) and not words.has_any(ahead, text)
    event = request.parse_time(request.reading.pieces("EVENT")) if is_both else None
    is_ahead = event is not None and bool(times) and all(each.best.start < event.best.start for each in times)
    return [*times, event] if event is not None and is_ahead else times


def _strip_bot_name(content: str, request: RequestContext) -> str:
    """Return a content without the bot's name at its end, nor courtesies in front of that."""
    name = request.words.fold(request.turn.bot_name)
    text = request.words.fold(request.reading.text).rstrip(" .!?。！？~～")
    if not request.words.fold(content).endswith(f" {name}") or not text.endswith(f" {name}") or text.count(name) > 1:
        return content
    kept = content[: -len(name)].split()
    while len(kept) > 1 and kept[-1].casefold().strip(",，") in request.words.polite:
        kept.pop()
    return " ".join(kept).rstrip(",，")


def _read_times(request: RequestContext) -> list[TimeWords]:
    """Return the times of a request, with what they take from an earlier reminder or message."""
    if last_reminder.counts_back_from_unnamed_event(request):
        counted = _count_back_from_earlier_event(request)
        if counted is not None:
            return counted
    times = request_times.find_times(request)
    if request.reading.has("UNTIL") and request_times.find_end(request) and not any(time.best.rrule for time in times):
        return _repeat_daily(times, request)
    if request.has_word(request.words.same_time):
        return _set_to_same_time(times, request)
    day = last_reminder.resolve_same_day(request)
    return times if day is None else [last_reminder.move_open_time_to_day(each, day, request) for each in times]


def _count_back_from_earlier_event(request: RequestContext) -> list[TimeWords] | None:
    """Return the times ahead of a coming reminder, or of an event that was named before; None where there is none.

    Return no times where the event has no known time, or is "that" and no reminder of the sender.
    """
    event = leads.find_reminder_counted_from(request)
    if event is None:
        if leads.find_event_name_beside_lead(request):
            return []
        earlier = last_reminder.read_event_before(request)
        if earlier is not None:
            return last_reminder.count_back(earlier, leads.find_leads(request, has_event=True), request)
    last = last_reminder.find_call_to_repeat(request) if request.may_point or event is not None else None
    if last is None:
        return None
    is_of_other = last_reminder.refers_to_that(request) and request.last_set is None
    return [] if is_of_other else last_reminder.read_times_of_copy(request, last)


def _repeat_daily(times: Sequence[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` on each of the days that are counted: "at 9 for 5 days"; empty for "3 times tomorrow"."""
    days = (request.parse_amount("UNTIL") or timedelta()).days
    rule = f"FREQ=DAILY;COUNT={days}"
    daily = (replace(each, readings=(set_clock(each.best._replace(rrule=rule), each.best),)) for each in times)
    return list(daily) if days > 1 else []


def _set_to_same_time(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` at "the same time" as an earlier reminder, or that time itself; empty where there is none."""
    if request.reading.has("LEAD") and any(time.best.has_clock for time in times):
        return times  # "at 10 on the 1st, and at the same time on the day before"
    earlier = _find_call_with_same_time(request)
    if earlier is None:
        return []
    if not times:
        return request.parse_times([str(earlier.arguments.get("time", ""))])
    return [last_reminder.copy_clock(each, earlier, request, is_same=True) for each in times]


def _find_call_with_same_time(request: RequestContext) -> ToolCall | None:
    """Return the call with the time that "the same time" means: that of a reminder with the same content.

    Else it is the last one of the sender, for "me too" the last one in the chat.
    """
    content, fold = request.content, request.words.fold
    # "And me to pay the gas …" goes on with what another person has written.
    goes_on = request.set_call_before is None and request.begins_with(request.folded_text, request.words.beside)
    is_me_too = (goes_on or request.has_word(request.words.too)) and find_people(request) is None
    same = [reminder for reminder in request.reminders if content and fold(reminder.content) == fold(content)]
    if len(same) == 1 and request.chat_reminders is not None:
        return request.chat_reminders.make_set_call(same[0])
    latest = request.last_here if content and content.casefold() not in request.words.itself else None
    return (latest or request.last_set) if is_me_too else (request.last_set or latest)


def find_people(request: RequestContext) -> str | None:
    """Return the people to remind; None for the person who asks."""
    person = extract_people(request.reading, request.words) or _find_untagged_everyone(request)
    return find_both_people(request) if person and request.words.fold(person) in request.words.both_of_us else person


def _find_untagged_everyone(request: RequestContext) -> str | None:
    """Return everyone where untagged words say so ("reminder for everyone") and nobody is named."""
    reading, words = request.reading, request.words
    if reading.has("PERSON"):
        return None
    text = f" {reading.join_untagged(words.joint)} "
    return EVERYONE if any(word in text for word in words.for_everyone) else None


def find_both_people(request: RequestContext) -> str:
    """Return the names of the person who asks and of the other person.

    That person is named beside them, or shares their newest reminder for two, or wrote last.
    """
    own = request.turn.message.sender
    pairs = [each for each in request.reminders if len(each.targets) == _PAIR_OF_PEOPLE and reminds(each, own)]
    newest = sorted(pairs, key=lambda each: each.created_at, reverse=True)[:1]
    names = {target.name.lstrip("@") for each in newest for target in each.targets}
    writers = [message.sender for message in reversed(request.turn.recent) if not message.sender.is_bot]
    others = [each for each in writers if each.id != own.id]
    named = [each for each in others if _is_joined_with_sender(each.name, request)]
    shared = [each for each in others if each.name in names]
    other = next(iter(named or shared or others), None)
    return EVERYONE if other is None else f"{own.name}, {other.name}"


def _is_joined_with_sender(name: str, request: RequestContext) -> bool:
    """Return whether the message joins a name and a pronoun for who asks: "Ann and I meet …, remind us both"."""
    words, text = request.words, request.words.fold(request.turn.message.text)
    pairs = [pair for own in words.oneself for pair in ((words.fold(name), own), (own, words.fold(name)))]
    joints = [joint for joint in words.and_words if joint]
    return words.has_any([words.joint.join((one, joint, other)) for one, other in pairs for joint in joints], text)


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
        return last_reminder.quote_pointed_message(request)
    is_amount = any(token.form.endswith("offset") for token in request.reading.tokens)
    is_timer = request.has_part(request.words.alarms)
    return "" if is_amount or is_timer else None


def _start_after_interval(reminder: ReminderRequest, interval: timedelta, request: RequestContext) -> ReminderRequest:
    """Return `reminder` at the end of the first interval where it has no other time."""
    if reminder.time is not None:
        return reminder
    phrase = request.words.as_amount.format(minutes=max(1, round(interval.total_seconds() / 60)))
    return replace(reminder, time=request.parse_time([phrase]))
