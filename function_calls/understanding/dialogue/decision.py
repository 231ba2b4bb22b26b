"""Decide which of its probable intents a message is acted on, by their probabilities and whom it speaks to."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct

from function_calls.understanding.dialogue.dialogue import Context
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, NOTHING, MessageReading

THRESHOLD = 0.7
"""The probability from which a message that is not addressed to the bot counts as written for it."""
_REQUEST, _INTENT = 0.5, 0.4
"""The least probability that an addressed message asks for anything, and that of the intent that it is acted on."""
_ENDING = ("delete", "pause", "undo", "skip", "until", "once", "leave", "person_remove", "person_set", "not_urgent")
CAREFUL = {"ask": 0.5, "when_is": 0.4, **dict.fromkeys(_ENDING, 0.5), "pause": 0.4}
"""Intents that need to be more probable: what is meant otherwise would be answered oddly, or be lost."""
_SECOND = 0.15
"""The least probability of a second or third intent, tried where the slots of the first do not fit."""
_MOST_TRIED = 3
_MOST_OTHERS = 4
_FEW = 5
_MOST_LOG_ODDS = 6.0
_QUESTION_ENDS = ("?", "？", "吗", "呢", "么")
POINTING = frozenset(
    {"answer_when", "answer_content", "cancel_ask", "repeat_last", "snooze", "undo", "done", "move", "reword", "append"}
    | {"person_add", "person_remove", "person_set", "join", "leave", "delete", "skip", "until", "pause", "resume"}
    | {"when_is", "who_set", "next_page", "keep_days", "add_days", "once", "nag", "urgent", "not_urgent"}
    | {"catch_up_all", "catch_up_latest", "catch_up_none"}
)
"""Intents about a reminder that the message may leave unnamed."""
_CHANGES = POINTING & {"move", "reword", "append", "snooze", "delete", "skip", "until", "pause", "resume", "keep_days"}
_ASKED = frozenset({"asked_when", "asked_content"})
_STATEMENTS = frozenset({"zone", "zone_move", "quiet"})
_FOR_PEOPLE = frozenset({"help", "recall", "ask", "time_now"})
"""Intents of questions that people who speak to nobody in particular have for each other."""
_REFUSED = frozenset(
    {"set", "delete", "pause", "resume", "move", "undo", "summary", "person_add", "list", "answer_when"}
)
"""Intents that a message beginning with "don't" does not have."""


class Circumstances(Struct, frozen=True, kw_only=True):
    """The circumstances in which a message was written.

    Attributes:
        context: The state of the dialogue with its sender.
        is_addressed: The message is for the bot by its name, a reply, or the private chat.
        is_asked: The bot has asked its sender something, and nobody else has spoken since.
        last: The age of the last action for its sender.
        is_passed: Its sender has spoken of something else since that action.
        others: The number of messages that other people have written to each other since.
        others_name_time: One of them names a clock.
        others_object: One of them says something of the time that was set.
        other_set: Another person has since set a reminder for its sender.
        can_change: The bot has lately written something that a change could be about.
        is_known: All words outside of the slots occur in training sentences of the intent.
        names_reminder: Words of the message name a reminder of the chat.
        answers_person: The message before it is a question of another person.
        follows_bot: The message before it is one of the bot.
    """

    context: Context
    is_addressed: bool
    is_asked: bool
    last: Literal["none", "old", "fresh"]
    is_passed: bool
    others: int
    others_name_time: bool
    others_object: bool
    other_set: bool
    can_change: bool
    is_known: bool
    names_reminder: bool
    answers_person: bool = False
    follows_bot: bool = False


class Decision(Struct, frozen=True):
    """The intents that a message may be acted on, best first; `is_refusal` says that it asks not to do something."""

    intents: tuple[str, ...] = ()
    is_refusal: bool = False


def features_of(reading: MessageReading, words: Lexicon, said: Circumstances) -> dict[str, float]:
    """Return what tells whether a message that is not addressed to the bot is written for it."""
    text = reading.text.rstrip()
    marks = {
        f"context_{said.context}": True,
        f"last_{said.last}": True,
        f"last_{said.last}_others": said.others > 0,
        f"last_{said.last}_passed": said.is_passed,
        "is_asked": said.is_asked,
        "is_known": said.is_known,
        "names_reminder": said.names_reminder,
        "answers_person": said.answers_person,
        "follows_bot": said.follows_bot,
        "has_trigger": has_trigger(reading, words),
        "asks_for_change": _asks_for_change(reading, words),
        "is_question": text.endswith(_QUESTION_ENDS),
        "has_when": reading.has("WHEN"),
        "is_figure": reading.has("WHEN") and all(map(slots.is_figure, reading.pieces("WHEN"))),
        "answers_with_time": said.answers_person and reading.has("WHEN"),
        "others_object": said.others_object,
    }
    values = {
        "request": _log_odds(1 - reading.probability(NOTHING)),
        "intent": _log_odds(max((share for intent, share in reading.intents if intent != NOTHING), default=0.0)),
        "length": math.log(1 + len(reading.tokens)),
        "others": float(min(said.others, _MOST_OTHERS)),
    }
    return values | dict.fromkeys((name for name, holds in marks.items() if holds), 1.0)


def _is_for_people(reading: MessageReading, words: Lexicon, said: Circumstances) -> bool:
    """Return whether a message cannot be for the bot, whatever its probability.

    It is a time that may answer somebody else, changes what nobody has spoken of, asks who said what, asks a question
    that people can answer, or answers a person who asked where somebody is.
    """
    intent = reading.intents[0][0]
    if said.answers_person and intent in _STATEMENTS:
        return True
    if said.context == "none" and intent in _FOR_PEOPLE and not (intent == "ask" and words.to_look_up(reading.text)):
        return True
    if has_trigger(reading, words) or said.names_reminder:
        return False
    named = slots.reference(reading, words)
    is_number = any(map(str.isdecimal, named))
    follows_nothing = said.context == "none" and said.last == "none" and (is_number or not said.can_change)
    changes_nothing = intent in _CHANGES and (follows_nothing or (said.other_set and not named))
    if changes_nothing or reading.has("SPEAKER") or reading.has("TOPIC"):
        return True
    if named or not _is_time(reading):
        return False
    names_time = said.others_name_time and not said.others_object
    is_open = said.is_asked or said.context == "fired" or _asks_for_change(reading, words)
    is_later = said.last == "old" and not is_open
    is_passed = said.is_passed and said.context in _ASKED
    is_rule = any(token.form.startswith("@rule") for token in reading.tokens)  # nobody tells others "every week"
    return said.answers_person or (not is_rule and (names_time or is_later or is_passed))


def _asks_for_change(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has words such as "make it"."""
    return words.has_any(words.change_it, words.fold(reading.text))


def _is_time(reading: MessageReading) -> bool:
    """Return whether a message is a time with no more than a few words around it."""
    is_other = any(map(reading.has, ("CONTENT", "PERSON", "OLD")))
    return reading.has("WHEN") and not is_other and reading.tags.count(NO_TAG) <= _FEW


def probability_for_bot(features: Mapping[str, float]) -> float:
    """Return the probability that a message with these features is written for the bot."""
    weights = _weights()
    score = weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-score))


@cache
def _weights() -> dict[str, float]:
    return tomllib.loads(files(__package__).joinpath("decision.toml").read_text("utf-8"))


def _log_odds(share: float) -> float:
    return max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, math.log((share + 1e-4) / (1 - share + 1e-4))))


def _is_retracted(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a request ends with words that take it back: "…, actually forget it"."""
    text = reading.text.casefold().strip(" .!?。！？~～…")
    before = [text.removesuffix(word)[-1:] for word in words.waived if text.endswith(word) and text != word]
    return reading.intent == "set" and any(not (mark.isascii() and mark.isalnum()) for mark in before)


def has_trigger(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has a word such as "remind"."""
    text = words.fold(reading.text)  # 十分钟的闹钟 is one time, and has the word nevertheless
    return any(word in text for word in words.triggers)


def decide(reading: MessageReading, words: Lexicon, said: Circumstances) -> Decision:
    """Return what to act on."""
    if is_refusal(reading, words) or _is_retracted(reading, words):
        return Decision(is_refusal=True)
    request = 1 - reading.probability(NOTHING)
    if said.is_addressed:
        if request < _REQUEST:
            return Decision()
        shares = [*reading.intents]
    else:
        if _is_for_people(reading, words, said):
            return Decision()
        if probability_for_bot(features_of(reading, words, said)) < THRESHOLD:
            return Decision()
        shares = [(intent, share / request) for intent, share in reading.intents if intent != NOTHING]
    found: list[str] = []
    for intent, share in shares[:_MOST_TRIED]:
        if intent == NOTHING or share < (_SECOND if found else _INTENT):
            break
        if share >= CAREFUL.get(intent, 0.0) and (intent != "cancel_ask" or said.is_known):
            found.append(in_context(intent, reading, said.context, words))
    return Decision(tuple(found))


def in_context(intent: str, reading: MessageReading, context: Context, words: Lexicon) -> str:
    """Return the intent that `intent` stands for: a bare time answers a question, or moves what was just set.

    "A week before too" asks for another reminder, "remind me again in 15 minutes" for the one that has come.
    """
    text = words.fold(reading.text)
    is_ahead = reading.has("LEAD") or reading.has("EARLIER")
    if intent == "move" and is_ahead and not reading.has("REF") and words.has_any(words.too, text):
        return "repeat_last"
    if intent == "set" and context == "fired" and not reading.has("CONTENT") and words.has_any(words.again, text):
        return "snooze"
    is_shifted = reading.has("LATER") or reading.has("EARLIER")
    if (intent == "answer_when" and context == "acted") or (intent == "reword" and is_shifted):
        return "move"
    if intent == "move" and context == "asked_when" and not (reading.has("REF") or reading.has("OLD")):
        return "answer_when"
    return intent


def is_refusal(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message asks not to do what it names: "don't delete it"; "don't remind me again" stops one."""
    text = slots.tidied(reading.text, words.before_content).casefold().removeprefix("please ").removeprefix("请")
    if text.startswith(words.pleas):
        return False
    refused = words.refusal_in(text)
    is_corrected = reading.has("OLD") and reading.has("WHEN")  # "not 6, 7"
    if not refused or is_corrected or reading.intent not in _REFUSED:
        return False
    rest = text[len(refused) :].lstrip()
    if reading.intent != "delete":
        return True
    at = reading.text.casefold().find(rest)  # "不要牛奶的提醒了" has no verb that it refuses
    return not (rest.startswith((*words.reminding, *words.calling)) or at in dict(reading.spans("REF")))
