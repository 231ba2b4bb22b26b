"""Tell messages that are for people by their words and by what people wrote before, whatever their probability."""

import re
from itertools import pairwise

from function_calls.tools.confirmation.yes_no import parse_yes_no
from function_calls.understanding.dialogue.circumstances import (
    ASKED,
    Circumstances,
    has_adding_words,
    has_change_words,
    has_trigger,
)
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.tokens import CLAUSE_MARK, MARKS

_CHANGES = frozenset({"move", "reword", "append", "snooze", "delete", "skip", "until", "pause", "resume", "keep_days"})
_PEOPLE_CHANGES = frozenset({"person_add", "person_set", "person_remove"})
_VAGUE_CHANGES = _PEOPLE_CHANGES | {"delete", "reword", "append", "pause"}
"""Changes that say nothing of the reminder where they do not name it: "cancel it", "make it pasta"."""
_STOPPING = frozenset({"delete", "skip", "pause", "done"})
_STATEMENTS = frozenset({"zone", "zone_move", "quiet"})
_QUESTIONS = frozenset({"help", "recall", "ask", "time_now"})
"""Intents of questions that people ask each other as well."""
_REMINDER_TAGS = ("WHEN", "PERSON", "CONTENT")
_TIME_TAGS = ("WHEN", "LATER", "EARLIER")
_LONG_TALK = 3
"""The messages of others after which a change without the name of a reminder is for them."""
_MAX_UNTAGGED = 5
"""The most tokens beside the time in a message that is mostly a time."""


def is_for_people(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message is for people whatever its probability: by its words, or after what they wrote."""
    is_vague = not (has_trigger(reading, words) or state.names_reminder)
    return (
        (state.calls_group and not (has_trigger(reading, words) or reading.intent in _PEOPLE_CHANGES))
        or _asks_with_pronoun_only(reading, words)
        or _is_supposition(reading, words)
        or _asks_about_stopping(reading, words)
        or _asks_somebody_else(reading, words)
        or _asks_named_person(reading, words)
        or _adds_question(reading, words)
        or _is_talk_by_state(reading, words, state)
        or (is_vague and _is_vague_talk(reading, words, state))
    )


def _is_talk_by_state(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message answers or asks people, reports what is no reminder, or undoes nothing: "ugh, again"."""
    intent, text = reading.intent, words.fold(reading.text)
    is_search = intent == "ask" and bool(words.parse_search_request(reading.text))
    asks_people = intent in _QUESTIONS and (state.context == "none" or state.others > 0) and not is_search
    is_first = state.context == "none" and state.last_action == "none"
    undoes_nothing = intent == "undo" and is_first and not words.has_any(words.help_topics.get("undo", ()), text)
    reports = words.has_promise(text) or (not state.names_reminder and words.has_any(words.reported, text))
    return asks_people or undoes_nothing or reports or (state.answers_person and intent in _STATEMENTS)


def _is_vague_talk(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message that neither says "remind" nor names a reminder of the chat is for people."""
    if (
        _tells_no_hurry(reading, words, state)
        or _asks_people(reading)
        or _is_order_to_people(reading, words, state)
        or _lacks_word_for_list(reading, words, state)
    ):
        return True
    names = extract_references(reading, words)
    if reading.has("SPEAKER") or reading.has("TOPIC"):
        return True  # people ask each other who said what
    if reading.intent in _CHANGES and _has_nothing_to_change(names, state):
        return True
    if names:
        return False
    if _continues_other_talk(reading, words, state) or _speaks_to_people(reading, words, state):
        return True
    is_time = reading.intent not in _STATEMENTS and _is_mostly_time(reading)
    return is_time and _is_time_for_people(reading, words, state)


def _tells_no_hurry(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message tells people that something is not urgent: "no rush, by Friday is fine"."""
    is_change = reading.intent in _CHANGES | {"once"}
    return is_change and state.says_not_urgent and not has_change_words(reading, words)


def _asks_people(reading: MessageReading) -> bool:
    """Return whether a message read as a new reminder is a question: "who's in for the long run tomorrow?"."""
    return reading.intent == "set" and reading.is_question


def _has_nothing_to_change(names: list[str], state: Circumstances) -> bool:
    """Return whether there is no reminder that a message with these `names` of reminders could change."""
    has_number = any(map(str.isdecimal, names))  # of a list that somebody else has asked for
    return state.context == "none" and (has_number or not state.bot_wrote_lately)


def _continues_other_talk(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a change that names no reminder goes on with what people talk about since the bot's last action.

    "Cancel it" needs an action for the sender that is the last thing of the sender and of the chat, or of which others
    have spoken since, "delete mine" or a word of a reminder. Other changes may follow somewhat later.
    """
    intent, people = reading.intent, {*words.fold(reading.words("PERSON")).split()}
    is_own = words.has_any(words.own_one, words.fold(reading.text)) or not words.oneself.isdisjoint(people)
    if state.awaits_answer or state.context == "fired" or reading.reminder_places or is_own:
        return False
    if intent in _VAGUE_CHANGES and (state.others_acted or state.last_action == "none"):
        return True
    if intent in _VAGUE_CHANGES - _PEOPLE_CHANGES and _has_subject_changed(intent, state):
        return True
    names_uncertain_time = state.others_named_time or reading.has("REF")  # "move it to Friday"
    if intent == "move" and state.others_acted and names_uncertain_time:
        return True
    return intent in _CHANGES and (state.others >= _LONG_TALK or (state.last_action == "old" and state.others > 0))


def _has_subject_changed(intent: str, state: Circumstances) -> bool:
    """Return whether people have spoken of something else since the bot's last action; an addition may follow that."""
    discuss_reminder = state.others_discussed_text or state.others_discussed_time
    return state.changed_subject or (intent != "append" and state.others > 0 and not discuss_reminder)


def _speaks_to_people(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message without the name of a reminder is a remark, a report or an answer to a person."""
    intent, text = reading.intent, words.fold(reading.text)
    if intent == "append":
        return _is_no_addition(reading, words, state)
    if intent == "reword":
        return not _gives_new_text(reading, words)
    if intent == "join":
        return state.others > 0 and not (state.follows_bot or words.has_any(words.same_task, text))
    if intent == "quiet" and not (reading.times or reading.has("WHEN")):
        return not words.has_any((*words.ending, *words.quiet_off), text)
    if intent == "done" and (state.delivered_to_others or state.context == "fired"):
        is_for_bot = state.awaits_completion or words.has_any(words.completed, words.joint.join(reading.forms))
        return state.delivered_to_others or not is_for_bot  # "locked" about a door changes nothing any more
    if intent in _PEOPLE_CHANGES:
        has_pronoun = words.fold(reading.words("PERSON")) in words.pronouns
        return state.answers_person and not (has_pronoun or has_adding_words(reading, words))
    return state.answers_person and intent in {"delete", "done"}


def _is_no_addition(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message read as an addition is an answer to a person or a statement, or has no "and"."""
    first_clause = CLAUSE_MARK.split(reading.text)[0]
    is_answer = state.answers_person and parse_yes_no(first_clause, "") is not None
    return is_answer or not has_adding_words(reading, words) or _adds_statement(reading, words)


def _gives_new_text(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a new text has a word such as "make it", or only function words, beside it.

    "My mate builds sheds actually" is a remark.
    """
    beside = [token.form for token in reading.untagged]
    has_order = words.has_any((*words.telling, *words.change_it), words.joint.join(beside))
    return has_order or are_function_words(beside, words)


def _asks_with_pronoun_only(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message read as a request is a question with no more than a pronoun: "and that?"."""
    if reading.intent in _QUESTIONS | {"list", "when_is", "who_set"}:
        return False
    forms = {*reading.forms} - MARKS - words.interjections - words.and_words
    return reading.is_question and bool(forms) and forms <= {*words.demonstratives}


def _asks_somebody_else(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message seeks a person or a program that reminds, or means somebody who has no name in it.

    "Is there an app that …", "can somebody …", "remind her at 7".
    """
    start = min((start for tag in _REMINDER_TAGS for start, _ in reading.spans(tag)), default=len(reading.text))
    is_seeking = words.has_any(words.seeking, words.fold(reading.text[:start]))
    is_for_nobody_named = words.fold(reading.words("PERSON")) in words.pronouns
    return reading.intent in {"set", "summary"} and (is_seeking or is_for_nobody_named)


def _asks_named_person(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message begins with a name and words such as "can you": "Priya could you remind me at 6"."""
    start, end = next(iter(reading.spans("PERSON")), (0, 0))
    asking = tuple(each for each in words.favours if not words.second_person.isdisjoint(each.split()))
    behind = words.fold(reading.text[end:]).lstrip(" ,")
    return end > start == 0 and bool(words.joint) and behind.startswith(asking)


def _is_order_to_people(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message tells people what to do: "each family brings a snack", "please help me with this bug".

    It names each of a group, or no time where no dialogue with the bot goes on.
    """
    first = words.fold(reading.words("PERSON")).partition(" ")[0]
    is_untimed = state.context == "none" and not any(map(reading.has, ("WHEN", "EVENT", "LEAD")))
    return reading.intent == "set" and (is_untimed or first in words.each - words.everyone)


def _lacks_word_for_list(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a question for the list has no word for one, and no dialogue goes on: "again?"."""
    is_list = state.context == "none" and reading.intent == "list" and set(reading.tags) == {NO_TAG}
    list_words = (*words.help_topics.get("list", ()), *words.own, *words.plural, *words.common)
    return is_list and not words.has_any(list_words, words.fold(reading.text))


def _adds_statement(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message read as an addition is a statement: "and my bike is broken".

    It has a finite verb after its subject, and no word such as "add".
    """
    behind = words.fold(reading.text).split()[2:] if words.joint else []
    parts = [" ".join(behind[at:]) for at in range(len(behind))]
    is_statement = any(re.match(pattern, part) for pattern in words.statements for part in parts)
    return is_statement and not words.has_any((*words.too, *words.adding), reading.join_untagged(words.joint))


def _adds_question(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message read as an addition is a question without a word such as "add": 回执是哪张纸."""
    from services.summary.content import asks

    is_addition = reading.intent == "append" and not has_adding_words(reading, words)
    return is_addition and not has_trigger(reading, words) and asks(reading.text)


def _is_supposition(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message says what would or might be of something that it names: "the next one would be Friday".

    "That would be 6" may correct the bot.
    """
    tagged = [(token.form, tag) for token, tag in reading.tagged]
    return any(
        tag == "REF" and before not in words.itself and form in words.suppositions and behind == NO_TAG
        for (before, tag), (form, behind) in pairwise(tagged)
    )


def _asks_about_stopping(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message asks about a reminder that an order would stop: "so no need for the plumber, right?".

    "Can you delete it?" is an order.
    """
    is_order = words.has_any((*words.favours, *words.second_person), words.fold(reading.text))
    return reading.is_question and reading.intent in _STOPPING and not is_order


def _is_time_for_people(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message that is only a time answers a person, or comes too late for the bot.

    One that asks for a change is for the bot where it names a repetition, or the person has asked about the time of the
    sender's reminder. One behind a request that the bot left unanswered belongs to that request.
    """
    is_change = has_change_words(reading, words)
    if state.has_unanswered_request and not is_change:
        return True
    is_rule = reading.has_rule
    if state.answers_person:
        return not (is_change and (is_rule or state.others_discussed_time))
    if is_rule:
        return False  # nobody tells another person "every week"
    joins_proposals = state.others_proposed_time or state.changed_subject or not is_change
    if state.others_named_time and not state.others_discussed_time and joins_proposals:
        return True
    is_expected = state.awaits_answer or state.context == "fired" or is_change
    is_late = state.last_action == "old" and not is_expected
    return is_late or (state.changed_subject and state.context in ASKED and state.others_asked_time)


def _is_mostly_time(reading: MessageReading) -> bool:
    """Return whether a message is a time with at most a few words around it."""
    has_time, has_more = (any(map(reading.has, tags)) for tags in (_TIME_TAGS, ("CONTENT", "PERSON", "OLD")))
    return has_time and not has_more and reading.tags.count(NO_TAG) <= _MAX_UNTAGGED
