"""Read a message with the trained network, in the state of its dialogue."""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Turn
from function_calls.understanding.dialogue.addressee_by_name import (
    addresses_bot,
    may_mention_bot,
    may_state_about_bot,
    replies_to_unknown,
    speaks_about_bot,
)
from function_calls.understanding.dialogue.dialogue import Context, Dialogue
from function_calls.understanding.dialogue.intent_repair import repair_intents
from function_calls.understanding.dialogue.utterance import Utterance, follows_bot
from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.reading.lexicon import Lexicon, load_common_words, load_lexicon
from function_calls.understanding.reading.message import (
    AFTER_ANSWER,
    CERTAIN,
    NOTHING,
    Classify,
    MessageReading,
    Read,
    Situation,
    classify_tokens,
    has_models,
    load_models,
    read_message,
    set_only_intent,
)
from function_calls.understanding.reading.names import find_members, find_name, find_text_behind_call, strip_calls
from function_calls.understanding.reading.reminder_words import ReminderWords
from function_calls.understanding.reading.segments.remarks import drop_remarks, lacks_day
from function_calls.understanding.reading.segments.request_splits import name_zone
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import strip_edges
from function_calls.understanding.reading.tokens import Token
from function_calls.understanding.requests.chat_reminders import ChatReminders
from services.time_expressions import ReadTimes

MAX_TEXT_LENGTH = 400
"""The characters of a message that the models read."""
_QUOTES = "\"“”'‘’「」『』`"
_MAX_TALK_PROBABILITY_BY_NAME = 0.3
"""The probability of talk below which a message with the bot's name among its words is for the bot."""
_MIN_TALK_ABOUT_BOT_PROBABILITY = 0.8
"""The probability from which a statement with the bot as its subject, read as said to people, is talk."""
_ELLIPTIC = frozenset(
    {"move", "reword", "answer_when", "answer_content", "cancel_ask", "done", "snooze", "repeat_last"}
    | {"urgent", "not_urgent", "once", "nag", "until", "add_days", "keep_days"}
)
"""Intents of requests without an order, whose verb may stand without its subject: "was meant to be 7"."""
_MAX_WORDS_OF_INQUIRY = 3
_INQUIRING = frozenset({"when_is", "who_set", "list", "ask", "time_now", "recall", "summary"})
"""Intents of questions, whose verb comes first where words have spaces."""
_BUTTONS = {"done": "done", "delete": "delete"} | dict.fromkeys(
    ("snooze_minutes", "snooze_hour", "snooze_tomorrow"), "snooze"
)
"""The intents of the buttons of a reminder."""


class TextReader(Struct, frozen=True, kw_only=True):
    """Reads texts as if written like the message of `turn`, with the names of the `chat_reminders`."""

    turn: Turn
    language: str
    chat_reminders: ChatReminders | None
    times: ReadTimes

    def bind(self, context: Context, *, is_addressed: bool) -> tuple[Classify, Read]:
        """Return functions that classify tokens and read a text in the state `context` of the dialogue."""
        models, reminders = load_models(self.language), self.chat_reminders
        follows_answer = context == "none" and not is_addressed and follows_bot(self.turn)
        situation = Situation(
            context=AFTER_ANSWER if follows_answer else context,
            is_addressed=is_addressed,
            reminder_words=ReminderWords() if reminders is None else reminders.collect_words(self.language),
        )

        def classify(tokens: Sequence[Token]) -> tuple[tuple[str, float], ...]:
            return classify_tokens([token.form for token in tokens], situation, models).intents

        @cache
        def read(text: str) -> MessageReading:
            return read_message(text, self.turn.message_time, situation, models, self.times, self.language)

        return classify, read

    def read(self, text: str, context: Context = "none", *, is_addressed: bool) -> MessageReading:
        """Read a text in the state `context` of the dialogue."""
        return self.bind(context, is_addressed=is_addressed)[1](text)


class MessageReader:
    """Reads messages with the trained networks of a language, in the state of the dialogue with their sender."""

    def __init__(self, times: ReadTimes, dialogue: Dialogue) -> None:
        self._times = times
        self._dialogue = dialogue

    def read(
        self,
        turn: Turn,
        text: str,
        language: str,
        key: str,
        question: OpenQuestion | None,
        reminders: ChatReminders | None,
    ) -> Utterance | None:
        """Read `text`, the message of `turn` without the bot's name; None where it is empty or too long.

        The texts of the `chat_reminders` tell which words may name one.
        """
        is_addressed = addresses_bot(turn)
        text, behind_call = self._strip_call(
            _strip_quoted_lines(text), turn, language, reminders, is_addressed=is_addressed
        )
        if not has_models(language) or not _is_readable(text):
            return None
        context = self._get_question_context(question, turn, text, language)
        context = context or ("fired" if replies_to_unknown(turn) else self._dialogue.context(key, turn))
        texts = TextReader(turn=turn, language=language, chat_reminders=reminders, times=self._times)
        if not is_addressed and _requests_by_name(text, context, texts):
            turn, is_addressed = replace(turn, message=replace(turn.message, is_addressed=True)), True
            text = strip_calls(text, turn.bot_name)
        reading = _read_whole(text, behind_call, context, texts, is_addressed=is_addressed)
        button_intent = _find_button_intent(text, language)
        if button_intent:
            reading = set_only_intent(reading, button_intent, load_models(language))
        return Utterance(
            turn=turn,
            key=key,
            reading=self._repair_intents(reading, context, texts, key),
            context=context,
            language=language,
            question=question,
            chat_reminders=reminders,
            is_about_bot=_states_about_bot(text, turn, replace(texts, chat_reminders=None)),
        )

    def _strip_call(
        self, text: str, turn: Turn, language: str, reminders: ChatReminders | None, *, is_addressed: bool
    ) -> tuple[str, str]:
        """Return `text` without the bot's name, and its end behind the name in a later sentence; "" for none.

        Words for the time of another reminder, and for a place where the sender is, are replaced by what they mean.
        """
        behind_call = find_text_behind_call(text, turn.bot_name) if is_addressed else ""
        text = strip_calls(text, turn.bot_name).strip() if is_addressed else text.strip()
        text = text if reminders is None else self._name_same_time(text, turn, language, reminders)
        zone_statement = name_zone(text, load_lexicon(language)) if is_addressed else ""
        return (zone_statement, "") if zone_statement else (text, behind_call)

    def _repair_intents(self, reading: MessageReading, context: Context, texts: TextReader, key: str) -> MessageReading:
        """Return `reading` without the intents that its words, its context and the people of the chat rule out."""
        words, models, turn = load_lexicon(texts.language), load_models(texts.language), texts.turn
        is_about_summaries = self._is_about_summaries(reading, words, turn, key)
        members = find_members(turn)
        return repair_intents(reading, context, members, words, models, is_about_summaries=is_about_summaries)

    def _get_question_context(
        self, question: OpenQuestion | None, turn: Turn, text: str, language: str
    ) -> Context | None:
        """Return the context of an open question; None for none.

        A `text` without a time answers with the content where that was asked as well.
        """
        if question is None or question.asks == "reminder":
            return None
        lacks_content = not (question.content or question.options)
        is_content = lacks_content and not self._times(text, turn.message_time, language=language)
        return "asked_content" if question.asks == "content" or is_content else "asked_when"

    def _name_same_time(self, text: str, turn: Turn, language: str, reminders: ChatReminders) -> str:
        """Return `text` with the time of the reminder in place of "the same time as the batteries".

        It is the clock alone of one that repeats, and beside a day. A name with a time is left as it is.
        """
        pattern = load_lexicon(language).same_time_of
        match = re.search(pattern, text, re.IGNORECASE) if pattern else None
        if match is None or self._times(match["name"], turn.now, language=language):
            return text
        reminder = reminders.find_only_closest(match["name"], load_common_words(language))
        if reminder is None:
            return text
        time = str(reminders.make_arguments(reminder)["time"])
        before, behind = text[: match.start()], text[match.end() :]
        others = self._times(before + behind, turn.now, language=language)
        has_day = any(each.best and each.best.has_day for each in others)
        is_clock = has_day or reminder.schedule.rule is not None
        return f"{before}{time.partition(' ')[2] if is_clock else time}{behind}"

    def _is_about_summaries(self, reading: MessageReading, words: Lexicon, turn: Turn, key: str) -> bool:
        """Return whether a message or the last action is about summaries."""
        last, text = self._dialogue.last_action(key, turn.now), words.fold(reading.text)
        follows_summary = last is not None and any(call.name == "summary_schedule" for call in last.calls)
        return follows_summary or any(name in text for name in words.help_topics.get("summary", ()))


def _strip_quoted_lines(text: str) -> str:
    """Return `text` without the lines that quote another message: they begin with ">"."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def _is_readable(text: str) -> bool:
    """Return whether a message has words, is not too long and is not a quotation as a whole."""
    is_quoted = text[:1] in _QUOTES and text[-1:] in _QUOTES
    return any(map(str.isalnum, text)) and len(text) <= MAX_TEXT_LENGTH and not is_quoted


def _find_button_intent(text: str, language: str) -> str:
    """Return the intent of the button of a reminder whose text `text` is; "" for another text."""
    phrase = text.strip().casefold()
    return next((intent for name, intent in _BUTTONS.items() if phrase == say(language, f"button.{name}_says")), "")


def _read_whole(
    text: str, behind_call: str, context: Context, texts: TextReader, *, is_addressed: bool
) -> MessageReading:
    """Read a message without its remarks, or only the request `behind_call` where that is complete.

    After an action, a change that names no reminder is read as in a new dialogue if it is a whole request there.
    """
    classify, read = texts.bind(context, is_addressed=is_addressed)
    words = load_lexicon(texts.language)
    group = _find_group(text, words) if is_addressed and context == "acted" else ""
    if group:
        reading = replace(read(group), intents=(("person_set", 1.0),))
        return reading.with_tags(["PERSON"] * len(reading.tokens))
    reading = drop_remarks(read(text), words, classify, read)
    if behind_call and (reading.intent == NOTHING or _is_complete(read(behind_call), reading, words)):
        reading = read(behind_call)
    if context == "acted" and reading.intent == "move" and not reading.reminder_places:
        alone = texts.read(reading.text, is_addressed=is_addressed)
        is_new = alone.has("WHEN") and alone.has("CONTENT") and alone.probability("set") >= CERTAIN
        return alone if is_new else reading
    return reading


def _find_group(text: str, words: Lexicon) -> str:
    """Return everybody or both, where a message only says that they are reminded: "no, both of us"; "" for others."""
    group, around = strip_edges(words.fold(text), {*words.corrections, *words.person_marks}, words.joint)
    is_of_people = group not in {*words.all, *words.both} or not around.isdisjoint(words.person_marks)
    phrase = f"{words.joint}{group}{words.joint}"
    is_everyone = group in words.everyone and any(phrase in each for each in words.for_everyone)
    return group if is_of_people and (is_everyone or group in words.both_of_us) else ""


def _is_complete(request: MessageReading, whole: MessageReading, words: Lexicon) -> bool:
    """Return whether the sentence that begins with the bot's name is complete without the words in front of it."""
    points_back = any(token.form in words.pronouns for token in request.tokens)
    is_named = request.has("CONTENT") if request.intent == "set" else any(extract_references(request, words))
    has_time, is_timed = (bool(each.times) for each in (request, whole))
    has_all_times = not is_timed or (has_time and not lacks_day(request.tokens, whole.tokens))
    return is_named and not points_back and has_all_times


def _requests_by_name(text: str, context: Context, texts: TextReader) -> bool:
    """Return whether a message with the bot's name among its words asks for something: "oh and bubbles skip it"."""
    turn = texts.turn
    if find_name(text, turn.bot_name) is None or speaks_about_bot(turn):
        return False
    reading = texts.read(strip_calls(text, turn.bot_name), context, is_addressed=False)
    return reading.probability(NOTHING) < _MAX_TALK_PROBABILITY_BY_NAME


def _states_about_bot(text: str, turn: Turn, texts: TextReader) -> bool:
    """Return whether a message is a statement about the bot: read as said to people, it is surely talk.

    A request may leave out its subject as well, or be a question: "Bubbles was meant to be 7", "Bubbles is it on".
    """
    is_mention = may_mention_bot(turn)
    if not is_mention and not may_state_about_bot(turn):
        return False
    is_talk = texts.read(turn.message.text, is_addressed=False).probability(NOTHING) >= _MIN_TALK_ABOUT_BOT_PROBABILITY
    if is_mention or not is_talk:
        return is_talk
    request = find_text_behind_call(turn.message.text, turn.bot_name) or strip_calls(text, turn.bot_name)
    reading = texts.read(request, is_addressed=True)
    has_verb_first = load_lexicon(texts.language).joint != "" and reading.intent in _INQUIRING
    return reading.intent not in _ELLIPTIC and not (has_verb_first and _is_plain_inquiry(reading))


def _is_plain_inquiry(reading: MessageReading) -> bool:
    """Return whether a question without a question mark is short ("is it on"), or surely has a time or a name."""
    has_matter = bool(reading.times) or any(map(reading.has, ("REF", "TOPIC", "ZONE")))
    return len(reading.tokens) <= _MAX_WORDS_OF_INQUIRY or (reading.is_certain and has_matter)
