"""Make calls of requests to snooze, pause and resume reminders, to complete them, and to join or leave them."""

from collections.abc import Collection, Mapping
from datetime import date, timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.names import find_members, list_named
from function_calls.understanding.reading.slots.small_words import is_figure
from function_calls.understanding.reading.slots.time_words import mark_day
from function_calls.understanding.reading.times import HOURS_A_HALF, is_clock_alone, list_halves, names_single_day
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.reminder_times import FROM_THEN, format_time, make_change_arguments
from function_calls.understanding.requests.changes.updates import find_day_in_name
from function_calls.understanding.requests.known_reminders import find_due, find_rule
from function_calls.understanding.requests.new_reminders.copies import set_variant_of_last
from function_calls.understanding.requests.new_reminders.set_calls import repeat_last, set_reminders
from function_calls.understanding.requests.people import find_people, list_other_people
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.references.remarks import find_asking_text, find_asking_time
from function_calls.understanding.requests.references.unnamed_reminders import (
    find_default_reference,
    find_newest_shared,
)
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.references import means_all
from services.reminders.model import ReminderState
from services.time_expressions import Reading

_DAY = timedelta(days=1)
_TIME_TAGS = frozenset({"UNTIL", "FROM", "LATER", "EARLIER", "LEAD"})
_NUMBER_LINK_TIME = 3
"""The fewest tokens of a number, a word such as "until" and a time."""


def snooze(request: RequestContext) -> Interpretation | None:
    """Deliver a reminder again later; a bare figure is minutes, and in front of a time the number of a reminder."""
    request = _tag_number(request)
    words, pieces = request.words, request.reading.pieces("WHEN") or request.reading.pieces("LATER")
    figures = (_parse_figure(piece, request) for piece in pieces if not is_behind(piece, words.until_words, request))
    figure = next(figures, "")
    length = request.parse_length(figure) if figure else request.parse_amount("LATER") or request.parse_amount("WHEN")
    length = length or (None if pieces else request.parse_untagged_amount())
    whens = [request.strip_leading_word(each, words.until_words) for each in request.reading.pieces("WHEN")]
    times = [] if figure else request.parse_times(whens)
    best = times[0].best if times else None
    if pieces and length is None and best is None and not request.has_word(words.shortly):
        return None
    time = _format_snooze(length, best, request)
    # "Mine" is the one that has just come.
    named = "" if request.names_own_one else ", ".join(find_references(request))
    arguments = {"reminder_id": named, **({"time": time} if time else {})}
    return request.answers.call_tool("reminder_snooze", arguments)


def _format_snooze(length: timedelta | None, best: Reading | None, request: RequestContext) -> str:
    """Return a length of time or a time as the argument of a snooze; "" for neither."""
    if best is not None and best.has_day and request.has_word(request.words.same_time):
        return f"{best.wall:%Y-%m-%d}"
    if length is not None and (best is None or not is_clock_alone(best)):
        minutes = round(length.total_seconds() / 60)
        is_whole = length == timedelta(minutes=minutes)
        return request.words.as_length.format(minutes=minutes) if is_whole else format_time(request.now + length)
    if best is None:
        return ""
    if best.has_day and not best.has_clock:
        return format_time(best.wall)
    return str(make_change_arguments(_choose_soonest(best, request), request.now)["time"])


def _tag_number(request: RequestContext) -> RequestContext:
    """Return the request with a number of the list shown last as its reminder: "1 until Friday", "2 for an hour"."""
    reading, words = request.reading, request.words
    first = next((at for at, tag in enumerate(reading.tags) if tag in {"WHEN", "LATER"}), len(reading.tokens))
    tokens = reading.tokens[first:]
    if len(tokens) < _NUMBER_LINK_TIME or not request.is_listed_number(reading.text_of(tokens[0])):
        return request
    link, time = tokens[1].form, reading.text[tokens[2].start :]
    is_length = request.parse_length(time) is not None
    links = {*words.before_time} - words.until_words if is_length else words.until_words
    is_time_named = is_length or is_figure(time) or request.parse_time([time]) is not None
    if not is_time_named or link not in links:
        return request
    return request.with_tags([*reading.tags[:first], "REF", NO_TAG, *reading.tags[first + 2 :]])


def _choose_soonest(best: Reading, request: RequestContext) -> Reading:
    """Return the next hour of a clock without a half of the day: "10:30" in the evening.

    A clock for a named reminder that comes once, and has not come yet, is the next one behind it.
    """
    if not is_clock_alone(best):
        return best
    has_half = not is_clock_without_half(request.strip_time_words(request.reading.words("WHEN")))
    reminder = find_named_reminder(request) if find_references(request) else None
    due = find_due(reminder, request.now)
    if reminder is not None and due is not None and reminder.schedule.rule is None:
        halves = (best,) if has_half else list_halves(best)
        clocks = [due.replace(hour=half.start.hour, minute=half.start.minute) for half in halves]
        return best._replace(start=min(each + _DAY if each <= due else each for each in clocks), has_day=True)
    earlier = best._replace(start=best.start - timedelta(hours=HOURS_A_HALF))
    return best if has_half or best.start.hour == 0 or earlier.start <= request.now else earlier


def _parse_figure(piece: str, request: RequestContext) -> str:
    """Return the number that `piece` is, "5" or "for 5"; "" for a clock such as "at 5" or "to 5"."""
    bare = request.strip_time_words(piece)
    ahead = request.words.fold(request.reading.text.partition(piece)[0]).split()
    # "Snooze it to 10".
    is_hour = is_figure(bare) and int(bare) <= HOURS_A_HALF and bool({*ahead[-1:]} & request.words.until_words)
    return bare if not is_hour and is_figure(bare) and (is_figure(piece) or not request.read_times(piece)) else ""


def is_behind(piece: str, links: Collection[str], request: RequestContext) -> bool:
    """Return whether one of `links` stands in front of `piece`: "until I'm back on Monday"."""
    start = request.reading.text.find(piece) if piece else 0
    ahead = request.words.joint.join(token.form for token in request.reading.untagged if token.end <= start)
    words = ahead.split() if request.words.joint else [ahead[-2:], ahead[-1:]]
    return any(word in words for word in links if word != "to")


def pause(request: RequestContext) -> Interpretation | None:
    """Pause reminders until a time or during it.

    A pause from a later day has to have an end where the reminder comes earlier: the bot asks for it.
    """
    request = _tag_clock_in_name(request)
    when = request.reading.words("WHEN") or request.reading.words("UNTIL")
    when = request.strip_leading_word(when, request.words.during)
    is_of_name = request.reading.has("OLD") or _has_day_in_content(request)
    when = when or ("" if is_of_name else find_asking_time(request))
    bare = request.strip_leading_word(mark_day(when, request.words), request.words.until_words)
    if not when or not (request.read_times(bare) or request.parse_length(bare)):  # "until further notice"
        return change_state(request, "pause")
    if bare != when or request.has_word(request.words.beginning_again) or _is_end_of_pause(when, bare, request):
        return change_state(request, "pause", {"until": bare})
    begin = _read_begin_without_end(bare, request)
    if begin is None:
        return change_state(request, "pause", {"during": request.strip_time_words(bare)})
    due = find_due(find_named_reminder(request), request.now)
    if due is None or due.date() >= begin:
        return change_state(request, "pause")
    return request.answers.say("offline.pause_end")


def _has_day_in_content(request: RequestContext) -> bool:
    """Return whether the day in the name of a reminder is a word of its text: "the Sunday run", due on Saturdays."""
    day, reminder = find_day_in_name(request), find_named_reminder(request)
    return bool(day) and reminder is not None and request.words.fold(day) in request.words.fold(reminder.content)


def _is_end_of_pause(when: str, bare: str, request: RequestContext) -> bool:
    """Return whether the time `when`, without its preposition `bare`, ends a pause, and is no time during it."""
    if is_behind(when, request.words.until_words, request):
        return True
    may_end = request.reading.has("UNTIL") or request.reading.intent in {"move", "until", "keep_days"}
    return may_end and not (is_behind(when, request.words.during, request) or request.parse_length(bare))


def follow_pause(request: RequestContext) -> Interpretation | None:
    """Pause until the end, or for the days, that follow a pause without a name: "until Friday", "make it 4 days"."""
    last = {} if request.reading.has("REF") else request.last_call.arguments
    words, is_shift = request.words, request.has_word((*request.words.earlier, *request.words.later))
    if last.get("action") != "pause" or is_shift or request.reading.intent not in {"until", "move", "keep_days"}:
        return None
    request = request.with_tags("WHEN" if tag in _TIME_TAGS else tag for tag in request.reading.tags)
    when = request.reading.words("WHEN")
    bare = request.strip_leading_word(when, words.until_words)
    length = request.parse_length(request.strip_time_words(bare))
    is_end = bool(last.get("until")) or bare != when or is_behind(when, words.until_words, request)
    is_last_day = is_end and request.names_single_day(bare)
    return pause(request) if is_last_day or (length is not None and length >= _DAY) else None


def pause_until_begin(request: RequestContext) -> Interpretation | None:
    """Pause the repeating reminder that a request names with its next begin: 下周一再开始提醒我跑步.

    One that comes every few days is moved instead.
    """
    when = request.strip_time_words(request.reading.words("WHEN"))
    may_pause = bool(when) and request.reading.intent in {"set", "move", "snooze"}
    if not may_pause or not request.has_word(request.words.beginning_again):
        return None
    named = find_named_reminder(request) if request.reading.has("REF") else request.find_closest(request.content)
    has_clock = any(best.has_clock for best in request.list_readings(when))
    rule = find_rule(named)
    is_every_few_days = rule is not None and rule.frequency == "DAILY" and rule.interval > 1
    if named is None or rule is None or has_clock or is_every_few_days:
        return None
    return change_state(request, "pause", {"until": when, "reminder_id": named.id})


def _tag_clock_in_name(request: RequestContext) -> RequestContext:
    """Return the Chinese request with a clock that names the reminder tagged as such: 暂停七点的提醒."""
    reading, words = request.reading, request.words
    marks = (*words.reference_marks, *(f"的{word}" for word in words.reference_marks), "的提醒", "的闹钟")
    clocks = [token for token, tag in reading.tagged if token.form == "@clock" and tag in {"WHEN", "REF"}]
    named = [token for token in clocks if words.fold(reading.text[token.end :]).startswith(marks)]
    if words.joint or not named:
        return request
    return request.with_tags(
        "OLD" if token == named[0] else NO_TAG if tag == "REF" else tag for token, tag in reading.tagged
    )


def resume(request: RequestContext) -> Interpretation | None:
    """Resume reminders, at once or from a day or clock on, until which they pause: "resume it on Monday"."""
    until = request.strip_time_words(request.reading.words("WHEN") or request.reading.words("FROM"))
    best = request.read_only_time(until)
    resumed = change_state(request, "resume")
    if best is None or best.rrule is not None or best.start <= request.now:
        return resumed
    named = find_named_reminder(request)
    coming = [] if named is None else request.list_coming(named, request.now.date())
    if coming and coming[0].date() >= best.start.date():
        return resumed
    paused = change_state(request, "pause", {"until": until})
    is_all = any(means_all(f"{call.arguments.get('reminder_id')}") for call in paused.calls)
    # A pause of all reminders leaves out those that are paused already.
    has_paused = is_all and any(each.state is ReminderState.PAUSED for each in request.reminders)
    return merge_or_none([resumed, paused]) if has_paused else paused


def done(request: RequestContext) -> Interpretation | None:
    """Complete a reminder: the one that is named, or whose words a report has."""
    named = None if find_references(request) or not request.is_addressed else request.find_closest(request.reading.text)
    return change_state(request, "done", {} if named is None else {"reminder_id": named.id})


def _read_begin_without_end(words: str, request: RequestContext) -> date | None:
    """Return the day of a pause that begins on it and has no end: "pause it from Monday"; None for others."""
    best = request.read_only_time(words) if FROM_THEN.search(request.folded_text) else None
    return best.start.date() if names_single_day(best) and best.end is None else None


def join(request: RequestContext) -> Interpretation | None:
    """Remind the person who asks as well, or at a time of their own: "me too, but at 8"."""
    tags = ["WHEN" if is_time(token) and tag != NO_TAG else NO_TAG for token, tag in request.reading.tagged]
    if "WHEN" in tags and not any(map(request.resolve, find_references(request))):
        return repeat_last(replace(request.with_tags(tags), last_set=None))
    variant = set_variant_of_last(request)
    if variant is not None:
        return variant
    is_after_own = request.last_set is not None and not request.has_word(request.words.beside)
    if is_after_own and request.has_word(request.words.calling):
        return set_reminders(request)
    return change_state(request, "join")


def leave(request: RequestContext) -> Interpretation | None:
    """Stop reminding the sender of the named reminder, or else of the newest shared one.

    The sender's own reminder is deleted if it reminds nobody else.
    """
    sender, has_name = request.turn.message.sender, bool(find_references(request))
    named = find_named_reminder(request) if has_name else None
    instead = None if named is None else _find_person_instead(request)
    if named is not None and instead:  # "take me off the bins and put Luis on"
        people = f" {request.words.and_joint} ".join([*list_other_people(named, request), instead])
        return request.answers.call_tool("reminder_update", {"person": people, "reminder_id": named.id})
    if named is not None and named.creator.id == sender.id and {each.id for each in named.targets} <= {sender.id}:
        return request.answers.call_tool("reminder_delete", {"reminder_id": named.id})
    may_be_any = not has_name and request.turn.message.reply_to is None
    shared = find_newest_shared(request) if may_be_any else None
    return change_state(request, "leave", {} if shared is None else {"reminder_id": shared.id})


def _find_person_instead(request: RequestContext) -> str | None:
    """Return the people whom a request to leave names, or a member of the chat among its untagged words."""
    if request.reading.has("PERSON"):
        return find_people(request)
    text = request.words.fold(request.reading.join_untagged(request.words.joint))
    members = list_named(find_members(request.turn), text, request.words)
    return members[0] if len(members) == 1 and members[0] != request.turn.message.sender.name else None


def change_state(request: RequestContext, action: str, arguments: Mapping[str, object] | None = None) -> Interpretation:
    """Return the call that changes the state of the reminder that is named, or of the last one."""
    references = find_references(request)
    may_be_several = action in {"pause", "resume"} and not references
    if may_be_several and request.words.has_any(request.words.plural, find_asking_text(request)):
        references = ["all"]
    if not references and request.last_call.arguments.get("action") == "pause":
        references = [str(request.last_call.arguments["reminder_id"])]
    named = {"action": action, "reminder_id": ", ".join(references) or find_default_reference(request)}
    return request.answers.call_tool("reminder_state", {**named, **(arguments or {})})
