"""Make calls of requests to be reminded: contents, people, times and options."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import islice, takewhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation, ToolCall
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.events import (
    has_unclear_time,
    names_event_for_clock,
    names_vague_time,
    tag_event,
    tag_event_behind_day,
    tag_event_behind_lead,
    untag_that_day,
)
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members, find_name
from function_calls.understanding.reading.segments import find_asking_words, split_reminders
from function_calls.understanding.reading.tag_repair import bound_names, repair_tags, tag_edge_time, tag_same_time
from function_calls.understanding.reading.times import (
    TimeWords,
    carry_days,
    choose_nearer_half,
    keep_clock_in_part,
    list_halves,
    move_to_day,
    names_single_day,
    set_clock,
    subtract_lead,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.requests.known_reminders import find_old_lead, reminds
from function_calls.understanding.requests.open_questions import OpenQuestion, ReminderRequest
from function_calls.understanding.requests.options import move_to_workdays, read_options, split_interval
from function_calls.understanding.requests.references import IT, find_named_reminder, find_references, says_remind_me
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.request_times import (
    Lead,
    are_listed_times,
    choose_half_of_part,
    choose_usual_half,
    find_end,
    find_event_named,
    find_event_reminder,
    find_impossible_time,
    find_leads,
    find_name_beside_lead,
    find_open_day,
    find_open_event,
    find_times,
    find_words_behind_lead,
    names_other_event,
    parse_lead,
    repeat_clock,
    tag_day_of_event,
    tag_lead,
)
from services.kernel.chat import ChatMessage
from services.recurrence.rules import WEEKDAYS
from services.time_expressions import Reading

_CLOCK = re.compile(r"(\d{1,2}):(\d\d)$")
_LATELY = timedelta(minutes=10)
_LONGEST_POINTED_AT = 200
_NOON = 12
_AFTERNOON = range(13, 18)
_LONGEST_NAME = 3
_SHORTEST_TASK = 2
_PAIR = 2
_REMARK = 3
_DAY = timedelta(days=1)
_DAYS_A_WEEK = 7


def set_reminders(request: RequestContext) -> Interpretation | None:
    """Set the reminders that a request asks for, or ask for what is missing."""
    left_out = _split_skipped_day(request)
    if left_out is not None:
        kept, day = left_out
        made = set_reminders(kept)
        return made if made is None or not made.calls else _skip_day(made, day, request)
    request, excluded = _split_excluded_days(request)
    request = request.with_reading(bound_names(request.reading, request.words))
    request, interval = split_interval(tag_lead(request))
    wrong = find_impossible_time(request)
    reading = repair_tags(request.reading, request.words, find_members(request.turn))
    is_other = names_other_event(request)  # which is no further time of a reminder
    is_another = not is_other and _names_only_pronoun(request.reading, reading, request.words)
    if is_another and _find_call_to_repeat(request) is not None:
        return repeat_last(request)
    if not is_other and _names_last_task(reading, request):
        return repeat_last(request.retag("CONTENT", NO_TAG))
    request = _tag_events(request.with_reading(reading))
    pieces = _split_pieces(request)
    reminders = [each for piece in pieces for each in _read_requests(request, piece)]
    if excluded:
        reminders = [_exclude_days(reminder, excluded, request) for reminder in reminders]
    if has_unclear_time(request.reading, request.words) and _resolve_day_meant(request) is None:
        opened = [replace(each, time=None, day=find_open_day(request)) for each in reminders[:1]]
        return request.answers.set_reminders(opened)
    reminders = [_open_time_of_event(reminder, request) for reminder in reminders]
    if len(pieces) > 1:
        reminders = _complete_verbs(_share_last_content(reminders, request), request.words)
    if interval is not None:
        reminders = [_start_after_interval(reminder, interval, request) for reminder in reminders]
    options = read_options(request, interval)
    carried = _carry_days(reminders, request)
    made = request.answers.ask_other_time(reminders[0], wrong) if wrong else _set_with_titles(request, carried)
    if options:
        request.answers.keep_options(options)
    made = add_options(made, options)
    return replace(made, calls=tuple(move_to_workdays(call, request) for call in made.calls))


def _tag_events(request: RequestContext) -> RequestContext:
    """Return the request with its events tagged, and with counts and times of reasons that belong to its content."""
    words = request.words
    reading = tag_event_behind_lead(tag_event_behind_day(request.reading, words), words)
    request = _keep_count_in_content(request.with_reading(reading))
    return request.with_reading(tag_event(_keep_reason_in_content(request.reading, words), words))


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
    is_open = names_event_for_clock(request.reading, request.words)
    return replace(reminder, time=None, day=best) if is_open else reminder


def _names_only_pronoun(found: MessageReading, repaired: MessageReading, words: Lexicon) -> bool:
    """Return whether a request names no content but a pronoun: "an extra one".

    The network has `found` no content, and the `repaired` tags have one that ends in the pronoun.
    """
    *_, last = ["", *slots.extract_content(repaired, words).casefold().split()]
    return bool(words.joint) and not found.has("CONTENT") and last in words.itself


def _names_last_task(reading: MessageReading, request: RequestContext) -> bool:
    """Return whether a request has only words for the last task: "to do the same", or its verb: "also water at 5pm"."""
    words = request.words
    last = "" if request.last_set is None else words.fold(str(request.last_set.arguments.get("content", "")))
    named = words.fold(slots.extract_content(reading, words))
    if named in words.same_task and last:
        return True
    content = request.strip_leading_word(named, words.too)
    is_verb = bool(content) and content != last and f"{last}{words.joint}".startswith(f"{content}{words.joint}")
    return is_verb and request.has_word(words.too)


def _split_skipped_day(request: RequestContext) -> tuple[RequestContext, str] | None:
    """Split off a day that the repetition of a request skips: "… but not on 25 December"; None for none."""
    tokens, reading = request.reading.tokens, request.reading
    for at in range(1, len(tokens)):
        behind = request.words.fold(reading.text[tokens[at].start :])
        word = next((word for word in request.words.exclusion_words if behind.startswith(f"{word} ")), "")
        words = behind.removeprefix(word).strip(" .!")
        time = request.parse_time([words]) if word else None
        if time is not None and names_single_day(time.best):
            return request.with_reading(reading.with_tokens(range(at))), request.strip_time_words(words)
    return None


def _split_excluded_days(request: RequestContext) -> tuple[RequestContext, str]:
    """Split off weekdays that the words behind them exclude: 每天…，周末别提醒; "" for none."""
    tokens, reading, endings = request.reading.tokens, request.reading, request.words.exclusion_endings
    days = [at for at, token in enumerate(tokens if endings else ()) if at and token.form == "@day"]
    for first in days:
        last = next(at for at in range(first, len(tokens) + 1) if at not in days)
        named = reading.text_of(tokens[first], tokens[last - 1])
        behind = request.words.fold(reading.text[tokens[last - 1].end :])
        kept = request.with_reading(reading.with_tokens(range(first)))
        is_plea = behind.startswith(request.words.dont_forget_phrases)
        is_left_out = behind.startswith(endings) and kept.reading.has("CONTENT") and not is_plea
        if is_left_out and request.find_weekdays(named):
            return kept, named
    return request, ""


def _exclude_days(reminder: ReminderRequest, days: str, request: RequestContext) -> ReminderRequest:
    """Return `reminder` without `days` of its repetition."""
    if reminder.time is None:
        return reminder
    phrase = request.words.exclusion_template.format(time=reminder.time.words, days=days)
    return replace(reminder, time=request.parse_time([phrase]) or reminder.time)


def _skip_day(made: Interpretation, day: str, request: RequestContext) -> Interpretation:
    """Return the calls that set a repetition, and a call that skips a day of it."""
    skipped = request.answers.call_tool("reminder_update", {"reminder_id": "it", "skip": day})
    return replace(made, calls=(*made.calls, *skipped.calls))


def _keep_count_in_content(request: RequestContext) -> RequestContext:
    """Tag "3 times" as content where nothing repeats, so that the bot asks about it."""
    if not find_end(request).startswith("COUNT") or any(time.best.rrule for time in find_times(request)):
        return request
    return request.retag("UNTIL", "CONTENT")


def _keep_reason_in_content(reading: MessageReading, words: Lexicon) -> MessageReading:
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
    found: list[ReminderRequest] = []
    for reminder in reminders:
        first, *_ = [*reminder.content.split(), ""]
        if verb and first.casefold() not in words.common_verbs and _is_somebody(reminder.content, words):
            found.append(replace(reminder, content=f"{verb} {reminder.content}"))
            continue
        verb = first if first.casefold() in words.common_verbs else ""
        found.append(reminder)
    return found


def _share_last_content(reminders: list[ReminderRequest], request: RequestContext) -> list[ReminderRequest]:
    """Return `reminders` with what the last one says, and its clock, for the people in front: "Ann at 5 and Bob at 6".

    Each of them has a time of their own.
    """
    *others, last = reminders
    is_open = not any(each.content or each.time is None for each in others) and any(each.person for each in reminders)
    if not last.content or last.time is None or not is_open:
        return reminders
    clock = last.time.best if last.time.best.has_clock and not last.time.is_ambiguous else None
    found = []
    for each in others:
        time = each.time
        if time is not None and clock is not None and not time.best.has_clock:
            words = request.words.with_hour.format(time=time.words, hour=f"{clock.start:%H:%M}")
            time = request.parse_time([words]) or time
        found.append(replace(each, content=last.content, time=time))
    return [*found, last]


def _is_somebody(content: str, words: Lexicon) -> bool:
    """Return whether a content is no more than the name of a person."""
    *before, last = content.split() or [""]
    return len(before) < _LONGEST_NAME and (last.casefold() in words.people_nouns or last[:1].isupper())


def repeat_last(request: RequestContext) -> Interpretation | None:
    """Set the last reminder for another time as well."""
    request = _separate_event(request.retag("EARLIER", "LEAD"))
    if names_other_event(request):
        return set_reminders(request)
    last = _find_call_to_repeat(request)
    if last is None:
        return _ask_content(request)
    days = request.strip_time_words(request.reading.words("WHEN"))
    if is_repeating(last) and request.find_weekdays(days):
        name = ", ".join(find_references(request)) or IT
        return request.answers.call_tool("reminder_update", {"days": f"+{days}", "reminder_id": name})
    is_same = request.has_word(request.words.same_time)
    request = request.with_reading(untag_that_day(tag_same_time(request.reading, request.words), request.words))
    repeated = _read_times_of_repetition(request, last)
    times = [_copy_last_day(_copy_last_clock(each, last, request, is_same=is_same), last, request) for each in repeated]
    times = [_move_ahead_of_last(each, last, request) for each in times]
    if not times:
        return None
    is_for_all = last.arguments.get("person") == slots.EVERYONE
    is_named, says_me = request.reading.has("PERSON"), says_remind_me(request)
    is_own = (is_named or says_me) if is_for_all else (is_named and not says_me)  # "and me at 5"
    person = find_people(request) or (None if is_own else last.arguments.get("person"))
    content = request.content or _find_task_behind(request) or str(last.arguments["content"])
    who = None if person is None else str(person)
    made = request.answers.set_reminders([ReminderRequest(content=content, person=who, time=time) for time in times])
    is_clock = not any(time.best.has_day or time.best.rrule for time in times)
    adding = request.words.adding if request.reading.has("REF") else ()
    is_added = request.has_word((*request.words.too, *request.words.copying, *adding))
    if not is_clock or not (is_added or request.last_set is None):
        return made
    return replace(made, calls=tuple(_copy_rule(call, last) for call in made.calls))


def set_beside_last(request: RequestContext) -> Interpretation | None:
    """Set a reminder like the chat's last one for a person who joins: "me too, but the red folder"."""
    last = request.last_here or request.last_set
    if last is None or any(map(request.reading.has, ("WHEN", "OLD", "REF"))):
        return None
    content = _find_exception(request) or _find_task_behind(request)
    person = find_people(request)
    if not content or (person is not None and request.words.fold(person) in request.words.pronouns):
        return None
    done, _, rest = str(last.arguments.get("content", "")).partition(" ")
    articles = [text.partition(" ")[0].casefold() in request.words.articles for text in (content, rest)]
    content = f"{done} {content}" if all(articles) else content
    return request.answers.call_tool("reminder_set", {**last.arguments, "content": content, "person": person})


def _find_exception(request: RequestContext) -> str:
    """Return the words behind "but" that are no time: "me too, but the red folder"."""
    tokens = request.reading.tokens
    at = next((at for at, token in enumerate(tokens) if token.form in request.words.but), len(tokens))
    rest = tokens[at + 1 :]
    if not rest or any(map(is_time, rest)) or slots.are_function_words((token.form for token in rest), request.words):
        return ""
    text = request.words.strip_same_time(request.reading.text_of(rest[0], rest[-1]))
    return slots.tidy(text, (*(request.words.prepositions - request.words.articles), *request.words.before_content))


def _ask_content(request: RequestContext) -> Interpretation | None:
    """Ask for the content at the time of "another reminder", where there is none to repeat."""
    times = find_times(request) if request.is_addressed else []
    if not times:
        return None
    return request.answers.ask_content([ReminderRequest(content="", person=find_people(request), time=times[0])])


def _copy_rule(call: ToolCall, last: ToolCall) -> ToolCall:
    """Return `call` with the repetition of the `last` one at its own clock: "also at 9pm"."""
    rule, clock = str(last.arguments.get("rrule", "")), _CLOCK.search(str(call.arguments.get("time", "")))
    if not rule or clock is None:
        return call
    kept = [part for part in rule.split(";") if not part.startswith(("BYHOUR=", "BYMINUTE=", "BYSECOND="))]
    written = ";".join([*kept, f"BYHOUR={int(clock[1])}", f"BYMINUTE={int(clock[2])}"])
    day = str(last.arguments["time"]).partition(" ")[0]
    counted = {"time": f"{day} {clock[0]}"} if "INTERVAL=" in rule else {}  # in the same weeks
    return replace(call, arguments={**call.arguments, **counted, "rrule": written})


def _find_call_to_repeat(request: RequestContext) -> ToolCall | None:
    """Return the call that set the reminder to repeat: the one that is named, or the last.

    A person who has set none repeats the last one of the chat for themselves, where it reminds them or they name
    themselves: "same for me at 8". "The day before" is that of one that another person has just set for them.
    """
    named = find_named_reminder(request) if find_references(request) else find_event_reminder(request)
    last, of_other, own = request.last_here, request.last_of_other, request.turn.message.sender.name
    is_lead = named is None and request.reading.has("LEAD")
    if is_lead and of_other is not None and of_other.arguments.get("person") in {slots.EVERYONE, own}:
        return replace(of_other, arguments={**of_other.arguments, "person": None})
    if named is None and request.last_set is None and last is not None:
        is_own = request.reading.has("PERSON") or request.has_word(request.words.oneself)
        if is_own or last.arguments.get("person") == own:
            return replace(last, arguments={key: each for key, each in last.arguments.items() if key != "person"})
    if named is None or request.known is None:
        return request.last_set
    return request.known.make_set_call(named)


def _find_task_behind(request: RequestContext) -> str:
    """Return the untagged words behind "to" at the end of a request: "another one at 10 to pack"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    first = max((at + 1 for at, tag in enumerate(tags) if tag in {"WHEN", "PERSON", "LEAD"}), default=len(tags))
    has_other = "REF" in tags[first:] or any(token.form in CLAUSE_ENDS for token in tokens[first:])
    is_task = len(tokens) - first >= _SHORTEST_TASK and tokens[first].form in request.words.task_links
    if not request.words.joint or has_other or not is_task:
        return ""
    task = slots.tidy(request.reading.text[tokens[first + 1].start :], request.words.before_content)
    return "" if request.words.fold(task) in request.words.itself | request.words.same_task else task


def is_repeating(call: ToolCall) -> bool:
    """Return whether `call` sets a reminder that comes more than once."""
    return call.arguments.get("type") != "once" or "rrule" in call.arguments


def answer_when(request: RequestContext) -> Interpretation | None:
    """Set the reminder that was asked about at the time of the answer."""
    question, times = request.question, find_times(request)
    is_open = not times and names_event_for_clock(request.reading, request.words)
    if question is None or question.asks == "reminder" or not (len(times) == 1 or is_open):
        return None
    is_vague = is_open or (names_vague_time(request.reading, request.words) and not times[0].best.has_clock)
    time = None if is_vague else _read_answer(times[0], question, request)
    content = question.content or request.content or _find_text_beside_times(request)
    person = question.person and question.person.replace("@", "")  # who was mentioned before is known by name
    reminder = ReminderRequest(content=content, person=person, time=time, event=question.event, lead=question.lead)
    reminder = _open_time_of_event(reminder, request)
    if content or question.asks == "option":
        return request.answers.set_reminders([reminder, *question.rest])
    return request.answers.ask_content([reminder])


def _read_answer(time: TimeWords, question: OpenQuestion, request: RequestContext) -> TimeWords | None:
    """Return when to remind, where `time` answers `question`; None where it leaves that open.

    The time of an event is counted back from, unless it corrects the question ("Sunday at 10, I mean") or has been
    counted back from a day that people have named. A clock is on the day that is known.
    """
    time = _complete_day(time, question, request)
    lead = parse_lead(question.lead, request) if question.event else None
    if lead is None:
        return None if question.event else time
    is_own = request.has_word(request.words.slips) or _is_ahead_of_known_day(time, lead[0], request)
    return time if is_own else subtract_lead(time, *lead)


def _is_ahead_of_known_day(time: TimeWords, lead: timedelta, request: RequestContext) -> bool:
    """Return whether people have lately named the day from which `time` already counts back, but not its own day."""
    said = (each for each in request.turn.recent if not each.sender.is_bot)
    read = [found.best for each in said for found in request.read_times(each.text, each.sent_at)]
    days = {best.start.date() for best in read if best is not None and best.has_day}
    day = time.best.start.date()
    return time.best.has_day and lead >= _DAY and day + lead in days and day not in days


def _complete_day(time: TimeWords, question: OpenQuestion, request: RequestContext) -> TimeWords:
    """Return an answer with what is known of the time that was asked for."""
    if question.asks != "time" or not question.options:
        return _complete_answer(time, question.options, request)
    if question.options[0].has_clock:  # "every lunar month at 7", then "every 1st and 15th"
        clock, is_told = replace(time, readings=question.options), time.best.has_clock or time.best.part
        return time if is_told or question.event else repeat_clock(clock, time.best, request)
    moved = _move_to_day(time, question.options[0].start.date(), request)
    if time.best.has_day or not is_clock_without_half(time.words):
        return moved
    halves = _list_open_halves(moved.best)
    return choose_usual_half(replace(moved, readings=halves, is_ambiguous=len(halves) > 1), request)


def _complete_answer(time: TimeWords, options: Sequence[Reading], request: RequestContext) -> TimeWords:
    """Return an answer with the day, or the clock, of the `options` where it names none."""
    best, days = time.best, {option.start.date() for option in options}
    if not options:
        return time
    if slots.is_clock_alone(best) and len(days) == 1:
        readings = tuple(move_to_day(reading, min(days)) for reading in time.readings)
        if is_clock_without_half(time.words):
            # Only for alarms are these hours asked about.
            is_alarm = any(option.start.hour in _AFTERNOON for option in options)
            halves = list_halves(readings[0]) if is_alarm else _list_open_halves(readings[0])
            readings = _choose_in_part(options[0], halves)
        time = replace(time, readings=readings, is_ambiguous=len(readings) > 1)
        return time if options[0].rrule is None else repeat_clock(time, options[0], request)  # "every day"
    if best.has_clock or best.part:
        return time
    readings = tuple(set_clock(best, option) for option in options)
    return replace(time, readings=readings, is_ambiguous=len(readings) > 1)


def _list_open_halves(reading: Reading) -> tuple[Reading, ...]:
    """Return a clock without a half of the day in both; one from 1 to 5 is of the afternoon."""
    halves = list_halves(reading)
    return tuple(half for half in halves if half.start.hour in _AFTERNOON) or halves


def _choose_in_part(offered: Reading, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return those of `readings` in the half of the day of the part that was `offered`: "8" of the morning."""
    same = tuple(reading for reading in readings if (reading.start.hour < _NOON) == (offered.start.hour < _NOON))
    return same if offered.part and not offered.has_clock else readings


def _find_text_beside_times(request: RequestContext) -> str:
    """Return the words of an answer outside of its times, which are the content where that was asked as well."""
    text = request.reading.text
    for start, end in reversed(request.reading.spans("WHEN")):
        text = f"{text[:start]} {text[end:]}"
    rest = slots.tidy(" ".join(text.split()), request.words.before_content)
    parts = rest.casefold().split() if request.words.joint else list(rest)
    return "" if slots.are_function_words(parts, request.words) else rest


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


def add_options(made: Interpretation, options: Mapping[str, object]) -> Interpretation:
    """Return the calls with `options` among the arguments of those that set a reminder."""
    calls = tuple(
        replace(call, arguments={**call.arguments, **options}) if call.name == "reminder_set" else call
        for call in made.calls
    )
    return replace(made, calls=calls)


def _read_requests(request: RequestContext, piece: MessageReading) -> list[ReminderRequest]:
    """Return the reminders of one piece: its content at each of its times."""
    part = _separate_event(tag_day_of_event(request.with_reading(piece)))
    content = _strip_call(slots.extract_content(piece, request.words), request)
    is_emoji = not any(map(str.isalnum, content)) and part.has_part(request.words.waking)
    is_open = content.casefold() in {*request.words.itself, *request.words.indefinites}
    content = "" if is_emoji or is_open else content
    person = find_people(part)
    times = _share_repetition(_add_day_of_event(_read_times(part), request.with_reading(piece)), request)
    event = None if content or not times else find_event_reminder(part)
    content = content if event is None else event.content
    if times and (len(times) == 1 or are_listed_times(part)):
        return [ReminderRequest(content=content, person=person, time=time) for time in times]
    name, lead = find_open_event(part)
    return [ReminderRequest(content=content, person=person, day=find_open_day(part), event=name, lead=lead)]


def _share_repetition(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` with the repetition behind the last: "Monday at 9 and Thursday at 6pm every week"."""
    words = times[-1].words.split() if times else []
    at = next((at for at, word in enumerate(words) if at and request.words.fold(word) in request.words.each), 0)
    is_open = len(times) > 1 and all(names_single_day(each.best) for each in times[:-1])
    if not at or not is_open or times[-1].best.rrule is None:
        return times
    pieces = (" ".join([each.words, *words[at:]]) for each in times[:-1])
    shared = [request.parse_time([piece]) for piece in pieces]
    return [each or time for each, time in zip([*shared, times[-1]], times, strict=True)]


def _add_day_of_event(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` and the day of an event that they are ahead of: "the day before and on the day"."""
    words, text = request.words, request.words.fold(request.turn.message.text).rstrip(" .!")
    joined = [f"{each}{words.joint}{day}" for each in words.and_words if each for day in words.same_day_phrases]
    ahead = [f"{each}{words.joint}{word}" for each in joined for word in words.ahead]  # "and on the day before"
    is_both = request.reading.has("LEAD") and words.has_any(joined, text) and not words.has_any(ahead, text)
    event = request.parse_time(request.reading.pieces("EVENT")) if is_both else None
    is_ahead = event is not None and bool(times) and all(each.best.start < event.best.start for each in times)
    return [*times, event] if event is not None and is_ahead else times


def _strip_call(content: str, request: RequestContext) -> str:
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
    """Return the times of a request; empty where a count stands beside a single time: "3 times tomorrow"."""
    event = find_event_reminder(request)
    last = _find_call_to_repeat(request) if request.may_point or event is not None else None
    is_ahead = _is_ahead_of_last(request)
    if is_ahead and event is None and find_name_beside_lead(request):
        return []
    told = _read_event_before(request) if is_ahead and event is None else None
    if told is not None:
        return _count_back(told, find_leads(request, has_event=True), request)
    if is_ahead and last is not None:
        is_other = _points_back(request) and request.last_set is None  # "that" is no reminder of the sender
        return [] if is_other else _read_times_of_repetition(request, last)
    times = find_times(request)
    if request.reading.has("UNTIL") and find_end(request) and not any(time.best.rrule for time in times):
        days = (request.parse_amount("UNTIL") or timedelta()).days  # "at 9 for 5 days"
        daily = ((each, each.best._replace(rrule=f"FREQ=DAILY;COUNT={days}")) for each in times if days > 1)
        return [replace(each, readings=(set_clock(best, each.best),)) for each, best in daily]
    if request.has_word(request.words.same_time):
        if request.reading.has("LEAD") and any(time.best.has_clock for time in times):
            return times  # "at 10 on the 1st, and at the same time on the day before"
        same = _find_latest(request)
        if same is None:
            return []
        if not times:
            return request.parse_times([str(same.arguments.get("time", ""))])
        return [_copy_last_clock(each, same, request, is_same=True) for each in times]
    day = _resolve_day_meant(request)
    return times if day is None else [_move_to_day(each, day, request) for each in times]


def _find_latest(request: RequestContext) -> ToolCall | None:
    """Return the call with the time that "the same time" means: that of a reminder with the same content.

    Else it is the last one of the sender, for "me too" the last one in the chat.
    """
    content, fold = request.content, request.words.fold
    # "And me to pay the gas …" goes on with what another person has written.
    goes_on = request.before is None and request.begins_with(request.folded_text, request.words.beside)
    joins = (goes_on or request.has_word(request.words.too)) and find_people(request) is None
    same = [reminder for reminder in request.reminders if content and fold(reminder.content) == fold(content)]
    if len(same) == 1 and request.known is not None:
        return request.known.make_set_call(same[0])
    latest = request.last_here if content and content.casefold() not in request.words.itself else None
    return (latest or request.last_set) if joins else (request.last_set or latest)


def _resolve_day_meant(request: RequestContext) -> date | None:
    """Return the day of the reminder set last, where a request says "the same day", or that of what "that" means."""
    last = request.last_set if request.may_point and request.has_word(request.words.same_day_phrases) else None
    time = _read_event_before(request) if last is None else _read_call_time(last, request)
    return None if time is None else time.best.start.date()


def _move_to_day(time: TimeWords, day: date, request: RequestContext) -> TimeWords:
    """Return a time without a day of its own on `day`; 当天下午两点 has none either."""
    if time.best.has_day and not time.words.startswith(request.words.same_day_phrases):
        return time
    return replace(time, readings=tuple(move_to_day(reading, day)._replace(has_day=True) for reading in time.readings))


def _read_event_before(request: RequestContext) -> TimeWords | None:
    """Return the day from which "2 days before that" counts back, or on which "that" is; None for none or several.

    It is in the message before, where the person has written it or has set no reminder, or has been named by them since
    the request for their last reminder.
    """
    turn = request.turn
    if not _points_back(request):
        return None
    pointed = None if turn.recent and turn.recent[-1].sender.is_bot else _find_pointed_message(request)
    said = [each for each in _list_own_messages(request) if each is not pointed]
    is_own = pointed is not None and pointed.sender.id == turn.message.sender.id
    for before in filter(None, [pointed if is_own or request.last_set is None else None, *said]):
        found = request.read_times(before.text)
        best = found[0].best if len(found) == 1 else None
        if names_single_day(best):
            return slots.make_time_words(before.text, found[0])
    return None


def _list_own_messages(request: RequestContext) -> list[ChatMessage]:
    """Return the messages of the last minutes that the person has written since setting a reminder, newest first."""
    turn, fold = request.turn, request.words.fold
    last = "" if request.last_set is None else fold(str(request.last_set.arguments.get("content", "")))
    own = (each for each in reversed(turn.recent) if each.sender.id == turn.message.sender.id)
    lately = takewhile(lambda each: turn.message.sent_at - each.sent_at <= _LATELY, own)
    return list(takewhile(lambda each: not last or last not in fold(each.text), lately))


def _points_back(request: RequestContext) -> bool:
    """Return whether a lead counts back from "that", or the whole request is about that, or says "earlier" alone."""
    words, reading = request.words, request.reading
    is_earlier = reading.has("LEAD") and request.has_phrase(words.earlier) and not request.has_phrase(words.ahead)
    is_title = not reading.has("CONTENT") and request.has_word(words.demonstratives)
    return is_title or is_earlier or any(each.form in words.demonstratives for each in find_words_behind_lead(request))


def _separate_event(request: RequestContext) -> RequestContext:
    """Return the request with the event untagged that is a coming reminder, and the clock beside it as its own time.

    The clock is the time of the new reminder where the lead is of days: "2 days before book club at 6pm", "the night
    before at 8".
    """
    reading, words = request.reading, request.words
    event = [token for token, tag in reading.tagged if tag == "EVENT"]
    if not event or not reading.has("LEAD"):
        return request
    forms = [token.form for token in event if not is_time(token)]
    name = "" if slots.are_function_words(forms, words) else words.joint.join(forms)
    texts = [reading.text_of(token) for token in event if is_time(token)] if name else []
    time = request.parse_time(texts if name else reading.pieces("EVENT"))
    if time is None and not name:
        return request
    if time is not None:
        is_long = all(length >= _DAY for length, _ in find_leads(request, has_event=True))
        if reading.has("WHEN") or not is_long or not slots.is_clock_alone(time.best):
            return request
    of_name = "EVENT" if find_event_named(name, request) is None else NO_TAG
    return request.with_tags(
        tag if tag != "EVENT" else of_name if name and not is_time(token) else "WHEN" for token, tag in reading.tagged
    )


def _is_ahead_of_last(request: RequestContext) -> bool:
    """Return whether a lead counts back from an event that the request does not name: "the night before at 8"."""
    if request.reading.has("EVENT") or not request.reading.has("LEAD"):
        return False
    is_dated = request.reading.has("WHEN") and not request.is_clock(request.reading.pieces("WHEN"))
    is_ahead = not request.reading.has("WHEN") and request.has_word(request.words.ahead)
    return not is_dated and (is_ahead or all(length >= _DAY for length, _ in find_leads(request, has_event=True)))


def _read_times_of_repetition(request: RequestContext, last: ToolCall) -> list[TimeWords]:
    """Return the times of another reminder with the content of `last`; a lead counts back from the event of that."""
    leads = find_leads(request, has_event=True)
    event = _read_event_of(last, request)
    if not leads or request.reading.has("EVENT"):
        return find_times(request)
    if not request.reading.has("WHEN") and not request.has_phrase((*request.words.ahead, *request.words.earlier)):
        return find_times(request)  # "and 40 minutes for the buns"
    if event is None:
        return []
    return _count_back(event, leads, request)


def _count_back(event: TimeWords, leads: Sequence[Lead], request: RequestContext) -> list[TimeWords]:
    """Return the times that lie `leads` before `event`, at the clock that the request names."""
    is_apart = request.reading.has("LEAD")
    clock = request.parse_time(request.reading.pieces("WHEN")) if is_apart else None
    if clock is not None and is_clock_without_half(clock.words):
        nearer = choose_nearer_half(clock.best, event.best.start)
        is_same = nearer.start.time() == event.best.start.time()
        clock = replace(clock, readings=(nearer,)) if is_same else clock
    clocks = [choose_half_of_part(clock, own.words, request) if clock and own else clock or own for _, own in leads]
    found = [subtract_lead(event, length, own) for (length, _), own in zip(leads, clocks, strict=True)]
    return [each for each in found if each is not None]


def _read_call_time(call: ToolCall, request: RequestContext) -> TimeWords | None:
    """Return the first time of the reminder that a call sets."""
    return request.parse_time([str(call.arguments.get("time", ""))])


def _read_event_of(call: ToolCall, request: RequestContext) -> TimeWords | None:
    """Return the time from which the reminder of a call counts back, its own before "that"; it repeats as that does."""
    time = _read_call_time(call, request)
    if time is None:
        return None
    best = _read_series(call, time.best) or time.best
    lead = find_old_lead(str(call.arguments.get("content", "")), best.start, request)
    event = replace(time, readings=(best,))
    return event if _points_back(request) else subtract_lead(event, -lead, None) or time


def _read_series(call: ToolCall, first: Reading) -> Reading | None:
    """Return the repetition that a call sets, from the `first` time on; None where it sets a single reminder."""
    if not is_repeating(call):
        return None
    clock, weekday = f"BYHOUR={first.start.hour};BYMINUTE={first.start.minute}", call.arguments.get("weekday")
    parts = [part for part in str(call.arguments.get("rrule") or "").split(";") if not part.startswith("EX")]
    if any(parts):
        return first._replace(rrule=";".join(parts))
    if not isinstance(weekday, int):
        return first._replace(rrule=f"FREQ=DAILY;{clock}")
    start = first.start + _DAY * ((weekday - first.start.weekday()) % _DAYS_A_WEEK)
    return first._replace(start=start, rrule=f"FREQ=WEEKLY;BYDAY={WEEKDAYS[weekday]};{clock}")


def _copy_last_clock(time: TimeWords, last: ToolCall, request: RequestContext, *, is_same: bool = False) -> TimeWords:
    """Return `time` at the clock of the last reminder, where it names a day alone, its part or "the same time"."""
    best, before = time.best, _read_call_time(last, request)
    if before is None or (best.has_clock and not is_same):
        return time
    if best.part and not is_same:
        return replace(time, readings=(keep_clock_in_part(best, [before.best.start]),))
    clock = before.best._replace(start=before.best.start.replace(second=0))
    return replace(time, readings=(set_clock(best, clock),), is_ambiguous=False)


def _copy_last_day(time: TimeWords, last: ToolCall, request: RequestContext) -> TimeWords:
    """Return a time without a day on the day of the last reminder, in its half of the day: "another one at 7:15".

    After a repeating reminder, or if that time has passed, return the next such time.
    """
    before, best = _read_call_time(last, request), time.best
    if before is None or best.rrule is not None or best.has_day or not (best.has_clock or best.part):
        return time
    is_open = before.best.has_clock and is_clock_without_half(time.words)
    readings = time.readings
    if is_open:
        near = move_to_day(choose_nearer_half(time.best, before.best.start), request.now.date())
        readings = (near if near.start > request.now else near._replace(start=near.start + _DAY),)
    dated = tuple(move_to_day(reading, before.best.start.date())._replace(has_day=True) for reading in readings)
    is_coming = not is_repeating(last) and all(reading.start > request.now for reading in dated)
    return replace(time, readings=dated if is_coming else readings, is_ambiguous=time.is_ambiguous and not is_open)


def _move_ahead_of_last(time: TimeWords, last: ToolCall, request: RequestContext) -> TimeWords:
    """Return a weekday with "before" behind it on the nearest such day before the day of the last reminder."""
    before, words = _read_call_time(last, request), request.words
    end = max((end for _, end in request.reading.spans("WHEN")), default=0)
    is_ahead = words.fold(request.reading.text[end:]).strip(" .!?,") in words.ahead
    weekday = request.strip_time_words(time.words)
    if before is None or not is_ahead or not request.names_weekday(weekday):
        return time
    due = before.best.start.date()
    day = due - timedelta(days=(due.weekday() - time.best.start.weekday()) % _DAYS_A_WEEK or _DAYS_A_WEEK)
    return replace(time, readings=tuple(move_to_day(reading, day) for reading in time.readings))


def find_people(request: RequestContext) -> str | None:
    """Return the people to remind; None for the person who asks."""
    person = slots.extract_people(request.reading, request.words) or _find_untagged_everyone(request)
    return find_both_people(request) if person and request.words.fold(person) in request.words.both_of_us else person


def _find_untagged_everyone(request: RequestContext) -> str | None:
    """Return everyone where untagged words say so ("reminder for everyone") and nobody is named."""
    reading, words = request.reading, request.words
    if reading.has("PERSON"):
        return None
    text = f" {reading.join_untagged(words.joint)} "
    return slots.EVERYONE if any(word in text for word in words.for_everyone) else None


def find_both_people(request: RequestContext) -> str:
    """Return the names of the person who asks and of the other person.

    That person is named beside them, or shares their newest reminder for two, or wrote last.
    """
    own = request.turn.message.sender
    pairs = [each for each in request.reminders if len(each.targets) == _PAIR and reminds(each, own)]
    newest = sorted(pairs, key=lambda each: each.created_at, reverse=True)[:1]
    names = {target.name.lstrip("@") for each in newest for target in each.targets}
    writers = [message.sender for message in reversed(request.turn.recent) if not message.sender.is_bot]
    others = [each for each in writers if each.id != own.id]
    named = [each for each in others if _is_beside_oneself(each.name, request)]
    shared = [each for each in others if each.name in names]
    other = next(iter(named or shared or others), None)
    return slots.EVERYONE if other is None else f"{own.name}, {other.name}"


def _is_beside_oneself(name: str, request: RequestContext) -> bool:
    """Return whether the message joins a name and a pronoun for who asks: "Ann and I meet …, remind us both"."""
    words, text = request.words, request.words.fold(request.turn.message.text)
    pairs = [pair for own in words.oneself for pair in ((words.fold(name), own), (own, words.fold(name)))]
    joints = [joint for joint in words.and_words if joint]
    return words.has_any([words.joint.join((one, joint, other)) for one, other in pairs for joint in joints], text)


def _carry_days(reminders: Sequence[ReminderRequest], request: RequestContext) -> list[ReminderRequest]:
    """Return `reminders` with the day of a time carried on to the times after it."""
    named = [(reminder.time.words, reminder.time.readings) for reminder in reminders if reminder.time is not None]
    last = request.before or _find_call_continued(request)
    before = None if last is None else _read_call_time(last, request)
    if request.before is not None and before is not None and is_repeating(request.before):
        return [_repeat_like(request.before, before.best, reminder, request) for reminder in reminders]
    if before is not None:
        named = [(before.words, before.readings), *named]
    if len(named) < 2:
        return list(reminders)
    carried = islice(carry_days(named, request.now), 0 if before is None else 1, None)
    return [
        reminder if reminder.time is None else replace(reminder, time=replace(reminder.time, readings=next(carried)))
        for reminder in reminders
    ]


def _repeat_like(
    before: ToolCall, first: Reading, reminder: ReminderRequest, request: RequestContext
) -> ReminderRequest:
    """Return a reminder at a clock alone every day or week like the one `before`, which comes at the `first` time.

    每天早上八点提醒我吃药，晚上九点提醒我散步 asks for both every day. So does a weekday alone behind a weekly one.
    """
    time, series, is_weekly = reminder.time, _read_series(before, first), before.arguments.get("type") == "weekly"
    if time is not None and is_weekly and names_single_day(time.best) and request.names_weekday(time.words):
        weekly = [each._replace(rrule=f"FREQ=WEEKLY;BYDAY={WEEKDAYS[each.start.weekday()]}") for each in time.readings]
        return replace(reminder, time=replace(time, readings=tuple(weekly)))
    if time is None or series is None or "rrule" in before.arguments or not slots.is_clock_alone(time.best):
        return reminder
    return replace(reminder, time=replace(time, readings=tuple(set_clock(series, each) for each in time.readings)))


def _find_call_continued(request: RequestContext) -> ToolCall | None:
    """Return the call that set a reminder for one day last, where the words go on with it: "and Ben at 11 to sweep"."""
    last = request.last_set
    joints = filter(None, request.words.and_words)
    goes_on = request.begins_with(request.folded_text, joints) and not find_asking_words(
        request.reading.tokens, request.words
    )
    return last if goes_on and last is not None and not is_repeating(last) else None


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
        return _quote_pointed_message(request)
    is_amount = any(token.form.endswith("offset") for token in request.reading.tokens)
    is_timer = request.has_part(request.words.alarms)
    return "" if is_amount or is_timer else None


def _quote_pointed_message(request: RequestContext) -> str | None:
    """Return the text of the message that "this" means; None where it is not one of a person."""
    before = _find_pointed_message(request)
    if before is None or before.sender.is_bot:
        return None
    text = " ".join(before.text.split()).strip()
    is_long = len(text) > _LONGEST_POINTED_AT
    return f"{text[:_LONGEST_POINTED_AT].rsplit(' ', 1)[0]}…" if is_long else text


def _start_after_interval(reminder: ReminderRequest, interval: timedelta, request: RequestContext) -> ReminderRequest:
    """Return `reminder` at the end of the first interval where it has no other time."""
    if reminder.time is not None:
        return reminder
    phrase = request.words.as_amount.format(minutes=max(1, round(interval.total_seconds() / 60)))
    return replace(reminder, time=request.parse_time([phrase]))


def _find_pointed_message(request: RequestContext) -> ChatMessage | None:
    """Return the message that is replied to, or the last one of a person in the minutes before; else None.

    It is one that names a day where a few words follow it. A message to the bot is not used as the content.
    """
    turn, message = request.turn, request.turn.message
    if message.reply_to is not None:
        return next((each for each in turn.recent if each.id == message.reply_to), None)
    said = [each for each in turn.recent if not each.sender.is_bot and message.sent_at - each.sent_at <= _LATELY]
    if not said:
        return None
    before, *others = reversed(said)
    is_short = len(before.text.split()) <= _REMARK and not request.read_times(before.text)
    times = [time.best for each in others[:1] if is_short for time in request.read_times(each.text)]
    before = others[0] if any(best and best.has_day for best in times) else before
    return before if find_name(before.text, turn.bot_name) is None else None
