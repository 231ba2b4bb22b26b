"""From a message to the requests in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice, pairwise

from msgspec import Struct
from msgspec.structs import replace

from function_calls.understanding.blanks import Blanked, blank_out
from function_calls.understanding.carried_days import on_their_days
from function_calls.understanding.clauses import (
    LONGEST,
    quoted_parts,
    tidy,
    trimmed,
    uncover,
    with_pauses,
    without_names,
)
from function_calls.understanding.corrections import corrected
from function_calls.understanding.listed import listed
from function_calls.understanding.matching import Match, match_clause, possible
from function_calls.understanding.pack import LanguagePack, load_gate
from function_calls.understanding.questions import asks_the_world, has_form
from function_calls.understanding.reminder_request import ReminderReader, ReminderRequest
from function_calls.understanding.several_times import with_alternatives, with_listed_clocks
from function_calls.understanding.time_words import TimeReader, TimeWords, find_times, in_the_morning, joined, repeated
from services.time_expressions import Reading, is_effort_spent

_FEWEST_TRIGGERS = 2
_MOST_PAUSES = 8
_NEAR = 40
_SEARCH = "perplexity_search"
_MARK = re.compile(r"[.,;!?。，；！？\n]")
_PAUSE = re.compile(r"[.;!?。；！？\n]+")


class Request(Struct, frozen=True, kw_only=True):
    """One thing asked for: the intent's name, the words of its slots, and the reminders to be set, if any."""

    intent: str
    match: Match
    clause: Blanked
    reminders: tuple[ReminderRequest, ...] = ()

    def words(self, *slots: str) -> str:
        """The words of the first of `slots` that has any, with its time words back in place."""
        return self.clause.restore(self.match.first(*slots))

    def times(self, *slots: str) -> tuple[TimeWords, ...]:
        """The times named in `slots`, in order."""
        owners = [owner for slot in slots for owner in self.clause.owners_in(self.match.slots.get(slot, ""))]
        return tuple(self.clause.times[owner] for owner in owners)


class Ear(Struct, frozen=True, kw_only=True):
    """What is known while a message is read: the language, the time, and who is meant.

    `now` is timezone-aware; `names` are the bot's. `is_follow_up` says that it has just done something for this person.
    """

    pack: LanguagePack
    now: datetime
    names: tuple[str, ...]
    is_addressed: bool
    read_times: TimeReader
    is_follow_up: bool = False

    def requests(self, text: str) -> tuple[Request, ...]:
        """Every request in `text`, in order; none when it asks for nothing, or takes back what it asked.

        None either when some of its times were not read (`limited_effort`).
        """
        found = self._requests(text)
        return () if is_effort_spent() else found

    def _requests(self, text: str) -> tuple[Request, ...]:
        text = without_names(text, self.names)  # what is read as something else may stand behind them
        tidied = tidy(text, self.pack)
        if len(tidied) > LONGEST:
            return ()
        plain = without_names(tidied, self.names)
        if not load_gate(self.pack.language).search(self.pack.fold(plain)):
            return ()
        if self.pack.taken_back.search(self.pack.fold(plain)) or self._is_quoted(text):
            return ()
        core = self._afresh(uncover(plain, self.pack, self.names))
        found = self._before_a_question(core) or self._listed(text) or self._one_after_another(text) or self._all(core)
        paused = self._with_pauses(text)
        found = paused if not found or len(_at_a_clock(paused)) > len(_reminders(found)) else found
        return self._on_their_days(request for request in found if request.intent != "none")

    def _before_a_question(self, text: str) -> tuple[Request, ...]:
        """The reminders of a text that goes on to ask about the world, and the search for that; empty without both.

        No time of the question is one of theirs: "remind me to call Bob at 5pm, and what's the weather tomorrow?"
        """
        for pause in islice(_MARK.finditer(text), _MOST_PAUSES):
            question = self._after(text, pause)
            is_asked = asks_the_world(question, self.pack) and has_form(question, self.pack)
            if not is_asked or self._all(question):
                continue
            asked = self._all(trimmed(text[: pause.start()]))
            reminders = _reminders(asked)
            if reminders and all(each.content and each.time is not None for each in reminders):
                clause = self.clause(question)
                search = Match(intent=_SEARCH, slots={"query": clause.text})
                return (*asked, Request(intent=_SEARCH, match=search, clause=clause))
        return ()

    def _one_after_another(self, text: str) -> tuple[Request, ...]:
        """The requests of a text without marks, each with its trigger: 傍晚提醒我遛狗 晚上十点提醒我关窗."""
        if not _FEWEST_TRIGGERS <= len(self.pack.trigger.compiled.findall(self.pack.fold(text))) <= _MOST_PAUSES:
            return ()
        core = self._afresh(self.core(with_pauses(text) or text))
        clause = self.clause(core)
        ends = [found.start() for found in self.pack.next_trigger.finditer(self.pack.fold(clause.text))]
        pieces = [clause.restore(clause.text[start:end]) for start, end in pairwise([0, *ends, None])]
        return self._several("，".join(trimmed(piece) for piece in pieces))

    def _with_pauses(self, text: str) -> tuple[Request, ...]:
        """The requests of a text in which spaces stand for marks: 降压药 每天早上七点 提醒我吃.

        They are taken where there are more of them: 今晚8点提醒我打电话 9点倒垃圾.
        """
        paused = with_pauses(text)
        return self._all(self._afresh(self.core(paused))) if paused else ()

    def _listed(self, text: str) -> tuple[Request, ...]:
        """The requests of a list, each point of which asks to be reminded at a time of its own."""
        several = listed(text)
        if several is None or not all(self.clause(point).times for point in several.points):
            return ()
        found = [self._one(self.core(f"{several.head} {point}")) for point in several.points]
        asked = tuple(each for each in found if each is not None and each.intent == "reminder_set")
        return asked if len(asked) == len(found) else ()

    def _is_quoted(self, text: str) -> bool:
        """Whether what asks for something is a quotation: '"remind me at 5" is what I wrote'."""
        gate = load_gate(self.pack.language)
        parts = (tidy(part.strip("`\"“”「」『』'‘’"), self.pack) for part in quoted_parts(text))
        return any(gate.search(self.pack.fold(part)) and self._one(part) is not None for part in parts)

    def _on_their_days(self, requests: Iterable[Request]) -> tuple[Request, ...]:
        """`requests` with the day of a time carried on to the times after it."""
        found = tuple(requests)
        reminders = _reminders(found)
        if len(reminders) < 2:
            return found
        dated = iter(self.dated(reminders))
        return tuple(replace(request, reminders=tuple(islice(dated, len(request.reminders)))) for request in found)

    def dated(self, reminders: Sequence[ReminderRequest]) -> tuple[ReminderRequest, ...]:
        """`reminders` with the day of a time carried on to the times after it."""
        named = [(each.time.words, each.time.readings) for each in reminders if each.time is not None]
        carried = on_their_days(named, self.now)
        return tuple(_with_readings(each, carried) for each in reminders)

    def _afresh(self, text: str) -> str:
        """What is asked for in the end, where somebody begins again: "remind me at 5, no, remind me at 6 to cook"."""
        gate, folded = load_gate(self.pack.language), self.pack.fold(text)
        for pause in reversed(list(self.pack.afresh.finditer(folded))[:_MOST_PAUSES]):
            rest = uncover(text[pause.end() :], self.pack, self.names)
            is_begun = gate.search(folded, 0, pause.start())
            meant = self._one(rest) if is_begun and gate.search(self.pack.fold(rest)) else None
            if meant is not None and not _only_changes(meant):
                return rest
        return text

    def clause(self, text: str) -> Blanked:
        """`text` with its time words blanked out, and without the times that it takes back."""
        times = find_times(text, self.now, self.pack, self.read_times)
        times = with_listed_clocks(times, text, self.now, self.pack, self.read_times)
        plain = blank_out(text, with_alternatives(times, text, self.pack))
        return corrected(plain, self.now, self.pack, self.read_times)

    def core(self, text: str) -> str:
        """`text` without greetings, politeness and the bot's name; a long one as it is."""
        plain = tidy(without_names(text, self.names), self.pack)
        return uncover(plain, self.pack, self.names) if len(plain) <= LONGEST else trimmed(plain)

    def forms(self, text: str) -> tuple[str, str]:
        """The `core` of `text`, and all but the bot's name: a tool's example may begin like politeness (记住…)."""
        plain = tidy(without_names(text, self.names), self.pack)
        return self.core(text), without_names(plain, self.names) if len(plain) <= LONGEST else plain

    def without_times(self, clause: Blanked) -> str:
        """The words of `clause` beside its times, without the joints between them."""
        return ReminderReader(clause, self.pack, self).remainder(clause.text)

    def is_time(self, text: str) -> bool:
        """Whether `text` names a time and nothing else."""
        clause = self.clause(text)
        return bool(clause.times) and not self.without_times(clause)

    def join(self, first: TimeWords, second: TimeWords) -> TimeWords | None:
        """Two times as one, if they belong together."""
        return joined(first, second, self.now, self.pack, self.read_times)

    def repeat(self, time: TimeWords) -> TimeWords | None:
        """The repetition of a time, if it can be repeated."""
        return repeated(time, self.now, self.pack, self.read_times)

    def wake(self, time: TimeWords, text: str) -> TimeWords | None:
        """A time in the morning, if `text` speaks of waking up and `time` does not say otherwise."""
        return in_the_morning(time, text, self.now, self.pack, self.read_times)

    def _all(self, text: str) -> tuple[Request, ...]:
        """The requests of a message that may put several after each other."""
        several = self._several(text)
        if several:
            return several
        one = self._one(text)
        return () if one is None else (one,)

    def _several(self, text: str) -> tuple[Request, ...]:
        """The requests between the pauses after which a new one begins; empty when there is but one."""
        begins = [pause for pause in self._pauses(text) if self._begins(self._after(text, pause))]
        if not begins:
            return ()
        found: list[Request] = []
        start = 0
        whole = self._one(text)
        if whole is not None and whole.intent == "reminder_snooze":  # 等会儿再提醒我 is no time and a request
            return ()
        for pause in [*begins, None]:
            piece = uncover(text[start : pause.start() if pause else None], self.pack, self.names)
            request = self._one(piece)
            if request is None or (pause is not None and self.is_time(piece)):  # 四小时后再提醒大家
                return ()
            found.append(request)
            start = pause.end() if pause else start
        return tuple(found)

    def _begins(self, text: str) -> bool:
        """Whether `text` is a request for itself, and not "no, make it six" behind one."""
        request = self._one(text)
        is_behind = (
            request is not None and _only_changes(request) and self.pack.afresh.match(f" {self.pack.fold(text)}")
        )
        return request is not None and not is_behind

    def _after(self, text: str, pause: re.Match[str]) -> str:
        return uncover(text[pause.end() :], self.pack, self.names)

    def _pauses(self, text: str) -> list[re.Match[str]]:
        """Where one request may end and another begin, as far as anybody would ask in one message."""
        gate = load_gate(self.pack.language)
        folded = self.pack.fold(text)
        may_pause = _MARK.search(folded) or any(word in folded for word in self.pack.data.between)
        if not may_pause or len(gate.findall(folded)) < _FEWEST_TRIGGERS:
            return []
        between = [match for match in self.pack.between.finditer(folded) if match[0].strip()]
        pauses = sorted([*_PAUSE.finditer(folded), *between], key=lambda pause: (pause.start(), -pause.end()))
        apart = [pause for at, pause in enumerate(pauses) if not at or pause.start() >= pauses[at - 1].end()]
        begun = [pause for pause in apart if gate.search(folded, pause.end(), pause.end() + _NEAR)]
        return [pause for pause in begun[: 2 * _MOST_PAUSES] if not self._is_correction(text, pause)][:_MOST_PAUSES]

    def _is_correction(self, text: str, pause: re.Match[str]) -> bool:
        """Whether what goes on at `pause` says another time ("no, at six"), and not another request."""
        turn = self.pack.afresh.compiled.match(self.pack.fold(text), pause.start())
        if turn is None:
            return False
        request = self._one(uncover(text[turn.end() :], self.pack, self.names))
        return request is None or request.intent != "reminder_set"

    def _one(self, text: str) -> Request | None:
        rest = possible(text, self.pack)
        first = None if is_effort_spent() else next(rest, None)
        if first is None:
            return None
        clause = self.clause(text)
        is_whole = clause.restore(clause.text) == text  # a correction takes words out
        match = match_clause(
            clause,
            self.pack,
            is_addressed=self.is_addressed,
            is_follow_up=self.is_follow_up,
            among=chain((first,), rest) if is_whole else None,
        )
        if match is None:
            return None
        reminders: tuple[ReminderRequest, ...] = ()
        if match.intent in {"reminder_set", "summary_schedule"}:
            reminders = ReminderReader(clause, self.pack, self).read(match)
        return Request(intent=match.intent, match=match, clause=clause, reminders=reminders)


def _reminders(requests: Sequence[Request]) -> list[ReminderRequest]:
    return [each for request in requests for each in request.reminders]


def _at_a_clock(requests: Sequence[Request]) -> list[ReminderRequest]:
    """The reminders of `requests`, where each has a content and a clock."""
    found = _reminders(requests)
    bests = [each.time.best for each in found if each.content and each.time is not None]
    return found if len([best for best in bests if best is not None and best.has_clock]) == len(found) else []


def _only_changes(request: Request) -> bool:
    """Whether a request moves what was just spoken of, and names nothing."""
    named = request.match.first("reference", "which", "number", "id", "code", "content", "deed", "added", "wording")
    return request.intent == "reminder_update" and not named


def _with_readings(reminder: ReminderRequest, readings: Iterator[tuple[Reading, ...]]) -> ReminderRequest:
    if reminder.time is None:
        return reminder
    return replace(reminder, time=replace(reminder.time, readings=next(readings)))
