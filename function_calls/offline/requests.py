"""From a message to the requests in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from function_calls.offline.blanks import Blanked, blank_out
from function_calls.offline.clauses import LONGEST, tidy, trimmed, uncover
from function_calls.offline.matching import Match, match_clause, might_match
from function_calls.offline.pack import LanguagePack, load_intent
from function_calls.offline.pack_data import INTENTS
from function_calls.offline.reminder_request import ReminderReader, ReminderRequest
from function_calls.offline.time_words import TimeReader, TimeWords, find_times, joined, repeated

_PAUSE = re.compile(r"[.;!?。；！？\n]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Ear:
    """What is known while a message is read: the language, the time, and who is meant.

    `now` is timezone-aware; `names` are the bot's.
    """

    pack: LanguagePack
    now: datetime
    names: tuple[str, ...]
    is_addressed: bool
    read_times: TimeReader

    def requests(self, text: str) -> tuple[Request, ...]:
        """Every request in `text`, in order; none when it asks for nothing, or takes back what it asked."""
        plain = tidy(text, self.pack)
        if len(plain) > LONGEST or not might_match(plain, self.pack):
            return ()
        if self.pack.taken_back.search(plain):
            return ()
        core = uncover(plain, self.pack, self.names)
        found = self._several(core) or tuple(filter(None, [self._one(core)]))
        return tuple(request for request in found if request.intent != "none")

    def clause(self, text: str) -> Blanked:
        """`text` with its time words blanked out."""
        return blank_out(text, find_times(text, self.now, self.pack, self.read_times))

    def core(self, text: str) -> str:
        """`text` without greetings, politeness and the bot's name."""
        return uncover(tidy(text, self.pack), self.pack, self.names)

    def without_times(self, clause: Blanked) -> str:
        """The words of `clause` beside its times, without the joints between them."""
        return ReminderReader(clause, self.pack, self).remainder(clause.text)

    def join(self, first: TimeWords, second: TimeWords) -> TimeWords | None:
        """Two times as one, if they belong together."""
        return joined(first, second, self.now, self.pack, self.read_times)

    def repeat(self, time: TimeWords) -> TimeWords | None:
        """The repetition of a time, if it can be repeated."""
        return repeated(time, self.now, self.pack, self.read_times)

    def _several(self, text: str) -> tuple[Request, ...]:
        """The requests of a message that puts several after each other; empty when it is one."""
        if self._triggers(text) < 2:
            return ()
        for pause in self._pauses(text):
            left = self._one(trimmed(text[: pause.start()]))
            if left is None:
                continue
            rest = uncover(text[pause.end() :], self.pack, self.names)
            right = self._several(rest) or tuple(filter(None, [self._one(rest)]))
            if right:
                return (left, *right)
        return ()

    def _triggers(self, text: str) -> int:
        gates = [load_intent(self.pack.language, name).gate for name in INTENTS]
        places = {match.start() for gate in gates for match in gate.finditer(text)}
        return len(places)

    def _pauses(self, text: str) -> Iterator[re.Match[str]]:
        yield from _PAUSE.finditer(text)
        yield from (match for match in self.pack.between.finditer(text) if match[0].strip())

    def _one(self, text: str) -> Request | None:
        clause = self.clause(text)
        match = match_clause(clause, self.pack, is_addressed=self.is_addressed)
        if match is None:
            return None
        reminders: tuple[ReminderRequest, ...] = ()
        if match.intent == "reminder_set":
            reminders = ReminderReader(clause, self.pack, self).read(match)
        return Request(intent=match.intent, match=match, clause=clause, reminders=reminders)
