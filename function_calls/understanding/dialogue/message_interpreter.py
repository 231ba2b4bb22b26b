"""Interpret a message with the trained models, in the state of its dialogue."""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.understanding.dialogue.addressee import (
    QUESTION_ENDS,
    Circumstances,
    has_trigger,
    is_for_bot,
)
from function_calls.understanding.dialogue.dialogue import Context, Dialogue
from function_calls.understanding.dialogue.intent_decision import choose_intents, is_refusal
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.events import resolve_day_meant
from function_calls.understanding.reading.lexicon import Lexicon, detect_language, load_common_words, load_lexicon
from function_calls.understanding.reading.message import (
    AFTER_ANSWER,
    NOTHING,
    MessageReading,
    Situation,
    classify_tokens,
    has_models,
    load_models,
    merge_intents,
    read_message,
    set_best_intent,
)
from function_calls.understanding.reading.names import find_name, find_text_behind_call, strip_calls
from function_calls.understanding.reading.reminder_words import ReminderWords
from function_calls.understanding.reading.segments import Classify, Read, drop_remarks, split_changes, split_requests
from function_calls.understanding.reading.tokens import TimeReader, Token, is_time
from function_calls.understanding.requests.intent_handlers import handle_intent
from function_calls.understanding.requests.open_questions import OpenQuestion
from function_calls.understanding.requests.reference_resolution import ChatReminders
from function_calls.understanding.requests.reminder_answers import ReminderAnswers, merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.time_expressions import Reading, TimeReadings

LONGEST = 400
"""The characters of a message that the models read."""
_POINTING = frozenset(
    {"answer_when", "answer_content", "cancel_ask", "repeat_last", "snooze", "undo", "done", "move", "reword", "append"}
    | {"person_add", "person_remove", "person_set", "join", "leave", "delete", "skip", "until", "pause", "resume"}
    | {"when_is", "who_set", "next_page", "keep_days", "add_days", "once", "nag", "urgent", "not_urgent"}
    | {"catch_up_all", "catch_up_latest", "catch_up_none"}
)
"""Intents about a reminder that the message may leave unnamed."""
_LATELY = 6
"""The number of messages that are the last ones of a chat."""
_HALF_DAY = 12
_MAYBE_DONE = 0.3
_LEAST_REMOVAL = 0.25
"""The probability from which a deletion that names a person only takes this person off a reminder."""
_QUOTES = "\"“”'‘’「」『』`"
_TALK = 0.5
_ASKING = frozenset({"when_is", "list", "who_set"})
"""Intents that a question about anything else resembles."""
_FEWEST_WORDS, _MOST_INTERJECTIONS = 3, 3
_SENTENCE_MARK = re.compile(r"[.!?…,;:。！？，；：\n]")
_REPEATED = re.compile(r"(.)\1+")
_BUTTONS = {"done": "done", "delete": "delete"} | dict.fromkeys(
    ("snooze_minutes", "snooze_hour", "snooze_tomorrow"), "snooze"
)
"""The intents of the buttons of a reminder."""


class Utterance(Struct, frozen=True, kw_only=True):
    """A message as read by the models, with the state of the dialogue in which it was written."""

    reading: MessageReading
    context: Context
    language: str
    question: OpenQuestion | None


class MessageInterpreter:
    """Reads messages with the trained models of a language, and makes calls of their requests."""

    def __init__(self, times: TimeReader, dialogue: Dialogue) -> None:
        self._times = times
        self._dialogue = dialogue

    def read(
        self,
        turn: Turn,
        text: str,
        language: str,
        key: str,
        question: OpenQuestion | None,
        known: ChatReminders | None = None,
    ) -> Utterance | None:
        """Read `text`, the message of `turn` without the bot's name; None where it is empty or too long.

        The texts of the `known` reminders of the chat tell which words may name one.
        """
        is_called = is_addressed(turn)
        text = _strip_quoted_lines(text)
        request = find_text_behind_call(text, turn.bot_name) if is_called else ""
        text = strip_calls(text, turn.bot_name).strip() if is_called else text.strip()
        is_quoted = text[:1] in _QUOTES and text[-1:] in _QUOTES
        is_read = has_models(language) and any(map(str.isalnum, text)) and len(text) <= LONGEST
        if not is_read or is_quoted:
            return None
        context = _get_question_context(question, self._times(text, turn.message_time, language=language))
        context = context or ("fired" if _replies_to_unknown(turn) else self._dialogue.context(key, turn))
        classify, read = self._bind_models(turn, language, context, known, is_called=is_called)
        words = load_lexicon(language)
        reading = drop_remarks(read(text), words, classify, read)
        is_remark = reading.intent == NOTHING
        if request and (is_remark or _is_complete(read(request), reading, words)):
            reading = read(request)
        pressed = _find_button_intent(text, language)
        if pressed:
            reading = set_best_intent(replace(reading, intents=((pressed, 1.0),)), pressed, load_models(language))
        if context == "fired" and reading.has("WHEN") and not (reading.has("CONTENT") or reading.has("REF")):
            reading = merge_intents(reading, "set", "snooze", load_models(language))
        if reading.has("PERSON") and reading.probability("person_remove") >= _LEAST_REMOVAL:
            reading = merge_intents(reading, "delete", "person_remove", load_models(language))
        if not any(name in words.fold(reading.text) for name in words.help_topics.get("summary", ())):
            reading = merge_intents(reading, "summary_schedule", "move", load_models(language))
        if reading.intent == "person_set":
            reading = merge_intents(reading, "reword", "person_set", load_models(language))
        return Utterance(reading=reading, context=context, language=language, question=question)

    def _bind_models(
        self, turn: Turn, language: str, context: Context, known: ChatReminders | None, *, is_called: bool
    ) -> tuple[Classify, Read]:
        """Return functions that classify tokens and read a text as if written like the message of `turn`."""
        models = load_models(language)
        follows_answer = context == "none" and not is_called and _follows_bot(turn)
        situation = Situation(
            context=AFTER_ANSWER if follows_answer else context,
            is_addressed=is_called,
            known=ReminderWords() if known is None else known.collect_words(language),
        )

        def classify(tokens: Sequence[Token]) -> tuple[tuple[str, float], ...]:
            return classify_tokens([token.form for token in tokens], situation, models)

        @cache
        def read(text: str) -> MessageReading:
            return read_message(text, turn.message_time, situation, models, self._times, language)

        return classify, read

    def interpret(
        self,
        utterance: Utterance,
        turn: Turn,
        key: str,
        answers: ReminderAnswers,
        known: ChatReminders | None = None,
    ) -> Interpretation | None:
        """Return the calls or the question of a message; None where it asks nothing or is unclear.

        `known` are the coming reminders of the chat; without it the names in earlier messages of the bot count.
        """
        if _calls_person(turn):
            return None
        for intent in self._choose_intents(utterance, turn, key, known):
            made = self._interpret_intent(utterance, intent, turn, key, answers, known)
            if made is not None or intent == "ask":  # a question to the bot alone is looked up
                return made
        return None

    def asks_for_change(self, utterance: Utterance, turn: Turn, key: str, known: ChatReminders | None) -> bool:
        """Return whether a message with "reminder" asks for a change, even if it leaves open which one."""
        words = load_lexicon(utterance.language)
        chosen = self._choose_intents(utterance, turn, key, known) if has_trigger(utterance.reading, words) else ()
        return bool(chosen) and chosen[0] in _POINTING

    def is_talk(self, utterance: Utterance, turn: Turn) -> bool:
        """Return whether a message names the bot but speaks about it: it asks nothing and is probably for people."""
        message = turn.message
        is_short = len(utterance.reading.tokens) < _FEWEST_WORDS
        you = load_lexicon(utterance.language).second_person
        is_called = _is_vocative(message.text, turn.bot_name) or any(
            token.form in you for token in utterance.reading.tokens
        )
        if message.is_private or message.reply_to is not None or is_short or is_called:
            return False
        return utterance.reading.probability("none") >= _TALK

    def _interpret_intent(
        self,
        utterance: Utterance,
        intent: str,
        turn: Turn,
        key: str,
        answers: ReminderAnswers,
        known: ChatReminders | None = None,
    ) -> Interpretation | None:
        models, words = load_models(utterance.language), load_lexicon(utterance.language)
        reading = utterance.reading
        reading = set_best_intent(reading, intent, models) if intent != reading.intent else reading
        if not self._may_be_about(reading, turn, utterance.language, key, known):
            return None
        _, read = self._bind_models(turn, utterance.language, "none", known, is_called=True)
        both = self._merge_changes(reading, utterance, turn, key, answers, known, read)
        if both is not None:
            return both
        parts = split_requests(reading, words, read) if intent == utterance.reading.intent else [reading]
        made: list[Interpretation | None] = []
        for part in parts:
            before = next((call for each in reversed(made) if each for call in each.calls), None)
            made.append(
                self._interpret_request(
                    part, utterance, turn, key, answers, known, is_part=len(parts) > 1, before=before
                )
            )
        return merge_or_none([each for each in made if each is not None])

    def _merge_changes(
        self,
        reading: MessageReading,
        utterance: Utterance,
        turn: Turn,
        key: str,
        answers: ReminderAnswers,
        known: ChatReminders | None,
        read: Read,
    ) -> Interpretation | None:
        """Return one call for two changes of a reminder; None where the message does not ask for two."""
        parts = split_changes(reading, load_lexicon(utterance.language), read)
        made = [self._interpret_request(part, utterance, turn, key, answers, known) for part in parts]
        calls = [call for each in made if each is not None for call in each.calls if call.name == "reminder_update"]
        if not parts or len(calls) != len(parts):
            return None
        first, second = calls
        merged = {**second.arguments, "reminder_id": None, **first.arguments}
        return Interpretation(calls=(replace(first, arguments=merged),))

    def _interpret_request(
        self,
        reading: MessageReading,
        utterance: Utterance,
        turn: Turn,
        key: str,
        answers: ReminderAnswers,
        known: ChatReminders | None,
        *,
        is_part: bool = False,
        before: ToolCall | None = None,
    ) -> Interpretation | None:
        """Return the calls or the question of one request of a message."""
        words = load_lexicon(utterance.language)
        reading = resolve_day_meant(reading, words)
        named = reading.words("PERSON").removeprefix("@")
        of_other = self._dialogue.last_of(named, turn) if reading.intent == "repeat_last" else None
        set_before = before if before is not None and before.name == "reminder_set" else None
        last = set_before or of_other or self._dialogue.last_set(key, turn.now)
        last_here, setter = self._dialogue.last_here(turn) or (None, turn.message.sender)
        if known is not None:
            common = words.courtesies | words.links | words.articles
            if set_before is None and last is not None:
                last = known.update_call(last, turn.message.sender.id, common)
            if last_here is not None:
                last_here = known.update_call(last_here, setter.id, common)
        forms = [token.form for token in reading.tokens]
        models = load_models(utterance.language)

        def classify(start: int) -> tuple[tuple[str, float], ...]:
            return classify_tokens(forms[start:], Situation(is_addressed=True), models)

        request = RequestContext(
            turn=turn,
            reading=reading,
            words=words,
            language=utterance.language,
            times=self._times,
            answers=answers,
            question=utterance.question,
            last_set=last,
            is_addressed=is_addressed(turn),
            may_point=utterance.context != "none" or turn.message.reply_to is not None,
            known=known,
            is_part=is_part,
            before=set_before,
            last_here=last_here,
            last_of_other=last_here if self._dialogue.is_reminded_by_other(key, turn) else None,
        )
        return handle_intent(request, classify)

    def _choose_intents(
        self, utterance: Utterance, turn: Turn, key: str, known: ChatReminders | None
    ) -> tuple[str, ...]:
        """Return the intents to act on, best first."""
        reading, context = utterance.reading, utterance.context
        words = load_lexicon(utterance.language)
        if is_refusal(reading, words):
            return ()
        is_called = is_addressed(turn)
        if is_called or is_for_bot(reading, words, self._describe_circumstances(utterance, turn, key, known)):
            has_known_words = load_models(utterance.language).knows(reading)
            chosen = choose_intents(reading, words, context, is_addressed=is_called, has_known_words=has_known_words)
            if chosen:
                return chosen
        is_answer = _awaits_answer(utterance, turn) and _is_only_time(reading, words)
        return ("answer_when",) if is_answer else self._find_done(utterance, turn, key)

    def _describe_circumstances(
        self, utterance: Utterance, turn: Turn, key: str, known: ChatReminders | None
    ) -> Circumstances:
        """Return the state of the chat in which a message that does not name the bot was written."""
        reading, language = utterance.reading, utterance.language
        words = load_lexicon(language)
        question_id = "" if utterance.question is None else utterance.question.message_id
        others = self._dialogue.list_messages_since(key, turn, question_id)
        texts = [other.text for other in others]
        last = self._dialogue.last(key, turn.now)
        # The times of all these texts are read only where they can matter.
        has_time, has_set = reading.has("WHEN"), self._dialogue.last_set(key, turn.now) is not None
        clocks = self._read_clocks(reading.text, turn, language) if has_time and texts else frozenset()

        def means(name: str) -> bool:
            is_all = name.casefold().startswith(tuple(f"{word}{words.joint}" for word in words.every))
            return known is not None and known.matches("all" if is_all else name, load_common_words(language))

        return Circumstances(
            context=utterance.context,
            awaits_answer=_awaits_answer(utterance, turn),
            last_action="none" if last is None else "fresh" if self._dialogue.is_fresh(key, turn) else "old",
            changed_subject=self._dialogue.state(key).is_passed,
            others=len(others),
            others_named_time=has_time and any(self._read_clocks(text, turn, language) for text in texts),
            others_proposed_time=has_time and any(self._proposes(text, clocks, turn, language) for text in texts),
            others_discussed_time=has_set and any(self._discusses_time(text, turn, language, key) for text in texts),
            bot_wrote_lately=known is not None and any(message.sender.is_bot for message in turn.recent[-_LATELY:]),
            has_known_words=load_models(language).knows(reading),
            names_reminder=any(map(means, slots.extract_references(reading, words))),
            answers_person=_answers_person(turn),
            follows_bot=_follows_bot(turn),
        )

    def _find_done(self, utterance: Utterance, turn: Turn, key: str) -> tuple[str, ...]:
        """Return the intent `done` where the message may have it and a reminder waits for it; else an empty tuple."""
        is_likely = utterance.reading.probability("done") >= _MAYBE_DONE
        last = self._dialogue.last_set(key, turn.now)
        return ("done",) if is_likely and last is not None and "until_done" in last.arguments else ()

    def _may_be_about(
        self, reading: MessageReading, turn: Turn, language: str, key: str, known: ChatReminders | None
    ) -> bool:
        """Return whether a question to the bot may be about a reminder, by a word for reminders or a name."""
        words = load_lexicon(language)
        named = slots.extract_references(reading, words)
        if not is_addressed(turn) or reading.intent not in _ASKING or not named:
            return True
        is_marked = any(token.form in words.reference_marks for token in reading.tokens)  # "the one at noon"
        is_said = is_marked or has_trigger(reading, words)
        return is_said or any(self._is_named(name, turn, key, known) for name in named)

    def _read_clocks(self, text: str, turn: Turn, language: str) -> frozenset[tuple[int, int]]:
        """Return the clock times in `text`, without the half of the day."""
        bests = (time.best for time in self._times(text, turn.now, language=language))
        return frozenset(filter(None, (_get_clock(best) for best in bests if best is not None)))

    def _proposes(self, text: str, clocks: frozenset[tuple[int, int]], turn: Turn, language: str) -> bool:
        """Return whether `text` names one of `clocks`, asks for another clock time, or has only a time."""
        words, named = load_lexicon(language), self._read_clocks(text, turn, language)
        left = slots.find_uncovered_words(text.casefold(), self._times(text, turn.now, language=language), words)
        is_bare = slots.are_function_words(left if words.joint else "".join(left), words)
        return bool(named) and (bool(named & clocks) or is_bare or text.rstrip().endswith(QUESTION_ENDS))

    def _discusses_time(self, text: str, turn: Turn, language: str, key: str) -> bool:
        """Return whether `text` discusses the time that was set last, and does not only repeat it."""
        words = load_lexicon(language)
        left = slots.find_uncovered_words(text.casefold(), self._times(text, turn.now, language=language), words)
        is_said = not slots.are_function_words(left if words.joint else "".join(left), words)
        return is_said and self._names_time_set(text, turn, language, key)

    def _names_time_set(self, text: str, turn: Turn, language: str, key: str) -> bool:
        """Return whether `text` names the clock time of the reminder set last."""
        last = self._dialogue.last_set(key, turn.now)
        due = self._times(str(last.arguments.get("time", "")), turn.now, language=language) if last is not None else ()
        clocks = {_get_clock(each.best) for each in due if each.best is not None}
        figures = {(int(word) % _HALF_DAY, 0) for word in re.findall(r"(?<![\d:.])\d{1,2}(?![\d:.]\d|\d)", text)}
        named = {
            _get_clock(time.best) for time in self._times(text, turn.now, language=language) if time.best is not None
        }
        return not clocks.isdisjoint((named | figures) - {None})

    def _is_named(self, name: str, turn: Turn, key: str, known: ChatReminders | None) -> bool:
        """Return whether a reference names an existing reminder."""
        if known is not None and known.matches(name, load_common_words(turn.language)):
            return True
        last = self._dialogue.last_set(key, turn.now)
        phrase = [message.text for message in turn.recent if message.sender.is_bot]
        phrase.append("" if last is None else str(last.arguments["content"]))
        parts = name.casefold().split() if name.isascii() else [name]
        return any(all(part in text.casefold() for part in parts) for text in phrase)


def _find_button_intent(text: str, language: str) -> str:
    """Return the intent of the button of a reminder whose text `text` is; "" for another text."""
    phrase = text.strip().casefold()
    return next((intent for name, intent in _BUTTONS.items() if phrase == say(language, f"button.{name}_says")), "")


def _strip_quoted_lines(text: str) -> str:
    """Return `text` without the lines that quote another message: they begin with ">"."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def _is_complete(request: MessageReading, whole: MessageReading, words: Lexicon) -> bool:
    """Return whether the sentence that begins with the bot's name is complete without the words in front of it."""
    points_back = any(token.form in words.pronouns for token in request.tokens)
    is_named = request.has("CONTENT") if request.intent == "set" else any(slots.extract_references(request, words))
    has_time, is_timed = (any(map(is_time, each.tokens)) for each in (request, whole))
    return is_named and not points_back and (has_time or not is_timed)


def _is_only_time(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message has only one time, with courtesies and links around it: "make it 6pm"."""
    times = [token for token in reading.tokens if is_time(token)]
    left = [token.form for token in reading.tokens if not is_time(token)]
    return len(times) == 1 and slots.are_function_words(left, words) and not words.find_refusal(reading.text.casefold())


def _calls_person(turn: Turn) -> bool:
    """Return whether a message that does not name the bot calls another person of the chat."""
    if is_addressed(turn):
        return False
    people = {message.sender.name for message in turn.recent if not message.sender.is_bot} - {turn.message.sender.name}
    text = turn.message.text.casefold().strip(" .!?。！？~～")
    return any(
        re.match(rf"{called}\s*[,，:：]", text) or re.search(rf"[,，]\s*{called}(?:$|[,，])", text)
        for called in (re.escape(name.casefold()) for name in people if name)
    )


def _replies_to_unknown(turn: Turn) -> bool:
    """Return whether a message replies to an unknown one, which may be a reminder that is still being sent."""
    return turn.message.reply_to is not None and not is_addressed(turn)


def _follows_bot(turn: Turn) -> bool:
    """Return whether the message before is one of the bot."""
    return bool(turn.recent) and turn.recent[-1].sender.is_bot


def _awaits_answer(utterance: Utterance, turn: Turn) -> bool:
    """Return whether the bot has asked the sender something, and nobody else has written since."""
    return utterance.question is not None and turn.scope.covers(utterance.question.message_id)


def _answers_person(turn: Turn) -> bool:
    """Return whether the message right before this one is a question of another person."""
    before = turn.recent[-1] if turn.recent else None
    if before is None or before.sender.is_bot or before.sender.id == turn.message.sender.id:
        return False
    return before.text.rstrip().endswith(QUESTION_ENDS)


def _get_clock(reading: Reading) -> tuple[int, int] | None:
    """Return the hour, without the half of the day, and the minute; None where no clock is named."""
    return (reading.start.hour % _HALF_DAY, reading.start.minute) if reading.has_clock else None


def _is_vocative(text: str, name: str) -> bool:
    """Return whether a text calls the bot by its name, and does not only mention it."""
    bot = re.escape(name)
    called = rf"@{bot}|(?:^|[\s,，]){bot}\s*[,，:：!！?？~]|[,，]\s*{bot}\s*[.!?。！？~]*$"
    return re.search(called, text, re.IGNORECASE) is not None


def _begins_sentence(text: str, named: re.Match[str]) -> bool:
    """Return whether the name is a mention, or has no word in front of it: "lovely! Bubbles remind me at 5"."""
    before = text[: named.start()].rstrip()[-1:]
    return named[0].startswith("@") or not (before.isascii() and before.isalnum())


def is_addressed(turn: Turn) -> bool:
    """Return whether a message is for the bot, or calls it by its name in the middle."""
    message = turn.message
    if message.is_addressed or message.is_private:
        return True
    named = find_name(message.text, turn.bot_name)
    if named is None:
        return False
    is_last = not message.text[named.end() :].strip(" .!?。！？~～")
    is_first = _begins_sentence(message.text, named) or _follows_interjections(turn, named)
    return is_last or is_first or _is_vocative(message.text, turn.bot_name)


def _follows_interjections(turn: Turn, named: re.Match[str]) -> bool:
    """Return whether only a few words such as "mmm" or "ok so" stand between the sentence's beginning and the name."""
    text = turn.message.text
    language = detect_language(text, turn.language)
    words = load_lexicon(language)
    before = words.fold(_SENTENCE_MARK.split(text[: named.start()])[-1]).split()
    is_short = 0 < len(before) <= _MOST_INTERJECTIONS
    if not is_short or words.fold(text[named.end() :]).strip(" ,").startswith(words.about_bot):
        return False
    return _load_interjections(language).issuperset(map(_collapse_letters, before))


@cache
def _load_interjections(language: str) -> frozenset[str]:
    return frozenset(map(_collapse_letters, load_lexicon(language).interjections))


def _collapse_letters(word: str) -> str:
    """Return `word` without the repetition of a letter: "mmm", "oooh"."""
    return _REPEATED.sub(r"\1", word)


def _get_question_context(question: OpenQuestion | None, times: Sequence[TimeReadings]) -> Context | None:
    """Return the context of an open question; None for none.

    A message without `times` answers with the content where that was asked as well.
    """
    if question is None or question.asks == "reminder":
        return None
    is_content = question.asks == "content" or not (question.content or question.options or times)
    return "asked_content" if is_content else "asked_when"
