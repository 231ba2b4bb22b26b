"""Set the last reminder once more: at another time, or for a person who joins."""

from collections.abc import Sequence

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, ToolCall
from function_calls.understanding.open_questions import ReminderRequest
from function_calls.understanding.reading.repair.event_repair import untag_that_day
from function_calls.understanding.reading.repair.tag_repair import tag_same_time
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT
from function_calls.understanding.reading.slots.small_words import are_function_words, tidy
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.requests.chat_reminders import IT
from function_calls.understanding.requests.last_reminder import (
    complete_time,
    copy_rule,
    find_call_to_repeat,
    is_repeating,
    read_times_of_copy,
)
from function_calls.understanding.requests.new_reminders.same_day import find_same_day_time, move_open_time_to_day
from function_calls.understanding.requests.people import find_people, says_remind_me
from function_calls.understanding.requests.references.named_reminders import find_references
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.request_times import find_times

_MIN_TASK_TOKENS = 2
"""The tokens of a task at the end of a request, with "to" in front of it."""


def copy_last(request: RequestContext) -> Interpretation | None:
    """Set the last reminder for another time as well; ask for the content where there is none."""
    last = find_call_to_repeat(request)
    if last is None:
        return _ask_content(request)
    days = request.strip_time_words(request.reading.words("WHEN"))
    if is_repeating(last) and request.find_weekdays(days):
        name = ", ".join(find_references(request)) or IT
        return request.answers.call_tool("reminder_update", {"days": f"+{days}", "reminder_id": name})
    request = request.with_reading(untag_that_day(tag_same_time(request.reading, request.words), request.words))
    times = read_times_of_copy(request, last)
    event = find_same_day_time(request)
    if event is not None:
        times = [move_open_time_to_day(time, event.start.date(), request, event) for time in times]
    times = [complete_time(time, last, request) for time in times]
    if not times:
        return None
    content = request.content or _find_task_at_end(request) or str(last.arguments["content"])
    person = choose_people_of_copy(last, request)
    interpretation = request.answers.set_reminders(
        [ReminderRequest(content=content, person=person, time=time) for time in times]
    )
    if not _adds_clock(times, request):
        return interpretation
    return replace(interpretation, calls=tuple(copy_rule(call, last) for call in interpretation.calls))


def choose_people_of_copy(last: ToolCall, request: RequestContext) -> str | None:
    """Return the people to remind once more: those that are named, else those of the last reminder, but for "me"."""
    is_named, says_me = request.reading.has("PERSON"), says_remind_me(request)
    is_for_everyone = last.arguments.get("person") == EVERYONE_ARGUMENT
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
    content = _find_different_content(request) or request.content
    content = request.words.strip_same_time(content).strip()
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
    times = find_times(request) if request.is_addressed else []
    if not times:
        return None
    return request.answers.ask_content([ReminderRequest(content="", person=find_people(request), time=times[0])])


def _find_task_at_end(request: RequestContext) -> str:
    """Return the untagged words behind "to" at the end of a request: "another one at 10 to pack"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    first = max((at + 1 for at, tag in enumerate(tags) if tag in {"WHEN", "PERSON", "LEAD"}), default=len(tags))
    has_other = "REF" in tags[first:] or any(token.form in CLAUSE_ENDS for token in tokens[first:])
    is_task = len(tokens) - first >= _MIN_TASK_TOKENS and tokens[first].form in request.words.task_links
    if not request.words.joint or has_other or not is_task:
        return ""
    task = tidy(request.reading.text[tokens[first + 1].start :], request.words.before_content)
    return "" if request.words.fold(task) in request.words.itself | request.words.same_task else task
