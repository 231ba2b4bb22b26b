"""Describe the circumstances of a message, and find the words in it that tell whom it is for."""

from typing import Literal

from msgspec import Struct

from function_calls.understanding.dialogue.dialogue import Context
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import MessageReading

ASKED = frozenset({"asked_when", "asked_content"})
"""The contexts in which a question of the bot is open."""


class Circumstances(Struct, frozen=True, kw_only=True):
    """The state of a chat at the time of a message.

    Attributes:
        context: The state of the dialogue between the bot and the sender.
        awaits_answer: The bot has asked the sender something, and nobody else has written since.
        last_action: The age of the bot's last action for the sender.
        changed_subject: The sender has written something else since that action.
        others: The number of messages between other people since that action.
        others_named_time: One of these messages names a time of day.
        others_proposed_time: One of them names the hour of this message, asks for one, or is no more than a time.
        others_discussed_time: One of these messages discusses the time of the sender's last reminder.
        bot_wrote_lately: The bot wrote one of the last messages of the chat.
        names_reminder: Words of the message name a reminder of the chat.
        answers_person: The message before it is another person's question.
        follows_bot: The message before it is the bot's.
        delivered_to_others: A reminder that mentions other people only has just been delivered.
        awaits_completion: A reminder of the chat comes again until somebody says that it is done.
        says_not_urgent: The message says that something is not urgent.
        others_asked_time: One of these messages asks when, how long and the like.
        has_unanswered_request: The sender's message before it says "remind" or the like, and was not answered.
        others_acted: The last reminder of the chat was set for somebody else, by another person, since that action.
        others_discussed_text: One of these messages has a word of the text of a reminder.
        calls_group: The message begins with a call of the whole chat.
    """

    context: Context
    awaits_answer: bool
    last_action: Literal["none", "old", "fresh"]
    changed_subject: bool
    others: int
    others_named_time: bool
    others_proposed_time: bool
    others_discussed_time: bool
    bot_wrote_lately: bool
    names_reminder: bool
    answers_person: bool
    follows_bot: bool
    delivered_to_others: bool = False
    awaits_completion: bool = False
    says_not_urgent: bool = False
    others_asked_time: bool = False
    has_unanswered_request: bool = False
    others_acted: bool = False
    others_discussed_text: bool = False
    calls_group: bool = False


def has_trigger(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has a word such as "remind"."""
    return words.has_trigger(words.fold(reading.text))  # 十分钟的闹钟 is one time, and has the word nevertheless


def has_reference_mark(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has a word that stands for a reminder, such as "one" in "the blue one", or 那个."""
    forms = words.joint.join(reading.forms)
    return words.has_any(words.reference_marks, forms)


def has_change_words(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has words such as "make it"; 改 is one in front of a time."""
    if words.has_any(words.change_it, words.fold(reading.text)):
        return True
    forms = "".join("@" if token.form.startswith("@") else token.form for token in reading.tokens)
    return not words.joint and any(word in forms for word in words.change_it)


def has_adding_words(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has words such as "and" or "add" in front of or around what it would add."""
    around = words.joint.join([*reading.forms[:1], reading.join_untagged(words.joint)])
    return words.has_any((*words.beside, *words.too, *words.adding), around)
