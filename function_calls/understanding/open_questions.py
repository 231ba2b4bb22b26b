"""Keep the questions that the bot has asked, until they are answered or too old."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import ReplyScope
from function_calls.understanding.reading.times import TimeWords
from services.kernel.bounded import BoundedDict
from services.time_expressions import Reading

_EVERYTHING: Final = ReplyScope()


class ReminderRequest(Struct, frozen=True, kw_only=True):
    """A reminder to set.

    Attributes:
        content: What to be reminded of; "" where that is not named.
        person: Whom to remind, None for the one who asks.
        time: When to remind; None where that is not known.
        day: The day of a time that is not known: "tomorrow after drop-off".
        event: The name of the event from which an unknown time counts back: "the exam".
        lead: The words for the time before that event: "the night".
    """

    content: str
    person: str | None = None
    time: TimeWords | None = None
    day: Reading | None = None
    event: str = ""
    lead: str = ""


class OpenQuestion(Struct, frozen=True, kw_only=True):
    """A question that the person's next message may answer.

    Attributes:
        asks: What is missing: when to remind, of what to remind at each of `options`, which of several was
            meant, or which reminder `tool` is called for.
        content: What to be reminded of, as far as it is known; where `tool` waits, the reference that fits several.
        person: Whom to remind, None for the one who asks.
        options: The readings that were offered by number; where `asks` is "time", the day that is known.
        reminder_options: Options of the reminder, as arguments of `reminder_set`; where `tool` waits, its arguments.
        rest: The reminders of the same message that are to be asked about next.
        event: The event whose time is asked for, as in `ReminderRequest`.
        lead: The words for the time before that event.
        message_id: The message that the bot answered with the question.
        tool: The tool whose call waits for the reminder.
    """

    asks: Literal["time", "content", "option", "reminder"]
    content: str = ""
    person: str | None = None
    options: tuple[Reading, ...] = ()
    reminder_options: Mapping[str, object] = field(default_factory=dict, name="manners")
    rest: tuple[ReminderRequest, ...] = ()
    event: str = ""
    lead: str = ""
    message_id: str = ""
    tool: str = "reminder_delete"


class AskedQuestion(Struct, frozen=True, kw_only=True):
    """A question with the time at which it was asked."""

    question: OpenQuestion
    asked_at: datetime


class OpenQuestions:
    """At most one open question for each person in each chat; the oldest are forgotten first."""

    def __init__(self, *, limit: int = 1000, lifetime: timedelta = timedelta(minutes=10)) -> None:
        self._lifetime = lifetime
        self._asked: BoundedDict[str, AskedQuestion] = BoundedDict(limit)

    def ask(self, key: str, question: OpenQuestion, now: datetime) -> None:
        """Remember `question` under `key` (chat and person)."""
        self._asked[key] = AskedQuestion(question=question, asked_at=now)

    def copy(self, key: str) -> "OpenQuestions":
        """Return an instance with the question under `key` only."""
        copy, asked = OpenQuestions(lifetime=self._lifetime), self._asked.get(key)
        if asked is not None:
            copy.ask(key, asked.question, asked.asked_at)
        return copy

    def note_options(self, key: str, options: Mapping[str, object]) -> None:
        """Keep the options of a reminder with the question under `key`, if there is one."""
        asked = self._asked.get(key)
        if asked is not None and options:
            self._asked[key] = replace(asked, question=replace(asked.question, reminder_options=options))

    def rename(self, key: str, joined: Mapping[str, str]) -> None:
        """Write the names of several words in the question under `key`; `joined` has them by single words."""
        asked = self._asked.get(key)
        if asked is not None and asked.question.person is not None:
            person = asked.question.person
            for word, name in joined.items():
                person = person.replace(word, name)
            self._asked[key] = replace(asked, question=replace(asked.question, person=person))

    def drop_before(self, key: str, message_id: str) -> None:
        """Forget what was asked under `key` for another message than this one, which asks for something else."""
        asked = self._asked.get(key)
        if asked is not None and asked.question.message_id != message_id:
            del self._asked[key]

    def drop(self, key: str, question: OpenQuestion | None) -> None:
        """Forget `question` where it is the one that was asked last under `key`."""
        asked = self._asked.get(key)
        if asked is not None and asked.question == question:
            del self._asked[key]

    def find(self, key: str) -> AskedQuestion | None:
        """Return the question under `key`, however old it is; None for none."""
        return self._asked.get(key)

    def find_open(self, key: str, now: datetime) -> OpenQuestion | None:
        """Return the question under `key` without closing it; None where there is none, or it is too old."""
        asked = self._asked.get(key)
        return None if asked is None or now - asked.asked_at > self._lifetime else asked.question

    def take(self, key: str, now: datetime, scope: ReplyScope = _EVERYTHING) -> OpenQuestion | None:
        """Return the question under `key` and forget it; None where there is none, or it is too old.

        A question that is not within `scope`, that of the message which may answer it, stays open.
        """
        asked = self._asked.get(key)
        if asked is None or not scope.covers(asked.question.message_id):
            return None
        question = self.find_open(key, now)
        del self._asked[key]
        return question
