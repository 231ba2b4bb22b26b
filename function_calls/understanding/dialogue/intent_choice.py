"""Choose the intents of a message to act on, in the state of its dialogue."""

from collections.abc import Collection

from function_calls.understanding.dialogue.addressee import is_for_bot
from function_calls.understanding.dialogue.addressee_by_name import calls_person
from function_calls.understanding.dialogue.circumstances import has_trigger
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.intent_decision import (
    REMINDER_INTENTS,
    choose_intents,
    continue_setting,
    is_refusal,
)
from function_calls.understanding.dialogue.utterance import CircumstancesReader, Utterance
from function_calls.understanding.handlers.intent_handlers import find_topic_by_word
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, NOTHING, MessageReading, Models, set_best_intent
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.tokens import is_time, split_clauses
from services.time_expressions import ReadTimes

_MIN_DONE_PROBABILITY = 0.25
"""The probability from which a statement to the bot with words of one reminder says that this one is done."""
_REMINDER_QUESTIONS = frozenset({"when_is", "list", "who_set"})
"""Intents that a question about anything else resembles."""


class IntentChooser:
    """Chooses the intents of messages, in the state of the dialogue with their sender."""

    def __init__(self, times: ReadTimes, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._circumstances = CircumstancesReader(times, dialogue)

    def choose(self, utterance: Utterance) -> tuple[str, ...]:
        """Return the intents of a message to act on, best first; empty where it asks nothing."""
        return self._prefer_new_reminder(self._choose(utterance), utterance)

    def _choose(self, utterance: Utterance) -> tuple[str, ...]:
        """Return the intents to act on, best first."""
        reading, words = utterance.reading, utterance.words
        if is_refusal(reading, words) or calls_person(utterance.turn):
            return ()
        certain = self._find_certain_intent(utterance)
        if certain:
            return (certain,)
        chosen = self._choose_intents_for_bot(utterance) if self._is_for_bot(utterance) else ()
        if chosen:
            return chosen
        if utterance.awaits_answer and _is_only_time(reading, words):
            return ("answer_when",)
        return ("move",) if self._begins_with_new_time(utterance) else ()

    def _find_certain_intent(self, utterance: Utterance) -> str:
        """Return the intent that the words or the last action make certain, whatever its probability; "" for none."""
        reading, words, reminders = utterance.reading, utterance.words, utterance.chat_reminders
        if _tells_time_of_event(utterance):
            return "answer_when"
        if utterance.is_addressed and _asks_to_explain(reading, words):
            return "help"
        last = self._dialogue.last_call(utterance.key, utterance.turn.now)
        if reading.intent == "resume" and last.name == "reminder_delete":
            names, common = extract_references(reading, words), utterance.common_words
            return "" if reminders is not None and any(reminders.matches(name, common) for name in names) else "undo"
        if reading.intent == "next_page" and last.arguments.get("action") == "pause":  # "continue"
            return "resume"
        return ""

    def _is_for_bot(self, utterance: Utterance) -> bool:
        """Return whether a message is for the bot, by its name or in its circumstances."""
        if utterance.is_addressed:
            return True
        reading = _read_as_request(utterance.reading, utterance.models)
        return is_for_bot(reading, utterance.words, self._circumstances.describe(utterance))

    def _choose_intents_for_bot(self, utterance: Utterance) -> tuple[str, ...]:
        """Return the intents of a message for the bot to act on, best first."""
        turn, words = utterance.turn, utterance.words
        last, members = self._dialogue.last_call(utterance.key, turn.now), {*map(words.fold, find_members(turn))}
        continued = continue_setting(utterance.reading, last, words, members)
        if continued and (utterance.is_addressed or continued == "quiet"):
            return (continued,)
        if utterance.is_addressed and self._reports_done(utterance):
            return ("done",)
        return choose_intents(utterance.reading, utterance.context, is_addressed=utterance.is_addressed)

    @staticmethod
    def _reports_done(utterance: Utterance) -> bool:
        """Return whether a statement may report that the matter of one reminder is done: "I called the vet"."""
        reading, reminders = utterance.reading, utterance.chat_reminders
        is_likely = (
            reading.intent in {NOTHING, "done", "reword"} and reading.probability("done") >= _MIN_DONE_PROBABILITY
        )
        is_statement = not reading.is_question and set(reading.tags) == {NO_TAG}
        if reminders is None or not is_likely or not is_statement:
            return False
        return reminders.find_only_closest(reading.text, utterance.common_words) is not None

    def _begins_with_new_time(self, utterance: Utterance) -> bool:
        """Return whether a message behind the bot's answer begins with a clause that is only a time: 明晚吧 今天加班.

        In Chinese a space ends a clause as well.
        """
        reading, key, recent = utterance.reading, utterance.key, utterance.turn.recent
        last = self._dialogue.last_action(key, utterance.turn.now)
        follows_answer = last is not None and bool(recent) and recent[-1].reply_to == last.message_id
        if not follows_answer or utterance.context != "acted" or reading.intent != "move":
            return False
        first = next(iter(split_clauses(reading.tokens)), [])
        ends = {reading.tokens[at].end for at in first}
        gaps = [at for at in first[1:] if not utterance.words.joint and reading.tokens[at].start not in ends]
        first = [at for at in first if at < min(gaps, default=len(reading.tokens))]
        return _is_only_time(reading.with_tokens(first), utterance.words)

    def _prefer_new_reminder(self, intents: tuple[str, ...], utterance: Utterance) -> tuple[str, ...]:
        """Return `intents` with `set` first where a change names a rule, and a reminder that the chat does not have."""
        may_be_new = utterance.chat_reminders is not None and intents[:1] in {("move",), ("nag",)} and "set" in intents
        names = [name for name in extract_references(utterance.reading, utterance.words) if name]
        if not may_be_new or any(self._is_known_name(name, utterance) for name in names):
            return intents
        reading = set_best_intent(utterance.reading, "set", utterance.models)
        has_pronoun = utterance.words.fold(reading.words("PERSON")) in utterance.words.pronouns
        is_complete = reading.has_rule and reading.has("CONTENT") and not has_pronoun
        return ("set", *intents) if is_complete else intents

    def asks_for_change(self, utterance: Utterance) -> bool:
        """Return whether a message with "reminder" asks for a change, even if it leaves open which one."""
        chosen = self._choose(utterance) if has_trigger(utterance.reading, utterance.words) else ()
        return bool(chosen) and chosen[0] in REMINDER_INTENTS

    def may_be_about_reminder(self, reading: MessageReading, utterance: Utterance) -> bool:
        """Return whether a question may be about a reminder: the bot is addressed, or a word or a name says so."""
        words, is_addressed = utterance.words, utterance.is_addressed
        if reading.intent == "undo" and not is_addressed:
            return self._may_undo(reading, utterance)
        names = extract_references(reading, words)
        if reading.intent not in _REMINDER_QUESTIONS or not names:
            return True
        if is_addressed and reading.is_certain:
            return True
        has_mark = any(token.form in words.reference_marks for token in reading.tokens)  # "the one at noon"
        has_own = is_addressed and any(tag == "REF" and token.form in words.oneself for token, tag in reading.tagged)
        if has_mark or has_own or has_trigger(reading, words):
            return True
        return any(self._is_known_name(name, utterance) for name in names)

    def _may_undo(self, reading: MessageReading, utterance: Utterance) -> bool:
        """Return whether "undo" without the bot's name names a known reminder, if it names any.

        Behind the request of somebody else it has no other words: "undo is the best button" is a remark.
        """
        words = utterance.words
        names = extract_references(reading, words)
        if names:
            return any(self._is_known_name(name, utterance) for name in names)
        forms, orders = [token.form for token in reading.untagged], words.help_topics.get("undo", ())
        follows_other = self._dialogue.is_last_set_by_other(utterance.key, utterance.turn)
        return not follows_other or are_function_words(forms, words, orders)

    def _is_known_name(self, name: str, utterance: Utterance) -> bool:
        """Return whether a reference names an existing reminder, or words of the bot's earlier messages."""
        turn, reminders = utterance.turn, utterance.chat_reminders
        if reminders is not None and reminders.matches(name, utterance.common_words):
            return True
        last = self._dialogue.last_set(utterance.key, turn.now)
        texts = [message.text.casefold() for message in turn.recent if message.sender.is_bot]
        texts += [] if last is None else [str(last.arguments["content"]).casefold()]
        parts = name.casefold().split() if name.isascii() else [name]
        return any(all(part in text for part in parts) for text in texts)


def _tells_time_of_event(utterance: Utterance) -> bool:
    """Return whether a message only tells when the event is that the bot asked about: "exam's on 14 December"."""
    reading, words = utterance.reading, utterance.words
    event = "" if utterance.question is None else utterance.question.event
    names = {*(words.fold(event).split() if words.joint else event)} - words.articles
    names |= {f"{name}'s" for name in names}
    is_named = any(token.form in names for token in reading.tokens)
    return is_named and _is_only_time(reading, words, names | words.copulas_of_events | words.articles)


def _asks_to_explain(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message without a time asks for help with a topic of the bot: "help me with summaries"."""
    begins = f"{words.fold(reading.text)}{words.joint}".startswith(words.explaining)
    return begins and not reading.times and find_topic_by_word(reading, words) is not None


def _read_as_request(reading: MessageReading, models: Models) -> MessageReading:
    """Return `reading` with the tags of its most probable request, also where it is probably none."""
    intent = next(intent for intent, _ in reading.intents if intent != NOTHING)
    return set_best_intent(reading, intent, models) if reading.intent == NOTHING else reading


def _is_only_time(reading: MessageReading, words: Lexicon, others: Collection[str] = ()) -> bool:
    """Return whether a message has only one time, with courtesies, links and `others` around it: "make it 6pm"."""
    beside = [token.form for token in reading.tokens if not is_time(token)]
    is_only = len(reading.tokens) - len(beside) == 1 and are_function_words(beside, words, others)
    return is_only and not words.find_refusal(words.fold(reading.text))
