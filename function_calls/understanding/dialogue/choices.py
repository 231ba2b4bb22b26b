"""Choose among offered times or reminders by an answer: a number, a half of the day, "both" or a name."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.dialogue.utterance import Utterance
from function_calls.understanding.open_questions import OpenQuestions
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NOTHING, MessageReading
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.slots.small_words import match_any
from function_calls.understanding.reading.slots.time_words import find_words_beside_times, make_time_words
from function_calls.understanding.reading.times import set_clock
from function_calls.understanding.requests.reminder_answers import ReminderAnswers
from services.time_expressions import Reading, ReadTimes, TimeReadings

ANSWERING_INTENTS = frozenset({"answer_when", "answer_content", "cancel_ask"})
"""Intents of answers to a question about a new reminder."""
_NOON = 12
_MAX_NAME_TOKENS = 3
"""The tokens of an answer that may be the name of a reminder; twice as many in Chinese."""
_MAX_TOKENS = 6
"""The tokens of an answer that only chooses."""
_MARKS = " .,!#。，！、:：()（）"


def answer_question(
    utterance: Utterance, answers: ReminderAnswers, questions: OpenQuestions, read: ReadTimes
) -> Interpretation | None:
    """Return the calls of an answer to the open question: for a chosen time, or for a chosen reminder."""
    question, turn, words = utterance.question, utterance.turn, utterance.words
    if question is None or not utterance.awaits_answer:
        return None
    times: tuple[Reading, ...] = ()
    if question.asks == "option":
        read_in_language = partial(read, now=turn.message_time, language=utterance.language)
        times = choose_options(utterance.reading, question.options, words, read_in_language)
    if times:
        questions.take(utterance.key, turn.now)
        return answers.set_options(question, times)
    if question.asks == "reminder" and _may_name_reminder(utterance):
        questions.take(utterance.key, turn.now)
        reference = normalize_reference(utterance.reading.text, words)
        return answers.call_tool(question.tool, {**question.reminder_options, "reminder_id": reference})
    return None


def _may_name_reminder(utterance: Utterance) -> bool:
    """Return whether a message may name the reminder that the bot asked for: a number, "the … one", or few words.

    Few words are for the bot, or those of a coming reminder.
    """
    words, reminders = utterance.words, utterance.chat_reminders
    text = utterance.reading.text.strip(" .!?。！？").casefold()
    has_mark = any(text.endswith(f"{words.joint}{mark}") for mark in words.reference_marks)
    is_short = len(utterance.reading.tokens) <= _MAX_NAME_TOKENS * (1 if words.joint else 2)
    may_answer = utterance.reading.intent in {NOTHING, "delete", *ANSWERING_INTENTS}
    name = normalize_reference(text, words)
    is_for_bot = utterance.turn.message.is_for_bot or (reminders is not None and bool(reminders.resolve(name)))
    is_short_answer = may_answer and is_short and is_for_bot
    return name.isdecimal() or has_mark or is_short_answer


def choose_options(
    reading: MessageReading, options: Sequence[Reading], words: Lexicon, read: Callable[[str], Sequence[TimeReadings]]
) -> tuple[Reading, ...]:
    """Return the options that the message chooses; empty where it says something else. `read` reads its times."""
    if not options or len(reading.tokens) > _MAX_TOKENS:
        return ()
    times = read(reading.text)
    at_clock = _choose_by_clock(times, options) if _names_only_time(reading, times, words) else None
    return _choose_by_words(reading.text, times, options, words) if at_clock is None else (at_clock,)


def _choose_by_words(
    message: str, times: Sequence[TimeReadings], options: Sequence[Reading], words: Lexicon
) -> tuple[Reading, ...]:
    """Return the options that a message with `times` chooses by a number, "both", "the later one" or "morning"."""
    text = unicodedata.normalize("NFKC", message).casefold().strip(_MARKS)
    if words.find_refusal(text):
        return ()
    phrase = _strip_around_choice(text, words)
    place = int(phrase) if phrase.isdecimal() else words.ordinals.get(phrase)
    if place is not None:
        return tuple(options[place - 1 : place]) if place else ()
    if phrase in words.both or text in words.both:
        return tuple(options)
    for names, which in ((words.earlier_one, min), (words.later_one, max)):
        if text in names:
            return (which(options, key=lambda option: option.start),)
    is_morning = None if any(map(str.isdecimal, text)) else _parse_half_of_day(text, words)
    if is_morning is None or not _names_half_of_their_day(times, options):
        return ()
    fitting = tuple(option for option in options if (option.start.hour < _NOON) is is_morning)
    return fitting if len(fitting) == 1 else ()


def _names_only_time(reading: MessageReading, times: Sequence[TimeReadings], words: Lexicon) -> bool:
    """Return whether a message is no more than a time: "8pm", "the 8pm one"."""
    if any(is_clock_without_half(make_time_words(reading.text, time).words) for time in times):
        return False
    beside = words.joint.join(find_words_beside_times(reading.text, times, words))
    return not _strip_around_choice(beside, words)


def _choose_by_clock(times: Sequence[TimeReadings], options: Sequence[Reading]) -> Reading | None:
    """Return the option at the only time of a message, a clock, or every day at that clock where the options are daily.

    "8pm", of every day at 08:00 or 20:00, is the second; "8:30pm" is every day at 20:30.
    """
    best = times[0].best if len(times) == 1 and len(times[0].readings) == 1 else None
    if best is None or best.has_day or not best.has_clock or best.start.second:
        return None
    at_clock = [option for option in options if option.start.timetz() == best.start.timetz()]
    if len(at_clock) == 1:
        return at_clock[0]
    is_daily = all((option.rrule or "").startswith("FREQ=DAILY") for option in options)
    return set_clock(options[0]._replace(start=best.start), best) if is_daily else None


def _strip_around_choice(text: str, words: Lexicon) -> str:
    """Return `text` without the words and marks that stand around a choice."""
    around = match_any(words.around_choice)
    edge = r"(?<![a-z0-9])(?:{})(?![a-z0-9])" if words.joint else "(?:{})"
    return " ".join(re.sub(edge.format(around), " ", text).translate({ord(mark): " " for mark in _MARKS}).split())


def _parse_half_of_day(text: str, words: Lexicon) -> bool | None:
    """Return True for the morning, False for the afternoon, None where the text names neither or both."""
    edge = r"(?<![a-z0-9])(?<!\d ){}(?![a-z])" if words.joint else "{}"  # behind a figure it is part of a clock
    is_before, is_after = (
        any(re.search(edge.format(re.escape(name)), text) for name in names)
        for names in (words.before_noon, words.after_noon)
    )
    return is_before if is_before is not is_after else None


def _names_half_of_their_day(times: Sequence[TimeReadings], options: Sequence[Reading]) -> bool:
    """Return whether the times of a message name no clock, no repetition and no other day than those of the options."""
    days = {option.start.date() for option in options}

    def is_part_of_days(best: Reading) -> bool:
        is_on_days = not best.has_day or best.start.date() in days
        return is_on_days and best.rrule is None and not best.has_clock

    return all(time.best is not None and is_part_of_days(time.best) for time in times)
