"""Make calls of a request to be reminded: contents, people, times and how it is to behave."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.events import has_unclear_time, with_deadline, with_event
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.named_weekdays import weekdays_in
from function_calls.understanding.reading.names import name_in
from function_calls.understanding.reading.segments import reminders_of
from function_calls.understanding.reading.tag_repair import is_time, repaired, with_bounded_names, with_time
from function_calls.understanding.reading.times import TimeWords, ahead_of, at_clock, halves, on_day, on_their_days
from function_calls.understanding.reading.tokens import CLAUSE_ENDS
from function_calls.understanding.requests.arguments import changed_schedule
from function_calls.understanding.requests.open_questions import ReminderRequest
from function_calls.understanding.requests.options import manners_of, on_workdays, with_interval
from function_calls.understanding.requests.references import named_reminder
from function_calls.understanding.requests.reminder_answers import together
from function_calls.understanding.requests.request_context import Asked
from function_calls.understanding.requests.request_times import (
    end_of,
    impossible_time,
    leads_of,
    named_times,
    with_lead_tagged,
)
from services.kernel.chat import ChatMessage
from services.reminders.model import Reminder
from services.time_expressions import Reading

_CLOCK = re.compile(r"(\d{1,2}):(\d\d)$")
_IN_DAYS = re.compile(r"FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)|WORKDAYS")
_LATELY = timedelta(minutes=10)
_LONGEST_POINTED_AT = 200
_NOON = 12
_LONGEST_NAME = 3
_SHORTEST_TASK = 2
_DAY = timedelta(days=1)


def set_reminders(asked: Asked) -> Interpretation | None:
    """Set the reminders that a request asks for, or ask for what is missing."""
    left_out = _left_out(asked)
    if left_out is not None:
        kept, day = left_out
        made = set_reminders(kept)
        return made if made is None or not made.calls else _without_day(made, day, asked)
    if _is_lead_alone(asked):
        return repeat_last(asked)
    asked, spared = _spared_behind(asked)
    named = [piece.strip() for piece in asked.reading.pieces("PERSON")]
    asked = asked.with_reading(with_bounded_names(asked.reading, asked.words))
    asked, interval = with_interval(with_lead_tagged(asked))
    wrong = impossible_time(asked)
    members = {message.sender.name for message in asked.turn.recent if not message.sender.is_bot}
    reading = repaired(asked.reading, asked.words, is_addressed=asked.is_addressed, members=members)
    asked = _with_count(asked.with_reading(reading))
    reading = with_event(_with_reason(asked.reading, asked.words), asked.words)
    reading, due = with_deadline(reading, asked.words)
    asked = asked.with_reading(reading)
    pieces = reminders_of(asked.reading)
    pieces = [with_time(piece, asked.words) for piece in pieces] if len(pieces) > 1 else pieces
    requests = [each for piece in pieces for each in _requests(asked, piece)]
    if spared:
        requests = [_but_on(each, spared, asked) for each in requests]
    if due:
        requests = [replace(each, content=due) for each in requests]
    if has_unclear_time(asked.reading, asked.words) and _day_meant(asked) is None:
        return asked.answering.set_reminders([replace(each, time=None) for each in requests[:1]])
    if len(pieces) > 1:
        requests = _with_deeds(requests, named, asked.words)
    if interval is not None:
        requests = [_at_interval(each, interval, asked) for each in requests]
    rhythm = _rhythm_of_last(asked, requests)
    if rhythm is not None:
        return asked.answering.one("reminder_update", {**changed_schedule(rhythm, asked.now), "reminder_id": "it"})
    manners = manners_of(asked, interval)
    made = asked.answering.without_time(requests[0], wrong) if wrong else _set(asked, _on_their_days(requests, asked))
    if manners:
        asked.answering.keep_options(manners)
    return _on_workdays(with_manners(made, manners), asked)


def _is_lead_alone(asked: Asked) -> bool:
    """Return whether a request names no more than how long ahead of the reminder set last: 提前半小时提醒."""
    others = ("WHEN", "EVENT", "CONTENT", "REF")
    is_alone = asked.reading.has("LEAD") and not any(map(asked.reading.has, others))
    return is_alone and asked.may_point and asked.last_set is not None


def _on_workdays(made: Interpretation, asked: Asked) -> Interpretation:
    return replace(made, calls=tuple(on_workdays(call, asked) for call in made.calls))


def _left_out(asked: Asked) -> tuple[Asked, str] | None:
    """Return the request without a day that is left out of its repetition, and that day: "… but not on 25 December"."""
    tokens, reading = asked.reading.tokens, asked.reading
    for at in range(1, len(tokens)):
        behind = asked.words.fold(reading.text[tokens[at].start :])
        word = next((word for word in asked.words.sparing if behind.startswith(f"{word} ")), "")
        words = behind.removeprefix(word).strip(" .!")
        time = slots.one_time([words], asked.words, asked.read) if word else None
        is_day = time is not None and time.best is not None and time.best.has_day and time.best.rrule is None
        kept = reading.with_tokens(range(at))
        if is_day and any(each.best and each.best.rrule for each in named_times(asked.with_reading(kept))):
            return asked.with_reading(kept), slots.bare_time(words, asked.words)
    return None


def _spared_behind(asked: Asked) -> tuple[Asked, str]:
    """Return the request without weekdays that the words behind them leave out, and these: 每天…，周末别提醒."""
    tokens, reading = asked.reading.tokens, asked.reading
    days = [at for at, token in enumerate(tokens) if at and token.form == "@day"] if asked.words.spared_behind else []
    for first in days:
        last = next(at for at in range(first, len(tokens) + 1) if at not in days)
        named = reading.text[tokens[first].start : tokens[last - 1].end]
        behind = asked.words.fold(reading.text[tokens[last - 1].end :])
        kept = asked.with_reading(reading.with_tokens(range(first)))
        is_plea = behind.startswith(asked.words.pleas)
        is_left_out = behind.startswith(asked.words.spared_behind) and kept.reading.has("CONTENT") and not is_plea
        if is_left_out and weekdays_in(named, asked.now, asked.language, asked.times):
            return kept, named
    return asked, ""


def _but_on(request: ReminderRequest, days: str, asked: Asked) -> ReminderRequest:
    """Return `request` without `days` of its repetition."""
    if request.time is None or request.time.best is None or request.time.best.rrule is None:
        return request
    phrase = asked.words.but_on.format(time=request.time.words, days=days)
    return replace(request, time=slots.one_time([phrase], asked.words, asked.read) or request.time)


def _without_day(made: Interpretation, day: str, asked: Asked) -> Interpretation:
    """Return the calls of a repetition that is set, and one that leaves out a day of it."""
    skipped = asked.answering.one("reminder_update", {"reminder_id": "it", "skip": day})
    return replace(made, calls=(*made.calls, *skipped.calls))


def _with_count(asked: Asked) -> Asked:
    """Return the request with "3 times" in its content where nothing repeats, so that it is asked about."""
    if not end_of(asked).startswith("COUNT") or not asked.reading.has("CONTENT"):
        return asked
    times = named_times(asked)
    if not times or any(time.best is not None and time.best.rrule for time in times):
        return asked
    return asked.with_tags(tuple("CONTENT" if tag == "UNTIL" else tag for tag in asked.reading.tags))


def _with_reason(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with the time of a reason as part of the content: "to leave, the doctor closes at 5"."""
    last = len(reading.tags) - 1
    whens = [at for at, tag in enumerate(reading.tags) if tag == "WHEN" and is_time(reading.tokens[at])]
    if not words.joint or len(whens) < 2 or whens[-1] != last:
        return reading
    between = range(whens[-2] + 1, last)
    commas = [at for at in between if reading.tokens[at].form == ","]
    told = [reading.tokens[at].form for at in range(commas[-1] + 1, last)] if commas else []
    is_content = all(reading.tags[at] == "CONTENT" for at in between[-len(told) :]) if told else False
    if len(told) < 3 or not is_content or told[0] in words.and_words or words.correcting.issuperset(told):
        return reading
    tags = (*reading.tags[:last], "CONTENT")
    return reading.with_tags(tags)


def _with_deeds(requests: list[ReminderRequest], named: Collection[str], words: Lexicon) -> list[ReminderRequest]:
    """Return `requests`, of which one that names no more than somebody does what the one before it does.

    `named` are the names that were read as people.
    """
    deed = ""
    found: list[ReminderRequest] = []
    for request in requests:
        first, *_ = [*request.content.split(), ""]
        if deed and first.casefold() not in words.deeds and _is_somebody(request.content, named, words):
            found.append(replace(request, content=f"{deed} {request.content}"))
            continue
        deed = first if first.casefold() in words.deeds else ""
        found.append(request)
    return found


def _is_somebody(content: str, named: Collection[str], words: Lexicon) -> bool:
    *before, last = [*content.split(), ""][:-1] or [""]
    is_short = len(before) < _LONGEST_NAME
    return is_short and (content in named or last.casefold() in words.relatives or last[:1].isupper())


def repeat_last(asked: Asked) -> Interpretation | None:
    """Set what was set last for another time as well."""
    last = _repeated(asked)
    days = slots.bare_time(asked.reading.words("WHEN"), asked.words)
    if last is not None and repeats(last) and weekdays_in(days, asked.now, asked.language, asked.times):
        return asked.answering.one("reminder_update", {"days": f"+{days}", "reminder_id": "it"})
    is_same = asked.names(asked.words.same_time)
    times = (
        []
        if last is None
        else [_like_last(each, last, asked, is_same=is_same) for each in _times_of_repetition(asked, last)]
    )
    if last is None:
        return _ask_content(asked)
    if not times:
        return None
    person = people_of(asked) or last.arguments.get("person")
    content = (
        slots.content(asked.reading, asked.words)
        or _task_behind(asked)
        or _unknown_name(asked)
        or str(last.arguments["content"])
    )
    who = None if person is None else str(person)
    made = asked.answering.set_reminders([ReminderRequest(content=content, person=who, time=time) for time in times])
    is_clock = all(time.best is not None and slots.is_bare(time.best) for time in times)
    if not is_clock or not asked.names(asked.words.too) or asked.names(asked.words.times):
        return made
    return replace(made, calls=tuple(_as_often(call, last) for call in made.calls))


def set_beside_last(asked: Asked) -> Interpretation | None:
    """Set a reminder like the last one of the chat for what somebody who joins wants: "me too, but the red folder"."""
    last = asked.last_here or asked.last_set
    if last is None or any(map(asked.reading.has, ("WHEN", "OLD", "REF"))):
        return None
    content = _exception(asked) or _content_behind_person(asked) or _task_behind(asked)
    person = people_of(asked)
    if not content or (person is not None and asked.words.fold(person) in asked.words.pronouns):
        return None
    done, _, rest = str(last.arguments.get("content", "")).partition(" ")
    articles = [text.partition(" ")[0].casefold() in asked.words.articles for text in (content, rest)]
    content = f"{done} {content}" if all(articles) else content
    return asked.answering.one("reminder_set", {**last.arguments, "content": content, "person": person})


def _content_behind_person(asked: Asked) -> str:
    """Return the content where it follows who is reminded, or what links it to them: "and Ana to bring the cake"."""
    tags, tokens = asked.reading.tags, asked.reading.tokens
    first = tags.index("CONTENT") if "CONTENT" in tags else 0
    at = first - 1 if first and tokens[first - 1].form in asked.words.task_links else first
    return slots.content(asked.reading, asked.words) if at and tags[at - 1] == "PERSON" else ""


def _exception(asked: Asked) -> str:
    """Return the words behind "but" that are no time: "me too, but the red folder"."""
    tokens = asked.reading.tokens
    at = next((at for at, token in enumerate(tokens) if token.form in asked.words.but), len(tokens))
    rest = tokens[at + 1 :]
    if not rest or any(map(is_time, rest)) or slots.are_small((token.form for token in rest), asked.words):
        return ""
    text = asked.words.without_same_time(asked.reading.text[rest[0].start : rest[-1].end])
    return slots.tidied(text, (*(asked.words.inner - asked.words.articles), *asked.words.before_content))


def _ask_content(asked: Asked) -> Interpretation | None:
    """Ask of what to remind at the times of a request for one more reminder, where there is none to repeat."""
    times = named_times(asked) if asked.is_addressed else []
    if not times:
        return None
    return asked.answering.without_content([ReminderRequest(content="", person=people_of(asked), time=times[0])])


def _as_often(call: ToolCall, last: ToolCall) -> ToolCall:
    """Return `call` with the repetition of the `last` one at its own clock: "also at 9pm" behind one of every day."""
    rule, time = str(last.arguments.get("rrule") or ""), str(call.arguments.get("time", ""))
    clock = _CLOCK.search(time)
    kept = [part for part in rule.split(";") if part and not part.startswith(("BYHOUR=", "BYMINUTE=", "BYSECOND="))]
    if not kept or clock is None or not _IN_DAYS.search(rule):
        return call
    written = ";".join([*kept, f"BYHOUR={int(clock[1])}", f"BYMINUTE={int(clock[2])}"])
    day, _, at = str(last.arguments.get("time", "")).partition(" ")
    counted = {"time": f"{day} {clock[0]}"} if at and "INTERVAL=" in rule else {}  # in the same weeks
    return replace(call, arguments={**call.arguments, **counted, "rrule": written})


def _repeated(asked: Asked) -> ToolCall | None:
    """Return the call that sets what is to be said once more: the reminder that is named, or the one set last.

    Who has set none means the last one of the chat, for themselves: "same for me at 8".
    """
    named = named_reminder(asked) if asked.reading.has("REF") else _reminder_like(asked)
    if named is None and asked.last_set is None and asked.last_here is not None and asked.reading.has("PERSON"):
        own = {name: value for name, value in asked.last_here.arguments.items() if name != "person"}
        return replace(asked.last_here, arguments=own)
    if named is None or asked.known is None:
        return asked.last_set
    return ToolCall(id="", name="reminder_set", arguments=asked.known.arguments_of(named))


def _reminder_like(asked: Asked) -> Reminder | None:
    """Return the only reminder that is named where days are counted back from it: 排练前一天."""
    if asked.known is None or asked.reading.has("EVENT") or not leads_of(asked, has_event=True):
        return None
    for words in (_name_ahead(asked), slots.content(asked.reading, asked.words)):
        name = slots.reference_name(words, asked.words)
        found = asked.known.named(name) if name else ()
        if len(found) == 1:
            return found[0]
    return None


def _name_ahead(asked: Asked) -> str:
    """Return the characters in front of a word such as 前: 排练 of 排练前一天."""
    pairs = zip(asked.reading.tokens, asked.reading.tags, strict=True)
    open_tags = {NO_TAG, "CONTENT"}
    said = "" if asked.words.joint else "".join(token.form if tag in open_tags else "," for token, tag in pairs)
    run = next((each for each in said.split(",") if each.endswith(asked.words.ahead)), "")
    word = max((each for each in asked.words.ahead if run.endswith(each)), key=len, default="")
    return slots.tidied(run.removesuffix(word), ("请", *asked.words.before_time)) if word else ""


def _task_behind(asked: Asked) -> str:
    """Return the untagged words behind "to" at the end of a request, behind its time: "another one at 10 to pack"."""
    tokens, tags = asked.reading.tokens, asked.reading.tags
    first = max((at + 1 for at, tag in enumerate(tags) if tag in {"WHEN", "PERSON", "LEAD"}), default=len(tags))
    is_open = asked.words.joint and all(tag == NO_TAG for tag in tags[first:])
    is_open = is_open and not any(token.form in CLAUSE_ENDS for token in tokens[first:])
    if not is_open or len(tokens) - first < _SHORTEST_TASK or tokens[first].form not in asked.words.task_links:
        return ""
    return slots.tidied(asked.reading.text[tokens[first + 1].start :], asked.words.before_content)


def _unknown_name(asked: Asked) -> str:
    """Return the words for a reminder where there is none such: they say what else to be reminded of."""
    names = (
        slots.reference(asked.reading, asked.words) if asked.known is not None and not asked.reading.has("OLD") else []
    )
    return "" if asked.known is None or any(map(asked.known.has, names)) else asked.words.joint.join(names)


def repeats(call: ToolCall) -> bool:
    """Return whether the reminder that `call` sets comes more than once."""
    return call.arguments.get("type") != "once" or "rrule" in call.arguments


def answer_when(asked: Asked) -> Interpretation | None:
    """Set the reminder that was asked about at the time of the answer."""
    question, times = asked.question, named_times(asked)
    if question is None or len(times) != 1 or question.asks == "reminder":
        return None
    time = _complete_answer(times[0], question.options)
    content = question.content or slots.content(asked.reading, asked.words) or _beside_times(asked)
    person = question.person
    if person is not None and "@" not in asked.reading.text:
        person = person.replace("@", "")  # who is mentioned in an earlier message is known by name
    request = ReminderRequest(content=content, person=person, time=time)
    if content or question.asks == "option":
        return asked.answering.set_reminders([request, *question.rest])
    return asked.answering.without_content([request])


def _complete_answer(time: TimeWords, options: Sequence[Reading]) -> TimeWords:
    """Return an answer with the day, or the clock, of the `options` that it answers, where it names none."""
    best, days = time.best, {option.start.date() for option in options}
    if best is None or not options:
        return time
    if slots.is_bare(best) and len(days) == 1:
        readings = tuple(on_day(each, min(days)) for each in time.readings)
        if is_clock_without_half(time.words):
            readings = _in_part_of(options[0], halves(readings[0]))
        return replace(time, readings=readings, is_ambiguous=len(readings) > 1)
    if best.has_clock or best.part or not all(option.has_clock for option in options):
        return time
    readings = tuple(at_clock(best, option) for option in options)
    return replace(time, readings=readings, is_ambiguous=len(readings) > 1)


def _in_part_of(offered: Reading, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return those of `readings` in the half of the day in which a part of it was `offered`: "8" of the morning."""
    same = tuple(each for each in readings if (each.start.hour < _NOON) == (offered.start.hour < _NOON))
    return same if same and offered.part and not offered.has_clock else readings


def _beside_times(asked: Asked) -> str:
    """Return the words of an answer outside of its times: what to be reminded of, where that was asked as well."""
    text = asked.reading.text
    for start, end in reversed(asked.reading.spans("WHEN")):
        text = f"{text[:start]} {text[end:]}"
    rest = slots.tidied(" ".join(text.split()), asked.words.before_content)
    return "" if slots.are_small(rest.casefold().split() if asked.words.joint else list(rest), asked.words) else rest


def answer_content(asked: Asked) -> Interpretation | None:
    """Set the reminder that was asked about with the content of the answer."""
    question, content = asked.question, slots.content(asked.reading, asked.words)
    if question is None or not content or question.content or question.asks == "reminder":
        return None
    if not question.options:
        return asked.answering.set_reminders([ReminderRequest(content=content, person=question.person, time=None)])
    return together([asked.answering.set_at(content, question.person, option) for option in question.options])


def with_manners(made: Interpretation, manners: Mapping[str, object]) -> Interpretation:
    """Return the calls that set a reminder, with `manners` among their arguments."""
    calls = tuple(
        replace(call, arguments={**call.arguments, **manners}) if call.name == "reminder_set" else call
        for call in made.calls
    )
    return replace(made, calls=calls)


def _requests(asked: Asked, piece: MessageReading) -> list[ReminderRequest]:
    """Return the reminders of one piece: its content at each of its times."""
    part = asked.with_reading(piece)
    content = _without_call(slots.content(piece, asked.words), asked)
    content = "" if content.casefold() in asked.words.itself else content
    last = asked.last_set if asked.may_point and not content else None
    if last is not None and _is_ahead_of_last(_with_clock(part)):
        content = str(last.arguments["content"])
    person = people_of(part)
    times: Sequence[TimeWords | None] = _times(part) or [None]
    return [ReminderRequest(content=content, person=person, time=time) for time in times]


def _without_call(content: str, asked: Asked) -> str:
    """Return a content without the bot's name, by which the message calls it at its end, and courtesies before it."""
    name, said = asked.words.fold(asked.turn.bot_name), asked.words.fold(asked.reading.text).rstrip(" .!?。！？~～")
    before, found, behind = asked.words.fold(content).rpartition(f" {name}")
    if not found or behind or not said.endswith(found) or said.count(name) > 1 or len(before) != len(before.strip()):
        return content
    kept = content[: len(before)].split()
    while len(kept) > 1 and kept[-1].casefold().strip(",，") in asked.words.polite:
        kept.pop()
    return " ".join(kept).rstrip(",，")


def _times(asked: Asked) -> list[TimeWords]:
    """Return when to remind; none where an end stands beside a time that does not repeat: "3 times tomorrow"."""
    last = _repeated(asked) if asked.may_point or _reminder_like(asked) is not None else None
    name, content = _name_ahead(asked), "" if last is None else str(last.arguments["content"])
    is_unknown = bool(name) and _reminder_like(asked) is None and set(name).isdisjoint(content)
    if is_unknown and _is_ahead_of_last(_with_clock(asked)):
        return []
    if last is not None:
        dated = _with_clock(asked)
        if _is_ahead_of_last(dated):
            return _times_of_repetition(dated, last)
    times = named_times(asked)
    is_counted = bool(times) and asked.reading.has("UNTIL") and bool(end_of(asked))
    if is_counted and not any(time.best is not None and time.best.rrule for time in times):
        return []
    if asked.names(asked.words.same_time):
        same = _same_content(asked) or asked.last_set or (None if times else _newest(asked))
        if same is not None and not times:
            return slots.times([str(same.arguments.get("time", ""))], asked.words, asked.read)
        return [] if same is None else [_like_last(each, same, asked, is_same=True) for each in times]
    day = _day_meant(asked)
    return times if day is None else [_on_day(each, day, asked) for each in times]


def _day_meant(asked: Asked) -> date | None:
    """Return the day of the reminder set last, where a request says "the same day"."""
    last = asked.last_set if asked.may_point and asked.names(asked.words.days_meant) else None
    times = [] if last is None else slots.times([str(last.arguments.get("time", ""))], asked.words, asked.read)
    best = times[0].best if len(times) == 1 else None
    return None if best is None or best.rrule is not None else best.start.date()


def _on_day(time: TimeWords, day: date, asked: Asked) -> TimeWords:
    """Return a clock that names no day of its own as one of `day`; 当天下午两点 names none either."""
    is_of_day = any(time.words.startswith(word) for word in asked.words.days_meant)
    if time.best is None or not (is_of_day or slots.is_bare(time.best)):
        return time
    return replace(time, readings=tuple(on_day(each, day)._replace(has_day=True) for each in time.readings))


def _same_content(asked: Asked) -> ToolCall | None:
    """Return the call that sets the only coming reminder with the content that is requested; else None."""
    content = slots.content(asked.reading, asked.words)
    known = () if asked.known is None else asked.known.reminders
    found = [each for each in known if each.content == content]
    if asked.known is None or len(found) != 1:
        return None
    return ToolCall(id="", name="reminder_set", arguments=asked.known.arguments_of(found[0]))


def _newest(asked: Asked) -> ToolCall | None:
    """Return the call that set the newest reminder of the chat, where that was just now; else None."""
    known = () if asked.known is None else asked.known.reminders
    newest = max(known, key=lambda each: each.created_at, default=None)
    if asked.known is None or newest is None or asked.now - newest.created_at > _LATELY:
        return None
    return ToolCall(id="", name="reminder_set", arguments=asked.known.arguments_of(newest))


def _with_clock(asked: Asked) -> Asked:
    """Return a request whose clock behind days ahead says when to remind: "the night before at 8"."""
    reading = asked.reading
    if reading.has("WHEN") or not (reading.has("EVENT") and reading.has("LEAD")):
        return asked
    event = slots.one_time(reading.pieces("EVENT"), asked.words, asked.read)
    is_bare = event is not None and event.best is not None and slots.is_bare(event.best)
    if not is_bare or any(length < _DAY for length, _ in leads_of(asked, has_event=True)):
        return asked
    tags = tuple("WHEN" if tag == "EVENT" else tag for tag in reading.tags)
    return asked.with_tags(tags)


def _is_ahead_of_last(asked: Asked) -> bool:
    """Return whether days are counted back from an event that the request does not name: "the night before at 8"."""
    if asked.reading.has("EVENT") or not asked.reading.has("LEAD"):
        return False
    clock = slots.one_time(asked.reading.pieces("WHEN"), asked.words, asked.read)
    is_bare = clock is not None and clock.best is not None and slots.is_bare(clock.best)
    is_alone = not asked.reading.has("WHEN") and asked.names(asked.words.ahead)
    return (is_bare or is_alone) and all(length >= _DAY for length, _ in leads_of(asked, has_event=True))


def _times_of_repetition(asked: Asked, last: ToolCall) -> list[TimeWords]:
    """Return the times of another reminder with the content of `last`; an amount counts back from that one."""
    asked = _with_clock(asked)
    leads = leads_of(asked, has_event=True)
    event = _time_of(last, asked)
    if not leads or asked.reading.has("EVENT"):
        return named_times(asked)
    if not asked.reading.has("WHEN") and not asked.names(asked.words.ahead):
        return named_times(asked)  # "and 40 minutes for the buns"
    if event is None:
        return []
    is_apart = asked.reading.has("LEAD")
    clock = slots.one_time(asked.reading.pieces("WHEN"), asked.words, asked.read) if is_apart else None
    found = [ahead_of(event, length, clock or own) for length, own in leads]
    return [each for each in found if each is not None]


def _time_of(call: ToolCall, asked: Asked) -> TimeWords | None:
    """Return when the reminder of a call comes first."""
    return slots.one_time([str(call.arguments.get("time", ""))], asked.words, asked.read)


def _like_last(time: TimeWords, last: ToolCall, asked: Asked, *, is_same: bool = False) -> TimeWords:
    """Return `time` at the clock of the last reminder, where it names a day alone or "the same time"."""
    best, before = time.best, _time_of(last, asked)
    is_open = best is not None and not (best.has_clock or best.part) and (best.has_day or best.rrule is not None)
    if best is None or before is None or before.best is None or not (is_open or is_same):
        return time
    clock = before.best._replace(start=before.best.start.replace(second=0))
    return replace(time, readings=(at_clock(best, clock),), is_ambiguous=False)


def _rhythm_of_last(asked: Asked, requests: Sequence[ReminderRequest]) -> Reading | None:
    """Return the repetition that a request without a content names for what was set last: "every week please"."""
    if len(requests) != 1 or requests[0].content or requests[0].time is None or not asked.may_point:
        return None
    best = requests[0].time.best
    is_rule = best is not None and best.rrule is not None and not best.has_clock
    return best if is_rule and asked.last_set is not None else None


def people_of(asked: Asked) -> str | None:
    """Return who is reminded; None where that is the person who asks."""
    person = slots.people(asked.reading, asked.words) or _everyone_untagged(asked)
    return both_of_us(asked) if person and asked.words.fold(person) in asked.words.both_of_us else person


def _everyone_untagged(asked: Asked) -> str | None:
    """Return everyone where untagged words behind "for" say so and nobody else is named: "reminder for everyone"."""
    reading, words = asked.reading, asked.words
    if reading.has("PERSON"):
        return None
    forms = [token.form if tag == NO_TAG else "," for token, tag in zip(reading.tokens, reading.tags, strict=True)]
    said = f" {words.joint.join(forms)} "
    return slots.EVERYONE if any(word in said for word in words.for_everyone) else None


def both_of_us(asked: Asked) -> str:
    """Return the person who asks and who has written last before."""
    own = asked.turn.message.sender
    others = (each.sender for each in reversed(asked.turn.recent) if not each.sender.is_bot)
    other = next((each for each in others if each.id != own.id), None)
    return slots.EVERYONE if other is None else f"{own.name}, {other.name}"


def _on_their_days(requests: Sequence[ReminderRequest], asked: Asked) -> list[ReminderRequest]:
    """Return `requests` with the day of a time carried on to the times after it."""
    named = [(each.time.words, each.time.readings) for each in requests if each.time is not None]
    before = None if asked.before is None else _time_of(asked.before, asked)
    if before is not None:
        named = [(before.words, before.readings), *named]
    if len(named) < 2:
        return list(requests)
    carried = islice(on_their_days(named, asked.now), 0 if before is None else 1, None)
    return [
        each if each.time is None else replace(each, time=replace(each.time, readings=next(carried)))
        for each in requests
    ]


def _set(asked: Asked, requests: list[ReminderRequest]) -> Interpretation:
    """Set `requests`; those without a content are about what the message points at, or have a usual title."""
    if any(word in each.content.casefold() for word in asked.words.waking for each in requests):
        requests = [replace(each, content=asked.words.wake_up) for each in requests]
    if all(each.content for each in requests):
        return asked.answering.set_reminders(requests)
    title = _title(asked)
    if title is None:
        return asked.answering.without_content(requests)
    return asked.answering.set_reminders([each if each.content else replace(each, content=title) for each in requests])


def _title(asked: Asked) -> str | None:
    """Return what a request without a content is about; None where that is to be asked, "" for the usual title."""
    if any(word in asked.folded_text for word in asked.words.waking):
        return asked.words.wake_up
    if asked.names(asked.words.pointers):
        return _pointed_at(asked)
    is_amount = any(token.form.endswith("offset") for token in asked.reading.tokens if is_time(token))
    is_timer = any(word in asked.folded_text for word in asked.words.alarms)
    return "" if is_amount or is_timer else None


def _pointed_at(asked: Asked) -> str | None:
    """Return the words of the message that "this" means; None where there is none of a person."""
    before = _message_pointed_at(asked.turn)
    if before is None or before.sender.is_bot:
        return None
    said = " ".join(before.text.split()).strip()
    is_long = len(said) > _LONGEST_POINTED_AT
    return f"{said[:_LONGEST_POINTED_AT].rsplit(' ', 1)[0]}…" if is_long else said


def _at_interval(request: ReminderRequest, interval: timedelta, asked: Asked) -> ReminderRequest:
    """Return `request` at the end of the first interval where it names no other time: it repeats until it is done."""
    if request.time is not None:
        return request
    phrase = asked.words.as_amount.format(minutes=max(1, round(interval.total_seconds() / 60)))
    return replace(request, time=slots.one_time([phrase], asked.words, asked.read))


def _message_pointed_at(turn: Turn) -> ChatMessage | None:
    """Return the message that is replied to, or the last one of a person in the minutes before; None for none known.

    A message to the bot is not used as the content of a reminder.
    """
    message = turn.message
    if message.reply_to is not None:
        return next((each for each in turn.recent if each.id == message.reply_to), None)
    before = next((each for each in reversed(turn.recent) if not each.sender.is_bot), None)
    is_lately = before is not None and message.sent_at - before.sent_at <= _LATELY
    return before if before is not None and is_lately and name_in(before.text, turn.bot_name) is None else None
