"""Interpret messages without a language model: as calls, one question, a hint, or silence."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.messages import catalogue, say
from function_calls.language.recognized_phrases import every_language
from function_calls.tools.calls import Conversation, Interpretation, ToolCall, ToolSpec, Turn
from function_calls.tools.confirmation.yes_no import parse_yes_no
from function_calls.understanding.acknowledgements import is_acknowledgement
from function_calls.understanding.dialogue.addressee import has_reference_mark, has_trigger
from function_calls.understanding.dialogue.choices import choose_options
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.fallback import find_hinted_reminder, render_help, render_hint
from function_calls.understanding.dialogue.intent_decision import SETTINGS
from function_calls.understanding.dialogue.memory import DialogueMemory
from function_calls.understanding.dialogue.message_interpreter import MessageInterpreter, is_talk
from function_calls.understanding.dialogue.message_reader import LONGEST, MessageReader
from function_calls.understanding.dialogue.utterance import Utterance, follows_bot
from function_calls.understanding.examples import ExampleSentences
from function_calls.understanding.local_lookup import make_local_lookup, make_web_fallback, render_results
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from function_calls.understanding.reading.hidden_names import NameBlindTimes, hidden_names
from function_calls.understanding.reading.lexicon import Lexicon, detect_language, load_common_words, load_lexicon
from function_calls.understanding.reading.message import (
    CERTAIN,
    NO_TAG,
    NOTHING,
    MessageReading,
    Situation,
    load_models,
    read_message,
)
from function_calls.understanding.reading.names import (
    find_members,
    find_named_people,
    join_names,
    restore_names,
    strip_calls,
    strip_names,
    trim,
)
from function_calls.understanding.reading.slots.references import extract_references, normalize_reference
from function_calls.understanding.reading.tokens import TimeReader
from function_calls.understanding.requests.last_reminder import is_repeating
from function_calls.understanding.requests.new_reminders.options import add_options
from function_calls.understanding.requests.people import reminds
from function_calls.understanding.requests.reference_resolution import ChatReminders, ReminderLookup, ShownLookup
from function_calls.understanding.requests.references import IT, find_name_added
from function_calls.understanding.requests.reminder_answers import ReminderAnswers
from function_calls.understanding.tool_calls import CallMaker
from services.kernel.state import StateStore
from services.reminders.lookup.finder import Shown
from services.time_expressions import Reading, TimeReadings, is_effort_spent, limited_effort, parse_all, warm_up

_BEGINNING_LENGTH = 80
"""The first characters of a message that is too long, which tell whether it is a request."""
_FEWEST_QUESTION_WORDS = 3
_MOST_REPLY_LETTERS = 12
"""The most characters of a reply to an unknown message that may be for the bot."""
_SETTING_INTENTS = frozenset({"set", "repeat_last"})
_ANSWERING_INTENTS = frozenset({"answer_when", "answer_content", "cancel_ask"})
_CHANGING_TOOLS = frozenset({"reminder_update", "reminder_delete"})
_REMINDER_TOOLS = _CHANGING_TOOLS | {"reminder_state", "reminder_snooze"}
_WORDS_BEFORE_DISMISSAL = frozenset({"oh", "ah", "no", "wait", "hmm", "actually", "ok", "sorry", ",", ".", "…"})
_SEARCHING_INTENTS = ("ask", "recall", "when_is")
_LEAST_QUESTION = 0.3
"""The probability of a question for facts from which one is looked up."""
_LEAST_SEARCH = 0.5
"""The probability of a search of the chat from which a question is looked up."""
_LEAST_HELP = 0.2
"""The probability of a question about the bot from which one is not looked up."""
_LEAST_TALK = 0.9
"""The probability of talk from which a message asks for nothing."""
_LEAST_SURE_TALK = 0.99
"""The probability of talk from which no words of a message are looked for in the reminders."""
_MOST_REMARK_TOKENS = 3
"""The most tokens of "thanks", "nice one" and the like, which do not end a dialogue."""
_TIME_TOKENS = frozenset({"@clock", "@dayclock", "@ruletime", "@offset", "@later"})
"""Tokens of times with which a message may go on with a reminder."""
_CLAUSE_END = re.compile(r"[,，.。!！~～…]")


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
        read_times: TimeReader = parse_all,
        searches_web: bool = True,
        store: StateStore | None = None,
        reminders: ReminderLookup | None = None,
        shown: ShownLookup | None = None,
        questions: OpenQuestions | None = None,
    ) -> None:
        self._times = read_times = NameBlindTimes(read_times)
        self._searches_web = searches_web
        self._reminders = reminders
        self._shown = shown
        self._questions = questions or OpenQuestions()
        self._dialogue = Dialogue()
        self._reader = MessageReader(read_times, self._dialogue)
        self._messages = MessageInterpreter(read_times, self._dialogue)
        self._memory = None if store is None else DialogueMemory(store, self._dialogue, self._questions)
        self._examples = ExampleSentences()
        self._hint = partial(render_hint, searches_web=searches_web)

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
        key = _get_dialogue_key(turn)
        if self._memory is not None:
            await self._memory.recall(key)
        message = self._read_message(turn, key)
        reminders = await self._look_up_reminders(message)
        if _has_word_of_reminder(message, reminders):
            message = self._read_message(turn, key, reminders)
        elif message.utterance is not None:
            message = replace(message, utterance=replace(message.utterance, chat_reminders=reminders))
        interpretation = self._interpret_with_names(message, key)
        if self._memory is not None:
            await self._memory.keep(key)
        return interpretation

    def read(self, turn: Turn, reminders: ChatReminders | None = None) -> Interpretation:
        """Return what `turn` asks for, without waiting; `reminders` are the coming ones of its chat."""
        key = _get_dialogue_key(turn)
        return self._interpret_with_names(self._read_message(turn, key, reminders), key)

    def _read_message(self, turn: Turn, key: str, reminders: ChatReminders | None = None) -> _Message:
        """Read the message of `turn` with the models, names of several words being one."""
        turn, joined = join_names(turn)
        with limited_effort(), hidden_names(find_named_people(turn)):
            utterance = self._read_utterance(turn, key, reminders)
            return _Message(turn=turn, joined=joined, utterance=utterance, has_too_many_times=is_effort_spent())

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
        elif utterance is not None and utterance.reading.intent in _SETTING_INTENTS:
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
        is_remark = utterance is not None and len(utterance.reading.tokens) <= _MOST_REMARK_TOKENS
        if utterance is not None and is_remark and is_acknowledgement(utterance.reading.text):
            self._questions.take(key, turn.now)
        elif utterance is None or not is_remark or utterance.reading.intent != NOTHING:
            self._dialogue.note_other_subject(key)

    async def _look_up_reminders(self, message: _Message) -> ChatReminders | None:
        """Return the coming reminders of the chat where the message may be about one; else None."""
        turn, utterance = message.turn, message.utterance
        is_asking = utterance is not None and _may_be_about_reminder(utterance)
        if self._reminders is None or not (is_asking or turn.message.is_for_bot):
            return None
        chat, person = turn.message.address, turn.message.sender
        shown = Shown() if self._shown is None else await self._shown(chat, person)
        return ChatReminders(tuple(await self._reminders(chat)), turn.now, shown)

    def _read_utterance(self, turn: Turn, key: str, reminders: ChatReminders | None) -> Utterance | None:
        """Read the message with the models; None where it replies to another person, or is too long."""
        if _replies_to_other_person(turn):
            return None
        question = self._questions.find_open(key, turn.now)
        text = strip_names(turn.message.text, (turn.bot_name,))
        return self._reader.read(turn, text, detect_language(text, turn.language), key, question, reminders)

    def _interpret_utterance(self, turn: Turn, utterance: Utterance | None) -> Interpretation:
        """Return what a message asks for as an example of a tool or as a request; nothing for talk and thanks."""
        example = self._match_example(turn)
        if example is not None and not _forgets_reminder(example, utterance):
            return example
        if utterance is None:
            return self._answer_unread_message(turn)
        if utterance.is_about_bot:
            return Interpretation()
        utterance, question = self._resolve_pronoun(utterance)
        if question is not None:
            return question
        if utterance.question is None and is_acknowledgement(utterance.reading.text):
            return Interpretation()
        if self._is_needless_dismissal(utterance):
            return Interpretation(answer=say(turn.language, "offline.nothing_open"), must_reply=True)
        return self._interpret_request(utterance)

    def _interpret_request(self, utterance: Utterance) -> Interpretation:
        """Return what a message asks for: an answer, a change of the last change or a request; else a hint or help."""
        answers, question = ReminderAnswers(utterance.turn, self._questions, utterance.key), utterance.question
        answer = self._answer_question(utterance, answers)
        interpretation = answer or self._undo_dismissed_reminder(utterance) or self._repeat_change(utterance)
        interpretation = interpretation or self._messages.interpret(utterance, answers)
        if interpretation is None:
            return self._undo_change(utterance) or self._answer_without_request(utterance)
        is_answer = answer is not None or utterance.reading.intent in _ANSWERING_INTENTS
        if question is None or not is_answer:
            return interpretation
        return self._add_options(interpretation, utterance.key, question)

    def _add_options(self, interpretation: Interpretation, key: str, question: OpenQuestion) -> Interpretation:
        """Return the answer to `question` with the options of its reminder, which the next question keeps."""
        self._questions.note_options(key, question.reminder_options)
        return replace(add_options(interpretation, question.reminder_options), is_answer=not interpretation.choices)

    def _match_example(self, turn: Turn) -> Interpretation | None:
        """Return the call of the tool that has the message as one of its examples."""
        text = strip_names(turn.message.text, (turn.bot_name,)).strip()
        if len(text) > LONGEST:
            return None
        name = self._examples.match_sentence(text, turn.tools)
        if name is not None:
            return Interpretation(calls=(CallMaker(turn).call(name, {}),))
        found = self._examples.match_template(text, turn.tools, is_addressed=turn.message.is_for_bot)
        return None if found is None else Interpretation(calls=(CallMaker(turn).call(*found),))

    def _answer_unread_message(self, turn: Turn) -> Interpretation:
        """Return the answer to a message that the models do not read: too long, only a sign, or for others."""
        is_long = len(turn.message.text) > LONGEST
        if not turn.message.is_for_bot and not (is_long and self._is_request(turn)):
            return Interpretation()
        if is_long:
            return Interpretation(answer=say(turn.language, "offline.too_long", limit=LONGEST), must_reply=True)
        if is_acknowledgement(strip_names(turn.message.text, (turn.bot_name,))) or _is_only_reply_to_bot(turn):
            return Interpretation()
        return Interpretation(answer=render_help(turn, searches_web=self._searches_web))

    def _is_request(self, turn: Turn) -> bool:
        """Return whether a message that is too long begins as a request to be reminded, for nobody else."""
        if _replies_to_other_person(turn):
            return False
        text = turn.message.text[:_BEGINNING_LENGTH]
        language = detect_language(text, turn.language)
        models = load_models(language)
        situation = Situation(is_addressed=False)
        reading = read_message(text, turn.message_time, situation, models, self._times, language)
        return reading.probability("set") >= CERTAIN and has_trigger(reading, load_lexicon(language))

    def _resolve_pronoun(self, utterance: Utterance) -> tuple[Utterance, Interpretation | None]:
        """Return the message with a name for "him" in "remind him", or the question who is meant."""
        turn, reading, words = utterance.turn, utterance.reading, utterance.words
        spans = _find_pronouns(reading, words)
        if reading.intent not in _SETTING_INTENTS or not spans:
            return utterance, None
        if not utterance.is_addressed:
            return utterance, Interpretation()
        name = _find_person_before(turn, reading.text[: spans[0][0]]) or self._dialogue.find_person_of_pronoun(turn)
        if name is None:
            return utterance, Interpretation(answer=say(turn.language, "offline.whom"), must_reply=True)
        text = reading.text
        for start, end in reversed(spans):
            text = f"{text[:start]}{'' if words.joint else ' '}@{name}{'' if words.joint else ' '}{text[end:]}"
        named = self._reader.read(
            turn, text, utterance.language, utterance.key, utterance.question, utterance.chat_reminders
        )
        return named or utterance, None

    def _answer_question(self, utterance: Utterance, answers: ReminderAnswers) -> Interpretation | None:
        """Return the calls of an answer to the open question: for a chosen time, or for a chosen reminder."""
        question, turn, words = utterance.question, utterance.turn, utterance.words
        if question is None or not utterance.awaits_answer:
            return None
        times: tuple[Reading, ...] = ()
        if question.asks == "option":
            times = choose_options(utterance.reading, question.options, words, self._bind_times(utterance))
        if times:
            self._questions.take(utterance.key, turn.now)
            return answers.set_options(question, times)
        if question.asks == "reminder" and _may_name_reminder(utterance):
            self._questions.take(utterance.key, turn.now)
            reference = normalize_reference(utterance.reading.text, words)
            return answers.call_tool(question.tool, {**question.reminder_options, "reminder_id": reference})
        return None

    def _bind_times(self, utterance: Utterance) -> Callable[[str], Sequence[TimeReadings]]:
        """Return a function that reads times in the language of the message."""
        return lambda text: self._times(text, utterance.turn.message_time, language=utterance.language)

    def _is_needless_dismissal(self, utterance: Utterance) -> bool:
        """Return whether a message to the bot is only "never mind", where nothing was asked or just changed."""
        turn, words, key = utterance.turn, utterance.words, utterance.key
        last = self._dialogue.last_action(key, turn.now)
        has_moved_on = self._dialogue.state(key).changed_subject or self._dialogue.is_last_by_other(key, turn)
        is_change = last is not None and (last.is_change or any(call.name in SETTINGS for call in last.calls))
        is_open = utterance.question is not None or (is_change and not has_moved_on)
        text = words.fold(utterance.reading.text).strip(" .!,。！，~～…")
        return text in words.dismissals and not is_open and turn.message.is_addressed

    def _undo_change(self, utterance: Utterance) -> Interpretation | None:
        """Return the call that undoes the last change, where the person only says to forget it."""
        turn, key = utterance.turn, utterance.key
        maker, last = CallMaker(turn), self._dialogue.last_action(key, turn.now)
        is_dismissal = _begins_with_dismissal(utterance) and not utterance.reading.has("WHEN")
        is_dismissal = is_dismissal or utterance.reading.intent == "cancel_ask"
        if not is_dismissal or last is None or not last.is_change or not maker.offers("undo"):
            return None
        is_recent = self._dialogue.is_fresh(key, turn) and not self._dialogue.state(key).changed_subject
        return Interpretation(calls=(maker.call("undo", {}),)) if turn.message.is_for_bot and is_recent else None

    def _undo_dismissed_reminder(self, utterance: Utterance) -> Interpretation | None:
        """Return the call that undoes the last reminder set, or the last change of a repetition, where it is dismissed.

        The change of a reminder that comes once is not undone: the words then delete it.
        """
        key, now = utterance.key, utterance.turn.now
        last, before = self._dialogue.last_action(key, now), self._dialogue.last_set(key, now)
        if last is None or before is None or utterance.question is not None:
            return None
        is_change = last.calls[-1].name == "reminder_update" and is_repeating(before)
        is_new = last.calls[-1].name == "reminder_set" and utterance.reading.intent != "delete"
        names_reminder = any(extract_references(utterance.reading, utterance.words))
        is_dismissed = (is_change or is_new) and _begins_with_dismissal(utterance) and not names_reminder
        return self._undo_change(utterance) if is_dismissed else None

    def _repeat_change(self, utterance: Utterance) -> Interpretation | None:
        """Return the last change of the person for another reminder: "and the wheelbarrow one too"."""
        reminders, turn, call = utterance.chat_reminders, utterance.turn, self._find_repeatable_change(utterance)
        if reminders is None or call is None:
            return None
        name, is_deletion = find_name_added(utterance.reading, utterance.words), call.name == "reminder_delete"
        named = reminders.resolve(name) if name else ()
        before = reminders.resolve(str(call.arguments.get("reminder_id") or ""))
        if len(named) != 1 or named[0] in before or not (before or is_deletion):
            return None
        has_day = named[0].schedule.rule is not None and bool(utterance.reading.times)
        reference = named[0].id
        if has_day and is_deletion:  # "and Thursday too" deletes no series
            reference = utterance.words.on_day.format(name=named[0].content, day=name)
        return Interpretation(calls=(CallMaker(turn).call(call.name, {**call.arguments, "reminder_id": reference}),))

    def _find_repeatable_change(self, utterance: Utterance) -> ToolCall | None:
        """Return the last change of the person, if the message may go on with it; a new text is not repeated."""
        key, turn = utterance.key, utterance.turn
        last = self._dialogue.last_action(key, turn.now)
        has_moved_on = self._dialogue.state(key).changed_subject or not self._dialogue.is_fresh(key, turn)
        is_question = utterance.reading.intent in {"when_is", "list"} and turn.message.text[-1:] in {"?", "？"}
        if last is None or has_moved_on or is_question or len(last.calls) != 1:
            return None
        call = last.calls[0]
        return call if call.name in _REMINDER_TOOLS and "content" not in call.arguments else None

    def _answer_without_request(self, utterance: Utterance) -> Interpretation:
        """Return the answer to a message without a request: a hint, help, a lookup, or nothing for talk and thanks."""
        turn = utterance.turn
        text = strip_names(turn.message.text, (turn.bot_name,))
        is_for_bot = turn.message.is_for_bot
        if not is_for_bot and self._messages.asks_for_change(utterance):
            return Interpretation(answer=self._hint(utterance), must_reply=True)
        is_thanks = is_acknowledgement(text) or _is_remark_behind_thanks(text, utterance)
        if not is_for_bot or is_thanks or is_talk(utterance):
            return Interpretation()
        if parse_yes_no(turn.message.text, turn.bot_name) is not None:
            return Interpretation(answer=say(turn.language, "offline.nothing_open"), must_reply=True)
        calls = self._look_up(utterance, query=trim(strip_calls(text, turn.bot_name)))
        if calls:
            return Interpretation(calls=calls)
        return Interpretation() if _is_only_reply_to_bot(turn) else self._give_hint(utterance)

    def _give_hint(self, utterance: Utterance) -> Interpretation:
        """Return a hint; the reminder that it names is the one that "4pm" or "it" then means."""
        turn, reminder = utterance.turn, find_hinted_reminder(utterance)
        if reminder is not None and utterance.reading.intent == "move":
            shown = CallMaker(turn).call("reminder_list", {"filter": reminder.id})
            self._dialogue.note(utterance.key, turn, (shown,))
        return Interpretation(answer=self._hint(utterance))

    def _look_up(self, utterance: Utterance, query: str) -> tuple[ToolCall, ...]:
        """Return the calls that look up the answer to a question: in the web, or in the chat."""
        from services.summary.content import asks

        reading, maker = utterance.reading, CallMaker(utterance.turn)
        is_long = sum(token.form.isalnum() for token in reading.tokens) >= _FEWEST_QUESTION_WORDS
        has_mark = is_long and reading.text.rstrip().endswith(("?", "？"))
        is_search = reading.probability("find") >= _LEAST_SEARCH and asks(reading.text)
        is_asked = has_mark or is_search or sum(map(reading.probability, _SEARCHING_INTENTS)) >= _LEAST_QUESTION
        is_about_bot = reading.probability("help") > max(_LEAST_HELP, reading.probability("ask"))
        if not is_asked or is_about_bot or not maker.offers("perplexity_search"):
            return ()
        here = () if self._searches_web else make_local_lookup(utterance.turn, query)
        return here or (maker.call("perplexity_search", {"query": query}),)


def may_ask(text: str, now: datetime, language: str) -> bool:
    """Return whether `text`, written at `now` (timezone-aware), may ask the bot for something."""
    with limited_effort():
        situation = Situation(is_addressed=True)
        reading = read_message(text[:LONGEST], now, situation, load_models(language), parse_all, language)
    return reading.probability(NOTHING) < _LEAST_TALK


def _is_remark_behind_thanks(text: str, utterance: Utterance) -> bool:
    """Return whether a message begins with thanks and surely asks for nothing: "thanks, you saved my day"."""
    is_question = text.rstrip().endswith(("?", "？"))
    is_talk = utterance.reading.probability(NOTHING) >= _LEAST_TALK
    return is_talk and not is_question and is_acknowledgement(_CLAUSE_END.split(text.strip(" ,，:："), maxsplit=1)[0])


def _may_be_about_reminder(utterance: Utterance) -> bool:
    """Return whether a message may be about a reminder: it asks for something, goes on with it, or names a clock."""
    reading = utterance.reading
    has_time = not _TIME_TOKENS.isdisjoint(reading.forms)
    return reading.probability(NOTHING) < _LEAST_SURE_TALK or utterance.context != "none" or has_time


def _forgets_reminder(example: Interpretation, utterance: Utterance | None) -> bool:
    """Return whether "forget …" names a reminder and no note: "forget the lenses, Tobi has them"."""
    reminders = None if utterance is None else utterance.chat_reminders
    if utterance is None or reminders is None or utterance.reading.intent not in {"delete", "forget"}:
        return False
    names = [str(call.arguments.get("reference", "")) for call in example.calls if call.name == "memory_forget"]
    names = (names and extract_references(utterance.reading, utterance.words)) or names
    return any(reminders.find_only_closest(name, load_common_words(utterance.language)) is not None for name in names)


def _may_name_reminder(utterance: Utterance) -> bool:
    """Return whether a message may name the reminder that the bot asked for: a number, "the … one", or few words.

    Few words are for the bot, or those of a coming reminder.
    """
    words, reminders = utterance.words, utterance.chat_reminders
    text = utterance.reading.text.strip(" .!?。！？").casefold()
    has_mark = any(text.endswith(f"{words.joint}{mark}") for mark in words.reference_marks)
    is_short = len(utterance.reading.tokens) <= _MOST_REMARK_TOKENS * (1 if words.joint else 2)
    may_answer = utterance.reading.intent in {NOTHING, "delete", *_ANSWERING_INTENTS}
    name = normalize_reference(text, words)
    is_for_bot = utterance.turn.message.is_for_bot or (reminders is not None and bool(reminders.resolve(name)))
    return name.isdecimal() or has_mark or (may_answer and is_short and is_for_bot)


def _has_word_of_reminder(message: _Message, reminders: ChatReminders | None) -> bool:
    """Return whether words of a message occur in the texts of the coming reminders."""
    if reminders is None or message.utterance is None:
        return False
    return bool(reminders.collect_words(message.utterance.language).find_places(message.utterance.reading.forms))


def _has_unknown_reminder(calls: Sequence[ToolCall], reminders: ChatReminders) -> bool:
    """Return whether one of `calls` is for a reminder that the chat does not have."""
    names = [str(call.arguments.get("reminder_id") or IT) for call in calls]
    parts = [part for name in names if not name.startswith("all ") for part in name.split(", ") if part != IT]
    return any(not reminders.can_resolve(part) for part in parts)


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


def _get_dialogue_key(turn: Turn) -> str:
    """Return the key of the dialogue of the sender with the bot in this chat."""
    return Conversation(chat=turn.message.address, person=turn.message.sender).key


def _replies_to_other_person(turn: Turn) -> bool:
    """Return whether a message replies to another person; "done" may reply to a reminder that is still being sent."""
    message = turn.message
    if message.reply_to is None or turn.message.is_for_bot:
        return False
    is_recent = any(each.id == message.reply_to for each in turn.recent)
    return is_recent or len(message.text) > _MOST_REPLY_LETTERS


def _is_only_reply_to_bot(turn: Turn) -> bool:
    """Return whether a message is for the bot only as a reply to it: people talk to each other there."""
    message = turn.message
    names_bot = turn.bot_name.casefold() in message.text.casefold()
    return message.reply_to is not None and not message.is_private and not names_bot


def _find_person_before(turn: Turn, text: str) -> str:
    """Return the only other person of the chat whom `text`, in front of a pronoun, names; "" for none."""
    names = find_members(turn) - {turn.message.sender.name}
    found = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)]
    return found[0] if len(found) == 1 else ""


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


def _begins_with_dismissal(utterance: Utterance) -> bool:
    """Return whether a message begins with a phrase such as "forget it", also behind "oh wait" and the like."""
    reading, words = utterance.reading, utterance.words
    start = next((token.start for token in reading.tokens if token.form not in _WORDS_BEFORE_DISMISSAL), 0)
    text = reading.text.casefold()
    phrases = "|".join(map(re.escape, words.dismissals))
    begins = re.compile(rf"(?:{phrases})(?:\W|$)" if words.joint else phrases)
    return any(begins.match(each) for each in (text, text[start:]))
