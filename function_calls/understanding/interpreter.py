"""Interpret messages without a language model: as calls, one question, a hint, or silence."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.messages import catalogue, say
from function_calls.language.recognized_phrases import every_language
from function_calls.tools.calls import Interpretation, ToolCall, ToolSpec, Turn
from function_calls.understanding.acknowledgements import is_acknowledgement
from function_calls.understanding.dialogue.addressee_by_name import replies_to_other_person
from function_calls.understanding.dialogue.choices import ANSWERING_INTENTS, answer_question
from function_calls.understanding.dialogue.circumstances import has_reference_mark, has_trigger
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.dialogue_memory import DialogueMemory
from function_calls.understanding.dialogue.fallback import FallbackAnswers
from function_calls.understanding.dialogue.intent_choice import IntentChooser
from function_calls.understanding.dialogue.last_changes import LastChanges
from function_calls.understanding.dialogue.message_interpreter import MessageInterpreter
from function_calls.understanding.dialogue.message_reader import MAX_TEXT_LENGTH, MessageReader
from function_calls.understanding.dialogue.pronouns import SETTING_INTENTS, resolve_pronoun
from function_calls.understanding.dialogue.utterance import Utterance, follows_bot
from function_calls.understanding.examples import ExampleSentences
from function_calls.understanding.local_lookup import make_local_lookup, make_web_fallback, render_results
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from function_calls.understanding.reading.hidden_names import NameIgnoringTimeReader, hidden_names
from function_calls.understanding.reading.lexicon import detect_language
from function_calls.understanding.reading.message import CERTAIN, NOTHING, Situation, load_models, read_message
from function_calls.understanding.reading.names import (
    find_named_people,
    join_names,
    restore_names,
    strip_names,
    tidy_text,
)
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.requests.chat_reminders import IT, ChatReminders, ReminderLookup, ShownLookup
from function_calls.understanding.requests.new_reminders.options import add_options
from function_calls.understanding.requests.people import reminds
from function_calls.understanding.requests.reminder_answers import ReminderAnswers
from function_calls.understanding.tool_calls import CallMaker
from services.kernel.state import StateStore
from services.reminders.lookup.finder import Shown
from services.time_expressions import ReadTimes, is_effort_spent, limited_effort, parse_all, warm_up

_CHANGING_TOOLS = frozenset({"reminder_update", "reminder_delete"})
_MIN_SURE_TALK_PROBABILITY = 0.99
"""The probability of talk from which no words of a message are looked for in the reminders."""
_MAX_REMARK_TOKENS = 3
"""The most tokens of "thanks", "nice one" and the like, which do not end a dialogue."""
_TIME_TOKENS = frozenset({"@clock", "@dayclock", "@ruletime", "@offset", "@later"})
"""Tokens of times with which a message may go on with a reminder."""


class _Message(Struct, frozen=True, kw_only=True):
    """The message of a turn as read by the models.

    `joined` has the names of several words by the single words that stand for them in the text of `turn`;
    `has_too_many_times` says that not all times of the message were read.
    """

    turn: Turn
    joined: Mapping[str, str]
    utterance: Utterance | None
    has_too_many_times: bool


class OfflineInterpreter:
    """Interprets messages of people, each in the state of its dialogue with the bot.

    `store` keeps the dialogues through a restart, `reminders` looks up those of a chat and `shown` the list shown last;
    without them the dialogues last as long as the process, and names of reminders count that the bot has lately
    written.
    """

    def __init__(
        self,
        *,
        read_times: ReadTimes = parse_all,
        searches_web: bool = True,
        store: StateStore | None = None,
        reminders: ReminderLookup | None = None,
        shown: ShownLookup | None = None,
        questions: OpenQuestions | None = None,
        dialogue: Dialogue | None = None,
    ) -> None:
        self._read_times = read_times
        self._times = read_times = NameIgnoringTimeReader(read_times)
        self._searches_web = searches_web
        self._reminders = reminders
        self._shown = shown
        self._questions = questions or OpenQuestions()
        self._dialogue = dialogue or Dialogue()
        self._reader = MessageReader(read_times, self._dialogue)
        intents = IntentChooser(read_times, self._dialogue)
        self._messages = MessageInterpreter(read_times, self._dialogue, intents)
        self._memory = DialogueMemory(store, self._dialogue, self._questions)
        self._examples = ExampleSentences()
        self._fallback = FallbackAnswers(read_times, self._dialogue, intents, searches_web=searches_web)
        self._last_changes = LastChanges(self._dialogue)

    @staticmethod
    def warm_up(language: str, tools: Iterable[ToolSpec] = ()) -> None:
        """Compile the time words of `language` and the examples of `tools` before the first message needs them.

        The models are loaded with the first message in their language, which takes a tenth of a second.
        """
        warm_up((language,))
        catalogue(language)
        tuple(every_language())
        is_acknowledgement(".")
        ExampleSentences().match_template("", tuple(tools), is_addressed=True)

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return what `turn` asks for; empty where nothing was asked."""
        if turn.steps:
            instead = make_web_fallback(turn) if self._searches_web else ()
            return Interpretation(calls=instead) if instead else Interpretation(answer=render_results(turn))
        key = turn.conversation.key
        await self._memory.recall(turn)
        message = self._read_message(turn, key)
        reminders = await self._look_up_reminders(message)
        if _has_word_of_reminder(message, reminders):
            message = self._read_message(turn, key, reminders)
        elif message.utterance is not None:
            message = replace(message, utterance=replace(message.utterance, chat_reminders=reminders))
        interpretation = self._interpret_with_names(message, key)
        await self._memory.keep(turn)
        return interpretation

    async def preview(self, turn: Turn) -> Interpretation:
        """Return what `interpret` would, and leave the dialogue and its open question as they are."""
        key = turn.conversation.key
        await self._memory.recall(turn)
        copy = OfflineInterpreter(
            read_times=self._read_times,
            searches_web=self._searches_web,
            reminders=self._reminders,
            shown=self._shown,
            questions=self._questions.copy(key),
            dialogue=self._dialogue.copy(key, turn),
        )
        return await copy.interpret(turn)

    async def note_calls(self, turn: Turn, calls: tuple[ToolCall, ...]) -> None:
        """Record in the dialogue the calls that another interpreter made for the message of `turn`."""
        key = turn.conversation.key
        await self._memory.recall(turn)
        self._dialogue.note(key, turn, calls)
        self._questions.drop_before(key, turn.message.id)
        await self._memory.keep(turn)

    def read(self, turn: Turn, reminders: ChatReminders | None = None) -> Interpretation:
        """Return what `turn` asks for, without waiting; `reminders` are the coming ones of its chat."""
        key = turn.conversation.key
        return self._interpret_with_names(self._read_message(turn, key, reminders), key)

    def _read_message(self, turn: Turn, key: str, reminders: ChatReminders | None = None) -> _Message:
        """Read the message of `turn` with the models, names of several words being one."""
        turn, joined = join_names(tidy_text(turn))
        with limited_effort(), hidden_names(find_named_people(turn)):
            utterance = self._read_utterance(turn, key, reminders)
            return _Message(turn=turn, joined=joined, utterance=utterance, has_too_many_times=is_effort_spent())

    def _read_utterance(self, turn: Turn, key: str, reminders: ChatReminders | None) -> Utterance | None:
        """Read the message with the models; None where it replies to another person, or is too long."""
        if replies_to_other_person(turn):
            return None
        question = self._questions.find_open(key, turn.now)
        text = strip_names(turn.message.text, (turn.bot_name,))
        return self._reader.read(turn, text, detect_language(text, turn.language), key, question, reminders)

    async def _look_up_reminders(self, message: _Message) -> ChatReminders | None:
        """Return the coming reminders of the chat where the message may be about one; else None."""
        turn, utterance = message.turn, message.utterance
        is_asking = utterance is not None and _may_be_about_reminder(utterance)
        if self._reminders is None or not (is_asking or turn.message.is_for_bot):
            return None
        chat, person = turn.message.address, turn.message.sender
        shown = Shown() if self._shown is None else await self._shown(chat, person)
        coming = tuple(await self._reminders(chat))
        return ChatReminders(coming, turn.now, self._times, shown.with_newer(person, coming))

    def _interpret_with_names(self, message: _Message, key: str) -> Interpretation:
        """Return the calls or the answer to a message, with names as they are written; open questions keep these."""
        interpretation = self._interpret_message(message, key)
        if message.joined:
            self._questions.rename(key, message.joined)
        return restore_names(interpretation, message.joined)

    def _interpret_message(self, message: _Message, key: str) -> Interpretation:
        """Return what a message asks for, and record it in the dialogue and the open questions."""
        turn, utterance = message.turn, message.utterance
        interpretation = self._interpret_within_effort(message)
        if [call.name for call in interpretation.calls] == ["perplexity_search"] and not self._searches_web:
            web = interpretation.calls[0]
            here = make_local_lookup(turn, str(web.arguments["query"]), web)  # its refusal where nothing is found
            interpretation = replace(interpretation, calls=here or interpretation.calls)
        if turn.message.is_edited and not interpretation.calls:
            self._questions.take(key, turn.now)  # it was not asked: nobody answers a question about an edit
            return Interpretation()
        self._record(interpretation, turn, utterance, key)
        return interpretation

    def _interpret_within_effort(self, message: _Message) -> Interpretation:
        """Return what a message asks for; refuse one with more times than can be read, if it is for the bot."""
        turn, utterance = message.turn, message.utterance
        with limited_effort(), hidden_names(find_named_people(turn)):
            is_spent = message.has_too_many_times
            interpretation = Interpretation() if is_spent else self._interpret_utterance(turn, utterance)
            if utterance is not None and _has_calls_for_people(utterance, interpretation.calls):
                interpretation = Interpretation()
            if is_spent or is_effort_spent():
                refusal = Interpretation(answer=say(turn.language, "offline.too_many_times"), must_reply=True)
                interpretation = refusal if turn.message.is_for_bot else Interpretation()
        return interpretation

    def _interpret_utterance(self, turn: Turn, utterance: Utterance | None) -> Interpretation:
        """Return what a message asks for as an example of a tool or as a request; nothing for talk and thanks."""
        example = self._match_example(turn)
        if example is not None and not _forgets_reminder(example, utterance):
            return example
        if utterance is None:
            return self._fallback.answer_unread(turn)
        if utterance.is_about_bot:
            return Interpretation()
        utterance, question = resolve_pronoun(utterance, self._reader, self._dialogue)
        if question is not None:
            return question
        if utterance.question is None and is_acknowledgement(utterance.reading.text):
            return Interpretation()
        if self._last_changes.is_needless_dismissal(utterance):
            return Interpretation(answer=say(turn.language, "offline.nothing_open"), must_reply=True)
        return self._interpret_request(utterance)

    def _match_example(self, turn: Turn) -> Interpretation | None:
        """Return the call of the tool that has the message as one of its examples."""
        text = strip_names(turn.message.text, (turn.bot_name,)).strip()
        if len(text) > MAX_TEXT_LENGTH:
            return None
        name = self._examples.match_sentence(text, turn.tools)
        if name is not None:
            return Interpretation(calls=(CallMaker(turn).call(name, {}),))
        match = self._examples.match_template(text, turn.tools, is_addressed=turn.message.is_for_bot)
        return None if match is None else Interpretation(calls=(CallMaker(turn).call(*match),))

    def _interpret_request(self, utterance: Utterance) -> Interpretation:
        """Return what a message asks for: an answer, a change of the last change or a request; else a hint or help."""
        answers, question = ReminderAnswers(utterance.turn, self._questions, utterance.key), utterance.question
        answer = answer_question(utterance, answers, self._questions, self._times)
        interpretation = answer or self._last_changes.undo_dismissed(utterance) or self._last_changes.repeat(utterance)
        interpretation = interpretation or self._messages.interpret(utterance, answers)
        if interpretation is None:
            return self._last_changes.undo(utterance) or self._fallback.answer(utterance)
        is_answer = answer is not None or utterance.reading.intent in ANSWERING_INTENTS
        if question is None or not is_answer:
            return interpretation
        return self._add_options(interpretation, utterance.key, question)

    def _add_options(self, interpretation: Interpretation, key: str, question: OpenQuestion) -> Interpretation:
        """Return the answer to `question` with the options of its reminder, which the next question keeps."""
        self._questions.note_options(key, question.reminder_options)
        return replace(add_options(interpretation, question.reminder_options), is_answer=not interpretation.choices)

    def _record(self, interpretation: Interpretation, turn: Turn, utterance: Utterance | None, key: str) -> None:
        """Record in the dialogue and the open questions what comes of a message."""
        if interpretation.calls:
            reminders = None if utterance is None else utterance.chat_reminders
            has_failed = reminders is not None and _has_unknown_reminder(interpretation.calls, reminders)
            self._dialogue.note(key, turn, interpretation.calls, has_failed=has_failed)
            self._questions.drop_before(key, turn.message.id)
            if utterance is not None:
                self._keep_open_which_reminder(utterance, interpretation)
        elif interpretation == Interpretation():
            self._note_other_topic(turn, key, utterance)
        elif utterance is not None and utterance.reading.intent == NOTHING:
            self._questions.drop(key, utterance.question)  # something else was answered
        elif utterance is not None and utterance.reading.intent in SETTING_INTENTS:
            self._dialogue.note_failure(turn)

    def _keep_open_which_reminder(self, utterance: Utterance, interpretation: Interpretation) -> None:
        """Keep a call open whose reference fits several reminders: the next message may choose one."""
        turn, reminders, call = utterance.turn, utterance.chat_reminders, interpretation.calls[0]
        reference = str(call.arguments.get("reminder_id") or "")
        if reminders is None or len(interpretation.calls) > 1 or len(reminders.resolve(reference)) <= 1:
            return
        rest = {name: value for name, value in call.arguments.items() if name != "reminder_id"}
        question = OpenQuestion(
            asks="reminder", content=reference, tool=call.name, reminder_options=rest, message_id=turn.message.id
        )
        self._questions.ask(utterance.key, question, turn.now)

    def _note_other_topic(self, turn: Turn, key: str, utterance: Utterance | None) -> None:
        """Record that the person has written of something else; an acknowledgement closes the open question."""
        is_remark = utterance is not None and len(utterance.reading.tokens) <= _MAX_REMARK_TOKENS
        if utterance is not None and is_remark and is_acknowledgement(utterance.reading.text):
            self._questions.take(key, turn.now)
        elif utterance is None or not is_remark or utterance.reading.intent != NOTHING:
            self._dialogue.note_other_subject(key)


def _has_word_of_reminder(message: _Message, reminders: ChatReminders | None) -> bool:
    """Return whether words of a message occur in the texts of the coming reminders."""
    if reminders is None or message.utterance is None:
        return False
    return bool(reminders.collect_words(message.utterance.language).find_places(message.utterance.reading.forms))


def _may_be_about_reminder(utterance: Utterance) -> bool:
    """Return whether a message may be about a reminder: it asks for something, goes on with it, or names a clock."""
    reading = utterance.reading
    has_time = not _TIME_TOKENS.isdisjoint(reading.forms)
    return reading.probability(NOTHING) < _MIN_SURE_TALK_PROBABILITY or utterance.context != "none" or has_time


def _forgets_reminder(example: Interpretation, utterance: Utterance | None) -> bool:
    """Return whether "forget …" names a reminder and no note: "forget the lenses, Tobi has them"."""
    reminders = None if utterance is None else utterance.chat_reminders
    if utterance is None or reminders is None or utterance.reading.intent not in {"delete", "forget"}:
        return False
    names = [str(call.arguments.get("reference", "")) for call in example.calls if call.name == "memory_forget"]
    names = (names and extract_references(utterance.reading, utterance.words)) or names
    return any(reminders.find_only_closest(name, utterance.common_words) is not None for name in names)


def _has_calls_for_people(utterance: Utterance, calls: Sequence[ToolCall]) -> bool:
    """Return whether `calls` come of a message to people, as they are for an unknown reminder or one of others.

    A message that says "reminder" or "the … one" is for the bot, and so is one right behind its answer.
    """
    turn, words, reminders = utterance.turn, utterance.words, utterance.chat_reminders
    if reminders is None or utterance.is_addressed or turn.message.is_for_bot:
        return False
    is_change = any(call.name in _CHANGING_TOOLS for call in calls)
    if is_change and _changes_reminder_of_others(utterance, calls, reminders):
        return True
    if not _has_unknown_reminder(calls, reminders):
        return False
    says_reminder = has_trigger(utterance.reading, words) or has_reference_mark(utterance.reading, words)
    people = [message for message in turn.recent if not message.sender.is_bot]
    follows_answer = follows_bot(turn) and bool(people) and people[-1].sender.id == turn.message.sender.id
    return not (says_reminder or follows_answer)


def _changes_reminder_of_others(utterance: Utterance, calls: Sequence[ToolCall], reminders: ChatReminders) -> bool:
    """Return whether `calls` are for reminders of other people that the message does not name as such.

    "The match has been moved, make it 3" is then a message to those people.
    """
    ids = {str(call.arguments.get("reminder_id")) for call in calls}
    changed = [reminder for reminder in reminders.coming if reminder.id in ids]
    person, reading = utterance.turn.message.sender, utterance.reading
    is_own = any(each.creator.id == person.id or reminds(each, person) for each in changed)
    is_named = reading.has("REF") or any(each.id in reading.text for each in changed)
    return bool(changed) and not (is_own or is_named) and utterance.context != "listed"


def _has_unknown_reminder(calls: Sequence[ToolCall], reminders: ChatReminders) -> bool:
    """Return whether one of `calls` is for a reminder that the chat does not have."""
    names = [str(call.arguments.get("reminder_id") or IT) for call in calls]
    parts = [part for name in names if not name.startswith("all ") for part in name.split(", ") if part != IT]
    return any(not reminders.can_resolve(part) for part in parts)


def may_ask(text: str, now: datetime, language: str) -> bool:
    """Return whether `text`, written at `now` (timezone-aware), may ask the bot for something."""
    with limited_effort():
        situation = Situation(is_addressed=True)
        reading = read_message(text[:MAX_TEXT_LENGTH], now, situation, load_models(language), parse_all, language)
    return reading.probability(NOTHING) < CERTAIN
