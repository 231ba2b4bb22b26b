"""Repair the intents of a reading by what its words, its context and the people of the chat rule out."""

import re
from collections.abc import Collection

from function_calls.understanding.dialogue.circumstances import ASKED, has_trigger
from function_calls.understanding.dialogue.dialogue import Context
from function_calls.understanding.dialogue.intent_decision import REMINDER_INTENTS
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import (
    NO_TAG,
    NOTHING,
    QUESTION_ENDS,
    MessageReading,
    Models,
    merge_intents,
    set_only_intent,
)
from function_calls.understanding.reading.slots.people import has_pronoun
from function_calls.understanding.reading.slots.small_words import find_place, strip_edges
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from services.people.zones import find_zone

_MIN_REMOVAL_PROBABILITY = 0.25
"""The probability from which a deletion that names a person only takes this person off a reminder."""
_MIN_STOP_PROBABILITY = 0.9
"""The probability from which a question for a time or an amount stops a reminder nevertheless."""
_STOPPING = frozenset({"delete", "pause", "resume", "skip", "done"})
"""Intents that a question for the state of reminders resembles: 哪些提醒暂停了."""
_ASKED_HOW = (REMINDER_INTENTS | {"set", "summary", "summary_schedule"}) - {"when_is", "who_set"}
"""Intents that a question how to do something resembles."""
_MAX_TOKENS = 5
"""The tokens of a message that is no more than a request for a list or a place."""


def repair_intents(
    reading: MessageReading,
    context: Context,
    members: Collection[str],
    words: Lexicon,
    models: Models,
    *,
    is_about_summaries: bool,
) -> MessageReading:
    """Return `reading` with the probability of intents that are ruled out added to those of similar ones.

    `members` are names of people in the chat.
    """
    reading = _merge_by_context(reading, context, words, models, is_about_summaries=is_about_summaries)
    reading = _merge_by_words(_read_as_question(reading, context, words, models), context, words, models)
    return _read_subject_as_person(_merge_people_changes(reading, words, models), members, words, models)


def _merge_by_context(
    reading: MessageReading, context: Context, words: Lexicon, models: Models, *, is_about_summaries: bool
) -> MessageReading:
    """Return `reading` without intents that its slots or the last action rule out."""
    text = words.fold(reading.text)
    if context == "fired" and reading.has("WHEN") and not (reading.has("CONTENT") or reading.has("REF")):
        reading = merge_intents(reading, "set", "snooze", models)
    if reading.has("PERSON") and reading.probability("person_remove") >= _MIN_REMOVAL_PROBABILITY:
        reading = merge_intents(reading, "delete", "person_remove", models)
    if reading.intent in {"delete", "resume"} and words.has_any(words.holding, text):
        reading = merge_intents(reading, reading.intent, "pause", models)
    if reading.intent in _STOPPING and words.has_any(words.adjusting, words.joint.join(reading.forms)):
        reading = _read_as_adjustment(reading, models)
    if not is_about_summaries:
        reading = merge_intents(reading, "summary_schedule", "move", models)
    is_change = words.has_any(words.help_topics.get("move", ()), text)
    if reading.intent == "undo" and is_change and not words.has_any(words.undoing, text):  # 把那个改了
        reading = merge_intents(reading, "undo", "move", models)
    return reading


def _read_as_adjustment(reading: MessageReading, models: Models) -> MessageReading:
    """Return `reading` as a change to the time that is said beside it: "dinner is at 9, adjust the reminder"."""
    moved = merge_intents(reading, reading.intent, "move", models)
    is_open = {"WHEN", "LATER", "EARLIER"}.isdisjoint(moved.tags)
    return moved.with_tags(
        "WHEN" if is_open and tag == NO_TAG and is_time(token) else tag for token, tag in moved.tagged
    )


def _merge_people_changes(reading: MessageReading, words: Lexicon, models: Models) -> MessageReading:
    """Return `reading` with changes of people, and a question for an ability, in place of what they resemble."""
    is_refused = bool(words.joint and words.find_refusal(" ".join(reading.forms)))  # "don't include me in …"
    if reading.intent == "join" and is_refused and not words.oneself.isdisjoint(reading.forms):
        reading = merge_intents(reading, "join", "leave", models)
    is_timed = bool(reading.times) or not words.joint  # 一三五 is no time expression
    if reading.intent == "keep_days" and not is_timed:  # "just dex then"
        reading = merge_intents(reading, "keep_days", "person_set", models)
    if reading.intent == "person_set":
        reading = merge_intents(reading, "reword", "person_set", models)
    if reading.intent in {"set", "repeat_last"} and _asks_for_ability(reading, words):
        for intent in ("set", "repeat_last"):
            reading = merge_intents(reading, intent, "help", models)
    return reading


def _read_subject_as_person(
    reading: MessageReading, members: Collection[str], words: Lexicon, models: Models
) -> MessageReading:
    """Return a new text that only says which member does it as a change of people: "let Ben take the bins out".

    In Spanish a member at its end is the subject as well, as an object has "a": "que la basura la saque Luis".
    """
    if reading.intent != "reword":
        return reading
    of_people = merge_intents(reading, "reword", "person_set", models)
    text_places = [at for at, tag in enumerate(reading.tags) if tag == "CONTENT" and of_people.tags[at] != "PERSON"]
    name, content = (words.fold(text) for text in (of_people.words("PERSON"), reading.words("CONTENT")))
    if name not in {words.fold(member) for member in members} or reading.reminder_places.isdisjoint(text_places):
        return reading
    new_places = [at for at in text_places if at not in reading.reminder_places and not is_time(reading.tokens[at])]
    is_first = content.startswith(name) and words.articles.issuperset(reading.forms[at] for at in new_places)
    has_object_mark = reading.forms[text_places[-1]] in words.prepositions
    is_last = words.person_marks and content.endswith(name) and not has_object_mark
    return of_people if is_first or is_last else reading


def _merge_by_words(reading: MessageReading, context: Context, words: Lexicon, models: Models) -> MessageReading:
    """Return `reading` with the intents that the words of the message rule out merged into those it can have."""
    replaced = [*_replace_by_beginning(reading, words), *_replace_by_phrase(reading, words)]
    if context == "acted" and reading.intent in {"snooze", "move"} and _asks_again_from_now(reading, words):
        replaced += [("snooze", "repeat_last"), ("move", "set")]
    for gone, into in replaced:
        reading = merge_intents(reading, gone, into, models)
    return reading


def _asks_again_from_now(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message asks for a further reminder from now on: "recuérdamelo en 10 min".

    It does not put off the one that is to come.
    """
    first = reading.forms[0]
    is_reminding = first in words.reminding and has_pronoun(first, words, words.oneself_endings)
    is_from_now = "@offset" in reading.forms and not words.has_any(words.later, words.fold(reading.text))
    return is_reminding and is_from_now


def _replace_by_beginning(reading: MessageReading, words: Lexicon) -> list[tuple[str, str]]:
    """Return pairs of an intent that the first words of a message rule out, and the one it has instead."""
    first, text = reading.forms[0] if reading.forms else "", words.fold(reading.text)
    is_short = len(reading.tokens) <= _MAX_TOKENS and "@dayclock" not in reading.forms
    replaced: list[tuple[str, str]] = []
    if _asks_how(reading, words):
        replaced += [(gone, "help") for gone in _ASKED_HOW]
    if first in words.handing_over and not words.has_any(words.too, text):
        replaced += [("person_add", "person_set")]
    if is_short and text.startswith(words.listing):
        replaced += [(gone, "list") for gone in ("person_remove", "person_set", "move", "summary", "help")]
    if is_short and first in words.here:  # "here it's 7 in the morning"
        replaced += [("move", "zone")]
    if first in words.hushing:
        replaced += [(gone, "quiet") for gone in ("move", "snooze", "until")]
    return replaced


def _replace_by_phrase(reading: MessageReading, words: Lexicon) -> list[tuple[str, str]]:
    """Return pairs of an intent that phrases anywhere in a message rule out, and the one it has instead."""
    text = words.fold(reading.text)
    replaced: list[tuple[str, str]] = []
    if _names_clock_of_place(reading, words):
        replaced += [(gone, "zone") for gone in ("move", "pause", "ask", "summary")]
    if words.has_any(words.skipping, text):
        replaced += [("not_urgent", "skip")]
        if not reading.has("PERSON"):
            replaced += [("person_remove", "skip")]
    if words.has_any(words.for_good, text):
        replaced += [("skip", "delete")]
    is_new_time = reading.has("WHEN") and not reading.has("CONTENT")
    if is_new_time and words.has_any(words.substitutes, text):  # 把周三那个取消，改成周五
        replaced += [("delete", "move")]
    if not words.joint and ("@day", "REF") in zip(reading.forms, reading.tags, strict=True):
        replaced += [("leave", "skip")]  # 明天跑步不用叫我
    has_only_time = {*reading.tags} - {NO_TAG, "PERSON"} in ({"WHEN"}, {"OLD"})
    is_part_of_day = has_only_time and {token.form for token in reading.times} <= {"@part"}
    if is_part_of_day and not reading.is_question and words.has_any(words.allowing, text):  # "you can wake me at night"
        replaced += [(gone, "quiet") for gone in ("set", "snooze", "delete")]
    if words.has_any(words.keeping, text):
        is_alone = words.joint and CLAUSE_ENDS.isdisjoint(reading.forms)  # "leave Tuesdays as they are"
        changes = ("skip", "keep_days", "move") if is_alone else ()
        replaced += [(gone, NOTHING) for gone in ("delete", "undo", "done", *changes)]
    return replaced


def _names_clock_of_place(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message names the clock of a place, and no time: "a la hora de Madrid"."""
    match = re.search(words.clock_of_place, reading.text, re.IGNORECASE) if words.clock_of_place else None
    return match is not None and not reading.times and find_zone(match["place"]) is not None


def _read_as_question(reading: MessageReading, context: Context, words: Lexicon, models: Models) -> MessageReading:
    """Return `reading` with the intent of the question that its words ask, where the network took it for another."""
    if _names_only_next(reading, context, words):
        return set_only_intent(reading, "list", models)
    if reading.intent in {"zone", "ask", "time_now"} and _asks_about_place(reading, words):
        return set_only_intent(reading, "time_now", models)
    if reading.intent not in _STOPPING:
        return reading
    from services.summary.content import asks_quantity  # the start of the program does not need it

    if reading.certainty < _MIN_STOP_PROBABILITY and asks_quantity(reading.text):  # 停水停到几点
        return merge_intents(reading, reading.intent, "when_is", models)
    is_unnamed = not (reading.has("REF") or reading.has("OLD"))
    begin = next((token.form for token in reading.untagged if token.form.isalpha()), "")
    which = words.asking_which
    asks_which = begin in which if words.joint else words.has_any(which, words.fold(reading.text))
    asks_for_state = begin in words.state_verbs and reading.is_question  # "is it paused?"
    if asks_for_state or (is_unnamed and asks_which):
        return merge_intents(reading, reading.intent, "list" if is_unnamed else "when_is", models)
    return reading


def _asks_about_place(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a question has no more than a place, which then asks for the time there: "and in Lima?"."""
    around = {*words.and_words, *words.around_time, *words.interjections, *QUESTION_ENDS} - {""}
    return reading.is_question and find_place(reading.text, around, words) != ""


def _asks_for_ability(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a question names a repetition and no clock or content: "can you remind us of things weekly?"."""
    content, text = words.fold(reading.words("CONTENT")), words.fold(reading.text)
    is_indefinite = content in words.indefinites if content else words.has_any(words.indefinites, text)
    is_question = reading.text.rstrip().endswith((*QUESTION_ENDS, *words.question_endings))
    has_only_rule = {token.form for token in reading.times} == {"@rule"}
    return is_question and is_indefinite and has_only_rule and not words.has_any(words.demonstratives, text)


def _asks_how(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message asks how to do something, and names no reminder: "how do I set quiet hours?"."""
    begins = words.fold(reading.text).startswith(tuple(f"{phrase}{words.joint}" for phrase in words.asking_how))
    has_time = any(token.form != "@rule" for token in reading.times)  # "a daily summary" has none
    is_general = not has_time and not any(map(reading.has, ("REF", "PERSON", "CONTENT", "OLD")))
    return begins and is_general and reading.is_question


def _names_only_next(reading: MessageReading, context: Context, words: Lexicon) -> bool:
    """Return whether a message is only a name of the reminder that comes next: "my next reminder", 我下一个提醒.

    "Next" alone may ask for a page of a list, or answer a question.
    """
    text = words.fold(reading.text)
    around = {*words.before_reference, *words.own, *words.reference_marks, *words.itself, *words.copulas_of_events}
    rest, _ = strip_edges(text, {*around, *words.asking_which, *words.articles, *words.triggers}, words.joint)
    may_answer = context in ASKED or (context == "listed" and reading.intent == "next_page")
    return rest.strip(" 的个") in words.nearest and (has_trigger(reading, words) or not may_answer)
