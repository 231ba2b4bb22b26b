"""Sentences that mean one function with fixed arguments: "pause my reminders", 算我一个, "my time zone is Berlin".

What is said beside a request to be reminded, "until I say done", belongs here as well: it is taken out before the rest
is read.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct, convert, field
from msgspec.structs import replace

from function_calls.tools.calls import Interpretation
from function_calls.understanding.blanks import Blanked, has_words
from function_calls.understanding.clauses import LONGEST, tidy, trimmed, uncover, without_names
from function_calls.understanding.matching import Match
from function_calls.understanding.pack import LanguagePack, Sought, load_pack, sought
from function_calls.understanding.references import reminder_references
from function_calls.understanding.repetition import repetition_arguments
from function_calls.understanding.requests import Ear, Request
from function_calls.understanding.squeezing import squeeze
from function_calls.understanding.templates import Notation
from function_calls.understanding.whole_time import whole_time
from services.people.zones import zone_named
from services.time_expressions import is_effort_spent

_Need = Literal["nothing", "follow", "address", "behind", "excuse"]

_USUAL_PAUSE_MINUTES = 10
_FIRST_HOUR_UP, _EVENING = 6, 20
_REASON = re.compile(r"[^,，.。;；!！?？]{2,60}[,，。;；!！]\s*(?=[^,，]+$)")
"""What is said before a request to the bot, and why: "I'm back, resume all reminders"."""
_WORDS = ("zone", "place", "hours", "topic", "when", "that_day", "until", "during", "away", "spell")
_MEANT_AS = {"topic": "filter", "when": "skip", "that_day": "skip", "away": "during", "spell": "during"}
_REPEATING = ("kept_days", "more_days", "fewer_days", "last", "times")
_NAMES = frozenset({"number", "order", "id", "code", "which", "reference", "habit"})


class DirectData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sentences of one function; `arguments` are always the same, slots add others. `gate` are regular expressions.

    `followed` ones count where the bot has just done something for that person, or was spoken to; those `behind` where
    both is so. `excused` ones count where it was told why: "I'm away next week, no reminders please".
    """

    tool: str
    gate: tuple[str, ...]
    arguments: dict[str, str | int | bool] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()


class MannerData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A regular expression, and `as` what stands in place of its words for whoever reads the rest.

    `value` is what they say: "not urgent" says no. One that is not `kept` is no argument of `reminder_set`; its
    words are only put in another order.
    """

    words: str
    put: str = field(name="as")
    value: bool = True
    kept: bool = True


class DirectCall(Struct, frozen=True, kw_only=True):
    """A function and its arguments, understood without a question."""

    tool: str
    arguments: Mapping[str, object]


class _Direct(Struct, frozen=True, kw_only=True, eq=False):
    data: DirectData
    gate: Sought
    notation: Notation


class _Manner(Struct, frozen=True, kw_only=True):
    name: str
    pattern: Sought
    put: str
    value: bool
    kept: bool


class _Language(Struct, frozen=True, eq=False):
    directs: tuple[_Direct, ...]
    manners: tuple[_Manner, ...]


def may_be_direct(text: str, language: str) -> bool:
    """Whether `text` has the words of one of these sentences: cheap, and often true of what is none."""
    folded = load_pack(language).fold(text)
    return any(each.gate.search(folded) for each in _load(language).directs)


def direct_call(text: str, ear: Ear) -> DirectCall | None:
    """What `text` asks for, if the whole of it is one of these sentences and all its times were read."""
    call = _direct_call(text, ear)
    return None if is_effort_spent() else call


def _direct_call(text: str, ear: Ear) -> DirectCall | None:
    plain = tidy(without_names(text, ear.names), ear.pack)
    language = _load(ear.pack.language)
    folded = ear.pack.fold(plain)
    candidates = [each for each in language.directs if len(plain) <= LONGEST and each.gate.search(folded)]
    if not candidates:
        return None
    core = uncover(plain, ear.pack, ear.names)
    told = _told_by(candidates, ear.clause(core), ear)
    if told is None and core != plain:  # "also on Saturday" begins like politeness
        told = _told_by(candidates, ear.clause(plain), ear)
    reason = _REASON.match(plain) if told is None and ear.is_addressed else None
    if reason is None or any(each.gate.search(folded[: reason.end()]) for each in candidates):
        return told
    itself = replace(ear, is_addressed=False, is_follow_up=False)  # "…, cancel it" speaks of what stands before
    call = _told_by(
        candidates, ear.clause(uncover(plain[reason.end() :], ear.pack, ear.names)), itself, is_excused=True
    )
    return None if call is None else _meanwhile(call, plain[: reason.end()], ear)


def _meanwhile(call: DirectCall, reason: str, ear: Ear) -> DirectCall:
    """A pause lasts as long as its reason: "I'm away from Monday to Friday, pause my reminders"."""
    if call.arguments.get("action") != "pause" or call.arguments.keys() & {"until", "during"}:
        return call
    times, length = ear.clause(reason).times, ear.pack.length.search(ear.pack.fold(reason))
    words = times[0].words if len(times) == 1 else ""
    if not times and length is not None:
        words = ear.pack.data.from_now.format(span=length[0])
    return replace(call, arguments={**call.arguments, "during": words}) if words else call


def _told_by(
    candidates: Iterable[_Direct], clause: Blanked, ear: Ear, *, is_excused: bool = False
) -> DirectCall | None:
    for direct in candidates:
        for slots in _matches(direct, clause, ear, is_excused=is_excused):
            call = _call(direct.data, Request(intent=direct.data.tool, match=slots, clause=clause), ear)
            if call is not None:
                return call
    return None


def without_manners(text: str, pack: LanguagePack, *, but: Collection[str] = ()) -> tuple[str, Mapping[str, object]]:
    """`text` without what says how a reminder is to behave, and that as arguments of `reminder_set`.

    Those whose names are in `but` stay in the text.
    """
    found: dict[str, object] = {}
    folded = pack.fold(text)
    for manner in _load(pack.language).manners if len(text) <= LONGEST else ():
        match = None if manner.name in but else manner.pattern.search(folded)
        if match is None:
            continue
        groups = match.groupdict()
        if manner.name == "until_done":
            found["until_done"] = _minutes(groups, pack) or found.get("until_done", _USUAL_PAUSE_MINUTES)
        elif manner.kept:
            found.setdefault(manner.name, manner.value)
        text = text[: match.start()] + manner.put.format_map(groups) + text[match.end() :]
        folded = pack.fold(text)
    return text, found


def with_manners(made: Interpretation, manners: Mapping[str, object]) -> Interpretation:
    """The calls that set a reminder, with the manners that were asked for."""
    if not manners:
        return made
    calls = (
        replace(call, arguments={**call.arguments, **manners}) if call.name == "reminder_set" else call
        for call in made.calls
    )
    return replace(made, calls=tuple(calls))


def _matches(direct: _Direct, clause: Blanked, ear: Ear, *, is_excused: bool) -> Iterator[Match]:
    text = trimmed(clause.text)
    squeezed = squeeze(ear.pack.fold(text), is_spaced=ear.pack.data.is_spaced)
    met = {
        "nothing": True,
        "follow": ear.is_addressed or ear.is_follow_up,
        "address": ear.is_addressed,
        "behind": ear.is_addressed and ear.is_follow_up,
        "excuse": is_excused,
    }
    for pattern, need in _sentences(direct):
        found = pattern.fullmatch(squeezed.text) if met[need] else None
        if found is not None:
            spans = {name: squeezed.span(found, name) for name, words in found.groupdict().items() if words}
            slots = {name: trimmed(text[start:end]) for name, (start, end) in spans.items()}
            yield Match(intent=direct.data.tool, slots=slots)


def _call(data: DirectData, request: Request, ear: Ear) -> DirectCall | None:
    """The call; None where the words of a slot are not of its kind."""
    words = {_MEANT_AS.get(name, name): request.words(name) for name in _WORDS if request.words(name)}
    if "place" in words:
        words["zone"] = words.pop("place")
        if zone_named(words["zone"]) is None:
            return None
    for name in words.keys() & {"until", "during"}:
        if not _is_a_time(words[name], ear):
            # A blank may hold a preposition as well: "for three hours".
            length = None if has_words(request.match.first(name, "spell")) else ear.pack.length.search(words[name])
            words[name] = ear.pack.data.from_now.format(span=words[name] if length is None else length[0])
    if "during" in words and not _is_a_time(words["during"], ear):
        return None
    if _is_every_night(request.words("spell"), ear) or not _is_today(request.words("stay"), ear):
        return None
    if "hours" in words and not (re.search(r"\d", words["hours"]) or _names_hours(request)):
        return None
    repetition = repetition_arguments({name: request.words(name) for name in _REPEATING if request.words(name)}, ear)
    if repetition is None:
        return None
    named = _named(data, words, request, ear)
    return DirectCall(tool=data.tool, arguments={**data.arguments, **words, **repetition, **named})


def _named(data: DirectData, words: Mapping[str, str], request: Request, ear: Ear) -> Mapping[str, object]:
    """Which reminder is meant, as an argument; nothing where the words leave that out."""
    references = reminder_references(request, ear.pack) if _NAMES & request.match.slots.keys() else ()
    whole = request.clause.restore(request.clause.text)
    if (
        not references
        and not words.keys() - {"until", "during"}
        and data.tool == "reminder_state"
        and ear.pack.plural.search(ear.pack.fold(whole))
    ):
        references = ("all",)
    return {"filter" if data.tool == "reminder_list" else "reminder_id": references[0]} if references else {}


def _is_a_time(words: str, ear: Ear) -> bool:
    """Whether `words` say when, and nothing else."""
    return whole_time(words, ear.now, ear.pack.language, ear.read_times) is not None


def _is_every_night(words: str, ear: Ear) -> bool:
    """Whether `words` are hours of the night and name no day: "no reminders from midnight to 7" is for good."""
    time = whole_time(words, ear.now, ear.pack.language, ear.read_times)
    is_stretch = time is not None and time.has_clock and not time.has_day and time.end is not None
    return time is not None and is_stretch and not _FIRST_HOUR_UP <= time.start.hour < _EVENING


def _is_today(words: str, ear: Ear) -> bool:
    """Whether `words` are days of which this is one, or none are said: who is there next week is not there yet."""
    time = whole_time(words, ear.now, ear.pack.language, ear.read_times) if words else None
    if not words or time is None:
        return not words
    first, behind = time.start.date(), (time.end or time.start + timedelta(days=1)).date()
    return first <= ear.now.date() < behind


def _names_hours(request: Request) -> bool:
    """Whether the words for hours say which: "at night", "from noon", and not only a day."""
    bests = [time.best for time in request.times("hours")]
    return any(best is not None and (best.has_clock or best.part) for best in bests)


def _minutes(groups: Mapping[str, str | None], pack: LanguagePack) -> int | None:
    number, unit = groups.get("number"), groups.get("unit")
    length = pack.lead_time(number, unit) if number and unit else None
    return None if length is None else max(1, round(length.total_seconds() / 60))


@cache
def _load(language: str) -> _Language:
    """The sentences of one language, compiled; none for a language without them."""
    file = files(__package__).joinpath("direct", f"{language}.toml")
    if not file.is_file():
        return _Language((), ())
    raw = tomllib.loads(file.read_text(encoding="utf-8"))
    manners = raw.pop("manners", {})
    pack = load_pack(language)
    return _Language(
        tuple(_compiled(convert(each, DirectData), pack) for each in raw.values()),
        tuple(
            _Manner(name=name, pattern=sought(each.words), put=each.put, value=each.value, kept=each.kept)
            for name, listed in manners.items()
            for each in convert(listed, list[MannerData])
        ),
    )


def _compiled(data: DirectData, pack: LanguagePack) -> _Direct:
    edge = r"(?<!\w)" if pack.data.is_spaced else ""
    behind = r"(?!\w)" if pack.data.is_spaced else ""
    gate = sought("|".join(f"{edge}(?:{word}){behind}" for word in data.gate))
    return _Direct(data=data, gate=gate, notation=pack.notation)


@cache
def _sentences(direct: _Direct) -> tuple[tuple[re.Pattern[str], _Need], ...]:
    """Patterns, and what they need beside their words; compiled when the gate first lets something through.

    All of them together take as long as everything else that a first message waits for.
    """
    data = direct.data
    groups: Mapping[_Need, tuple[str, ...]] = {
        "nothing": data.sentences,
        "follow": data.followed,
        "address": data.addressed,
        "behind": data.behind,
        "excuse": data.excused,
    }
    return tuple(
        (direct.notation.compile(template), need) for need, templates in groups.items() for template in templates
    )
