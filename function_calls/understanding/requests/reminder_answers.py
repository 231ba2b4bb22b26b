"""Set the reminders of a message whose times are clear, and ask for what is missing of the others."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.tools.confirmation.buttons import TimeOption, ask_which_time
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions, ReminderRequest
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.reminder_times import make_schedule_arguments
from function_calls.understanding.tool_calls import CallMaker
from services.time_expressions import Reading

_MAX_OPTIONS = 3
_EXPLAINED_TOOLS = frozenset({"reminder_update", "reminder_snooze", "undo"})
"""Tools whose absence has an answer of its own, `offline.without_…`."""


class ReminderAnswers:
    """Makes the calls of one message, or the one question that stands in their way."""

    def __init__(self, turn: Turn, questions: OpenQuestions, key: str) -> None:
        self._turn = turn
        self._questions = questions
        self._key = key
        self._maker = CallMaker(turn)

    def call_tool(self, name: str, arguments: Mapping[str, object]) -> Interpretation:
        """Return a call of a tool, or an answer that says that the chat has no such tool."""
        if not self._maker.offers(name):
            return self.say(f"offline.without_{name}" if name in _EXPLAINED_TOOLS else "offline.without_tool")
        return Interpretation(calls=(self._maker.call(name, arguments),))

    def say(self, key: str, **fields: object) -> Interpretation:
        """Return an answer or a question in the language of the chat."""
        return Interpretation(answer=say(self._turn.language, key, **fields), must_reply=True)

    def set_reminder(self, content: str, person: str | None, reading: Reading) -> Interpretation:
        """Return the call that sets a reminder for one reading."""
        arguments = make_schedule_arguments(reading, self._turn.message_time)
        arguments |= {"content": content or self.say("offline.untitled").answer, "person": person}
        return self.call_tool("reminder_set", arguments)

    def keep_options(self, options: Mapping[str, object]) -> None:
        """Keep the options of the reminder with the question that was just asked."""
        self._questions.note_options(self._key, options)

    def drop_question(self) -> Interpretation:
        """Close the open question without an answer to it."""
        self._questions.take(self._key, self._turn.now)
        return self.say("offline.dropped")

    def ask_content(self, reminders: Sequence[ReminderRequest]) -> Interpretation:
        """Ask what to remind of at the times of `reminders`, which are for the same people."""
        times = [self._find_clear_time(reminder) for reminder in reminders]
        clear = tuple(time for time in times if time is not None)
        if len(clear) < len(times):
            return self.set_reminders([each for each, time in zip(reminders, times, strict=True) if time is None][:1])
        self._ask(OpenQuestion(asks="content", person=reminders[0].person, options=clear))
        return self.say("offline.what")

    def ask_other_time(self, reminder: ReminderRequest, wrong: str) -> Interpretation:
        """Say that there is no such time as `wrong`, and ask for another one."""
        asked = self._ask_about([replace(reminder, time=None)])
        return replace(asked, answer=self.say("offline.no_such_time", time=wrong, question=asked.answer).answer)

    def ask_reminder(self) -> Interpretation:
        """Ask which reminder to delete."""
        self._ask(OpenQuestion(asks="reminder"))
        return self.say("offline.which_reminder")

    def set_reminders(self, reminders: Sequence[ReminderRequest]) -> Interpretation:
        """Set those of `reminders` whose time is clear, and ask for the time of the first that has none."""
        calls: list[ToolCall] = []
        unclear: list[ReminderRequest] = []
        for reminder in reminders:
            time = self._find_clear_time(reminder)
            if time is None:
                unclear.append(reminder)
                continue
            interpretation = self.set_reminder(reminder.content, reminder.person, time)
            if interpretation.answer:
                return interpretation
            calls += [call for call in interpretation.calls if call.arguments not in [each.arguments for each in calls]]
        return _merge_calls(calls, self._ask_about(unclear) if unclear else Interpretation())

    def set_options(self, question: OpenQuestion, times: Sequence[Reading]) -> Interpretation:
        """Set the reminder of `question` at each of `times`, and the reminders that waited for the answer."""
        interpretations = [self.set_reminder(question.content, question.person, time) for time in times]
        return merge_interpretations([*interpretations, self.set_reminders(question.rest)])

    def _find_clear_time(self, reminder: ReminderRequest) -> Reading | None:
        """Return when to remind; None where the bot must ask."""
        time = reminder.time
        if time is None or _is_default_hour_over(time.best, self._turn.message_time) or list_options(time):
            return None
        return time.best

    def _ask_about(self, reminders: Sequence[ReminderRequest]) -> Interpretation:
        """Ask for the time of the first of `reminders`; the others wait for the answer."""
        first, *rest = reminders
        options = () if first.time is None else list_options(first.time)
        asks: Literal["option", "time"] = "option" if options else "time"
        question = OpenQuestion(
            asks=asks,
            content=first.content,
            person=first.person,
            options=options or tuple(filter(None, [first.day])),
            rest=tuple(rest),
            event=first.event,
            lead=first.lead,
        )
        self._ask(question)
        if not options:
            asked = self._ask_when(first)
            if first.time is None:
                return asked
            over = self.say("offline.time_over", time=first.time.words, question=asked.answer)
            return replace(asked, answer=over.answer)
        return self._ask_option(question)

    def _ask(self, question: OpenQuestion) -> None:
        """Keep `question` open for an answer to the reply to this message."""
        self._questions.ask(self._key, replace(question, message_id=self._turn.message.id), self._turn.now)

    def _ask_option(self, question: OpenQuestion) -> Interpretation:
        """Ask which of the options is the time to remind."""
        options = [TimeOption(start=option.start, rule=option.rrule or "") for option in question.options]
        which = ask_which_time(
            options,
            content=question.content,
            language=self._turn.language,
            now=self._turn.now,
            person=self._turn.message.sender,
        )
        return Interpretation(answer=which.text, choices=which.choices, must_reply=True)

    def _ask_when(self, reminder: ReminderRequest) -> Interpretation:
        """Ask when to remind, and of what where that is not known either."""
        if not reminder.content:
            return self.say("offline.when_and_what")
        if reminder.event:
            return self.say("offline.when_is_event", event=reminder.event, content=reminder.content)
        if reminder.person is None:
            return self.say("offline.when", content=reminder.content)
        who = (
            say(self._turn.language, "reminder.everyone")
            if reminder.person == EVERYONE_ARGUMENT
            else reminder.person.replace("@", "")
        )
        return self.say("offline.when_for", content=reminder.content, who=who)


def merge_or_none(interpretations: Sequence[Interpretation]) -> Interpretation | None:
    """Return what several requests of one message ask for; None where there are none."""
    return (
        interpretations[0]
        if len(interpretations) == 1
        else merge_interpretations(interpretations)
        if interpretations
        else None
    )


def merge_interpretations(interpretations: Sequence[Interpretation]) -> Interpretation:
    """Return all calls, and the first answer or notice among `interpretations`."""
    message = next((each for each in interpretations if each.answer or each.notice), Interpretation())
    return _merge_calls([call for each in interpretations for call in each.calls], message)


def _merge_calls(calls: Sequence[ToolCall], message: Interpretation) -> Interpretation:
    """Return calls with the text of `message` as their notice; without calls it is the answer."""
    text = message.answer or message.notice
    if calls:
        return Interpretation(calls=tuple(calls), notice=text, choices=message.choices)
    return Interpretation(answer=text, choices=message.choices, must_reply=True)


def list_options(time: TimeWords) -> tuple[Reading, ...]:
    """Return the readings of an ambiguous time that the person is to choose from."""
    if not time.is_ambiguous or len(time.readings) == 1:
        return ()
    return time.readings[:_MAX_OPTIONS]


def _is_default_hour_over(reading: Reading, now: datetime) -> bool:
    """Return whether words without a clock ("today") mean a default hour that has passed."""
    return reading.start <= now and not reading.has_clock and reading.rrule is None
