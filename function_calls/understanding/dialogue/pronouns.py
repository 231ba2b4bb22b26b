"""Find the person whom "him" or "her" means in a request to be reminded."""

import re

from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation, Turn
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.message_reader import MessageReader
from function_calls.understanding.dialogue.utterance import Utterance
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members

SETTING_INTENTS = frozenset({"set", "repeat_last"})
"""Intents that set a reminder for people who are named."""


def resolve_pronoun(
    utterance: Utterance, reader: MessageReader, dialogue: Dialogue
) -> tuple[Utterance, Interpretation | None]:
    """Return the message with a name for "him" in "remind him", or the question who is meant."""
    turn, reading, words = utterance.turn, utterance.reading, utterance.words
    spans = _find_pronouns(reading, words)
    if reading.intent not in SETTING_INTENTS or not spans:
        return utterance, None
    name = _find_person_before(turn, reading.text[: spans[0][0]], words) or dialogue.find_person_of_pronoun(turn)
    if name is None:
        return utterance, Interpretation(answer=say(turn.language, "offline.whom"), must_reply=True)
    text = reading.text
    for start, end in reversed(spans):
        text = f"{text[:start]}{'' if words.joint else ' '}@{name}{'' if words.joint else ' '}{text[end:]}"
    named = reader.read(turn, text, utterance.language, utterance.key, utterance.question, utterance.chat_reminders)
    return named or utterance, None


def _find_person_before(turn: Turn, text: str, words: Lexicon) -> str:
    """Return the only other person of the chat whom `text`, in front of a pronoun, names; "" for none."""
    names = find_members(turn) - {turn.message.sender.name}
    edge = r"\b" if words.joint else ""
    people = [name for name in names if re.search(rf"{edge}{re.escape(words.fold(name))}{edge}", words.fold(text))]
    return people[0] if len(people) == 1 else ""


def _find_pronouns(reading: MessageReading, words: Lexicon) -> list[tuple[int, int]]:
    """Return the spans of pronouns for the person to remind: tagged as a person, or untagged behind "remind"."""
    spans = [
        span for span in reading.spans("PERSON") if reading.text[slice(*span)].strip().casefold() in words.pronouns
    ]
    if spans or reading.intent == "set":
        return spans
    pairs = zip(reading.tokens, reading.tokens[1:], reading.tags[1:], strict=False)
    return [
        (token.start, token.end)
        for before, token, tag in pairs
        if tag == NO_TAG and token.form in words.pronouns and before.form in words.reminding
    ]
