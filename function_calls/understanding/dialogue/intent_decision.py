"""Decide which intents of a message to act on, from their probabilities."""

import re
from collections.abc import Collection

from function_calls.tools.calls import ToolCall
from function_calls.understanding.dialogue.dialogue import Context
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NOTHING, QUESTION_ENDS, MessageReading
from function_calls.understanding.reading.segments.reminder_splits import find_asking_words
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import are_function_words, find_place, strip_edges, tidy
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, MARKS, SENTENCE_ENDS, is_time

REMINDER_INTENTS = frozenset(
    {"answer_when", "answer_content", "cancel_ask", "repeat_last", "snooze", "undo", "done", "move", "reword", "append"}
    | {"person_add", "person_remove", "person_set", "join", "leave", "delete", "skip", "until", "pause", "resume"}
    | {"when_is", "who_set", "next_page", "keep_days", "add_days", "once", "nag", "urgent", "not_urgent"}
    | {"catch_up_all", "catch_up_latest", "catch_up_none"}
)
"""Intents about a reminder that the message may leave unnamed."""
_MIN_REQUEST_PROBABILITY, _MIN_INTENT_PROBABILITY = 0.5, 0.4
"""The least probability of any request in a message that names the bot, and that of an intent."""
_LOSING = ("delete", "pause", "undo", "skip", "until", "once", "leave", "person_remove", "person_set", "not_urgent")
CAREFUL = {"ask": 0.5, "when_is": 0.4, **dict.fromkeys(_LOSING, 0.5), "pause": 0.4}
"""Higher least probabilities, of intents that lose something or give an odd answer where they are wrong."""
_LEAVING_OUT = frozenset({"skip", "until", "pause"})
"""Intents of which each lets a reminder not come for some time; their probabilities count together."""
_MIN_SECOND_PROBABILITY = 0.15
"""The least probability of a second or third intent, which is tried where the slots of the first do not fit."""
_MAX_INTENTS_TRIED = 3
"""The most intents that are tried in turn."""
_ELLIPSES = ("..", "…", "—", "–", " -", "。。")
_REFUSED = frozenset(
    {"set", "delete", "skip", "pause", "resume", "move", "undo", "summary", "person_add", "list", "answer_when"}
)
"""Intents that a message beginning with "don't" does not have."""
_REFUSED_BEHIND_INTERJECTIONS = frozenset({"delete", "skip", "pause"})
"""Intents that "don't" refuses behind an interjection as well."""
_NAMING_TAGS = ("WHEN", "OLD", "REF", "CONTENT", "LATER", "EARLIER")
_MAX_INTERJECTIONS = 3
SETTINGS = {"quiet_hours": "hours", "time_zone": "zone", "memory_save": "text", "memory_search": "query"}
"""The calls that "forget it" can be about, each with the argument that it then has."""
_TAKING_BACK = frozenset({"delete", "cancel_ask", "forget", "undo"})
"""Intents that may take back a setting or a note."""
_RETIMING = frozenset({"skip", "move", "set", "until", "keep_days", "add_days", "answer_when", "snooze", NOTHING})


def choose_intents(reading: MessageReading, context: Context, *, is_addressed: bool) -> tuple[str, ...]:
    """Return the intents to act on, best first.

    Args:
        reading: A message for the bot.
        context: The state of the dialogue with its sender.
        is_addressed: The message names the bot; otherwise it is known to be a request.
    """
    request = 1 - reading.probability(NOTHING)
    if is_addressed and request < _MIN_REQUEST_PROBABILITY:
        return ()
    shares = reading.intents
    if not is_addressed:
        shares = tuple((intent, share / request) for intent, share in shares if intent != NOTHING)
    intents: list[str] = []
    for intent, share in shares[:_MAX_INTENTS_TRIED]:
        if intent == NOTHING or share < (_MIN_SECOND_PROBABILITY if intents else _MIN_INTENT_PROBABILITY):
            break
        similar = _LEAVING_OUT if intent in _LEAVING_OUT else {intent}
        if sum(each for name, each in shares if name in similar) >= CAREFUL.get(intent, 0.0):
            intents.append(adapt_to_context(intent, reading, context))
    return tuple(intents)


def adapt_to_context(intent: str, reading: MessageReading, context: Context) -> str:
    """Return the intent that `intent` means in `context`: a bare time answers a question or moves a reminder."""
    if intent == "answer_when" and context == "acted":
        return "move"
    if intent == "move" and context == "asked_when" and not reading.has("REF"):
        return "answer_when"
    return intent


def continue_setting(reading: MessageReading, last: ToolCall, words: Lexicon, names: Collection[str]) -> str:
    """Return the intent of a message that goes on with the last setting or note, or a summary by one of `names`."""
    is_set, text = bool(last.arguments.get(SETTINGS.get(last.name, ""))), words.fold(reading.text)
    if reading.intent in _TAKING_BACK:
        return _take_back(reading, last, words, is_set=is_set)
    if last.name == "summary":
        around = {*words.and_words, *words.links, *words.interjections, *QUESTION_ENDS}
        return "summary" if strip_edges(text, around, words.joint)[0] in names else ""
    if last.name == "time_zone" and is_set:
        return "zone" if find_place(text, {*words.interjections, *words.corrections}, words) else ""
    times = [token for token in reading.tokens if is_time(token) or token.form.isdecimal()]
    beside = [token.form for token in reading.tokens if token not in times]
    is_only_time = bool(times) and are_function_words(beside, words, (*words.change_it, *words.since))
    return "quiet" if is_only_time and is_set and last.name == "quiet_hours" and reading.intent in _RETIMING else ""


def _take_back(reading: MessageReading, last: ToolCall, words: Lexicon, *, is_set: bool) -> str:
    """Return the intent that takes back the `last` setting or note, or forgets a note that is named; "" for others."""
    is_named = reading.has("CONTENT") or reading.has("PERSON") or any(extract_references(reading, words))
    if words.has_any((*words.notes, *words.all), words.fold(reading.text)) or not (is_named or is_set):
        return ""
    if not is_named and last.name != "memory_search":
        return "undo"
    return "forget" if last.name.startswith("memory_") and not reading.reminder_places else ""


def is_refusal(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message asks for nothing: "don't delete it", "remind me at 5, actually forget it".

    "Don't remind me again" is a request: it stops a reminder.
    """
    return _is_negated(reading, words) or _is_retracted(reading, words)


def _is_negated(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message begins with a word such as "don't" that refuses what it names."""
    text = tidy(reading.text, words.before_content).casefold().removeprefix("please ").removeprefix("请")
    if text.startswith(words.dont_forget_phrases):
        return False
    maximum = _MAX_INTERJECTIONS if reading.intent in _REFUSED_BEHIND_INTERJECTIONS else 0
    refusal, rest = _split_refusal(text, words, maximum)
    is_correction = reading.has("OLD") and reading.has("WHEN")  # "not 6, 7"
    dismissed = next((text.removeprefix(each) for each in words.dismissals if text.startswith(each)), "").strip()
    # "never mind the milk", "never mind, drop that"
    is_dismissal = bool(dismissed) and (reading.has("REF") or (dismissed[0] in MARKS and len(dismissed) > 1))
    is_order = bool(words.orders) and re.match(words.orders, rest) is not None  # "no ponlo a las 8"
    if not refusal or reading.intent not in _REFUSED or is_correction or is_dismissal or is_order:
        return False
    if _begins_behind_sentence(reading, words):
        return False
    if reading.intent == "undo" and rest.removeprefix(refusal)[:1] in MARKS:  # 别别，还给我
        return False
    asks_to_remind = rest.startswith((*words.reminding, *words.calling))
    if reading.intent == "pause" and (reading.has("WHEN") or reading.has("UNTIL")):
        return words.has_any((*words.pausing, *words.holding), text)  # "don't remind me until Monday" asks for one
    if reading.intent == "skip":  # "don't skip it"; "don't send it on Friday" is a request
        has_day = any(map(reading.has, ("REF", "WHEN", "OLD"))) or bool(reading.times)
        names_occurrence = has_day or words.has_any(words.one_time, text)
        return rest.startswith(words.skipping) or not (names_occurrence or asks_to_remind)
    if reading.intent == "delete":
        at = reading.text.casefold().find(rest)  # "不要牛奶的提醒了" has no verb that it refuses
        return not (asks_to_remind or at in dict(reading.spans("REF")))
    return not rest.startswith(words.slips)  # "no perdona, a las 12" corrects


def _begins_behind_sentence(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether the time and the name of a request stand behind a sentence of their own: "not him: 7pm, bins".

    A new reminder may also be asked for behind a comma: "don't bother, remind me at 7".
    """
    first = min((span[0] for tag in _NAMING_TAGS for span in reading.spans(tag)), default=0)
    asking = min(find_asking_words(reading.tokens, words), default=0) if reading.intent == "set" else 0
    if any(form in CLAUSE_ENDS for form in reading.forms[:asking]):
        return True
    return any(token.form in SENTENCE_ENDS or token.form == ":" for token in reading.tokens if token.end <= first)


def _split_refusal(text: str, words: Lexicon, maximum: int) -> tuple[str, str]:
    """Return a word such as "don't" behind at most `maximum` interjections, and what follows: "hey don't delete it"."""
    for _ in range(maximum + 1):
        refusal = words.find_refusal(text)
        first, _, rest = text.partition(words.joint) if words.joint else (text[:1], "", text[1:])
        is_interjection = first.strip(",.!，！～~") in words.interjections
        if refusal or not is_interjection or text.startswith(words.negations):  # "ya no"
            return refusal, text[len(refusal) :].lstrip()
        text = rest.lstrip()
    return "", text


def _is_retracted(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a request ends with words that cancel it: "…, actually forget it".

    A change must have broken off before them, as they may be the change itself: "push all my... never mind".
    """
    text = reading.text.casefold().strip(" .!?。！？~～…")
    requests = [text.removesuffix(word) for word in words.dismissals if text.endswith(word) and text != word]
    if reading.intent != "set":
        return any(request.rstrip().endswith(_ELLIPSES) for request in requests)
    return any(not (request[-1:].isascii() and request[-1:].isalnum()) for request in requests)
