"""Decide which of its probable intents a message is acted on, by their probabilities and whom it speaks to."""

from typing import Literal

from msgspec import Struct

from function_calls.understanding.dialogue.dialogue import Context
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading

Standing = Literal["addressed", "answering", "next", "going_on", "trigger", "nobody"]
"""The position of a message in a dialogue.

- `addressed`: it is for the bot.
- `answering`: not addressed, and the bot has just asked its sender something.
- `next`: not addressed, a bare change or one more request as the next message after an action for its sender.
- `going_on`: not addressed, anything else or later after such an action.
- `trigger`: none of these, with a word such as "remind" or the name of a reminder.
- `nobody`: none of these, without such a word.
"""


class Threshold(Struct, frozen=True):
    """The least probability that a message asks for anything, and that of the intent that it is acted on."""

    request: float
    intent: float


THRESHOLDS = {
    "addressed": Threshold(request=0.5, intent=0.4),
    "answering": Threshold(request=0.5, intent=0.4),
    "next": Threshold(request=0.5, intent=0.4),
    "going_on": Threshold(request=0.65, intent=0.5),
    "trigger": Threshold(request=0.65, intent=0.6),
    "nobody": Threshold(request=0.84, intent=0.84),
}
_ENDING = ("delete", "pause", "undo", "skip", "until", "once", "leave", "person_remove", "person_set", "not_urgent")
CAREFUL = {"ask": 0.5, "when_is": 0.4, **dict.fromkeys(_ENDING, 0.5), "pause": 0.4}
"""Intents that need to be more probable: what is meant otherwise would be answered oddly, or be lost."""
UNADDRESSED = {
    "answer_content": 0.6,
    "cancel_ask": 0.9,
    "find": 0.95,
    "list": 0.6,
    "summary_schedule": 0.9,
    "undo": 0.9,
    "when_is": 0.6,
}
"""The same, where the bot is not addressed."""
_SHORT = 12
"""The most tokens of a change right after an action that may have such words."""
_CERTAIN = 0.97
"""The probability from which a message that goes on with an action may have words that no training sentence has, and a
message to nobody may ask for the list without a word such as "remind"."""
_SURE, _SURE_NOTE = 0.9, 0.8
"""The probabilities from which a message with "remind" may have such words, and may name no person: people head notes
with "reminder" as well."""
NEXT_REQUEST = 0.7
"""The probability of one more request, with a time and a content, as the next thing that is said."""
_CERTAIN_REQUEST, _OF_CERTAIN_REQUEST = 0.97, 0.55
"""From the first probability of a request, the second one is enough for its intent."""
_ONE = frozenset({"trigger", "nobody"})
_SECOND = 0.15
"""The least probability of a second or third intent, tried where the slots of the first do not fit; in the standings
of `_ONE` there is none."""
_MOST_TRIED = 3
_WITHOUT_TRIGGER = frozenset({"summary", "summary_schedule", "zone", "quiet", "undo", "find"})
"""Intents of a message to nobody that may have no word like "remind"."""
_STATEMENTS = frozenset({"zone", "zone_move", "quiet"})
"""Intents of statements to nobody ("my time zone is Berlin") that answer a question of another person as well."""
_REFUSED = frozenset(
    {"set", "delete", "pause", "resume", "move", "undo", "summary", "person_add", "list", "answer_when"}
)
"""Intents that a message beginning with "don't" does not have."""
_ALIKE = {"list": "when_is", "when_is": "list"}
"""Intents that are answered alike, each with the one whose probability counts for it."""
_FOR_PEOPLE = frozenset({"help", "recall", "ask", "time_now", "done", "answer_when", "answer_content"})
"""Intents of questions and answers that people who speak to nobody in particular have for each other."""


class Circumstances(Struct, frozen=True, kw_only=True):
    """The circumstances in which a message was written.

    Attributes:
        context: The state of the dialogue with its sender.
        is_addressed: The message is for the bot by its name, a reply, or the private chat.
        is_asked: The bot has asked its sender something, and nobody else has spoken since.
        is_next: The bot has just done something for its sender, and nobody has spoken of anything else since.
        is_alone: The same, but that its sender has said something since that was not for the bot.
        is_known: All words outside of the slots occur in training sentences of the intent.
        names_reminder: Words of the message name a reminder of the chat.
        answers_person: The message before it is a question of another person.
        follows_bot: The message before it is one of the bot.
    """

    context: Context
    is_addressed: bool
    is_asked: bool
    is_next: bool
    is_alone: bool
    is_known: bool
    names_reminder: bool
    answers_person: bool = False
    follows_bot: bool = False


class Decision(Struct, frozen=True):
    """The intents that a message may be acted on, best first; `is_refusal` says that it asks not to do something."""

    intents: tuple[str, ...] = ()
    is_refusal: bool = False


def standing_of(reading: MessageReading, words: Lexicon, said: Circumstances) -> Standing:
    """Return whom a message speaks to; a new request does not go on with anything."""
    share = reading.probability("set")
    if said.is_addressed:
        return "addressed"
    if said.context != "none" and reading.intent != "set":
        is_bare = said.is_next and slots.are_small(_untagged(reading), words)
        return "answering" if said.is_asked else "next" if is_bare else "going_on"
    if reading.intent == "join" and said.follows_bot:
        return "going_on"
    is_joined = said.follows_bot and bool(reading.tokens) and reading.tokens[0].form in words.beside
    is_next = said.is_next or (is_joined and share >= _SURE_NOTE)
    is_certain = (is_next and share >= NEXT_REQUEST) or (said.is_alone and share >= _CERTAIN)
    if is_certain and reading.has("WHEN") and reading.has("CONTENT"):
        return "next"
    return "trigger" if said.names_reminder or has_trigger(reading, words) else "nobody"


def _is_retracted(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a request ends with words that take it back: "…, actually forget it"."""
    text = reading.text.casefold().strip(" .!?。！？~～…")
    before = [text.removesuffix(word)[-1:] for word in words.waived if text.endswith(word) and text != word]
    return reading.intent == "set" and any(not (mark.isascii() and mark.isalnum()) for mark in before)


def _untagged(reading: MessageReading) -> list[str]:
    return [token.form for token, tag in zip(reading.tokens, reading.tags, strict=True) if tag == NO_TAG]


def share_of(intent: str, reading: MessageReading) -> float:
    """Return the probability of `intent` in a message to nobody, with that of the one that is answered alike."""
    return reading.probability(intent) + reading.probability(_ALIKE.get(intent, ""))


def has_trigger(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has a word such as "remind"."""
    text = words.fold(reading.text)  # 十分钟的闹钟 is one time, and has the word nevertheless
    return any(word in text for word in words.triggers)


def decide(reading: MessageReading, words: Lexicon, said: Circumstances) -> Decision:
    """Return what to act on."""
    if is_refusal(reading, words) or _is_retracted(reading, words):
        return Decision(is_refusal=True)
    standing = standing_of(reading, words, said)
    least = THRESHOLDS[standing]
    request = 1 - reading.probability("none")
    if request < least.request or not _may_be_for_bot(reading, standing, said, words):
        return Decision()
    found: list[str] = []
    is_certain = request >= _CERTAIN_REQUEST and said.context != "listed"
    enough = min(least.intent, _OF_CERTAIN_REQUEST) if is_certain else least.intent
    for intent, own_share in reading.intents[: 1 if standing in _ONE else _MOST_TRIED]:
        share = own_share if said.is_addressed else share_of(intent, reading)
        careful = max(CAREFUL.get(intent, 0.0), 0.0 if said.is_addressed else UNADDRESSED.get(intent, 0.0))
        if standing == "going_on" and intent == "move" and _may_be_statement(reading, words):
            careful = _SURE
        if intent == "none" or share < (_SECOND if found else enough):
            break
        if share < careful or (intent == "cancel_ask" and not said.is_known):
            continue
        found.append(in_context(intent, reading, said.context, words))
    return Decision(tuple(found))


def _may_be_statement(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message says more than when, names no reminder and asks for no change: "the plumber is late"."""
    said = [form for form in _untagged(reading) if not slots.are_small([form], words)]
    is_asked = words.has_any(words.change_it, words.fold(reading.text)) or has_trigger(reading, words)
    return len(said) > 1 and not (is_asked or reading.has("REF") or reading.has("LEAD"))


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


def _may_be_for_bot(reading: MessageReading, standing: Standing, said: Circumstances, words: Lexicon) -> bool:
    """Return whether a message to nobody can be a request that begins a dialogue.

    It says "remind" or "reminder", or is certainly for the bot; "ping me at 5" and "cancel it" are said to people.
    """
    intent, share = reading.intents[0]
    if standing != "addressed" and intent in _STATEMENTS and said.answers_person:
        return False
    is_asked = any(token.form in words.change_it for token in reading.tokens)
    if standing in {"going_on", "next"} and share < _SURE and _is_figure(reading) and not is_asked:
        return False  # "xd 1"
    if standing == "going_on" or (standing == "next" and intent != "set"):
        is_clear = (said.is_next or has_trigger(reading, words)) and share >= _CERTAIN
        return said.is_known or said.names_reminder or is_clear or len(reading.tokens) <= _SHORT
    if standing not in _ONE:
        return True
    if intent == "ask" and share >= _SURE and words.to_look_up(reading.text):
        return True
    if intent in _WITHOUT_TRIGGER:
        is_about_talk = reading.has("SPEAKER") or reading.has("TOPIC")  # people ask each other who said what
        return said.is_known and (standing == "trigger" or not is_about_talk)
    if intent == "list" and share >= _CERTAIN and said.is_known:
        return True
    if intent == "set":
        return _is_request(reading) if standing == "trigger" else said.is_known and _is_whole(reading)
    if not (said.is_known or said.names_reminder or share >= _SURE):
        return False
    is_for_people = intent in _FOR_PEOPLE and not (said.names_reminder and intent == "done")
    return standing == "trigger" and not is_for_people


def _is_figure(reading: MessageReading) -> bool:
    """Return whether the only time of a message is a bare number: "xd 1"."""
    return reading.has("WHEN") and all(map(slots.is_figure, reading.pieces("WHEN")))


def _is_request(reading: MessageReading) -> bool:
    """Return whether a message with "remind" names a person to be reminded, or is surely a request."""
    return reading.has("PERSON") or reading.intents[0][1] >= _SURE_NOTE


def _is_whole(reading: MessageReading) -> bool:
    """Return whether a message without "remind" names whom and when: "wake me up at 7"."""
    return reading.has("PERSON") and reading.has("WHEN")
