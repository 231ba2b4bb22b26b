"""Read what to be reminded of, whom and when, by taking the time, the trigger and the addressee out of a sentence."""

import re
from collections.abc import Collection, Iterable
from datetime import timedelta
from itertools import combinations, islice
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.blanks import Blanked, has_content, has_words
from function_calls.understanding.carried_days import halves, on_day
from function_calls.understanding.clauses import closed_up, trimmed
from function_calls.understanding.corrections import at_clock
from function_calls.understanding.leftovers import leftover
from function_calls.understanding.matching import Match
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.several_times import apart, completed
from function_calls.understanding.templates import BLANK
from function_calls.understanding.time_words import TimeWords
from services.time_expressions import Reading

_MOST_TIMES = 4
_MOST_JOINTS = 24
_LONG_AFTER = timedelta(hours=6)
_NAP = timedelta(hours=3)
"""Who is woken so soon after something else is not woken from a night's sleep."""
_ADJOINED = re.compile(r"(@[^\s@,，、&和跟与及]+)\s*(?=@)")
_ONE_CLOCK = re.compile(r"BYHOUR=(\d+);BYMINUTE=(\d+)(?=;|$)")
_TO = re.compile(r"\s*to\b", re.IGNORECASE)
"""After the word before an infinitive the content begins; Chinese has no such word."""
_CUT_BEHIND = re.compile(rf"{BLANK}\W*$")
_PLACES_OF_TIME = ("when", "when_2", "when_3")


class TimeWorker(Protocol):
    """Makes times out of times."""

    def join(self, first: TimeWords, second: TimeWords) -> TimeWords | None:
        """Two times as one, if they belong together."""
        ...

    def repeat(self, time: TimeWords) -> TimeWords | None:
        """The repetition of a time, if it can be repeated."""
        ...

    def wake(self, time: TimeWords, text: str) -> TimeWords | None:
        """A time in the morning, if `text` speaks of waking up and `time` does not say otherwise."""
        ...


class ReminderRequest(Struct, frozen=True, kw_only=True):
    """A reminder that was asked for. `time` is None when none was named; `person` when it is the one who asks."""

    content: str
    person: str | None = None
    time: TimeWords | None = None


class _Parts(Struct, frozen=True, kw_only=True):
    """The pieces of one request: where its time is looked for first, and where its words stand."""

    head: tuple[int, ...]
    body: str
    aside: str


class ReminderReader:
    """Reads the requests in one matched sentence."""

    def __init__(self, clause: Blanked, pack: LanguagePack, times: TimeWorker) -> None:
        self._clause = clause
        self._pack = pack
        self._times = times

    def read(self, match: Match) -> tuple[ReminderRequest, ...]:
        """Every reminder asked for: several contents, several times, or one of each."""
        named = match.first("several", "group", "both", "pair", "kin", "name", "person")
        person = self._person("、".join(filter(None, [named, match.first("name_2")])))
        pieces = self._split(
            match.first("content", "task", "rising"), has_head=bool(self._clause.owners_in(_said_when(match)))
        )
        requests: list[ReminderRequest] = []
        for number, piece in enumerate(pieces):
            parts = self._parts(match if number == 0 else Match(intent=match.intent, slots={}), piece)
            requests += [replace(request, person=person) for request in self._requests(parts)]
        contents = with_their_verbs([request.content for request in requests], self._pack)
        requests = [replace(each, content=content) for each, content in zip(requests, contents, strict=True)]
        return tuple(dict.fromkeys(self._repeated(match, request) for request in requests))

    def _repeated(self, match: Match, request: ReminderRequest) -> ReminderRequest:
        """Make a request for "a recurring reminder" repeat, when its time does not say so itself."""
        time, kind = request.time, self._clause.restore(match.first("label", "kind"))
        is_once = time is not None and time.best is not None and time.best.rrule is None
        if time is None or not is_once or not self._pack.repeated.search(kind):
            return request
        return replace(request, time=self._times.repeat(time) or time)

    def remainder(self, text: str) -> str:
        """The words of `text` beside times and joints."""
        rest = self._tidied(self._pack.timed.sub(" ", text))
        return rest if has_words(self._pack.plain.sub("", rest)) else ""

    def _person(self, words: str) -> str | None:
        bare = trimmed(words)
        name = (_ADJOINED.sub(r"\1、", bare) if "@" in bare else bare).removeprefix("@")
        if not name or name.lower() in self._pack.data.oneself:
            return None
        return (
            "everyone"
            if words.lower() in self._pack.data.everyone or name.lower() in self._pack.data.everyone
            else name
        )

    def _split(self, content: str, *, has_head: bool) -> list[str]:
        """Cut a content in which a second time begins a second request."""
        listed = content.split("、")
        if len(listed) > 1 and all(map(self._is_request, listed)):  # 九点开会、十点交表
            return listed
        for between in islice(self._pack.between.finditer(content), _MOST_JOINTS):
            left, right = content[: between.start()], content[between.end() :]
            is_left = has_words(self._head(left)[0]) if has_head else self._is_request(left)
            if self._pack.telling.match(right):
                continue
            if between[0].strip() and is_left and self._is_request(right) and self._differ(left, right):
                return [left, *self._split(right, has_head=False)]
        return [content]

    def _is_request(self, piece: str) -> bool:
        """Whether `piece` has words with a time in front of or behind them."""
        rest, head = self._head(piece)
        has_time = bool(head) or bool(self._clause.owners_in(trimmed(piece)[-1:]))
        words = self.remainder(rest)
        return has_time and bool(words) and leftover(words) != words

    def _differ(self, left: str, right: str) -> bool:
        return not set(self._clause.owners_in(left)) & set(self._clause.owners_in(right))

    def _parts(self, match: Match, content: str) -> _Parts:
        rest, leading = self._head(content)
        said = self._clause.owners_in(_said_when(match))
        names_twice = any(names(said) and names(leading) for names in (self._name_a_day, self._name_a_clock))
        is_told = self._name_a_moment(said) and not self._may_say_how_often(leading)
        if names_twice or is_told or self._name_another_part(said, leading):
            rest, leading = content, ()
        label = self._pack.plain_edge.sub(" ", match.first("label", "kind"))
        head = (*said, *self._clause.owners_in(label), *leading)
        bodies: tuple[str, ...] = (
            rest,
            label,
            match.first("aside", "matter", "plan", "occasion", "before", "theme"),
            match.first("event"),
        )
        if match.slots.get("matter") and len(trimmed(rest)) == 1 and not self._pack.data.is_spaced:
            bodies = (match.slots["matter"], *bodies)  # 降压药，每天七点提醒我吃: a bare verb says less than its object
        body = next((piece for has in (has_words, has_content) for piece in bodies if has(piece)), "")
        return _Parts(head=tuple(dict.fromkeys(head)), body=body, aside=" ".join(bodies))

    def _head(self, content: str) -> tuple[str, tuple[int, ...]]:
        """Take joints and times off the front of `content`."""
        owners: list[int] = []
        rest = content
        while True:
            match = self._pack.timed.match(rest) or self._pack.joint.match(rest)
            if match is None or not match[0]:
                return rest, tuple(owners)
            is_last = not has_words(rest[match.end() :]) and not self._clause.owners_in(rest)
            if is_last or (owners and self._pack.subject.match(rest)):
                return rest, tuple(owners)
            is_content = bool(_TO.match(match[0])) and self._name_a_moment(owners)
            if is_content and not self._may_say_how_often(self._clause.owners_in(rest)[:1]):
                return rest[match.end() :].lstrip(), tuple(owners)  # in 10 minutes to noon prayer
            owners += self._clause.owners_in(match[0])
            rest = rest[match.end() :].lstrip()

    def _name_a_moment(self, owners: Iterable[int]) -> bool:
        """Whether `owners` name a day and a clock, or a length of time from now: nothing behind it says when."""
        bests = [self._clause.times[owner].best for owner in owners]
        return any(best is not None and best.has_day and best.has_clock and best.rrule is None for best in bests)

    def _may_say_how_often(self, owners: Iterable[int]) -> bool:
        """Whether one of `owners` repeats, or is no time of its own ("10 minutes before")."""
        times = [self._clause.times[owner] for owner in owners]
        return any(time.best is None or time.best.rrule is not None for time in times)

    def _name_a_day(self, owners: Iterable[int]) -> bool:
        bests = [self._clause.times[owner].best for owner in owners]
        return any(best is not None and best.has_day and best.rrule is None for best in bests)

    def _name_a_clock(self, owners: Iterable[int]) -> bool:
        bests = [self._clause.times[owner].best for owner in owners]
        return any(best is not None and best.has_clock and best.rrule is None for best in bests)

    def _name_another_part(self, said: Iterable[int], owners: Iterable[int]) -> bool:
        """Whether `owners` name another part of the day than `said` does: 中午提醒我下午五点去接孩子."""
        one, other = (
            {best.part for owner in each if (best := self._clause.times[owner].best) is not None and best.part}
            for each in (said, owners)
        )
        return bool(one and other) and one.isdisjoint(other)

    def _requests(self, parts: _Parts) -> list[ReminderRequest]:
        in_body = self._clause.owners_in(parts.body)
        ahead = self._ahead((*parts.head, *in_body))
        listed = () if ahead or parts.head else self._listed(parts.body)
        chosen, time = ahead or ((listed, None) if listed else self._choose(parts.head, in_body))
        if not chosen:
            chosen, time = self._choose(self._clause.owners_in(parts.aside), ())
        named = [time] if time else [self._clause.times[owner] for owner in chosen]
        times = completed([each for each in named if each.best is not None] or named)
        is_ahead = ahead or (not any(each.best for each in times) and any(each.lead for each in times))
        body = self._pack.purpose.sub("", parts.body) if is_ahead else parts.body
        cut = [owner for owner in chosen if ahead or self._clause.times[owner].lead is None]
        content = self._content(body, cut) or self._untitled()
        said = self._clause.text
        event = None if ahead else self._event(parts.aside, chosen)
        meant = [_beside(event, each, self._times.wake(each, said)) for each in times]
        if not meant:
            return [ReminderRequest(content=content)]
        return [ReminderRequest(content=content, time=one) for each in meant for one in apart(each)]

    def _event(self, aside: str, chosen: Collection[int]) -> Reading | None:
        """What takes place on a day that is named beside the request: "the raid starts at 7:30 tomorrow, …"."""
        bests = [self._clause.times[owner].best for owner in self._clause.owners_in(aside) if owner not in chosen]
        return next((best for best in bests if best is not None and (best.has_day or best.rrule)), None)

    def _untitled(self) -> str:
        """What a request without a content is about by its own words: "wake me up"."""
        said = self._pack.fold(self._clause.text)
        return next((content for words, content in self._pack.untitled if words.search(said)), "")

    def _choose(self, head: tuple[int, ...], in_body: tuple[int, ...]) -> tuple[tuple[int, ...], TimeWords | None]:
        """Which times say when, and one time made of them if they belong together."""
        owners = tuple(dict.fromkeys((*head, *in_body)))
        if len(owners) < 2:
            return owners, None
        for first, second in combinations(owners[:_MOST_TIMES], 2):
            one = self._times.join(self._clause.times[first], self._clause.times[second])
            if one is not None:
                return (first, second), one
        if head:
            return self._telling(head), None
        return (self._likeliest(in_body),), None

    def _listed(self, body: str) -> tuple[int, ...]:
        """The clock times of a list that a content ends in: "take a pill at 8am and 8pm"."""
        found = re.search(rf"{BLANK}(?:(?:{self._pack.between.pattern}){BLANK})+$", trimmed(body), re.IGNORECASE)
        owners = self._clause.owners_in(found[0]) if found else ()
        bests = [self._clause.times[owner].best for owner in owners]
        are_clocks = all(best is not None and best.has_clock and best.rrule is None for best in bests)
        return owners if len(owners) > 1 and are_clocks else ()

    def _telling(self, owners: tuple[int, ...]) -> tuple[int, ...]:
        """`owners` without a bare "daily", where another of them says the repetition in full."""
        rules = {owner: best.rrule for owner in owners if (best := self._clause.times[owner].best) is not None}
        full = [owner for owner, rule in rules.items() if rule and "BYHOUR" in rule]
        return tuple(owner for owner in owners if not full or owner in full or not rules.get(owner))

    def _likeliest(self, owners: tuple[int, ...]) -> int:
        """Of several times in a content the one that says when: an exact one, first in Chinese, last in English."""
        ordered = owners[::-1] if self._pack.data.is_spaced else owners
        exact = [owner for owner in ordered if (best := self._clause.times[owner].best) is not None and best.has_clock]
        readable = [owner for owner in ordered if self._clause.times[owner].best is not None]
        return (exact or readable or list(ordered))[0]

    def _ahead(self, owners: tuple[int, ...]) -> tuple[tuple[int, ...], TimeWords | None] | None:
        """Resolve "30 minutes before" against the exact time that the sentence also names, if it names one."""
        for owner in owners:
            lead = self._clause.times[owner].lead
            if lead is None:
                continue
            for base, event in enumerate(self._clause.times):
                early = None if event.best is None else _earlier(event.best, lead)
                if early is not None:
                    clock = self._clock_beside(base) if lead >= timedelta(days=1) else None
                    at = () if clock is None else (clock,)
                    early = early if clock is None else _at_the_clock_of(self._clause.times[clock], early)
                    time = replace(self._clause.times[owner], readings=(early,), is_ambiguous=event.is_ambiguous)
                    return (owner, base, *at), time
        return None

    def _clock_beside(self, base: int) -> int | None:
        """The clock that is named beside an event of which only the day is: "(it is my birthday on Friday,) at 8pm"."""
        event = self._clause.times[base].best
        if event is None or event.has_clock:
            return None
        bests = [(owner, time.best) for owner, time in enumerate(self._clause.times) if time.best is not None]
        return next((owner for owner, best in bests if best.has_clock and not best.has_day and not best.rrule), None)

    def _content(self, body: str, chosen: Collection[int]) -> str:
        kept = self._clause.restore(body, keep=chosen)
        is_whole = self._pack.data.is_spaced and not _CUT_BEHIND.search(kept)
        return self._tidied(self._pack.timed.sub(" ", kept), is_whole=is_whole)

    def _tidied(self, content: str, *, is_whole: bool = False) -> str:
        """`content` without joints in front and what was left over behind; of one that `is_whole`, "let the cat in"."""
        content = trimmed(re.sub(r"\s+", " ", content))
        content = content if self._pack.data.is_spaced else closed_up(content)
        while (match := self._pack.joint.match(content)) and match[0] and has_content(content[match.end() :]):
            content = content[match.end() :]
        while not is_whole and (match := self._pack.leftover.search(content)) and has_words(content[: match.start()]):
            content = content[: match.start()].rstrip()
        return trimmed(content)


def _earlier(event: Reading, lead: timedelta) -> Reading | None:
    """The time that is `lead` before `event`, of a repetition before each; None where that is not told by a clock."""
    if not event.has_clock and (lead < timedelta(days=1) or event.rrule):
        return None
    if event.rrule is None:
        return event._replace(start=event.start - lead)
    clock = _ONE_CLOCK.search(event.rrule)
    minutes = int(clock[1]) * 60 + int(clock[2]) - lead // timedelta(minutes=1) if clock else -1
    if clock is None or minutes < 0:  # on the day before, which the rule does not name
        return None
    rule = _ONE_CLOCK.sub(f"BYHOUR={minutes // 60};BYMINUTE={minutes % 60}", event.rrule)
    return event._replace(start=event.start - lead, rrule=rule)


def _at_the_clock_of(clock: TimeWords, reading: Reading) -> Reading:
    best = clock.best
    return reading if best is None else on_day(best, reading.start.date())._replace(has_day=True)


def _beside(event: Reading | None, time: TimeWords, woken: TimeWords | None) -> TimeWords:
    """`time` on the day of an event, where it names a clock alone; `woken` is how it is meant by who gets up.

    Of an hour that leaves open which half of the day is meant, it is the one nearer to the event; what would be long
    after the event is on the day before: "exam tomorrow at 9, remind me at 8pm". Beside an event that comes again it
    comes again.
    """
    best = time.best
    if event is None or best is None or not best.has_clock or best.has_day or best.rrule is not None:
        return woken or time
    moved = tuple(on_day(each, event.start.date()) for each in time.readings)
    if event.has_clock and is_clock_without_half(time.words):
        both = [half for each in moved for half in halves(each)]
        moved = (min(both, key=lambda half: (abs(half.start - event.start), half.start)),)
    if woken is not None and woken.best is not None and abs(moved[0].start - event.start) > _NAP:
        moved = tuple(on_day(each, event.start.date()) for each in woken.readings)
    if event.has_clock and event.rrule is None and moved[0].start - event.start > _LONG_AFTER:
        moved = tuple(each._replace(start=each.start - timedelta(days=1)) for each in moved)
        if moved[0].start < best.start:  # the evening before is over
            return woken or time
    dated = (each._replace(has_day=True) if event.rrule is None else at_clock(event, each) for each in moved)
    return replace(time, readings=tuple(dated), is_ambiguous=False)


def _said_when(match: Match) -> str:
    """The words of all places that a sentence has for a time: 明天提醒@小明九点… has two."""
    return " ".join(match.slots[name] for name in _PLACES_OF_TIME if match.slots.get(name))


def with_their_verbs(contents: Iterable[str], pack: LanguagePack) -> list[str]:
    """`contents`, in order; one that is nothing but a person does what the one before it does with a person."""
    whole: list[str] = []
    verb = ""
    for content in contents:
        if pack.somebody.fullmatch(content):
            whole.append(f"{verb} {content}" if verb else content)
            continue
        deed = pack.to_somebody.match(content)
        verb = deed[0].rstrip() if deed and pack.somebody.compiled.fullmatch(content, deed.end()) else ""
        whole.append(content)
    return whole
