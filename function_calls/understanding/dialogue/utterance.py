"""Describe the circumstances of a message: the state of its dialogue and what people wrote before it."""

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from function_calls.tools.calls import ToolCall, Turn
from function_calls.understanding.dialogue.addressee_by_name import addresses_bot, calls_group
from function_calls.understanding.dialogue.circumstances import ASKED, Circumstances
from function_calls.understanding.dialogue.dialogue import Context, Dialogue, list_answered
from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.reading.lexicon import Lexicon, detect_language, load_common_words, load_lexicon
from function_calls.understanding.reading.message import QUESTION_ENDS, MessageReading, Models, load_models
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.slots.time_words import find_words_beside_times
from function_calls.understanding.reading.times import HOURS_A_HALF
from function_calls.understanding.requests.chat_reminders import ChatReminders, find_shared_words
from services.time_expressions import ReadTimes, TimeReadings

_LATELY = 6
"""The number of messages that are the last ones of a chat."""
_CLAUSE_MARK = re.compile(r"[.,;:!?]")
_END_MARK = re.compile(r"[^\w\s](?=\s|$)")


class Utterance(Struct, frozen=True, kw_only=True):
    """A message as read by the models, with the state of the dialogue in which it was written.

    Attributes:
        turn: The message; a name of several words is one word in its text.
        key: The chat and the sender, whose dialogue with the bot it is.
        question: The open question of the bot to the sender.
        chat_reminders: The coming reminders of the chat; None where they were not looked up.
        is_about_bot: The message is a statement about the bot, which its name does not call.
    """

    turn: Turn
    key: str
    reading: MessageReading
    context: Context
    language: str
    question: OpenQuestion | None
    chat_reminders: ChatReminders | None
    is_about_bot: bool = False

    @property
    def words(self) -> Lexicon:
        """Return the words of the language of the message."""
        return load_lexicon(self.language)

    @property
    def common_words(self) -> frozenset[str]:
        """Return words that stand beside the name of any reminder."""
        return load_common_words(self.language)

    @property
    def models(self) -> Models:
        """Return the models of the language of the message."""
        return load_models(self.language)

    @property
    def is_addressed(self) -> bool:
        """Return whether the message is for the bot, or calls it by its name."""
        return addresses_bot(self.turn)

    @property
    def awaits_answer(self) -> bool:
        """Return whether the bot has asked the sender something, and nobody else has written since."""
        return self.question is not None and self.turn.scope.covers(self.question.message_id)


class CircumstancesReader:
    """Reads the circumstances in which a message that does not name the bot was written."""

    def __init__(self, times: ReadTimes, dialogue: Dialogue) -> None:
        self._times = times
        self._dialogue = dialogue

    def describe(self, utterance: Utterance) -> Circumstances:
        """Return the state of the chat at the time of a message."""
        from services.summary.content import asks_quantity

        turn, key, reading, words = utterance.turn, utterance.key, utterance.reading, utterance.words
        question_id = "" if utterance.question is None else utterance.question.message_id
        texts = [other.text for other in self._dialogue.list_messages_since(key, turn, question_id)]
        # The times of all these texts are read only where they can matter.
        timed_texts = texts if reading.has("WHEN") else []
        clocks = self._read_clocks(reading.text, utterance) if timed_texts else frozenset()
        is_repeated = bool(timed_texts) and self._repeats_unread_time(timed_texts, utterance)
        is_reminded_by_other = self._dialogue.is_reminded_by_other(key, turn)
        # A new request does not go on with the reminder that another person has set for this one.
        is_reminded = utterance.context == "acted" and is_reminded_by_other
        is_new = is_reminded and reading.intent == "set"
        return Circumstances(
            context="none" if is_new and self._dialogue.last_action(key, turn.now) is None else utterance.context,
            awaits_answer=utterance.awaits_answer,
            last_action=self._rate_last_action(utterance, is_reminded=is_reminded and not is_new),
            changed_subject=self._dialogue.state(key).changed_subject and not is_reminded,
            others=len(texts),
            others_named_time=is_repeated or any(self._read_clocks(text, utterance) for text in timed_texts),
            others_proposed_time=is_repeated
            or any(self._proposes_time(text, clocks, utterance) for text in timed_texts),
            others_asked_time=any(map(asks_quantity, timed_texts)),
            others_discussed_time=any(self._discusses_time(text, utterance) for text in texts),
            others_discussed_text=any(_names_reminder(text, utterance) for text in texts),
            bot_wrote_lately=utterance.chat_reminders is not None
            and any(message.sender.is_bot for message in turn.recent[-_LATELY:]),
            names_reminder=any(_names_reminder(name, utterance) for name in extract_references(reading, words)),
            answers_person=self._answers_person(utterance),
            follows_bot=follows_bot(turn),
            delivered_to_others=utterance.context == "fired" and self._dialogue.is_delivery_for_others(turn),
            awaits_completion=utterance.chat_reminders is not None and utterance.chat_reminders.awaits_completion,
            calls_group=calls_group(turn.message.text, words),
            says_not_urgent=words.has_any(words.not_urgent, _CLAUSE_MARK.sub(" ", words.fold(turn.message.text))),
            has_unanswered_request=_has_unanswered_request(turn, words),
            others_acted=self._dialogue.is_last_set_by_other(key, turn) and not is_reminded_by_other,
        )

    def _rate_last_action(self, utterance: Utterance, *, is_reminded: bool) -> Literal["none", "old", "fresh"]:
        """Return the age of the last action for the sender; a reminder just set for them by another person is one."""
        key, turn = utterance.key, utterance.turn
        if is_reminded or self._dialogue.is_fresh(key, turn):
            return "fresh"
        return "none" if self._dialogue.last_action(key, turn.now) is None else "old"

    def _answers_person(self, utterance: Utterance) -> bool:
        """Return whether the message right before this one is a question of another person, with or without its mark.

        A time that answers the bot is not for a person whose question asks for no time: "which one was it?".
        """
        from services.summary.content import asks, asks_quantity

        turn = utterance.turn
        before = turn.recent[-1] if turn.recent else None
        if before is None or before.sender.is_bot or before.sender.id == turn.message.sender.id:
            return False
        words = load_lexicon(detect_language(before.text, turn.language))
        is_question = before.text.rstrip().endswith((*QUESTION_ENDS, *words.question_endings))
        if not is_question and not asks(before.text):
            return False
        is_answer = utterance.context in ASKED and utterance.reading.has("WHEN")
        return not is_answer or asks_quantity(before.text) or bool(self._read_times(before.text, utterance))

    def _repeats_unread_time(self, texts: Sequence[str], utterance: Utterance) -> bool:
        """Return whether the words for a time that cannot be read are in one of `texts`: "half 7" without "at"."""
        if self._read_times(utterance.reading.text, utterance):
            return False
        words = utterance.words
        time = words.fold(utterance.reading.words("WHEN"))
        return any(words.has_any((time,), _END_MARK.sub("", words.fold(text))) for text in texts)

    def _read_times(self, text: str, utterance: Utterance) -> tuple[TimeReadings, ...]:
        return tuple(self._times(text, utterance.turn.now, language=utterance.language))

    def _read_clocks(self, text: str, utterance: Utterance) -> frozenset[tuple[int, int]]:
        """Return the clock times in `text`, without the half of the day."""
        bests = [time.best for time in self._read_times(text, utterance)]
        return frozenset(
            (best.start.hour % HOURS_A_HALF, best.start.minute) for best in bests if best is not None and best.has_clock
        )

    def _has_only_time(self, text: str, utterance: Utterance) -> bool:
        """Return whether `text` has no words around its times but those such as "at" and "please"."""
        words = utterance.words
        beside = find_words_beside_times(text.casefold(), self._read_times(text, utterance), words)
        return are_function_words(beside if words.joint else "".join(beside), words)

    def _proposes_time(self, text: str, clocks: frozenset[tuple[int, int]], utterance: Utterance) -> bool:
        """Return whether `text` names one of `clocks`, or has only a clock time."""
        own_clocks = self._read_clocks(text, utterance)
        return bool(own_clocks & clocks) or (bool(own_clocks) and self._has_only_time(text, utterance))

    def _discusses_time(self, text: str, utterance: Utterance) -> bool:
        """Return whether `text` discusses the time of the reminder set last, and does not only repeat it.

        It names its clock, or another time and words of its content: "isn't the recycling on Thursdays?".
        Or it asks for a later or an earlier one: 能不能晚点.
        """
        last = self._dialogue.last_set(utterance.key, utterance.turn.now)
        if last is None or self._has_only_time(text, utterance):
            return False
        content, common = str(last.arguments.get("content", "")), utterance.common_words
        words = utterance.words
        return (
            bool(find_shared_words(text, content, common) and self._read_times(text, utterance))
            or words.has_any(words.objections_to_time, words.fold(text))
            or self._asks_for_other_day(text, last, utterance)
            or self._names_clock_of(last, text, utterance)
        )

    def _asks_for_other_day(self, text: str, last: ToolCall, utterance: Utterance) -> bool:
        """Return whether `text` has a word for an exchange, and the day of the reminder set last: 周四有课，能换吗."""
        if not utterance.words.has_any(utterance.words.replacing, utterance.words.fold(text)):
            return False
        days = [
            {time.best.start.date() for time in self._read_times(each, utterance) if time.best and time.best.has_day}
            for each in (str(last.arguments.get("time", "")), text)
        ]
        return bool(days[0] & days[1])

    def _names_clock_of(self, last: ToolCall, text: str, utterance: Utterance) -> bool:
        """Return whether `text` names the clock of the reminder set by `last`, or the hour next to it.

        "It's at 3" may speak of 3:15; of 7:50 people say 8.
        """
        due = self._read_clocks(str(last.arguments.get("time", "")), utterance)
        due |= {((hour + minute // 30) % HOURS_A_HALF, 0) for hour, minute in due}
        figures = {(int(word) % HOURS_A_HALF, 0) for word in re.findall(r"(?<![\d:.])\d{1,2}(?![\d:.]\d|\d)", text)}
        return not due.isdisjoint(self._read_clocks(text, utterance) | figures)


def _names_reminder(name: str, utterance: Utterance) -> bool:
    """Return whether a reference names a coming reminder of the chat, or all of them."""
    words, reminders = utterance.words, utterance.chat_reminders
    is_all = name.casefold().startswith(tuple(f"{word}{words.joint}" for word in words.every))
    return reminders is not None and reminders.matches("all" if is_all else name, utterance.common_words)


def follows_bot(turn: Turn) -> bool:
    """Return whether the message before is one of the bot."""
    return bool(turn.recent) and turn.recent[-1].sender.is_bot


def _has_unanswered_request(turn: Turn, words: Lexicon) -> bool:
    """Return whether the sender's message before this one has a word such as "remind" and was not answered."""
    own = next((each for each in reversed(turn.recent) if each.sender.id == turn.message.sender.id), None)
    return own is not None and own.id not in list_answered(turn) and words.has_trigger(words.fold(own.text))
