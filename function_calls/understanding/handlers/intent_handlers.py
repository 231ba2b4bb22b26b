"""Handle each intent: turn the reading of a request into calls, or into one question."""

import re
from collections.abc import Callable
from functools import partial

from function_calls.tools.calls import Interpretation
from function_calls.tools.confirmation.change_log import MOST
from function_calls.understanding.handlers import chat_settings, notes, summaries
from function_calls.understanding.local_lookup import make_local_lookup
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import list_named
from function_calls.understanding.reading.reminder_words import find_stems, stem
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT, extract_people
from function_calls.understanding.reading.slots.references import extract_references, normalize_reference
from function_calls.understanding.requests.changes import (
    deletions,
    moves,
    people_changes,
    repetitions,
    states,
    text_changes,
    updates,
)
from function_calls.understanding.requests.chat_reminders import find_shared_words
from function_calls.understanding.requests.new_reminders.question_answers import answer_content, answer_when
from function_calls.understanding.requests.new_reminders.set_calls import set_reminders
from function_calls.understanding.requests.people import list_own_reminders, list_people
from function_calls.understanding.requests.references.named_reminders import find_references
from function_calls.understanding.requests.references.remarks import find_closest_to_remark, names_unknown_matter
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.references import find_kind, means_next

_INTENTS_WITHOUT_TOPIC = frozenset(
    {"none", "help", "list", "when_is", "answer_when", "answer_content", "cancel_ask", "repeat_last"}
)
_TOPICS = {
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
"""The intents under which others are explained; all others are topics of their own."""
_SUSPENDING_INTENTS = frozenset({"delete", "pause", "skip"})
"""Intents with which a request for quiet hours may be read."""
_LEAST_RATIO_TO_NEXT = 1.5
"""By how much the most probable topic exceeds the next."""
_MOST_BEGINNING_TOKENS = 7
"""The first tokens of a question at which its matter may begin: "how do I …"."""
_LEAST_TOPIC_PROBABILITY = 0.8
"""The probability of a topic without the beginning of the question."""
_LEAST_TOPIC_OF_WHOLE = 0.16
"""The probability of a topic with all words of the question."""
_LEAST_RECALL_PROBABILITY = 0.1
"""The probability of a question for what is known in the chat from which it is looked up beside the reminders."""

Handler = Callable[[RequestContext], Interpretation | None]
Classify = Callable[[int], tuple[tuple[str, float], ...]]


def handle_intent(request: RequestContext, classify: Classify) -> Interpretation | None:
    """Return the calls of a request, a question, or None where its words are not enough.

    `classify` returns the intents of the tokens from a place on.
    """
    intent = request.reading.intent
    if intent in _SUSPENDING_INTENTS and chat_settings.refuses_messages_between_clocks(request):
        return chat_settings.set_quiet_hours(request)
    if intent == "help":
        return _explain_topic(request, classify)
    if notes.changes_note(request):
        return request.answers.say("offline.note_change")
    continuation = states.follow_pause(request) or deletions.follow_skip(request) or states.pause_until_begin(request)
    handler = _HANDLERS.get(intent)
    return continuation or (None if handler is None else handler(request))


def find_topic_by_word(reading: MessageReading, words: Lexicon) -> str | None:
    """Return the topic of which a question to the bot has a word."""
    text = words.joint.join(re.findall(r"[\w'-]+", words.fold(reading.text)))
    return next((topic for topic, names in words.help_topics.items() if words.has_any(names, text)), None)


def find_probable_topic(reading: MessageReading, least: float) -> str | None:
    """Return the topic of a message from its intents; None where no intent is probable enough."""
    topics = [each for each in reading.intents if each[0] not in _INTENTS_WITHOUT_TOPIC]
    if len(topics) < 2:
        return None
    (topic, probability), (_, next_probability), *_ = topics
    return _TOPICS.get(topic, topic) if probability >= max(least, next_probability * _LEAST_RATIO_TO_NEXT) else None


def _explain_topic(request: RequestContext, classify: Classify) -> Interpretation | None:
    """Explain the topic of a question, or look up how much something is; None where the topic is not clear."""
    topic = find_topic_by_word(request.reading, request.words)
    if topic is None and _asks_quantity(request):
        return notes.look_up_in_chat(request, request.reading.text)
    topic = topic or _find_topic_without_beginning(request, classify)
    topic = topic or find_probable_topic(request.reading, _LEAST_TOPIC_OF_WHOLE)
    return None if topic is None else request.answers.say(f"how.{topic}")


def _find_topic_without_beginning(request: RequestContext, classify: Classify) -> str | None:
    """Return the topic of a question without its beginning: "how do I"; None where none is probable enough."""
    starts = range(1, min(len(request.reading.tokens) - 2, _MOST_BEGINNING_TOKENS))
    intents = (classify(start)[0] for start in starts)
    topics = [(probability, intent) for intent, probability in intents if intent not in _INTENTS_WITHOUT_TOPIC]
    probability, topic = max(topics, default=(0.0, ""))
    return _TOPICS.get(topic, topic) if probability >= _LEAST_TOPIC_PROBABILITY else None


def _drop_question(request: RequestContext) -> Interpretation | None:
    """Close the open question, or delete a reminder where the words name one and not what was asked about."""
    if request.question is None:
        return None
    text, names = request.reading.text, (request.question.content, request.question.event)
    is_about_question = any(find_shared_words(text, name, request.common_words) for name in names)
    reminder = None if is_about_question else find_closest_to_remark(text, request)
    if reminder is None:
        return request.answers.drop_question()
    return request.answers.call_tool("reminder_delete", {"reminder_id": reminder.id})


def _list_reminders(request: RequestContext) -> Interpretation | None:
    """List reminders, or notes; a question how much something is without a word for reminders is looked up."""
    words, reading = request.words, request.reading
    names_reminder = any(map(reading.has, ("WHEN", "OLD", "REF"))) or request.has_part(words.triggers)
    follows_note = request.last_call.name.startswith("memory")
    if not names_reminder and request.has_word((*words.notes, *(words.noted if follows_note else ()))):
        return request.answers.call_tool("memory_search", {})
    if not names_reminder and reading.has("PERSON") and _asks_quantity(request):
        return notes.look_up_in_chat(request, reading.text)
    owner = _find_other_owner_named(request)
    next_id = _find_next_reminder(request, owner)
    if next_id:
        return request.answers.call_tool("reminder_list", {"filter": next_id})
    return request.answers.call_tool("reminder_list", _make_list_arguments(request, owner))


def _make_list_arguments(request: RequestContext, owner: str) -> dict[str, object]:
    """Return the arguments of `reminder_list` for the time, the names and the people of a request.

    `owner` is the only other person with a reminder whom it names, "" for none.
    """
    words, reading = request.words, request.reading
    counting = {"all", "them", "both", *words.nearest}
    references = [name for name in find_references(request) if name not in counting]
    names = [name for name in references if not _has_only_name_of(name, owner, request)]
    untagged = "" if names else request.reading.only_time
    when = _strip_filter(reading.words("WHEN") or reading.words("OLD") or untagged, request)
    people = (extract_people(reading, words) or "").removesuffix("'s")
    is_everyone = people == EVERYONE_ARGUMENT or people.casefold() in words.everyone
    person = owner or ("" if is_everyone else people)
    wanted = when or ", ".join(names) or find_kind(request.folded_text)
    arguments: dict[str, object] = {"filter": f"{person}'s {wanted}" if owner and wanted else wanted or person}
    is_of_chat = is_everyone or request.has_word(words.common)
    if is_of_chat or (not person and request.has_word(words.own)):
        arguments["whose"] = "chat" if is_of_chat else "mine"
    return arguments


def _strip_filter(when: str, request: RequestContext) -> str:
    """Return a time without a preposition in front of it, if it is then still one: "at 8", "la semana que viene"."""
    bare = request.strip_time_words(when)
    return when.strip() if request.read_times(when) and not request.read_times(bare) else bare


def _asks_quantity(request: RequestContext) -> bool:
    """Return whether a message asks the bot how much something is: "how much does the hotel cost?"."""
    from services.summary.content import asks_quantity

    return request.is_addressed and asks_quantity(request.reading.text)


def _list_asked_reminder(request: RequestContext) -> Interpretation | None:
    """List the reminder that a question is about, with what people have written about it."""
    owner = _find_other_owner_named(request)
    names = [name for name in find_references(request) if not _has_only_name_of(name, owner, request)]
    # "Is it tomorrow?" is about the last one, "what is the reminder at 8?" is not.
    may_be_untagged = not names and request.has_phrase(request.words.triggers)
    untagged = request.reading.only_time if may_be_untagged else ""
    when = _strip_filter(request.reading.words("WHEN") or untagged, request)
    next_id = _find_next_reminder(request, owner)
    if next_id and (not names or names == ["all"] or means_next(names[0])):
        return request.answers.call_tool("reminder_list", {"filter": next_id})
    if names and all(name.casefold() in request.words.nearest for name in names):
        return request.answers.call_tool("reminder_list", {"filter": when})
    may_point = request.may_point and not (request.words.joint and names_unknown_matter(request, 1))
    unnamed = _find_pointed_reminder(request) or ("it" if may_point else "")
    wanted = ", ".join(names) or when or unnamed
    if not wanted:
        return None
    listing = request.answers.call_tool("reminder_list", {"filter": wanted})
    return _look_up_beside(listing, names, request) if names and request.is_addressed else listing


def _look_up_beside(listing: Interpretation, names: list[str], request: RequestContext) -> Interpretation:
    """Return `listing` with a lookup in the chat, or behind one that may find a place or another fact."""
    from services.summary.content import asks

    if request.chat_reminders is None:
        return listing
    query = normalize_reference(request.reading.words("REF"), request.words) or " ".join(names)
    has_reminder = any(request.chat_reminders.matches(name, request.common_words) for name in names)
    if not has_reminder or request.reading.probability("recall") >= _LEAST_RECALL_PROBABILITY:
        return notes.look_up_in_chat(request, query, *listing.calls) or listing
    is_question = asks(request.reading.text) and not request.read_times(query)
    lookup = make_local_lookup(request.turn, query) if is_question else ()
    return Interpretation(calls=(*listing.calls, *lookup))


def _find_pointed_reminder(request: RequestContext) -> str:
    """Return the id of the reminder that "that" means: the one just asked about, or just set by another person.

    Return "" for a reply, and where it may be the one mentioned last.
    """
    has_pronoun = request.has_word(request.words.demonstratives)
    if request.chat_reminders is None or not has_pronoun or request.turn.message.reply_to is not None:
        return ""
    if request.discussed_reminder is not None:
        return request.discussed_reminder.id
    content = None if request.last_set_by_other is None else request.last_set_by_other.arguments.get("content")
    found = [reminder.id for reminder in request.reminders if reminder.content == content]
    return found[0] if len(found) == 1 else ""


def _find_next_reminder(request: RequestContext, owner: str) -> str:
    """Return the id of the next reminder of `owner`, the sender or the chat if a message asks for it, else ""."""
    words, reading = request.words, request.reading
    says_next = any(means_next(word) and request.has_word((word,)) for word in words.nearest)
    other_tags = ("WHEN", "OLD") if owner else ("WHEN", "OLD", "PERSON")
    asks_for_several = request.has_word(words.plural) or any(token.form.isdecimal() for token in reading.tokens)
    if request.chat_reminders is None or not says_next or asks_for_several or any(map(reading.has, other_tags)):
        return ""
    reminders = list_own_reminders(request) if request.has_word(words.own) else request.reminders
    coming = (each for each in reminders if each.next_fires)
    owners = ((each.id, {person.name for person in list_people(each)}) for each in coming)
    return next((id_ for id_, names in owners if not owner or owner in names), "")


def _find_other_owner_named(request: RequestContext) -> str:
    """Return the only other person with a reminder here whom a question names; "" for none or several."""
    people = {person.name for reminder in request.reminders for person in (reminder.creator, *reminder.targets)}
    named = list_named(people, request.folded_text, request.words)
    return named[0] if len(named) == 1 and named[0] != request.turn.message.sender.name else ""


def _has_only_name_of(name: str, person: str, request: RequestContext) -> bool:
    """Return whether a reference has only the name of `person` and words such as "next"."""
    fold, joint = request.words.fold, request.words.joint
    rest = fold(name).replace("'s", "").replace(fold(person), "").strip(f" 的{joint}") if person else fold(name)
    return bool(person) and (not rest or rest in request.words.nearest)


def _list_with_creator(request: RequestContext) -> Interpretation | None:
    """List the reminder that is named or pointed at with who has set it."""
    names = ", ".join(find_references(request)) or _find_pointed_reminder(request) or "it"
    return request.answers.call_tool("reminder_list", {"filter": names, "who_set": True})


def _undo_changes(request: RequestContext) -> Interpretation | None:
    """Undo the last change or several, or those of a reminder that is named; refuse to do again what was undone."""
    if request.has_word(request.words.redoing):
        return request.answers.say("undo.no_redo")
    count = min(request.find_count({NO_TAG}), MOST)
    names: list[str] = []
    if count == 1:
        names = extract_references(request.reading, request.words) or _list_words_of_reminders(request)
    return request.answers.call_tool("undo", {"count": count} | ({"about": ", ".join(names)} if names else {}))


def _list_words_of_reminders(request: RequestContext) -> list[str]:
    """Return the words of a request that coming reminders have, or that the bot has lately written."""
    reading, words = request.reading, request.words
    bot_words = find_stems(" ".join(each.text for each in request.turn.recent if each.sender.is_bot), ())
    about_changes = (word for topic in ("undo", "move", "delete") for word in words.help_topics.get(topic, ()))
    ignored = {*words.undoing, *words.articles, *words.triggers, *request.common_words, *about_changes}
    is_name = [
        token.form not in ignored and (at in reading.reminder_places or stem(token.form) in bot_words)
        for at, token in enumerate(reading.tokens)
    ]
    return reading.with_tags("REF" if each else NO_TAG for each in is_name).pieces("REF")


def _pause_or_end(request: RequestContext) -> Interpretation | None:
    """Pause reminders, or end those that are to stop behind a day: "stop that reminder after Sunday"."""
    when = request.reading.words("WHEN")
    day = request.strip_leading_word(when, request.words.behind_days)
    is_behind_day = day != when and any(best.has_day for best in request.list_readings(day))
    return repetitions.end_repetition(request) if is_behind_day else states.pause(request)


_HANDLERS: dict[str, Handler] = {
    "set": lambda request: moves.move_named_series(request) or set_reminders(request),
    "repeat_last": repetitions.repeat,
    "answer_when": answer_when,
    "answer_content": answer_content,
    "cancel_ask": _drop_question,
    "list": _list_reminders,
    "when_is": _list_asked_reminder,
    "who_set": _list_with_creator,
    "next_page": lambda request: request.answers.call_tool("reminder_list", {"page": 0}),
    "delete": lambda request: (
        notes.forget_notes(request) or text_changes.delete_part(request) or deletions.delete(request)
    ),
    "move": lambda request: (repetitions.repeat if repetitions.asks_for_copy(request) else moves.move)(request),
    "reword": text_changes.reword,
    "append": text_changes.append,
    "person_add": people_changes.add_person,
    "person_remove": lambda request: text_changes.delete_part(request) or people_changes.remove_person(request),
    "person_set": people_changes.replace_people,
    "snooze": states.snooze,
    "pause": _pause_or_end,
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
    "undo": _undo_changes,
    "summary": summaries.summarize,
    "summary_schedule": summaries.schedule_summary,
    "zone": chat_settings.set_or_tell_zone,
    "zone_move": lambda request: request.answers.call_tool("time_zone", {"move_reminders": True}),
    "quiet": chat_settings.set_quiet_hours,
    "remember": notes.save_note,
    "forget": notes.forget_note_or_reminder,
    "recall": notes.look_up_notes,
    "find": notes.search_messages,
    "ask": notes.search_web,
    "time_now": chat_settings.tell_time,
}
