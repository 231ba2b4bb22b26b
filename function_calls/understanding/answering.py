"""Turn the requests of one message into calls, or into the one question that stands in their way."""

from datetime import UTC, date, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.language import date_format
from function_calls.tools.calls import Interpretation, Turn
from function_calls.understanding.arguments import changed_schedule, schedule_arguments, shift_argument, written
from function_calls.understanding.looking_here import looked_up_as_due
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from function_calls.understanding.pointing import message_pointed_at, only_points, words_pointed_at
from function_calls.understanding.questions import asked_when
from function_calls.understanding.references import reminder_references, without_joint
from function_calls.understanding.reminder_answers import ReminderAnswers, all_of
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests import Ear, Request
from function_calls.understanding.shifts import bare_clock, moved_by, new_time
from services.people.zones import zone_named
from services.time_expressions import Reading

_MOST_OPTIONS = 3
_WINDOWS = ("window", "window_2", "when", "when_2", "when_3")  # a template may have several places for a time
_EXPLAINED = frozenset({"reminder_update", "reminder_snooze", "undo"})


class Answering(ReminderAnswers):
    """Turns the requests of one message into calls, or into the one question that stands in their way."""

    def __init__(self, turn: Turn, ear: Ear, questions: OpenQuestions, key: str, *, same: str = "") -> None:
        """`same` is what a request is about that names nothing: what the person was to be reminded of before."""
        super().__init__(turn, questions, key)
        self._ear = ear
        self._same = same

    def interpretation(self, requests: tuple[Request, ...]) -> Interpretation:
        """The calls of all requests, and beside them the first question or explanation."""
        return all_of([self._interpreted(request) for request in requests])

    def _interpreted(self, request: Request) -> Interpretation:
        if request.intent == "help":
            return self._say("help")
        if request.intent == "day_off":
            return self._say("day_off", time=self._ear.pack.timed_words.sub("", request.words("when")))
        if request.intent == "the_time":
            return self._tell_time(request)
        if request.intent == "reminder_set":
            return self._set(request)
        if request.intent == "summary_schedule":
            return self._schedule_summary(request)
        if request.intent == "reminder_delete":
            return self._delete(request)
        if request.intent in {"reminder_update", "reminder_snooze"}:
            return self._change(request)
        arguments = {
            "filter": self._days_asked_about(request) if request.intent == "reminder_list" else "",
            "query": request.words("query"),
            "window": request.words(*_WINDOWS),
            "topic": request.words("topic"),
            "person": request.words("speaker", "oneself"),
            "reference": request.words("reference"),
        }
        return self.one(request.intent, arguments)

    def _schedule_summary(self, request: Request) -> Interpretation:
        """Post summaries at a time that is coming; a time that is over says what to summarise now."""
        time = next((each.time for each in request.reminders if each.time is not None), None)
        if time is not None and time.best is not None and time.best.rrule is None and request.words("rhythm"):
            time = self._ear.repeat(time) or time
        if time is None or time.best is None:
            return self.one("summary", {})
        is_stretch = time.best.end is not None or time.best.start <= self._turn.message_time
        if time.best.rrule is None and is_stretch:
            return self.one("summary", {"window": time.words})
        return self.one("summary_schedule", schedule_arguments(time.best, self._turn.message_time))

    def _tell_time(self, request: Request) -> Interpretation:
        """The clock of the person who asks, or of the place that is named; of another day its date."""
        now, place = self._turn.now, request.words("query")
        zone = zone_named(place) if place else None
        if place and zone is None:
            query = self._ear.core(self._turn.message.text)
            topic = asked_when(query, self._ear.pack) if self._ear.is_addressed else ""
            due = looked_up_as_due(self._turn, query, topic, searches_web=True) if topic else ()
            return Interpretation(calls=due) if due else self.one("perplexity_search", {"query": query})
        here = now if zone is None else now.astimezone(ZoneInfo(zone))
        days = [time.best.start for time in request.times("when", "when_2") if time.best is not None]
        other = next((day for day in days if day.date() != now.date()), None)
        if other is not None:
            return self._say("the_day", day=date_format.date(self._turn.language, other))
        date, name = date_format.date(self._turn.language, here), zone or zone_name(now.tzinfo or UTC)
        return self._say("the_time", clock=f"{here:%H:%M}", date=date, zone=name)

    def _days_asked_about(self, request: Request) -> str:
        """The words of a time, if the list is asked for by one that is not over."""
        today = self._turn.message_time.date()
        period = self._ear.pack.period.search(self._ear.pack.fold(request.clause.text))
        named = [time for time in request.clause.times if time.best is not None]
        if period is not None and not named:
            return period[0]
        coming = [time.words for time in named if time.best is not None and _may_come(time.best, today)]
        return without_joint(coming[0], self._ear.pack) if len(named) == len(coming) == 1 else ""

    def _set(self, request: Request) -> Interpretation:
        """Set the reminders of a request; where a time does not exist ("30 February"), ask for another one."""
        wrong = next((time for time in request.clause.times if time.is_impossible), None)
        if wrong is None:
            return self._set_what_is_meant(request)
        untimed = list(dict.fromkeys(replace(each, time=None) for each in request.reminders))
        asked = self._asked_about(untimed)
        return replace(asked, answer=f"{self._say('no_such_time', time=wrong.words).answer} {asked.answer}")

    def _set_what_is_meant(self, request: Request) -> Interpretation:
        """Set the reminders of a request; those that only point are of what is replied to or was said before."""
        if self._same:
            named = [replace(each, content=each.content or self._same) for each in request.reminders]
            return self.set_reminders(named)
        pointing = [each for each in request.reminders if only_points(each, request, self._ear)]
        if not pointing:
            return self.set_reminders(request.reminders)
        first, time = pointing[0], self._clear_time(pointing[0])
        before = message_pointed_at(self._turn)
        is_again = self._turn.message.reply_to is not None and before is not None and before.sender.is_bot
        if is_again and time is not None and time.rrule is None and self._maker.offers("reminder_snooze"):
            return self.one("reminder_snooze", changed_schedule(time, self._turn.message_time))
        meant = words_pointed_at(self._turn, self._ear)
        if meant or time is None:
            named = [replace(each, content=meant) if each in pointing else each for each in request.reminders]
            return self.set_reminders(named)
        question = OpenQuestion(asks="content", person=first.person, options=(time,))
        self._ask(question)
        return self._say("what")

    def _delete(self, request: Request) -> Interpretation:
        references = reminder_references(request, self._ear.pack, may_be_several=True)
        if not references:
            self._ask(OpenQuestion(asks="reminder"))
            return self._say("which_reminder")
        if not self._maker.offers("reminder_delete"):
            return self._say("without_tool")
        return Interpretation(
            calls=tuple(self._maker.call("reminder_delete", {"reminder_id": reference}) for reference in references)
        )

    def _change(self, request: Request) -> Interpretation:
        """Move or put off a reminder, if the bot has a function for it."""
        moved = moved_by(request, self._ear)
        reading = new_time(request, self._ear) if moved is None else None
        name, schedule = request.intent, self._schedule(request, reading)
        if moved is not None:
            name, schedule = self._shifted(request.intent, moved)
        references = reminder_references(request, self._ear.pack)
        arguments = {
            "reminder_id": ", ".join(references),
            "content": request.words("content", "wording", "deed"),
            "added": request.words("added"),
        }
        return self.one(name, schedule | arguments)

    def _schedule(self, request: Request, reading: Reading | None) -> dict[str, object]:
        """When it is to be; what is put off till a day is said in its morning.

        Of a bare "7" the time that the reminder has tells which half of the day is meant, so it stays as it is said.
        """
        if reading is None:
            return {}
        if request.intent == "reminder_snooze":
            is_day = reading.has_day and not reading.has_clock
            return {"time": written(reading.wall)} if is_day else changed_schedule(reading, self._turn.message_time)
        bare = bare_clock(request, self._ear)
        return {"time": bare} if bare else changed_schedule(reading, self._turn.message_time)

    def _shifted(self, intent: str, moved: timedelta) -> tuple[str, dict[str, object]]:
        """What has just been set is moved from where it was, what has been said is put off from now."""
        if intent == "reminder_snooze" and not self._ear.is_follow_up:
            return intent, {"time": written(self._turn.message_time + moved)}
        return "reminder_update", {"time": shift_argument(moved)}


def _may_come(reading: Reading, today: date) -> bool:
    return reading.rrule is None and (reading.end or reading.start).date() >= today
