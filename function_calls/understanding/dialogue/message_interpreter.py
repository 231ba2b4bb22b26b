"""Interpret a message with the trained network, in the state of its dialogue."""

import re
from collections.abc import Collection, Sequence
from datetime import UTC
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.language.recognized_phrases import is_greeting
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.understanding.dialogue.addressee import (
    ASKED,
    calls_person,
    has_trigger,
    is_addressed,
    is_for_bot,
    is_vocative,
    may_mention_bot,
    may_state_about_bot,
    speaks_about_bot,
)
from function_calls.understanding.dialogue.dialogue import Context, Dialogue
from function_calls.understanding.dialogue.intent_decision import choose_intents, continue_setting, is_refusal
from function_calls.understanding.dialogue.utterance import CircumstancesReader, Utterance, follows_bot
from function_calls.understanding.handlers.intent_handlers import find_topic_by_word, handle_intent
from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.events import resolve_day_meant
from function_calls.understanding.reading.lexicon import Lexicon, load_common_words, load_lexicon
from function_calls.understanding.reading.message import (
    AFTER_ANSWER,
    NO_TAG,
    NOTHING,
    QUESTION_ENDS,
    MessageReading,
    Models,
    Situation,
    classify_tokens,
    has_models,
    load_models,
    merge_intents,
    read_message,
    set_best_intent,
)
from function_calls.understanding.reading.names import find_members, find_name, find_text_behind_call, strip_calls
from function_calls.understanding.reading.reminder_words import ReminderWords
from function_calls.understanding.reading.segments import (
    Classify,
    Read,
    drop_remarks,
    lacks_day,
    name_zone,
    split_changes,
    split_requests,
)
from function_calls.understanding.reading.tag_repair import (
    complete_references,
    cut_names,
    retag_reminders,
    split_day_of_name,
    split_name_from_person,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, TimeReader, Token, is_time, split_clauses
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.reference_resolution import ChatReminders
from function_calls.understanding.requests.references import IT, reminds
from function_calls.understanding.requests.reminder_answers import ReminderAnswers, merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.people.zones import find_zone
from services.reminders.model import Reminder, ReminderAction
from services.time_expressions import TimeReadings

LONGEST = 400
"""The characters of a message that the models read."""
_POINTING = frozenset(
    {"answer_when", "answer_content", "cancel_ask", "repeat_last", "snooze", "undo", "done", "move", "reword", "append"}
    | {"person_add", "person_remove", "person_set", "join", "leave", "delete", "skip", "until", "pause", "resume"}
    | {"when_is", "who_set", "next_page", "keep_days", "add_days", "once", "nag", "urgent", "not_urgent"}
    | {"catch_up_all", "catch_up_latest", "catch_up_none"}
)
"""Intents about a reminder that the message may leave unnamed."""
_CERTAIN = 0.9
_LEAST_REMOVAL = 0.25
"""The probability from which a deletion that names a person only takes this person off a reminder."""
_LEAST_DONE = 0.25
"""The probability from which a statement to the bot with words of one reminder says that this one is done."""
_QUOTES = "\"“”'‘’「」『』`"
_TALK = 0.5
_MOST_TALK_BY_NAME = 0.3
"""The probability of talk below which a message with the bot's name among its words is for the bot."""
_LEAST_TALK_ABOUT_BOT = 0.8
"""The probability from which a statement with the bot as its subject, read as said to people, is talk."""
_ELLIPTIC = frozenset(
    {"move", "reword", "answer_when", "answer_content", "cancel_ask", "done", "snooze", "repeat_last"}
    | {"urgent", "not_urgent", "once", "nag", "until", "add_days", "keep_days"}
)
"""Intents of requests without an order, whose verb may stand without its subject: "was meant to be 7"."""
_INQUIRING = frozenset({"when_is", "who_set", "list", "ask", "time_now", "recall", "summary"})
"""Intents of questions, whose verb comes first where words have spaces."""
_STOPPING = frozenset({"delete", "pause", "resume", "skip", "done"})
"""Intents that a question for some reminders resembles: 哪些提醒暂停了."""
_ASKING = frozenset({"when_is", "list", "who_set"})
"""Intents that a question about anything else resembles."""
_FEWEST_WORDS, _REFERENCE, _BOTH = 3, 5, 2
_BUTTONS = {"done": "done", "delete": "delete"} | dict.fromkeys(
    ("snooze_minutes", "snooze_hour", "snooze_tomorrow"), "snooze"
)
"""The intents of the buttons of a reminder."""


class _TextReader(Struct, frozen=True, kw_only=True):
    """Reads texts as if written like the message of `turn`, with the names of the `known` reminders."""

    turn: Turn
    language: str
    known: ChatReminders | None
    times: TimeReader

    def bind(self, context: Context, *, is_called: bool) -> tuple[Classify, Read]:
        """Return functions that classify tokens and read a text in the state `context` of the dialogue."""
        models = load_models(self.language)
        follows_answer = context == "none" and not is_called and follows_bot(self.turn)
        situation = Situation(
            context=AFTER_ANSWER if follows_answer else context,
            is_addressed=is_called,
            known=ReminderWords() if self.known is None else self.known.collect_words(self.language),
        )

        def classify(tokens: Sequence[Token]) -> tuple[tuple[str, float], ...]:
            return classify_tokens([token.form for token in tokens], situation, models).intents

        @cache
        def read(text: str) -> MessageReading:
            return read_message(text, self.turn.message_time, situation, models, self.times, self.language)

        return classify, read

    def read(self, text: str, context: Context = "none", *, is_called: bool) -> MessageReading:
        """Read a text in the state `context` of the dialogue."""
        return self.bind(context, is_called=is_called)[1](text)


class MessageInterpreter:
    """Reads messages with the trained networks of a language, and makes calls of their requests."""

    def __init__(self, times: TimeReader, dialogue: Dialogue) -> None:
        self._times = times
        self._dialogue = dialogue
        self._circumstances = CircumstancesReader(times, dialogue)

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
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))  # it quotes another
        request = find_text_behind_call(text, turn.bot_name) if is_called else ""
        text = strip_calls(text, turn.bot_name).strip() if is_called else text.strip()
        text = text if known is None else self._name_same_time(text, turn, language, known)
        place = name_zone(text, load_lexicon(language)) if is_called else ""
        text, request = (place, "") if place else (text, request)
        if not has_models(language) or not _is_readable(text):
            return None
        context = _get_question_context(question, self._times(text, turn.message_time, language=language))
        context = context or ("fired" if _replies_to_unknown(turn) else self._dialogue.context(key, turn))
        texts = _TextReader(turn=turn, language=language, known=known, times=self._times)
        if not is_called and _requests_by_name(text, context, texts):
            turn, is_called = replace(turn, message=replace(turn.message, is_addressed=True)), True
            text = strip_calls(text, turn.bot_name)
        reading = _read_whole(text, request, context, texts, is_called=is_called)
        words, models = load_lexicon(language), load_models(language)
        phrase = text.strip().casefold()
        pressed = next((_BUTTONS[each] for each in _BUTTONS if phrase == say(language, f"button.{each}_says")), "")
        if pressed:
            reading = set_best_intent(replace(reading, intents=((pressed, 1.0),)), pressed, models)
        is_about_summaries = self._is_about_summaries(reading, words, turn, key)
        reading = _merge_similar_intents(reading, context, words, models, is_about_summaries=is_about_summaries)
        reading = _find_subject(reading, find_members(turn), words, models)
        return Utterance(
            turn=turn,
            key=key,
            reading=reading,
            context=context,
            language=language,
            question=question,
            known=known,
            is_about_bot=_states_about_bot(text, turn, replace(texts, known=None)),
        )

    def _name_same_time(self, text: str, turn: Turn, language: str, known: ChatReminders) -> str:
        """Return `text` with the time of the reminder in place of "the same time as the batteries".

        It is the clock alone of one that repeats, and beside a day. A name with a time is left as it is.
        """
        pattern = load_lexicon(language).same_time_of
        found = re.search(pattern, text, re.IGNORECASE) if pattern else None
        if found is None or self._times(found["name"], turn.now, language=language):
            return text
        named = known.find_only_closest(found["name"], load_common_words(language))
        if named is None:
            return text
        day, _, clock = str(known.make_arguments(named)["time"]).partition(" ")
        rest = f"{text[: found.start()]}{text[found.end() :]}"
        has_day = any(time.best and time.best.has_day for time in self._times(rest, turn.now, language=language))
        is_clock = has_day or named.schedule.rule is not None
        return f"{text[: found.start()]}{clock if is_clock else f'{day} {clock}'}{text[found.end() :]}"

    def _is_about_summaries(self, reading: MessageReading, words: Lexicon, turn: Turn, key: str) -> bool:
        """Return whether a message or the last action is about summaries."""
        last, text = self._dialogue.last(key, turn.now), words.fold(reading.text)
        is_next = last is not None and any(call.name == "summary_schedule" for call in last.calls)
        return is_next or any(name in text for name in words.help_topics.get("summary", ()))

    def interpret(self, utterance: Utterance, answers: ReminderAnswers) -> Interpretation | None:
        """Return the calls or the question of a message; None where it asks nothing or is unclear."""
        turn = utterance.turn
        is_for_people = calls_person(turn) or (speaks_about_bot(turn) and not utterance.is_addressed)
        if is_for_people or (_replies_to_unknown(turn) and utterance.reading.intent != "done"):
            return None
        if utterance.reading.intent == "move" and self._is_about_fired(utterance):
            reading = merge_intents(utterance.reading, "move", "snooze", utterance.models)
            utterance = replace(utterance, reading=reading)
        for intent in self._prefer_new_reminder(self._choose_intents(utterance), utterance):
            made = self._interpret_intent(utterance, intent, answers)
            if made is not None or intent == "ask":  # a question to the bot alone is looked up
                return made
        return None

    def _is_about_fired(self, utterance: Utterance) -> bool:
        """Return whether a new time without a name is for a reminder that has just come and comes no more."""
        reading, known = utterance.reading, utterance.known
        is_named = reading.has("REF") or reading.has_form("@rule")
        if utterance.context != "fired" or known is None or is_named or utterance.turn.message.reply_to is not None:
            return False
        said = self._dialogue.find_delivery_text(utterance.turn)
        return bool(said) and not any(each.content in said for each in known.reminders)

    def _prefer_new_reminder(self, intents: tuple[str, ...], utterance: Utterance) -> tuple[str, ...]:
        """Return `intents` with `set` first where a change names a reminder that the chat does not have, and a rule."""
        named = [name for name in slots.extract_references(utterance.reading, utterance.words) if name]
        is_other = utterance.known is None or intents[:1] not in {("move",), ("nag",)} or "set" not in intents
        if is_other or not named or any(self._is_named(name, utterance) for name in named):
            return intents
        reading = set_best_intent(utterance.reading, "set", utterance.models)
        has_rule = reading.has_form("@rule")
        is_clear = utterance.words.fold(reading.words("PERSON")) not in utterance.words.pronouns
        return ("set", *intents) if has_rule and is_clear and reading.has("CONTENT") else intents

    def asks_for_change(self, utterance: Utterance) -> bool:
        """Return whether a message with "reminder" asks for a change, even if it leaves open which one."""
        chosen = self._choose_intents(utterance) if has_trigger(utterance.reading, utterance.words) else ()
        return bool(chosen) and chosen[0] in _POINTING

    def _interpret_intent(self, utterance: Utterance, intent: str, answers: ReminderAnswers) -> Interpretation | None:
        """Return the calls or the question of a message if its intent is `intent`."""
        reading = utterance.reading
        if intent != reading.intent:
            reading = set_best_intent(reading, intent, utterance.models)
        if not self._may_be_about_reminder(reading, utterance):
            return None
        texts = _TextReader(turn=utterance.turn, language=utterance.language, known=utterance.known, times=self._times)
        read, read_here = (texts.bind(context, is_called=True)[1] for context in ("none", utterance.context))
        changes = split_changes(reading, utterance.words, read, read_here)
        merged = _merge_changes(self._interpret_parts(changes, utterance, answers, is_part=False))
        if merged is not None:
            return merged
        parts = split_requests(reading, utterance.words, read) if intent == utterance.reading.intent else [reading]
        parts = [retag_reminders(part, utterance.words, read) for part in parts]
        made = _drop_repeated(self._interpret_parts(parts, utterance, answers, is_part=len(parts) > 1), utterance.known)
        return _change_zone_first(made, utterance.turn) or merge_or_none(made)

    def _interpret_parts(
        self, parts: Sequence[MessageReading], utterance: Utterance, answers: ReminderAnswers, *, is_part: bool
    ) -> list[Interpretation]:
        """Return the calls of the requests of a message, each made with the call of the one before.

        Of several, one that is surely a request and of which nothing is made is named.
        """
        made: list[Interpretation] = []
        left: list[str] = []
        for part in parts:
            before = next((call for each in reversed(made) for call in each.calls), None)
            one = self._interpret_request(part, utterance, answers, is_part=is_part, before=before)
            if one is not None:
                made.append(one)
            elif is_part and part.intent != NOTHING and part.intents[0][1] >= _CERTAIN:
                left.append(part.text)
        if made and left:
            made.append(Interpretation(answer=say(utterance.language, "offline.part_left", text=left[0])))
        return made

    def _interpret_request(
        self,
        reading: MessageReading,
        utterance: Utterance,
        answers: ReminderAnswers,
        *,
        is_part: bool,
        before: ToolCall | None,
    ) -> Interpretation | None:
        """Return the calls or the question of one request of a message; `before` is the call of the one before."""
        turn, known = utterance.turn, utterance.known
        reading = _repair_names(reading, utterance)
        named_before = _find_named(before, known)
        set_before = before if before is not None and before.name == "reminder_set" else None
        of_named = None if named_before is None or known is None else known.make_set_call(named_before)
        said_here = self._dialogue.last_here(turn)
        last_here = None if said_here is None else _update_call(said_here[0], said_here[1].id, utterance)
        request = RequestContext(
            turn=turn,
            reading=reading,
            words=utterance.words,
            language=utterance.language,
            times=self._times,
            answers=answers,
            question=utterance.question,
            last_set=set_before or of_named or self._find_last_set(reading, utterance),
            is_addressed=utterance.is_addressed,
            may_point=utterance.context != "none" or turn.message.reply_to is not None,
            known=known,
            is_part=is_part,
            before=set_before,
            last_here=last_here,
            last_of_other=last_here if self._dialogue.is_last_by_other(utterance.key, turn) else None,
            listed=named_before or self._find_listed(utterance),
            last=self._find_last_call(utterance),
        )
        forms = reading.forms

        def classify(start: int) -> tuple[tuple[str, float], ...]:
            return classify_tokens(forms[start:], Situation(is_addressed=True), utterance.models).intents

        made = handle_intent(request, classify)
        # After a request for an unknown reminder, "make it 10" is about that one, and changes no older reminder.
        has_failed = self._dialogue.has_failed(utterance.key, turn.now) and turn.message.reply_to is None
        is_unnamed = made is not None and any(call.arguments.get("reminder_id") in {"", IT} for call in made.calls)
        return None if is_unnamed and (has_failed or _names_unknown(before, known)) else made

    def _find_last_set(self, reading: MessageReading, utterance: Utterance) -> ToolCall | None:
        """Return the call that set a reminder last for the sender, or for the person whom "for her too" means."""
        turn = utterance.turn
        named = reading.words("PERSON").removeprefix("@")
        of_other = self._dialogue.last_of(named, turn) if reading.intent == "repeat_last" else None
        last = of_other or self._dialogue.last_set(utterance.key, turn.now)
        return None if last is None else _update_call(last, turn.message.sender.id, utterance)

    def _find_listed(self, utterance: Utterance) -> Reminder | None:
        """Return the only reminder that the bot has just listed for the sender by its name, or of the sender's.

        Return the regular summary of the chat if the last action was for that.
        """
        last, known = self._dialogue.last(utterance.key, utterance.turn.now), utterance.known
        if last is not None and known is not None and last.is_change:
            summaries = [each for each in known.reminders if each.action is ReminderAction.SUMMARY]
            is_changed = last.calls[-1].arguments.get("reminder_id") in [each.id for each in summaries]
            is_meant = is_changed or last.calls[-1].name == "summary_schedule"
            return summaries[0] if is_meant and len(summaries) == 1 else None
        if utterance.context != "listed" or last is None or known is None:
            return None
        name, person = str(last.calls[0].arguments.get("filter") or ""), utterance.turn.message.sender
        found = known.resolve(name) if name else ()
        shown = [each for each in known.reminders if each.id in known.shown.ids and known.shown.at >= last.at]
        own = [each for each in shown if each.creator.id == person.id or reminds(each, person)]
        return next((one[0] for one in (found, shown, own) if len(one) == 1), None)

    def _choose_intents(self, utterance: Utterance) -> tuple[str, ...]:
        """Return the intents to act on, best first."""
        reading, words = utterance.reading, utterance.words
        if is_refusal(reading, words):
            return ()
        if _tells_event(utterance):
            return ("answer_when",)
        explains = f"{words.fold(reading.text)}{words.joint}".startswith(words.explaining)  # "help me with summaries"
        if explains and utterance.is_addressed and not reading.times and find_topic_by_word(reading, words) is not None:
            return ("help",)
        last = self._find_last_call(utterance)
        names, known = slots.extract_references(reading, words), utterance.known
        is_gone = known is None or not any(known.matches(name, load_common_words(utterance.language)) for name in names)
        if reading.intent == "resume" and is_gone and last.name == "reminder_delete":
            return ("undo",)
        if reading.intent == "next_page" and last.arguments.get("action") == "pause":  # "continue"
            return ("resume",)
        continued = continue_setting(reading, last, words, {*map(words.fold, find_members(utterance.turn))})
        is_called = utterance.is_addressed
        if is_called or is_for_bot(
            _read_as_request(reading, utterance.models), words, self._circumstances.describe(utterance)
        ):
            is_done = is_called and self._reports_done(utterance)
            chosen = ("done",) if is_done else choose_intents(reading, utterance.context, is_addressed=is_called)
            chosen = (continued,) if continued and (is_called or continued == "quiet") else chosen
            if chosen:
                return chosen
        if utterance.awaits_answer and _is_only_time(reading, words):
            return ("answer_when",)
        return ("move",) if self._begins_with_new_time(utterance) else ()

    def _reports_done(self, utterance: Utterance) -> bool:
        """Return whether a statement may report that the matter of one reminder is done: "I called the vet"."""
        reading, known = utterance.reading, utterance.known
        is_likely = reading.intent in {NOTHING, "done", "reword"} and reading.probability("done") >= _LEAST_DONE
        is_statement = not reading.is_question and set(reading.tags) == {NO_TAG}
        if known is None or not is_likely or not is_statement:
            return False
        return known.find_only_closest(reading.text, load_common_words(utterance.language)) is not None

    def _find_last_call(self, utterance: Utterance) -> ToolCall:
        """Return the last call for the sender; one without a name where there is none."""
        last = self._dialogue.last(utterance.key, utterance.turn.now)
        calls = (ToolCall(id="", name="", arguments={}),) if last is None else last.calls
        return calls[0 if calls[0].name == "memory_search" else -1]

    def _begins_with_new_time(self, utterance: Utterance) -> bool:
        """Return whether a message behind the bot's answer begins with a clause that is only a time: 明晚吧 今天加班.

        In Chinese a space ends a clause as well.
        """
        reading, key, recent = utterance.reading, utterance.key, utterance.turn.recent
        last = self._dialogue.last(key, utterance.turn.now)
        is_behind = last is not None and bool(recent) and recent[-1].reply_to == last.message_id
        if not is_behind or utterance.context != "acted" or reading.intent != "move":
            return False
        first = next((clause for clause in split_clauses(reading.tokens) if clause), [])
        ends = {reading.tokens[at].end for at in first}
        gaps = [at for at in first[1:] if not utterance.words.joint and reading.tokens[at].start not in ends]
        first = [at for at in first if at < min(gaps, default=len(reading.tokens))]
        return _is_only_time(reading.with_tokens(first), utterance.words)

    def _may_be_about_reminder(self, reading: MessageReading, utterance: Utterance) -> bool:
        """Return whether a question may be about a reminder: the bot is addressed, or a word or a name says so.

        Without the bot's name, "undo" needs the name of a reminder if it has any, and behind the request of somebody
        else it has no other words: "undo is the best button" is a remark.
        """
        words = utterance.words
        named = slots.extract_references(reading, words)
        is_undo = reading.intent == "undo" and not utterance.is_addressed
        if is_undo and not named and self._dialogue.is_last_by_other(utterance.key, utterance.turn):
            forms = [token.form for token in reading.untagged]
            return slots.are_function_words(forms, words, words.help_topics.get("undo", ()))
        if reading.intent == "undo" and named and not utterance.is_addressed:
            return any(self._is_named(name, utterance) for name in named)
        if reading.intent not in _ASKING or not named:
            return True
        if utterance.is_addressed and reading.probability(reading.intent) >= _CERTAIN:
            return True
        is_marked = any(token.form in words.reference_marks for token in reading.tokens)  # "the one at noon"
        is_own = utterance.is_addressed and any(
            tag == "REF" and token.form in words.oneself for token, tag in reading.tagged
        )
        is_told = is_marked or is_own or has_trigger(reading, words)
        return is_told or any(self._is_named(name, utterance) for name in named)

    def _is_named(self, name: str, utterance: Utterance) -> bool:
        """Return whether a reference names an existing reminder, or words of the bot's earlier messages."""
        turn, known = utterance.turn, utterance.known
        if known is not None and known.matches(name, load_common_words(turn.language)):
            return True
        last = self._dialogue.last_set(utterance.key, turn.now)
        texts = [message.text for message in turn.recent if message.sender.is_bot]
        texts.append("" if last is None else str(last.arguments["content"]))
        parts = name.casefold().split() if name.isascii() else [name]
        return any(all(part in text.casefold() for part in parts) for text in texts)


def _is_readable(text: str) -> bool:
    """Return whether a message has words, is not too long and is not a quotation as a whole."""
    is_quoted = text[:1] in _QUOTES and text[-1:] in _QUOTES
    return any(map(str.isalnum, text)) and len(text) <= LONGEST and not is_quoted


def _read_whole(
    text: str, behind_call: str, context: Context, texts: _TextReader, *, is_called: bool
) -> MessageReading:
    """Read a message without its remarks, or only the request `behind_call` where that is complete.

    What goes on with no reminder after an action is read as if there had been none. A message to the bot that names
    only everybody or both then says who is reminded: "no, both of us".
    """
    classify, read = texts.bind(context, is_called=is_called)
    words = load_lexicon(texts.language)
    group, around = slots.strip_edges(words.fold(text), {*words.corrections, *words.person_marks}, words.joint)
    is_all = group in words.everyone and any(
        f"{words.joint}{group}{words.joint}" in each for each in words.for_everyone
    )
    is_of_people = group not in {*words.all, *words.both} or not around.isdisjoint(words.person_marks)
    if is_called and context == "acted" and is_of_people and (is_all or group in words.both_of_us):
        reading = replace(read(group), intents=(("person_set", 1.0),))
        return reading.with_tags(["PERSON"] * len(reading.tokens))
    reading = drop_remarks(read(text), words, classify, read)
    if behind_call and (reading.intent == NOTHING or _is_complete(read(behind_call), reading, words)):
        reading = read(behind_call)
    if context == "acted" and reading.intent == "move" and not reading.known:
        alone = texts.read(reading.text, is_called=is_called)
        is_complete = alone.has("WHEN") and alone.has("CONTENT")
        return alone if is_complete and alone.probability("set") >= _CERTAIN else reading
    return reading


def _requests_by_name(text: str, context: Context, texts: _TextReader) -> bool:
    """Return whether a message with the bot's name among its words asks for something: "oh and bubbles skip it"."""
    turn = texts.turn
    if find_name(text, turn.bot_name) is None or speaks_about_bot(turn):
        return False
    reading = texts.read(strip_calls(text, turn.bot_name), context, is_called=False)
    return reading.probability(NOTHING) < _MOST_TALK_BY_NAME


def _states_about_bot(text: str, turn: Turn, texts: _TextReader) -> bool:
    """Return whether a message is a statement about the bot: read as said to people, it is surely talk.

    A request may leave out its subject as well, or be a question: "Bubbles was meant to be 7", "Bubbles is it on".
    """
    is_mention = may_mention_bot(turn)
    if not is_mention and not may_state_about_bot(turn):
        return False
    is_talk = texts.read(turn.message.text, is_called=False).probability(NOTHING) >= _LEAST_TALK_ABOUT_BOT
    if is_mention or not is_talk:
        return is_talk
    request = find_text_behind_call(turn.message.text, turn.bot_name) or strip_calls(text, turn.bot_name)
    inquiring = _INQUIRING if load_lexicon(texts.language).joint else frozenset()
    return texts.read(request, is_called=True).intent not in _ELLIPTIC | inquiring


def is_talk(utterance: Utterance) -> bool:
    """Return whether a message names the bot but speaks about it: it asks nothing and is probably for people."""
    from services.summary.content import asks

    message, reading, words = utterance.turn.message, utterance.reading, utterance.words
    if message.is_private or message.reply_to is not None or len(reading.tokens) < _FEWEST_WORDS:
        return False
    orders = tuple(f"{phrase}{words.joint}" for phrase in words.calling)  # "tell me"
    is_asked = asks(message.text) or words.joint.join([*reading.forms, ""]).startswith(orders)
    is_greeted = is_vocative(message.text, utterance.turn.bot_name) or is_greeting(reading.text)
    is_called = is_greeted or not words.second_person.isdisjoint(reading.forms)
    return not (is_asked or is_called) and reading.probability(NOTHING) >= _TALK


def _repair_names(reading: MessageReading, utterance: Utterance) -> MessageReading:
    """Return the reading of a request with the names of people and reminders tagged as a whole."""
    words, members = utterance.words, find_members(utterance.turn)
    reading = split_day_of_name(resolve_day_meant(reading, words), words)
    reading = cut_names(split_name_from_person(reading, words, members), words, members)
    if utterance.known is None:
        return reading
    return complete_references(reading, [reminder.content for reminder in utterance.known.reminders], words)


def _find_named(call: ToolCall | None, known: ChatReminders | None) -> Reminder | None:
    """Return the only reminder that a call is for; None for none or several, or where it is left open."""
    name = _get_reference(call)
    found = known.resolve(name) if known is not None and name else ()
    return found[0] if len(found) == 1 else None


def _names_unknown(call: ToolCall | None, known: ChatReminders | None) -> bool:
    """Return whether a call is for a reminder that the chat does not have."""
    name = _get_reference(call)
    is_single = bool(name) and ", " not in name and not name.startswith("all")
    return known is not None and is_single and not known.can_resolve(name)


def _get_reference(call: ToolCall | None) -> str:
    """Return the reference to a reminder in a call; "" where it leaves the reminder open."""
    name = "" if call is None else str(call.arguments.get("reminder_id") or "")
    return "" if name == IT else name


def _change_zone_first(made: Sequence[Interpretation], turn: Turn) -> Interpretation | None:
    """Return only the change of the time zone beside reminders, whose times are still read in the old one."""
    calls = [call for each in made for call in each.calls]
    zones = tuple(call for call in calls if call.name == "time_zone" and call.arguments.get("zone"))
    if not zones or not any(call.name.startswith("reminder_") for call in calls):
        return None
    if all(find_zone(str(call.arguments["zone"])) == zone_name(turn.now.tzinfo or UTC) for call in zones):
        return merge_or_none([each for each in made if zones[0] not in each.calls])
    return Interpretation(calls=zones, notice=say(turn.language, "offline.zone_first"))


def _drop_repeated(made: list[Interpretation], known: ChatReminders | None) -> list[Interpretation]:
    """Return `made` without a change that one before it has made: "the lift and the west side one an hour later"."""
    found: list[Interpretation] = []
    changes: list[object] = []
    for each in made:
        call = each.calls[0] if len(each.calls) == 1 and each.calls[0].name == "reminder_update" else None
        named = () if call is None or known is None else known.resolve(str(call.arguments.get("reminder_id") or ""))
        change = None if call is None or len(named) != 1 else {**call.arguments, "reminder_id": named[0].id}
        if change is None or change not in changes:
            found.append(each)
            changes.append(change)
    return found


def _merge_changes(made: Sequence[Interpretation | None]) -> Interpretation | None:
    """Return one call for two changes of a reminder; None where the message does not ask for two."""
    calls = [call for each in made if each is not None for call in each.calls if call.name == "reminder_update"]
    if len(made) != _BOTH or len(calls) != _BOTH:
        return None
    first, second = calls
    if (first.arguments.keys() & second.arguments.keys()) - {"reminder_id"}:
        return None  # both say when, or what
    merged = {**second.arguments, "reminder_id": None, **first.arguments}
    return Interpretation(calls=(replace(first, arguments=merged),))


def _update_call(call: ToolCall, person_id: str, utterance: Utterance) -> ToolCall:
    """Return the call that set a reminder with what has been changed since, as far as the reminders are known."""
    words = utterance.words
    if utterance.known is None:
        return call
    return utterance.known.update_call(call, person_id, words.courtesies | words.links | words.articles)


def _read_as_request(reading: MessageReading, models: Models) -> MessageReading:
    """Return `reading` with the tags of its most probable request, also where it is probably none."""
    intent = next(intent for intent, _ in reading.intents if intent != NOTHING)
    return set_best_intent(reading, intent, models) if reading.intent == NOTHING else reading


def _merge_similar_intents(
    reading: MessageReading, context: Context, words: Lexicon, models: Models, *, is_about_summaries: bool
) -> MessageReading:
    """Return `reading` with the probability of intents that its words or its context exclude added to similar ones."""
    if context == "fired" and reading.has("WHEN") and not (reading.has("CONTENT") or reading.has("REF")):
        reading = merge_intents(reading, "set", "snooze", models)
    if reading.has("PERSON") and reading.probability("person_remove") >= _LEAST_REMOVAL:
        reading = merge_intents(reading, "delete", "person_remove", models)
    if reading.intent in {"delete", "resume"} and words.has_any(words.holding, words.fold(reading.text)):
        reading = merge_intents(reading, reading.intent, "pause", models)
    if not is_about_summaries:
        reading = merge_intents(reading, "summary_schedule", "move", models)
    reading = _merge_by_words(_read_as_question(reading, context, words, models), context, words, models)
    is_refused = bool(words.joint and words.find_refusal(" ".join(reading.forms)))  # "don't include me in …"
    if reading.intent == "join" and is_refused and not words.oneself.isdisjoint(reading.forms):
        reading = merge_intents(reading, "join", "leave", models)
    is_timed = bool(reading.times) or not words.joint  # 一三五 is no time expression
    if reading.intent == "keep_days" and not is_timed:  # "just dex then"
        reading = merge_intents(reading, "keep_days", "person_set", models)
    if reading.intent == "person_set":
        reading = merge_intents(reading, "reword", "person_set", models)
    if reading.intent in {"set", "repeat_last"} and _asks_for_ability(reading, words):
        for intent in ("set", "repeat_last"):
            reading = merge_intents(reading, intent, "help", models)
    return reading


def _find_subject(reading: MessageReading, members: Collection[str], words: Lexicon, models: Models) -> MessageReading:
    """Return a new text that only says which member does it as a change of people: "let Ben take the bins out".

    In Spanish a member at its end is the subject as well, as an object has "a": "que la basura la saque Luis".
    """
    handed = merge_intents(reading, "reword", "person_set", models) if reading.intent == "reword" else reading
    said = [at for at, tag in enumerate(reading.tags) if tag == "CONTENT" and handed.tags[at] != "PERSON"]
    name, content = (words.fold(text) for text in (handed.words("PERSON"), reading.words("CONTENT")))
    if name not in {words.fold(member) for member in members} or reading.known.isdisjoint(said):
        return reading
    others = [reading.forms[at] for at in said if at not in reading.known and not is_time(reading.tokens[at])]
    is_first = content.startswith(name) and words.articles.issuperset(others)
    is_last = words.person_marks and content.endswith(name) and reading.forms[said[-1]] not in words.prepositions
    return handed if is_first or is_last else reading


def _merge_by_words(reading: MessageReading, context: Context, words: Lexicon, models: Models) -> MessageReading:
    """Return `reading` with the intents that the words of the message rule out merged into those it can have."""
    replaced = [*_replace_by_beginning(reading, words), *_replace_by_phrase(reading, words)]
    said = words.joint.join(form for form in reading.forms if form.isalnum())
    if context != "fired" and reading.intent == "snooze" and said in words.later:
        replaced += [("snooze", NOTHING)]
    is_from_now = "@offset" in reading.forms and not words.has_any(words.later, words.fold(reading.text))
    is_own = reading.forms[0] in words.reminding and slots.has_pronoun(reading.forms[0], words, words.oneself_endings)
    if context == "acted" and reading.intent in {"snooze", "move"} and is_from_now and is_own:  # not what is to come
        replaced += [("snooze", "repeat_last"), ("move", "set")]
    for gone, into in replaced:
        reading = merge_intents(reading, gone, into, models)
    return reading


def _replace_by_beginning(reading: MessageReading, words: Lexicon) -> list[tuple[str, str]]:
    """Return pairs of an intent that the first words of a message rule out, and the one it has instead."""
    first, text = reading.forms[0] if reading.forms else "", words.fold(reading.text)
    is_short = len(reading.tokens) <= _REFERENCE and "@dayclock" not in reading.forms
    replaced: list[tuple[str, str]] = []
    if _asks_how(reading, words):
        asking = (_POINTING | {"set", "summary", "summary_schedule"}) - {"when_is", "who_set"}
        replaced += [(gone, "help") for gone in asking]
    if first in words.handing_over and not words.has_any(words.too, text):
        replaced += [("person_add", "person_set")]
    if is_short and text.startswith(words.listing):
        replaced += [(gone, "list") for gone in ("person_remove", "person_set", "move", "summary", "help")]
    if is_short and first in words.here:  # "here it's 7 in the morning"
        replaced += [("move", "zone")]
    if first in words.hushing:
        replaced += [(gone, "quiet") for gone in ("move", "snooze", "until")]
    return replaced


def _replace_by_phrase(reading: MessageReading, words: Lexicon) -> list[tuple[str, str]]:
    """Return pairs of an intent that phrases anywhere in a message rule out, and the one it has instead."""
    text = words.fold(reading.text)
    replaced: list[tuple[str, str]] = []
    found = re.search(words.clock_of_place, reading.text, re.IGNORECASE) if words.clock_of_place else None
    if found is not None and not reading.times and find_zone(found["place"]) is not None:  # "a la hora de Madrid"
        replaced += [(gone, "zone") for gone in ("move", "pause", "ask", "summary")]
    if words.has_any(words.skipping, text):
        replaced += [("not_urgent", "skip")]
        if not reading.has("PERSON"):
            replaced += [("person_remove", "skip")]
    if not words.joint and ("@day", "REF") in zip(reading.forms, reading.tags, strict=True):
        replaced += [("leave", "skip")]  # 明天跑步不用叫我
    is_time_alone = {*reading.tags} - {NO_TAG, "PERSON"} in ({"WHEN"}, {"OLD"})
    is_part = is_time_alone and {token.form for token in reading.times} <= {"@part"}
    if is_part and not reading.is_question and words.has_any(words.allowing, text):  # "you can wake me at night again"
        replaced += [(gone, "quiet") for gone in ("set", "snooze", "delete")]
    if words.has_any(words.keeping, text):
        is_alone = words.joint and CLAUSE_ENDS.isdisjoint(reading.forms)  # "leave Tuesdays as they are"
        changes = ("skip", "keep_days", "move") if is_alone else ()
        replaced += [(gone, NOTHING) for gone in ("delete", "undo", "done", *changes)]
    return replaced


def _read_as_question(reading: MessageReading, context: Context, words: Lexicon, models: Models) -> MessageReading:
    """Return a name of the next reminder alone, and 哪些提醒暂停了, as a question for a list.

    A change without a word that takes something back is none to undo: 把那个改了. "And in Lima?" asks for a time.
    """
    if _names_only_next(reading, context, words):
        return set_best_intent(replace(reading, intents=(("list", 1.0),)), "list", models)
    text = words.fold(reading.text)
    is_change = words.has_any(words.help_topics.get("move", ()), text)
    if reading.intent == "undo" and is_change and not words.has_any(words.undoing, text):
        return merge_intents(reading, "undo", "move", models)
    small = {*words.and_words, *words.around_time, *words.interjections, *QUESTION_ENDS} - {""}
    is_of_place = reading.is_question and slots.find_place(reading.text, small, words) != ""
    if reading.intent in {"zone", "ask", "time_now"} and is_of_place:
        return set_best_intent(replace(reading, intents=(("time_now", 1.0),)), "time_now", models)
    is_unnamed = not (reading.has("REF") or reading.has("OLD"))
    begin = next((token.form for token in reading.untagged if token.form.isalpha()), "")
    is_state = begin in words.state_verbs and reading.is_question  # "is it paused?"
    is_which = begin in words.asking_which if words.joint else words.has_any(words.asking_which, text)
    if reading.intent in _STOPPING and (is_state or (is_unnamed and is_which)):
        return merge_intents(reading, reading.intent, "list" if is_unnamed else "when_is", models)
    return reading


def _asks_for_ability(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a question names a repetition and no clock or content: "can you remind us of things weekly?"."""
    content, text = words.fold(reading.words("CONTENT")), words.fold(reading.text)
    is_indefinite = content in words.indefinites if content else words.has_any(words.indefinites, text)
    is_question = reading.text.rstrip().endswith((*QUESTION_ENDS, *words.question_endings))
    times = [token.form for token in reading.tokens if is_time(token)]
    points = words.has_any(words.demonstratives, text)
    return is_question and is_indefinite and not points and set(times) == {"@rule"}


def _asks_how(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message asks how to do something, and names no reminder: "how do I set quiet hours?"."""
    text = words.fold(reading.text)
    begins = text.startswith(tuple(f"{phrase}{words.joint}" for phrase in words.asking_how))
    times = {token.form for token in reading.tokens if is_time(token)} - {"@rule"}  # "a daily summary"
    is_open = not times and not any(map(reading.has, ("REF", "PERSON", "CONTENT", "OLD")))
    return begins and is_open and reading.is_question


def _names_only_next(reading: MessageReading, context: Context, words: Lexicon) -> bool:
    """Return whether a message is only a name of the reminder that comes next: "my next reminder", 我下一个提醒.

    "Next" alone may ask for a page of a list, or answer a question.
    """
    text = words.fold(reading.text)
    small = {*words.before_reference, *words.own, *words.reference_marks, *words.itself, *words.copulas_of_events}
    left, _ = slots.strip_edges(text, {*small, *words.asking_which, *words.articles, *words.triggers}, words.joint)
    is_named = any(word in text for word in words.triggers)
    may_answer = context in ASKED or (context == "listed" and reading.intent == "next_page")
    return left.strip(" 的个") in words.nearest and (is_named or not may_answer)


def _is_complete(request: MessageReading, whole: MessageReading, words: Lexicon) -> bool:
    """Return whether the sentence that begins with the bot's name is complete without the words in front of it."""
    points_back = any(token.form in words.pronouns for token in request.tokens)
    is_named = request.has("CONTENT") if request.intent == "set" else any(slots.extract_references(request, words))
    has_time, is_timed = (bool(each.times) for each in (request, whole))
    has_all_times = not is_timed or (has_time and not lacks_day(request.tokens, whole.tokens))
    return is_named and not points_back and has_all_times


def _is_only_time(reading: MessageReading, words: Lexicon, others: Collection[str] = ()) -> bool:
    """Return whether a message has only one time, with courtesies, links and `others` around it: "make it 6pm"."""
    left = [token.form for token in reading.tokens if not is_time(token)]
    is_single = len(reading.tokens) - len(left) == 1
    return (
        is_single and slots.are_function_words(left, words, others) and not words.find_refusal(words.fold(reading.text))
    )


def _tells_event(utterance: Utterance) -> bool:
    """Return whether a message only tells when the event is that the bot asked about: "exam's on 14 December"."""
    reading, words = utterance.reading, utterance.words
    event = "" if utterance.question is None else utterance.question.event
    named = words.fold(event).split() if words.joint else list(event)
    names = {*named} - words.articles
    names |= {f"{name}'s" for name in names}
    is_named = any(token.form in names for token in reading.tokens)
    return is_named and _is_only_time(reading, words, names | words.copulas_of_events | words.articles)


def _replies_to_unknown(turn: Turn) -> bool:
    """Return whether a message replies to an unknown one, which may be a reminder that is still being sent."""
    return turn.message.reply_to is not None and not is_addressed(turn)


def _get_question_context(question: OpenQuestion | None, times: Sequence[TimeReadings]) -> Context | None:
    """Return the context of an open question; None for none.

    A message without `times` answers with the content where that was asked as well.
    """
    if question is None or question.asks == "reminder":
        return None
    is_content = question.asks == "content" or not (question.content or question.options or times)
    return "asked_content" if is_content else "asked_when"
