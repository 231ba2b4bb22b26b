"""Handle each intent: turn the reading of a request into calls, or into one question."""

import re
from collections.abc import Callable
from functools import partial

from function_calls.tools.calls import Interpretation
from function_calls.tools.confirmation.change_log import MAX_ENTRIES
from function_calls.understanding.handlers import chat_settings, notes, summaries
from function_calls.understanding.handlers.listings import (
    asks_quantity_of_bot,
    list_asked_reminder,
    list_reminders,
    list_with_creator,
)
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.slots.references import extract_references
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
from function_calls.understanding.requests.references.remarks import find_closest_to_remark
from function_calls.understanding.requests.request_context import RequestContext

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
_MIN_RATIO_TO_NEXT = 1.5
"""By how much the most probable topic exceeds the next."""
_MAX_BEGINNING_TOKENS = 7
"""The first tokens of a question at which its matter may begin: "how do I …"."""
_MIN_TOPIC_PROBABILITY = 0.8
"""The probability of a topic without the beginning of the question."""
_MIN_TOPIC_SHARE = 0.16
"""The probability of a topic with all words of the question."""
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


def find_probable_topic(reading: MessageReading, minimum: float) -> str | None:
    """Return the topic of a message from its intents; None where no intent is probable enough."""
    topics = [each for each in reading.intents if each[0] not in _INTENTS_WITHOUT_TOPIC]
    if len(topics) < 2:
        return None
    (topic, probability), (_, next_probability), *_ = topics
    return _TOPICS.get(topic, topic) if probability >= max(minimum, next_probability * _MIN_RATIO_TO_NEXT) else None


def _explain_topic(request: RequestContext, classify: Classify) -> Interpretation | None:
    """Explain the topic of a question, or look up how much something is; None where the topic is not clear."""
    topic = find_topic_by_word(request.reading, request.words)
    if topic is None and asks_quantity_of_bot(request):
        return notes.look_up_in_chat(request, request.reading.text)
    topic = topic or _find_topic_without_beginning(request, classify)
    topic = topic or find_probable_topic(request.reading, _MIN_TOPIC_SHARE)
    return None if topic is None else request.answers.say(f"how.{topic}")


def _find_topic_without_beginning(request: RequestContext, classify: Classify) -> str | None:
    """Return the topic of a question without its beginning: "how do I"; None where none is probable enough."""
    starts = range(1, min(len(request.reading.tokens) - 2, _MAX_BEGINNING_TOKENS))
    intents = (classify(start)[0] for start in starts)
    topics = [(probability, intent) for intent, probability in intents if intent not in _INTENTS_WITHOUT_TOPIC]
    probability, topic = max(topics, default=(0.0, ""))
    return _TOPICS.get(topic, topic) if probability >= _MIN_TOPIC_PROBABILITY else None


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


def _undo_changes(request: RequestContext) -> Interpretation | None:
    """Undo the last change or several, or those of a reminder that is named; refuse to do again what was undone."""
    if request.has_word(request.words.redoing):
        return request.answers.say("undo.no_redo")
    count = min(request.find_count({NO_TAG}), MAX_ENTRIES)
    names: list[str] = []
    if count == 1:
        names = extract_references(request.reading, request.words) or _list_words_of_reminders(request)
    return request.answers.call_tool("undo", {"count": count} | ({"about": ", ".join(names)} if names else {}))


def _list_words_of_reminders(request: RequestContext) -> list[str]:
    """Return the words of a request that coming reminders have."""
    reading, words = request.reading, request.words
    about_changes = (word for topic in ("undo", "move", "delete") for word in words.help_topics.get(topic, ()))
    ignored = {*words.undoing, *words.articles, *words.triggers, *request.common_words, *about_changes}
    is_name = [token.form not in ignored and at in reading.reminder_places for at, token in enumerate(reading.tokens)]
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
    "list": list_reminders,
    "when_is": list_asked_reminder,
    "who_set": list_with_creator,
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
