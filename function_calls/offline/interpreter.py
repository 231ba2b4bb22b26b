"""The interpreter that needs no model: sentence patterns in, calls or one question out."""

from collections.abc import Mapping
from datetime import datetime

from function_calls import phrasing
from function_calls.calls import Conversation, Interpretation, ToolCall, Turn
from function_calls.offline.answers import chosen_option, is_dropped, named_time
from function_calls.offline.arguments import schedule_arguments
from function_calls.offline.examples import ExampleSentences
from function_calls.offline.open_questions import OpenQuestion, OpenQuestions
from function_calls.offline.pack import language_of, load_pack
from function_calls.offline.questions import is_question
from function_calls.offline.references import named_reminder, reminder_reference
from function_calls.offline.reminder_request import ReminderRequest
from function_calls.offline.requests import Ear, Request
from function_calls.offline.time_words import TimeReader
from function_calls.offline.tool_calls import CallMaker
from function_calls.wording import say
from services.time_expressions import Reading, parse_all

_MOST_OPTIONS = 3


class OfflineInterpreter:
    """Understands requests by sentence templates, per language as data.

    A message that is not addressed to the bot and explained by no template gets an empty interpretation. Questions
    that it asks are kept in memory for some minutes, per person and chat.
    """

    def __init__(self, *, read_times: TimeReader = parse_all, questions: OpenQuestions | None = None) -> None:
        self._read_times = read_times
        self._questions = questions or OpenQuestions()
        self._examples = ExampleSentences()

    async def interpret(self, turn: Turn) -> Interpretation:
        """Say what `turn` asks for; an empty interpretation means that nothing was asked."""
        if turn.steps:
            return Interpretation(answer="\n".join(result.text for result in turn.steps[-1].results if result.text))
        return self.read(turn)

    def read(self, turn: Turn) -> Interpretation:
        """`interpret` of a turn's first round, without waiting."""
        ear = self._ear(turn)
        key = Conversation(chat=turn.message.address, person=turn.message.sender).key
        question = self._questions.take(key, turn.now)
        if question is not None:
            answered = self._answered(question, ear, turn)
            if answered is not None:
                return answered
        requests = ear.requests(turn.message.text)
        if requests:
            return _Answering(turn, ear, self._questions, key).interpretation(requests)
        return self._by_example(turn, ear) or self._spoken_to(turn, ear)

    def _ear(self, turn: Turn) -> Ear:
        return Ear(
            pack=load_pack(language_of(turn.message.text, turn.language)),
            now=turn.now,
            names=(turn.bot_name,),
            is_addressed=turn.message.is_addressed or turn.message.is_private,
            read_times=self._read_times,
        )

    def _answered(self, question: OpenQuestion, ear: Ear, turn: Turn) -> Interpretation | None:
        """What the message makes of an open question; None when it speaks of something else."""
        text = turn.message.text
        if is_dropped(text, ear.pack):
            return Interpretation(answer=say(turn.language, "offline.dropped"), is_owed=True)
        key = Conversation(chat=turn.message.address, person=turn.message.sender).key
        answering = _Answering(turn, ear, self._questions, key)
        if question.asks == "option":
            option = chosen_option(text, question, ear)
            return None if option is None else answering.set_at(question.content, question.person, option)
        if question.asks == "time":
            request = named_time(text, question, ear)
            return None if request is None else answering.set_reminders((request,))
        reference = named_reminder(ear.core(text), ear.pack)
        if not reference.isdigit() and not turn.message.is_addressed:
            return None
        return answering.one("reminder_delete", {"reminder_id": reference})

    def _by_example(self, turn: Turn, ear: Ear) -> Interpretation | None:
        found = self._examples.match(ear.core(turn.message.text), turn.tools, is_addressed=ear.is_addressed)
        if found is None:
            return None
        name, arguments = found
        return Interpretation(calls=(CallMaker(turn).call(name, arguments),))

    def _spoken_to(self, turn: Turn, ear: Ear) -> Interpretation:
        """What to say to a message without a request: nothing, unless the bot was spoken to."""
        if not ear.is_addressed:
            return Interpretation()
        query = ear.core(turn.message.text)
        maker = CallMaker(turn)
        if query and is_question(turn.message.text, ear.pack) and maker.offers("perplexity_search"):
            return Interpretation(calls=(maker.call("perplexity_search", {"query": query}),))
        return Interpretation(answer=say(turn.language, "offline.help"))


class _Answering:
    """Turns the requests of one message into calls, or into the one question that stands in their way."""

    def __init__(self, turn: Turn, ear: Ear, questions: OpenQuestions, key: str) -> None:
        self._turn = turn
        self._ear = ear
        self._questions = questions
        self._key = key
        self._maker = CallMaker(turn)

    def interpretation(self, requests: tuple[Request, ...]) -> Interpretation:
        """The calls of all requests; the first question or explanation is the answer beside them."""
        calls: list[ToolCall] = []
        answers: list[str] = []
        for request in requests:
            made = self._interpreted(request)
            calls += made.calls
            answers += [made.answer] if made.answer else []
        return Interpretation(calls=tuple(calls), answer="" if calls else next(iter(answers), ""), is_owed=True)

    def _interpreted(self, request: Request) -> Interpretation:
        if request.intent == "help":
            return self._say("help")
        if request.intent == "reminder_set":
            return self.set_reminders(request.reminders)
        if request.intent == "reminder_delete":
            return self._delete(request)
        if request.intent in {"reminder_update", "reminder_snooze"}:
            return self._change(request)
        arguments = {
            "query": request.words("query"),
            "window": request.words("window", "when"),
            "reference": request.words("reference"),
        }
        return self.one(request.intent, arguments)

    def one(self, name: str, arguments: Mapping[str, object]) -> Interpretation:
        """One call, or an honest word that there is no such function here."""
        if not self._maker.offers(name):
            return self._say(f"without_{name}" if name in _EXPLAINED else "without_tool")
        return Interpretation(calls=(self._maker.call(name, arguments),))

    def set_at(self, content: str, person: str | None, reading: Reading) -> Interpretation:
        """Set a reminder for one reading."""
        arguments = schedule_arguments(reading, self._turn.now)
        named = {"content": content or self._say("untitled").answer, "person": person}
        return self.one("reminder_set", arguments | named)

    def set_reminders(self, reminders: tuple[ReminderRequest, ...]) -> Interpretation:
        """Set all `reminders`, or ask for the time of the first that lacks one."""
        calls: list[ToolCall] = []
        for reminder in reminders:
            made = self._set(reminder)
            if made.answer:
                return made
            calls += made.calls
        return Interpretation(calls=tuple(calls))

    def _set(self, reminder: ReminderRequest) -> Interpretation:
        time = reminder.time
        if time is None or time.best is None or _is_over(time.best, self._turn.now):
            return self._ask_when(reminder)
        if time.is_ambiguous and len(time.readings) > 1:
            return self._ask_which(reminder, time.readings[:_MOST_OPTIONS])
        return self.set_at(reminder.content, reminder.person, time.best)

    def _ask_when(self, reminder: ReminderRequest) -> Interpretation:
        self._ask(OpenQuestion(asks="time", content=reminder.content, person=reminder.person))
        return self._say("when" if reminder.content else "when_and_what", content=reminder.content)

    def _ask_which(self, reminder: ReminderRequest, options: tuple[Reading, ...]) -> Interpretation:
        self._ask(OpenQuestion(asks="option", content=reminder.content, person=reminder.person, options=options))
        lines = [
            f"{number}. {phrasing.moment(self._turn.language, option.start, self._turn.now)}"
            for number, option in enumerate(options, start=1)
        ]
        return Interpretation(answer="\n".join([self._say("which_time").answer, *lines]), is_owed=True)

    def _delete(self, request: Request) -> Interpretation:
        reference = reminder_reference(request, self._ear.pack)
        if not reference:
            self._ask(OpenQuestion(asks="reminder"))
            return self._say("which_reminder")
        return self.one("reminder_delete", {"reminder_id": reference})

    def _change(self, request: Request) -> Interpretation:
        """Move or put off a reminder, if the bot has a function for it."""
        times = [time.best for time in request.times("when") or request.clause.times[-1:] if time.best is not None]
        schedule = schedule_arguments(times[0], self._turn.now) if times else {}
        arguments = {"reminder_id": reminder_reference(request, self._ear.pack), "content": request.words("content")}
        return self.one(request.intent, schedule | arguments)

    def _ask(self, question: OpenQuestion) -> None:
        self._questions.ask(self._key, question, self._turn.now)

    def _say(self, key: str, **fields: object) -> Interpretation:
        return Interpretation(answer=say(self._turn.language, f"offline.{key}", **fields), is_owed=True)


_EXPLAINED = frozenset({"reminder_update", "reminder_snooze", "undo"})


def _is_over(reading: Reading, now: datetime) -> bool:
    """Whether words without a clock ("today") mean a default hour that has passed."""
    return reading.start <= now and not reading.has_clock and reading.rrule is None
