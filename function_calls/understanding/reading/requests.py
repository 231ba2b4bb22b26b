"""Turn the reading of a message into calls, or into the one question that stands in their way."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.understanding.answering import Answering
from function_calls.understanding.arguments import changed_schedule, schedule_arguments, shift_argument, written
from function_calls.understanding.carried_days import halves, on_day
from function_calls.understanding.looking_here import looked_up_here
from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import MessageReading
from function_calls.understanding.reading.tokens import TimeReader
from function_calls.understanding.reminder_request import ReminderRequest
from function_calls.understanding.time_words import TimeWords
from services.recurrence.rules import WEEKDAYS, parse_rule
from services.time_expressions import Reading, TimeReadings

_UNTIL_DONE_MINUTES = 10
_NO_TOPIC = frozenset({"none", "help", "list", "when_is", "answer_when", "answer_content", "cancel_ask", "repeat_last"})
_CLEARLY = 1.5
_LONGEST_QUESTION = 7
_LEAST_TOPIC = 0.8
_SHORTEST_QUERY = 4
_STATES = {"pause": "pause", "resume": "resume", "done": "done", "join": "join", "leave": "leave"}


class RequestMaker:
    """Makes the calls that one message asks for."""

    def __init__(
        self,
        turn: Turn,
        reading: MessageReading,
        words: Lexicon,
        times: TimeReader,
        answering: Answering,
        question: OpenQuestion | None,
        classify: Callable[[int], tuple[tuple[str, float], ...]],
        *,
        is_addressed: bool,
        may_point: bool,
    ) -> None:
        self._turn = turn
        self._reading = reading
        self._words = words
        self._now = turn.message_time
        self._language = "zh" if not words.joint else "en"
        self._times = times
        self._answering = answering
        self._question = question
        self._classify = classify
        self._is_addressed = is_addressed
        self._may_point = may_point

    def _read(self, text: str) -> tuple[TimeReadings, ...]:
        return self._times(text, self._now, language=self._language)

    def make(self, last_set: ToolCall | None) -> Interpretation | None:
        """Return the calls of the message, a question, or None where its words are not enough."""
        intent = self._reading.intent
        if intent == "repeat_last":
            return self._repeat(last_set)
        if intent in _STATES:
            return self._state(_STATES[intent])
        make: Callable[[], Interpretation | None] | None = getattr(self, f"_{intent}", None)
        return None if make is None else make()

    # reminders

    def _set(self) -> Interpretation | None:
        content = slots.content(self._reading, self._words)
        when = self._whens()
        person = slots.people(self._reading, self._words)
        options: dict[str, object] = {}
        if self._reading.has("UNTILDONE"):
            options["until_done"] = _UNTIL_DONE_MINUTES
            if any(
                time.best is not None and time.best.rrule and parse_rule(time.best.rrule).is_elapsed for time in when
            ):
                return None  # the handler reads the interval in the message and lets it repeat for ever
        if self._reading.has("URGENT"):
            options["urgent"] = True
        if any(word in self._reading.text.casefold() for word in self._words.exceptions):
            return None
        is_endless = self._reading.has("UNTIL") and not any(time.best and time.best.rrule for time in when)
        if is_endless or not (content or when):
            return None
        times: list[TimeWords | None] = [*when] or [None]
        requests = [ReminderRequest(content=content, person=person, time=time) for time in times]
        made = self._answering.set_reminders(requests) if content else self._answering.without_content(requests[0])
        if not options:
            return made
        self._answering.keep_options(options)
        calls = tuple(
            replace(call, arguments={**call.arguments, **options}) if call.name == "reminder_set" else call
            for call in made.calls
        )
        return replace(made, calls=calls)

    def _whens(self) -> list[TimeWords]:
        """Return when to remind: the times that are named, or a lead before the time of an event."""
        reading = self._reading
        pieces = self._corrected(reading.spans("WHEN"))
        leads = [each for piece in reading.pieces("LEAD") if (each := self._length(piece)) is not None]
        events = reading.pieces("EVENT")
        if leads and (events or pieces):
            clock = slots.one_time(pieces, self._words, self._read) if events and pieces else None
            times = slots.times(events or pieces, self._words, self._read)
            return [early for event in times for lead in leads if (early := _ahead(event, lead, clock)) is not None]
        found = slots.times(pieces, self._words, self._read)
        if not pieces and events:
            found = slots.times(events, self._words, self._read)
        elif len(found) == 1 and events and found[0].best is not None and slots.is_bare(found[0].best):
            both = slots.one_time([*events, *pieces], self._words, self._read)
            found = [both] if both is not None else found
        return [_until(time, self._end()) for time in found]

    def _corrected(self, spans: list[tuple[int, int]]) -> list[str]:
        """Return the pieces that hold in the end: "at 6, sorry, at 7" is at 7."""
        text = self._reading.text
        kept: list[tuple[int, int]] = []
        for span in spans:
            between = text[kept[-1][1] : span[0]].casefold() if kept else ""
            is_corrected = any(
                word in (between.split() if self._words.joint else between) for word in self._words.corrections
            )
            if is_corrected and kept:
                day = slots.one_time([text[slice(*kept[-1])]], self._words, self._read)
                clock = slots.one_time([text[slice(*span)]], self._words, self._read)
                if clock is not None and day is not None and day.best is not None and clock.best is not None:
                    is_same = slots.is_bare(clock.best) and day.best.has_day
                    if is_same and day.best.rrule is None:
                        kept[-1] = span
                        return [f"{day.best.start:%Y-%m-%d} {clock.best.start:%H:%M}"]
                kept[-1] = span
            else:
                kept.append(span)
        return [text[start:end] for start, end in kept]

    def _end(self) -> str:
        """Return the `UNTIL` or `COUNT` part of a rule that the message names as its end."""
        text = self._reading.words("UNTIL")
        for form in self._words.end if text else ():
            for expression in self._read(form.format(time=text)):
                rule = expression.best.rrule if expression.best is not None else None
                ends = [part for part in (rule or "").split(";") if part.startswith(("UNTIL=", "COUNT="))]
                if ends:
                    return ends[0]
        return ""

    def _amount(self, tag: str) -> timedelta | None:
        pieces = self._reading.pieces(tag)
        return self._length(pieces[0]) if len(pieces) == 1 else None

    def _length(self, piece: str) -> timedelta | None:
        def read(text: str, now: datetime) -> tuple[TimeReadings, ...]:
            return self._times(text, now, language=self._language)

        return slots.amount(piece, self._words, read, self._now)

    def _repeat(self, last: ToolCall | None) -> Interpretation | None:
        times = self._whens()
        if last is None or not times:
            return None
        person = slots.people(self._reading, self._words) or last.arguments.get("person")
        content = slots.content(self._reading, self._words) or str(last.arguments["content"])
        return self._answering.set_reminders(
            [
                ReminderRequest(content=content, person=None if person is None else str(person), time=time)
                for time in times
            ]
        )

    def _answer_when(self) -> Interpretation | None:
        """Set the reminder that was asked about at the time of the answer."""
        question, times = self._question, self._whens()
        if question is None or len(times) != 1 or question.asks == "reminder":
            return None
        time = times[0]
        if question.options and time.best is not None and slots.is_bare(time.best):
            days = {option.start.date() for option in question.options}
            if len(days) == 1:
                both = tuple(half for each in time.readings[:1] for half in halves(on_day(each, min(days))))
                time = replace(time, readings=both, is_ambiguous=is_clock_without_half(time.words))
        request = ReminderRequest(content=question.content, person=question.person, time=time)
        return (
            self._answering.set_reminders([request]) if question.content else self._answering.without_content(request)
        )

    def _answer_content(self) -> Interpretation | None:
        """Set the reminder that was asked about with the content of the answer."""
        question = self._question
        content = slots.content(self._reading, self._words)
        if question is None or not content or len(question.options) != 1 or question.content:
            return None
        return self._answering.set_at(content, question.person, question.options[0])

    def _cancel_ask(self) -> Interpretation | None:
        return None if self._question is None else self._answering.dropped()

    def _help(self) -> Interpretation | None:
        """Explain how to do the thing that the question is about, by what the message means apart from asking how."""
        topic = self._topic()
        return (
            None if topic is None else Interpretation(answer=say(self._turn.language, f"how.{topic}"), must_reply=True)
        )

    def _topic(self) -> str | None:
        """Return the function that the words behind the question are about: "delete a reminder" of "how do I …"."""
        shares: dict[str, float] = {}
        for start in range(1, min(len(self._reading.tokens) - 2, _LONGEST_QUESTION)):
            intent, share = self._classify(start)[0]
            if intent not in _NO_TOPIC:
                shares[intent] = max(share, shares.get(intent, 0.0))
        topic = max(shares, key=shares.__getitem__, default=None)
        return (
            topic if topic is not None and shares[topic] >= _LEAST_TOPIC else topic_of(self._reading, _LEAST_TOPIC / 5)
        )

    def _list(self) -> Interpretation | None:
        return self._one("reminder_list", {"filter": self._reading.words("WHEN") or ", ".join(self._references())})

    def _when_is(self) -> Interpretation | None:
        names = self._references()
        return self._one("reminder_list", {"filter": ", ".join(names) or self._reading.words("WHEN") or "it"})

    def _delete(self) -> Interpretation | None:
        references = self._references() or (["it"] if self._may_point else [])
        if not references:
            return None
        calls = [self._answering.one("reminder_delete", {"reminder_id": each}) for each in references]
        return Interpretation(calls=tuple(call for each in calls for call in each.calls), answer=calls[0].answer)

    def _move(self) -> Interpretation | None:
        if len(self._reading.pieces("LATER") + self._reading.pieces("EARLIER")) > 1:
            return None
        later, earlier = self._amount("LATER"), self._amount("EARLIER")
        if later is not None or earlier is not None:
            time: dict[str, object] = {
                "time": shift_argument(later if later is not None else -(earlier or timedelta()))
            }
            return self._update(time)
        lead = self._amount("LEAD")
        if lead is not None and not self._reading.has("WHEN") and not self._reading.has("EVENT"):
            return self._update({"time": shift_argument(-lead)})
        times = self._whens()
        if len(times) != 1 or times[0].best is None:
            return None
        best = times[0].best
        arguments = changed_schedule(best, self._now)
        if slots.is_bare(best):
            words = times[0].words
            arguments = {"time": words if not words[0].isdigit() else self._words.as_time[1].format(time=words)}
        return self._update(arguments)

    def _update(self, arguments: Mapping[str, object]) -> Interpretation | None:
        references = self._references()
        old = self._reading.words("OLD")
        named: dict[str, object] = {"reminder_id": ", ".join(references) or "it"}
        if old and references and old not in references:
            day = self._read(old)
            if any(each.best is not None and each.best.has_day for each in day):
                named["occurrence"] = old
        return self._one("reminder_update", {**arguments, **named})

    def _reword(self) -> Interpretation | None:
        content = slots.content(self._reading, self._words)
        return self._update({"content": content}) if content else None

    def _append(self) -> Interpretation | None:
        content = slots.content(self._reading, self._words)
        return self._update({"added": content}) if content else None

    def _person_add(self) -> Interpretation | None:
        return self._person("+")

    def _person_remove(self) -> Interpretation | None:
        return self._person("-")

    def _person(self, sign: str) -> Interpretation | None:
        named = self._reading.pieces("PERSON")
        if not named:
            return None
        who = slots.people(self._reading, self._words)
        if who is None:
            return self._state("join" if sign == "+" else "leave")
        return self._update({"person": f"{sign}{who}"})

    def _snooze(self) -> Interpretation | None:
        length = self._amount("LATER") or self._amount("WHEN")
        times = slots.times(self._reading.pieces("WHEN"), self._words, self._read)
        arguments: dict[str, object] = {"reminder_id": ", ".join(self._references())}
        if length is not None and (not times or times[0].best is None):
            arguments["time"] = written(self._now + length)
        elif times and times[0].best is not None:
            is_day = times[0].best.has_day and not times[0].best.has_clock
            arguments["time"] = (
                written(times[0].best.wall) if is_day else changed_schedule(times[0].best, self._now).get("time")
            )
        return self._one("reminder_snooze", arguments)

    def _state(self, action: str) -> Interpretation | None:
        arguments: dict[str, object] = {"action": action, "reminder_id": ", ".join(self._references()) or "it"}
        when = self._reading.words("WHEN") or self._reading.words("UNTIL")
        if action == "pause" and when:
            arguments["until" if self._has_until_word() or self._reading.has("UNTIL") else "during"] = when
        return self._one("reminder_state", arguments)

    def _has_until_word(self) -> bool:
        return any(
            token.form in self._words.until_words and after == "WHEN"
            for token, after in zip(self._reading.tokens, self._reading.tags[1:], strict=False)
        )

    def _skip(self) -> Interpretation | None:
        return self._one(
            "reminder_update",
            {
                "reminder_id": ", ".join(self._references()),
                "skip": self._reading.words("WHEN") or self._reading.words("OLD") or "next",
            },
        )

    def _until(self) -> Interpretation | None:
        end = self._end()
        if end.startswith("COUNT="):
            return self._update({"times": int(end.removeprefix("COUNT="))})
        words = self._reading.words("UNTIL") or self._reading.words("WHEN")
        return self._update({"until": words}) if words else None

    def _undo(self) -> Interpretation | None:
        return self._one("undo", {})

    # other functions

    def _summary(self) -> Interpretation | None:
        slot = self._reading.words
        return self._one("summary", {"window": slot("WHEN"), "topic": slot("TOPIC"), "person": slot("SPEAKER")})

    def _summary_schedule(self) -> Interpretation | None:
        times = self._whens()
        if len(times) != 1 or times[0].best is None:
            return None
        return self._one("summary_schedule", schedule_arguments(times[0].best, self._now))

    def _zone(self) -> Interpretation | None:
        return self._one("time_zone", {"zone": next(iter(self._reading.pieces("ZONE")), "")})

    def _quiet(self) -> Interpretation | None:
        when = self._reading.words("WHEN")
        is_off = any(token.form in self._words.quiet_off for token in self._reading.tokens)
        return self._one("quiet_hours", {"hours": when or ("off" if is_off else "")})

    def _remember(self) -> Interpretation | None:
        text = slots.content(self._reading, self._words)
        return self._one("memory_save", {"text": text}) if text else None

    def _recall(self) -> Interpretation | None:
        query = slots.content(self._reading, self._words)
        is_exact = len(query) >= _SHORTEST_QUERY and (" " in query or not self._words.joint)
        calls = looked_up_here(self._turn, query) if is_exact else ()
        return Interpretation(calls=calls) if calls else None

    def _references(self) -> list[str]:
        return slots.reference(self._reading, self._words)

    def _one(self, name: str, arguments: Mapping[str, object]) -> Interpretation:
        return self._answering.one(name, arguments)


def topic_of(reading: MessageReading, least: float = 0.0) -> str | None:
    """Return the function that a message is about, whatever it says of it; None where nothing is probable enough."""
    topics = [(intent, share) for intent, share in reading.intents if intent not in _NO_TOPIC]
    topic, share = topics[0]
    return topic if share >= max(least, topics[1][1] * _CLEARLY) else None


def _ahead(event: TimeWords, lead: timedelta, clock: TimeWords | None) -> TimeWords | None:
    """Return the time `lead` before `event`, at `clock` where that is named; of one that repeats, before each time."""
    best = event.best
    if best is None or (lead < timedelta(days=1) and not best.has_clock):
        return None
    start = best.start - lead
    if clock is not None and clock.best is not None and lead >= timedelta(days=1):
        start = start.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    early = best._replace(start=start, has_clock=True, has_day=True)
    if best.rrule is not None:
        rule = _rule_ahead(best, early.start)
        if rule is None:
            return None
        early = early._replace(rrule=rule)
    return replace(event, readings=(early,), is_ambiguous=False)


def _rule_ahead(event: Reading, start: datetime) -> str | None:
    """Return the rule of `event` with the clock, weekday or date of `start`, where it names one of each."""
    parts = dict(part.split("=", 1) for part in (event.rrule or "").split(";") if "=" in part)
    days = (start.date() - event.start.date()).days
    if any("," in parts.get(name, "") for name in ("BYHOUR", "BYMONTHDAY", "BYMONTH")):
        return None
    if "BYHOUR" in parts:
        parts |= {"BYHOUR": str(start.hour), "BYMINUTE": str(start.minute)}
    if days and "BYDAY" in parts:
        named = parts["BYDAY"].split(",")
        if not all(day in WEEKDAYS for day in named):
            return None
        parts["BYDAY"] = ",".join(WEEKDAYS[(WEEKDAYS.index(day) + days) % 7] for day in named)
    if days and "BYMONTHDAY" in parts:
        parts["BYMONTHDAY"] = str(start.day)
    if days and "BYMONTH" in parts:
        parts["BYMONTH"] = str(start.month)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _until(time: TimeWords, end: str) -> TimeWords:
    """Return a repeating `time` with the end of its rule."""
    best = time.best
    if not end or best is None or best.rrule is None or "UNTIL=" in best.rrule or "COUNT=" in best.rrule:
        return time
    return replace(time, readings=(best._replace(rrule=f"{best.rrule};{end}"), *time.readings[1:]))
