"""Handle each intent: turn the reading of a request into calls, or into one question."""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC
from functools import partial
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation
from function_calls.tools.confirmation.change_log import MOST
from function_calls.understanding.local_lookup import make_local_lookup
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members, list_named
from function_calls.understanding.reading.reminder_words import find_stems, stem
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests import new_reminders
from function_calls.understanding.requests.arguments import make_schedule_arguments
from function_calls.understanding.requests.changes import (
    deletions,
    moves,
    people_changes,
    repetitions,
    states,
    text_changes,
    updates,
)
from function_calls.understanding.requests.known_reminders import list_own
from function_calls.understanding.requests.reference_resolution import find_shared_words
from function_calls.understanding.requests.references import (
    find_closest_to_remark,
    find_only_time,
    find_references,
    names_unknown_matter,
)
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.request_times import find_times
from services.people.zones import find_zone
from services.reminders.lookup.references import find_kind, means_next
from services.reminders.model import ReminderAction

_NO_TOPIC = frozenset({"none", "help", "list", "when_is", "answer_when", "answer_content", "cancel_ask", "repeat_last"})
_RELATED = {
    "add_days": "move",
    "keep_days": "move",
    "once": "move",
    "urgent": "quiet",
    "not_urgent": "quiet",
    "nag": "done",
    "catch_up_all": "pause",
    "catch_up_latest": "pause",
    "catch_up_none": "pause",
    "next_page": "list",
    "who_set": "when_is",
    "zone_move": "zone",
    "forget": "recall",
    "person_set": "person_add",
}
"""Intents that are explained with another one."""
_SUSPENDING = frozenset({"delete", "pause", "skip"})
"""Intents that quiet hours resemble."""
_CLEARLY = 1.5
_LONGEST_QUESTION = 7
_LEAST_TOPIC = 0.8
_SHORTEST_QUERY = 4
_LEAST_RECALL = 0.1
"""The probability of a question for what is known in the chat from which it is looked up beside the reminders."""

Handler = Callable[[RequestContext], Interpretation | None]
Classify = Callable[[int], tuple[tuple[str, float], ...]]


def handle_intent(request: RequestContext, classify: Classify) -> Interpretation | None:
    """Return the calls of a request, a question, or None where its words are not enough.

    `classify` returns the intents of the tokens from a place on.
    """
    intent = request.reading.intent
    if intent in _SUSPENDING and _refuses_hours(request):
        return _quiet(request)
    if intent == "help":
        return _help(request, classify)
    if _changes_note(request):
        return request.answers.say("offline.note_change")
    followed = states.follow_pause(request) or deletions.follow_skip(request) or states.pause_until_begin(request)
    maker = _HANDLERS.get(intent)
    return followed or (None if maker is None else maker(request))


def find_topic_by_word(reading: MessageReading, words: Lexicon) -> str | None:
    """Return the topic of which a question to the bot has a word."""
    text = words.joint.join(re.findall(r"[\w'-]+", words.fold(reading.text)))
    return next((topic for topic, names in words.help_topics.items() if words.has_any(names, text)), None)


def find_probable_topic(reading: MessageReading, least: float = 0.0) -> str | None:
    """Return the topic of a message from its intents; None where no intent is probable enough."""
    topics = [(intent, share) for intent, share in reading.intents if intent not in _NO_TOPIC]
    if len(topics) < 2:
        return None
    topic, share = topics[0]
    return _RELATED.get(topic, topic) if share >= max(least, topics[1][1] * _CLEARLY) else None


def _help(request: RequestContext, classify: Classify) -> Interpretation | None:
    """Explain the topic of a question: by a word for it, or by the intent of its words without "how do I"."""
    named = find_topic_by_word(request.reading, request.words)
    if named is not None:
        return request.answers.say(f"how.{named}")
    if _asks_quantity(request):
        return _look_up_quantity(request)
    found = [classify(start)[0] for start in range(1, min(len(request.reading.tokens) - 2, _LONGEST_QUESTION))]
    topics = [(share, intent) for intent, share in found if intent not in _NO_TOPIC]
    share, topic = max(topics, default=(0.0, None))
    if topic is None or share < _LEAST_TOPIC:
        topic = find_probable_topic(request.reading, _LEAST_TOPIC / 5)
    else:
        topic = _RELATED.get(topic, topic)
    return None if topic is None else request.answers.say(f"how.{topic}")


def _cancel_ask(request: RequestContext) -> Interpretation | None:
    """Close the open question, or delete a reminder where the words name one and not what was asked about."""
    if request.question is None:
        return None
    asked = (request.question.content, request.question.event)
    is_about_question = any(find_shared_words(request.reading.text, each, request.common_words) for each in asked)
    named = None if is_about_question else find_closest_to_remark(request.reading.text, request)
    if named is None:
        return request.answers.drop_question()
    return request.answers.call_tool("reminder_delete", {"reminder_id": named.id})


def _list(request: RequestContext) -> Interpretation | None:
    """List reminders, or notes; a question how much something is without a word for reminders is looked up."""
    is_named = any(map(request.reading.has, ("WHEN", "OLD", "REF"))) or request.has_part(request.words.triggers)
    is_note = request.last is not None and request.last.name.startswith("memory")
    if not is_named and request.has_word((*request.words.notes, *(request.words.noted if is_note else ()))):
        return request.answers.call_tool("memory_search", {})
    if not is_named and request.reading.has("PERSON") and _asks_quantity(request):
        return _look_up_quantity(request)
    other = _find_other_named(request)
    coming = _find_next(request, other)
    if coming:
        return request.answers.call_tool("reminder_list", {"filter": coming})
    several = {"all", "them", "both", *request.words.nearest}
    names = [name for name in find_references(request) if name not in several and not _names_only(name, other, request)]
    untagged = "" if names else find_only_time(request)
    when = _strip_filter(request.reading.words("WHEN") or request.reading.words("OLD") or untagged, request)
    people = (slots.extract_people(request.reading, request.words) or "").removesuffix("'s") or None
    people = slots.EVERYONE if people is not None and people.casefold() in request.words.everyone else people
    named = other or (people if people is not None and people != slots.EVERYONE else "")
    wanted = when or ", ".join(names) or find_kind(request.folded_text)
    arguments: dict[str, object] = {"filter": f"{named}'s {wanted}" if other and wanted else wanted or named}
    is_common = people == slots.EVERYONE or request.has_word(request.words.common)
    if is_common or (not named and request.has_word(request.words.own)):
        arguments["whose"] = "chat" if is_common else "mine"
    return request.answers.call_tool("reminder_list", arguments)


def _strip_filter(when: str, request: RequestContext) -> str:
    """Return a time without a preposition in front of it, if it is then still one: "at 8", "la semana que viene"."""
    bare = request.strip_time_words(when)
    return when.strip() if request.read_times(when) and not request.read_times(bare) else bare


def _asks_quantity(request: RequestContext) -> bool:
    """Return whether a message asks the bot how much something is: "how much does the hotel cost?"."""
    from services.summary.content import asks_quantity

    return request.is_addressed and asks_quantity(request.reading.text)


def _look_up_quantity(request: RequestContext) -> Interpretation | None:
    """Search notes and messages for the words of a message; None where one of the tools is switched off."""
    calls = make_local_lookup(request.turn, request.reading.text)
    return Interpretation(calls=calls) if calls else None


def _when_is(request: RequestContext) -> Interpretation | None:
    """List the reminder that a question is about, with what people have written about it."""
    from services.summary.content import asks

    other = _find_other_named(request)
    names = [name for name in find_references(request) if not _names_only(name, other, request)]
    # "Is it tomorrow?" is about the last one, "what is the reminder at 8?" is not.
    is_untold = not names and request.has_phrase(request.words.triggers)
    when = request.reading.words("WHEN") or (find_only_time(request) if is_untold else "")
    when = _strip_filter(when, request)
    coming = _find_next(request, other)
    if coming and (not names or names == ["all"] or means_next(names[0])):
        return request.answers.call_tool("reminder_list", {"filter": coming})
    if names and all(name.casefold() in request.words.nearest for name in names):
        return request.answers.call_tool("reminder_list", {"filter": when})
    may_point = request.may_point and not (request.words.joint and names_unknown_matter(request, 1))
    of_last = _find_meant(request) or ("it" if may_point else "")
    if not names and not when and not of_last:
        return None
    listed = request.answers.call_tool("reminder_list", {"filter": ", ".join(names) or when or of_last})
    if not names or request.known is None or not request.is_addressed:
        return listed
    query = slots.normalize_reference(request.reading.words("REF"), request.words) or " ".join(names)
    is_known = any(request.known.matches(name, request.common_words) for name in names)
    if not is_known or request.reading.probability("recall") >= _LEAST_RECALL:  # it asks for a place or another fact
        calls = make_local_lookup(request.turn, query, *listed.calls)
        return Interpretation(calls=calls) if calls else listed
    is_asked = asks(request.reading.text) and not request.read_times(query)
    beside = make_local_lookup(request.turn, query) if is_asked else ()
    return Interpretation(calls=(*listed.calls, *beside))


def _find_meant(request: RequestContext) -> str:
    """Return the id of the reminder that "that" means; "" for a reply and where it is the one that is mentioned last.

    It is the only one that the person has just asked about, or one that another person has just set.
    """
    points = request.has_word(request.words.demonstratives)
    if request.known is None or not points or request.turn.message.reply_to is not None:
        return ""
    if request.listed is not None:
        return request.listed.id
    content = None if request.last_of_other is None else request.last_of_other.arguments.get("content")
    found = [reminder.id for reminder in request.reminders if reminder.content == content]
    return found[0] if len(found) == 1 else ""


def _find_next(request: RequestContext, other: str) -> str:
    """Return the id of the next reminder of `other`, the sender or the chat if a message asks for it, else ""."""
    words = [word for word in request.words.nearest if means_next(word) and request.has_word((word,))]
    tags = ("WHEN", "OLD") if other else ("WHEN", "OLD", "PERSON")
    is_other = request.has_word(request.words.plural) or any(map(request.reading.has, tags))
    has_figure = any(token.form.isdecimal() for token in request.reading.tokens)
    if request.known is None or not words or is_other or has_figure:
        return ""
    here = list_own(request) if request.has_word(request.words.own) else request.reminders
    coming = ((each, {person.name for person in each.targets or (each.creator,)}) for each in here if each.next_fires)
    return next((reminder.id for reminder, people in coming if not other or other in people), "")


def _find_other_named(request: RequestContext) -> str:
    """Return the only other person with a reminder here whom a question names; "" for none or several."""
    people = {person.name for reminder in request.reminders for person in (reminder.creator, *reminder.targets)}
    named = list_named(people, request.folded_text, request.words)
    return named[0] if len(named) == 1 and named[0] != request.turn.message.sender.name else ""


def _names_only(name: str, person: str, request: RequestContext) -> bool:
    """Return whether a reference has only the name of `person` and words such as "next"."""
    fold, joint = request.words.fold, request.words.joint
    rest = fold(name).replace("'s", "").replace(fold(person), "").strip(f" 的{joint}") if person else fold(name)
    return bool(person) and (not rest or rest in request.words.nearest)


def _who_set(request: RequestContext) -> Interpretation | None:
    names = ", ".join(find_references(request)) or _find_meant(request) or "it"
    return request.answers.call_tool("reminder_list", {"filter": names, "who_set": True})


def _undo(request: RequestContext) -> Interpretation | None:
    """Undo the last change or several; what was undone is not done again."""
    if request.has_word(request.words.redoing):
        return request.answers.say("undo.no_redo")
    count = min(request.find_count({NO_TAG}), MOST)
    names = [] if count > 1 else slots.extract_references(request.reading, request.words) or _list_names_said(request)
    return request.answers.call_tool("undo", {"count": count} | ({"about": ", ".join(names)} if names else {}))


def _list_names_said(request: RequestContext) -> list[str]:
    """Return the words that coming reminders have, or that the bot has written before."""
    reading, words = request.reading, request.words
    said = find_stems(" ".join(each.text for each in request.turn.recent if each.sender.is_bot), ())
    about_changes = (word for topic in ("undo", "move", "delete") for word in words.help_topics.get(topic, ()))
    small = {*words.undoing, *words.articles, *words.triggers, *request.common_words, *about_changes}
    is_name = [
        token.form not in small and (at in reading.known or stem(token.form) in said)
        for at, token in enumerate(reading.tokens)
    ]
    return reading.with_tags("REF" if each else NO_TAG for each in is_name).pieces("REF")


def _pause(request: RequestContext) -> Interpretation | None:
    """Pause reminders, or end those that are to stop behind a day: "stop that reminder after Sunday"."""
    words, when = request.words, request.reading.words("WHEN")
    bare = request.strip_leading_word(when, words.behind_days)
    is_day = bare != when and any(best.has_day for best in request.list_readings(bare))
    return repetitions.end_repetition(request) if is_day else states.pause(request)


def _summary(request: RequestContext) -> Interpretation | None:
    slot = request.reading.words
    is_missed = request.has_part(request.words.missed)
    times = find_times(request)
    is_since = request.has_word(request.words.since) or is_missed
    single = [request.parse_time([request.reading.text_of(token)]) for token in request.reading.times]
    ahead = [time.best for time in single if time is not None and _is_ahead(time, request)]
    if len(ahead) == 1 and not is_since:  # "sum up the chat at 6pm"
        return request.answers.call_tool("summary_schedule", make_schedule_arguments(ahead[0], request.now))
    regular = "" if times else _find_regular_summary(request)
    if regular and request.has_word(request.words.ending):
        return _end_summary(request, is_paused=False)
    if regular and request.has_word(request.words.asking_when):
        return request.answers.call_tool("reminder_list", {"filter": regular})
    window = slot("WHEN") or (request.folded_text if is_missed else "")
    for word in request.words.since:
        if window and f"{word}{request.words.joint}{window}".casefold() in request.folded_text:
            window = f"{word}{request.words.joint}{window}"
        elif window and f"{window}{request.words.joint}{word}".casefold() in request.folded_text:
            window = f"{window}{request.words.joint}{word}"
    person, topic = slot("SPEAKER"), slot("TOPIC")
    person, topic = (topic, "") if not person and request.is_member(topic) else (person, topic)
    person = person or ("" if topic else _find_only_speaker(request))
    return request.answers.call_tool("summary", {"window": window, "topic": topic, "person": person})


def _find_only_speaker(request: RequestContext) -> str:
    """Return the only member that a request names, but not as the one for whom it is: "a summary for Ben"."""
    words, name = request.words, _find_people_named(request)
    given = [words.fold(f"{link}{words.joint}{name}") for link in words.task_links]
    is_only = words.joint and " & " not in name and not request.has_word(words.own)
    return name if is_only and not request.has_phrase(given) else ""


def _is_ahead(time: TimeWords, request: RequestContext) -> bool:
    """Return whether a time is one clear moment that is still to come, or a repetition with a clock."""
    best, is_clear = time.best, len(time.readings) == 1 and time.best.end is None
    return is_clear and best.has_clock and (best.rrule is not None or best.start > request.now)


def _summary_schedule(request: RequestContext) -> Interpretation | None:
    words = request.words
    if request.has_word(words.resuming):
        summary = _find_regular_summary(request) or say(request.turn.language, "summary.scheduled")
        return request.answers.call_tool("reminder_state", {"action": "resume", "reminder_id": summary})
    is_ended = request.has_word(words.ending)
    is_paused = request.has_word((*words.pausing, *words.holding, *words.skipping))
    if _refuses_summary(request) != (is_ended or is_paused):
        return _end_summary(request, is_paused=is_paused and not is_ended)
    if is_ended or is_paused:  # "don't stop the daily summary"
        return None
    times = _find_repetition(request) or find_times(request)
    rules = [token for token in request.reading.tokens if token.form.startswith("@rule")]
    is_excepted = len(rules) > 1 and request.has_word((*words.refusals, *words.without))  # "…, not on Sundays"
    if len(times) != 1 or is_excepted:
        return None
    summary = _find_regular_summary(request) if request.has_word(words.change_it) else ""
    if summary:
        found = request.resolve(summary)
        unnamed = request.retag("REF", NO_TAG)
        return moves.move(replace(unnamed, listed=found[0])) if len(found) == 1 else None
    return request.answers.call_tool("summary_schedule", make_schedule_arguments(times[0].best, request.now))


def _refuses_summary(request: RequestContext) -> bool:
    """Return whether a request says "not" before the summary is named or timed: "I don't want the daily summary"."""
    words = request.words
    names = "|".join(map(re.escape, words.help_topics["summary"]))
    head = re.split(rf"@|{names}", words.joint.join(request.reading.forms))[0]
    return words.has_any(words.refusals, head.strip()) and not head.startswith(words.dont_forget_phrases)


def _end_summary(request: RequestContext, *, is_paused: bool) -> Interpretation:
    """Delete or pause the regular summary; only for the time that is named beside its repetition."""
    summary, until = _find_regular_summary(request), request.words.until_words
    if not summary:
        return request.answers.say("offline.no_regular_summary")
    for piece in request.reading.pieces("WHEN"):
        bare = request.strip_leading_word(piece, until)
        if bare != piece or request.names_single_day(bare):
            span = {"until" if bare != piece else "during": bare}
            return request.answers.call_tool("reminder_state", {"action": "pause", "reminder_id": summary, **span})
    if is_paused:
        return request.answers.call_tool("reminder_state", {"action": "pause", "reminder_id": summary})
    return request.answers.call_tool("reminder_delete", {"reminder_id": summary})


def _find_regular_summary(request: RequestContext) -> str:
    """Return the id of the only regular summary of the chat, or the content of several; "" for none."""
    found = [reminder for reminder in request.reminders if reminder.action is ReminderAction.SUMMARY]
    return "" if not found else found[0].id if len(found) == 1 else found[0].content


def _find_repetition(request: RequestContext) -> list[TimeWords]:
    """Return a repetition whose words are separated: "weekly summary at 6pm"."""
    pieces = [request.reading.text_of(token) for token in request.reading.times]
    time = request.parse_time(pieces) if len(pieces) > 1 else None
    return [time] if time is not None and time.best.rrule is not None else []


def _zone(request: RequestContext) -> Interpretation | None:
    """Set or tell the time zone of the sender or the chat; that of another person is only told."""
    pieces = request.reading.pieces("ZONE")
    later = [time.words for time in find_times(request) if _is_other_day(time, request)]
    if pieces and later:  # "I'm going to London on Friday"
        return request.answers.say("offline.zone_later", time=later[0], place=pieces[0])
    if not _read_scope(request) and _is_of_other(request):
        person = _find_people_named(request) or request.reading.words("PERSON")
        if person and not any(find_zone(piece.strip()) for piece in pieces):
            return request.answers.call_tool("time_zone", {"person": person})
        return request.answers.say("offline.own_setting")
    return request.answers.call_tool("time_zone", {"zone": _find_place(request), **_read_scope(request)})


def _find_place(request: RequestContext) -> str:
    """Return the place of a request: the one tagged as such, else the longest words at the end that are one."""
    text, pieces = request.reading.text.strip(), [piece.strip() for piece in request.reading.pieces("ZONE")]
    is_open = not (text.endswith(("?", "？")) or request.has_part(request.words.triggers))
    ends = (request.reading.text[token.start :] for token in request.reading.tokens if is_open)
    words = request.words
    named = (each for each in (*pieces, *ends) if find_zone(each) and words.fold(each) not in words.articles)
    return next(named, next(iter(pieces), ""))


def _is_of_other(request: RequestContext) -> bool:
    """Return whether a statement or a question is about another person, named before the sender or alone."""
    words, sender = request.words, request.words.fold(request.turn.message.sender.name)
    selves = {*words.oneself, *words.everyone, *words.own, *words.common, sender}
    people = (piece for piece in request.reading.pieces("PERSON") if find_zone(piece) is None)  # "no, Osaka"
    tagged = [words.fold(piece).removeprefix("@").removesuffix("'s") for piece in people]
    if any(piece not in selves for piece in tagged):
        return True
    forms = [token.form.removesuffix("'s") for token in request.reading.tokens]
    places = {words.fold(piece.strip()) for piece in request.reading.pieces("ZONE") if find_zone(piece.strip())}
    members = {words.fold(name) for name in find_members(request.turn)} - {sender} - places
    text, behind_first = request.reading.text, [token for token in request.reading.untagged if token.start]
    if any(token.form.endswith("'s") and text[token.start].isupper() for token in behind_first):  # "set Ben's …"
        return True
    for form, following in zip(forms, [*forms[1:], ""], strict=True):
        if form in members | words.pronouns | words.people_nouns:
            return True
        if form in selves and following not in words.people_nouns:
            return False
    return request.has_phrase(members) and not request.has_word(words.own)


def _quiet(request: RequestContext) -> Interpretation | None:
    from services.summary.content import asks

    if not _read_scope(request) and _is_of_other(request):
        return request.answers.say("offline.own_setting")
    when, times = request.reading.words("WHEN").strip(" ?¿!."), find_times(request)
    if when and any(_is_other_day(time, request) for time in times):
        return request.answers.say("offline.day_off", time=when)
    if any("BYDAY" in (time.best.rrule or "") for time in times):
        return request.answers.say("offline.quiet_every_day", time=when)
    is_allowed = request.has_word(request.words.allowing)
    is_off = is_allowed or request.has_word((*request.words.ending, *request.words.quiet_off))
    is_asked = asks(request.reading.text)  # "are quiet hours on?"
    if not when and not is_off and not is_asked and request.has_word(request.words.switching_on):
        return request.answers.say("offline.quiet_when")
    has_clock = any(time.best.has_clock for time in times)
    is_off_at_night = is_allowed and not has_clock  # "you may message me at night again"
    hours = "off" if is_off_at_night or (is_off and not when) else when
    return request.answers.call_tool("quiet_hours", {"hours": hours, **_read_scope(request)})


def _refuses_hours(request: RequestContext) -> bool:
    """Return whether a request that names no reminder refuses all between two clocks: "nothing between 10 and 7"."""
    is_refusal = request.has_word((*request.words.refusals, *request.words.without))
    times = [] if request.reading.has("REF") or not is_refusal else find_times(request)
    return len(times) == 1 and times[0].best.end is not None and slots.is_clock_alone(times[0].best)


def _is_other_day(time: TimeWords, request: RequestContext) -> bool:
    """Return whether a time names one day that is not today: quiet hours are those of every day."""
    best = time.best
    return best.has_day and best.rrule is None and best.start.date() != request.now.date()


def _read_scope(request: RequestContext) -> Mapping[str, object]:
    is_for_chat = request.reading.has("CHAT") or request.has_word(request.words.group_names)
    return {"whose": "chat"} if is_for_chat else {}


def _remember(request: RequestContext) -> Interpretation | None:
    text = request.content
    return request.answers.call_tool("memory_save", {"text": text}) if text else None


def _changes_note(request: RequestContext) -> bool:
    """Return whether a request is for another text of a note: "change it to 8822" behind one, "change the note"."""
    words, intent, text = request.words, request.reading.intent, request.folded_text
    is_last = request.last is not None and request.last.name.startswith("memory_") and not request.may_point
    changing = words.help_topics["move"]
    is_order = text.startswith(changing) if words.joint else request.has_part(changing)
    if intent in {"move", "reword"}:
        is_named = bool(request.reading.times) or any(slots.extract_references(request.reading, words))
        is_of_note = (is_last and not is_named) or (is_order and request.has_word(words.notes))
        return is_of_note and not request.reading.known
    is_new = not words.joint and request.has_part(words.help_topics["remember"])
    return intent == "remember" and is_order and not is_new


def _forget_notes(request: RequestContext) -> Interpretation | None:
    """Forget all notes, or ask about "forget everything"; None for other deletions."""
    words = request.words
    if request.has_part(request.words.triggers):
        return None
    named = slots.normalize_reference(request.reading.words("REF"), words)
    rest = _strip_words(named, {*words.notes, *words.own, *words.all, *words.articles, "of"}, words)
    is_known = request.find_closest(named) is not None and (rest or not request.has_word((*words.own, *words.all)))
    if request.has_word(words.notes) and not is_known:
        return request.answers.call_tool("memory_forget", {"reference": rest or "all"})
    if not request.has_word(words.forgetting) or find_references(request) != ["all"]:
        return None
    return request.answers.say("offline.forget_what")


def _strip_words(text: str, stripped: Collection[str], words: Lexicon) -> str:
    """Return `text` without the words `stripped`, wherever they stand."""
    if words.joint:
        return words.joint.join(word for word in words.fold(text).split() if word not in stripped)
    for word in sorted(stripped, key=len, reverse=True):
        text = text.replace(word, "")
    return text.strip("的了")


def _forget(request: RequestContext) -> Interpretation | None:
    """Forget the note that is named, else the one just looked for: "forget it" behind "alarm code?"."""
    if not request.reading.has("CONTENT") and request.has_word(request.words.notes):
        return request.answers.call_tool("memory_forget", {"reference": "all"})
    words = slots.normalize_reference(request.content, request.words) if request.reading.has("CONTENT") else ""
    words = request.strip_leading_word(words, request.words.notes)
    named = request.find_closest(words)
    if named is not None:  # "you can forget about the milk"
        return request.answers.call_tool("reminder_delete", {"reminder_id": named.id})
    sought = "" if request.last is None else str(request.last.arguments.get("query") or "")
    return request.answers.call_tool("memory_forget", {"reference": words or sought}) if words or sought else None


def _recall(request: RequestContext) -> Interpretation | None:
    """Look up what is asked for in the notes and messages; without it, list the notes."""
    if not request.reading.has("CONTENT") and request.has_word(request.words.notes):
        return request.answers.call_tool("memory_search", {})
    query = request.content
    shortest = _SHORTEST_QUERY if request.words.joint else _SHORTEST_QUERY // 2
    calls = make_local_lookup(request.turn, query) if len(query) >= shortest else ()
    return Interpretation(calls=calls) if calls else None


def _find(request: RequestContext) -> Interpretation | None:
    """Search the messages of the chat, or the web where that is named; those of one person are summed up.

    For a question when or how much somebody did who has not written here lately, all messages are searched first.
    """
    from services.summary.content import asks_quantity

    query, person = request.content, request.reading.words("SPEAKER")
    query, person = ("", query) if not person and request.is_member(query) else (query, person)
    text = request.reading.text.rstrip(" .!?")
    if query and request.words.strip_search_place(text) != text:
        return request.answers.call_tool("perplexity_search", {"query": request.words.strip_search_place(query)})
    if person:
        window = request.reading.words("WHEN")
        summed = request.answers.call_tool("summary", {"person": person, "topic": query, "window": window})
        is_absent = not request.is_member(person) and asks_quantity(text)
        calls = make_local_lookup(request.turn, text, *summed.calls) if is_absent else ()
        return Interpretation(calls=calls) if calls else summed
    return request.answers.call_tool("history_search", {"query": query}) if query else None


def _ask(request: RequestContext) -> Interpretation | None:
    """Search for the answer to a question beside a request, or for what is to be looked up.

    Any other question is looked up where nothing else is asked for.
    """
    ordered = request.words.parse_search_request(request.reading.text)
    if ordered:
        content = request.content
        query = request.words.strip_search_place(request.words.parse_search_request(content) or content or ordered)
        return request.answers.call_tool("perplexity_search", {"query": query})
    tokens = request.reading.tokens
    query = request.reading.text_of(tokens[0], tokens[-1]) if tokens else ""
    return request.answers.call_tool("perplexity_search", {"query": query}) if request.is_part else None


def _time_now(request: RequestContext) -> Interpretation | None:
    """Tell the clock of the sender, or of people or places that are named; of another day its date and distance."""
    turn = request.turn
    places = [find_zone(piece.strip()) for piece in request.reading.pieces("ZONE")]
    zones = [zone for zone in places if zone is not None]
    people = "" if zones else _find_people_named(request)
    if people:
        return request.answers.call_tool("time_zone", {"person": people})
    if len(zones) < len(places) or request.reading.has("PERSON"):
        return None
    days = [time.best.start for time in find_times(request)]
    other = next((day for day in days if day.date() != turn.now.date()), None)
    if other is not None:
        day, apart = date_format.date(turn.language, other), (other.date() - turn.now.date()).days
        span, key = date_format.count(turn.language, "day", apart), "the_day_ahead" if apart > 0 else "the_day"
        return request.answers.say(f"offline.{key}", day=day, days=span)
    told = [_render_clock(request, zone) for zone in zones] or [_render_clock(request, None)]
    return Interpretation(answer="\n".join(told), must_reply=True)


def _find_people_named(request: RequestContext) -> str:
    """Return the members of the chat that a request names."""
    return " & ".join(list_named(find_members(request.turn), request.folded_text, request.words))


def _render_clock(request: RequestContext, zone: str | None) -> str:
    now = request.turn.now if zone is None else request.turn.now.astimezone(ZoneInfo(zone))
    return say(
        request.turn.language,
        "offline.the_time",
        clock=f"{now:%H:%M}",
        date=date_format.date(request.turn.language, now),
        zone=zone or zone_name(now.tzinfo or UTC),
    )


_HANDLERS: dict[str, Handler] = {
    "set": lambda request: moves.move_named_series(request) or new_reminders.set_reminders(request),
    "repeat_last": repetitions.repeat,
    "answer_when": new_reminders.answer_when,
    "answer_content": new_reminders.answer_content,
    "cancel_ask": _cancel_ask,
    "list": _list,
    "when_is": _when_is,
    "who_set": _who_set,
    "next_page": lambda request: request.answers.call_tool("reminder_list", {"page": 0}),
    "delete": lambda request: _forget_notes(request) or text_changes.delete_part(request) or deletions.delete(request),
    "move": lambda request: (repetitions.repeat if repetitions.asks_for_copy(request) else moves.move)(request),
    "reword": text_changes.reword,
    "append": text_changes.append,
    "person_add": people_changes.add_person,
    "person_remove": lambda request: text_changes.delete_part(request) or people_changes.remove_person(request),
    "person_set": people_changes.replace_people,
    "snooze": states.snooze,
    "pause": _pause,
    "resume": states.resume,
    "done": states.done,
    "join": states.join,
    "leave": states.leave,
    "skip": deletions.skip,
    "keep_days": repetitions.keep_days,
    "add_days": repetitions.add_days,
    "until": repetitions.end_repetition,
    "once": repetitions.stop_repeating,
    "urgent": partial(updates.update, arguments={"urgent": True}),
    "not_urgent": partial(updates.update, arguments={"urgent": False}),
    "nag": repetitions.repeat_until_done,
    "catch_up_all": repetitions.set_catch_up,
    "catch_up_latest": repetitions.set_catch_up,
    "catch_up_none": repetitions.set_catch_up,
    "undo": _undo,
    "summary": _summary,
    "summary_schedule": _summary_schedule,
    "zone": _zone,
    "zone_move": lambda request: request.answers.call_tool("time_zone", {"move_reminders": True}),
    "quiet": _quiet,
    "remember": _remember,
    "forget": _forget,
    "recall": _recall,
    "find": _find,
    "ask": _ask,
    "time_now": _time_now,
}
