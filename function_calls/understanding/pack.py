"""The sentences of one language, loaded from data and compiled when first needed."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from msgspec import Struct, convert
from msgspec.structs import replace

from function_calls.understanding.certain_words import certain_words
from function_calls.understanding.lazy_pattern import LazyPattern
from function_calls.understanding.openings import Openings
from function_calls.understanding.pack_data import INTENTS, LATE, NEVER, MorningData, PackData
from function_calls.understanding.slips import slips
from function_calls.understanding.templates import BLANK, MOST_REPEATS, Needs, Notation

FALLBACK = "en"
Need = Literal["nothing", "time", "clock", "follow", "address"]

_LONGER_WHEN_SMALL = "İ"
"""The one letter that `str.lower` makes two of."""
_LONGEST_LEAD_SECONDS = 10 * 366 * 24 * 3600
_SOUGHT_AS_WRITTEN = {
    "everyone",
    "oneself",
    "all_words",
    "between",
    "joints",
    "trailing",
    "before_time",
    "after_time",
    "plain_words",
    "repeat_words",
    "reference_tails",
}
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-zÀ-ÿ]{2}")
_QUOTED = '"[^"]+"'
_BREAK = r"[\s,，.。;；…—-]+"


class Sentence(Struct, frozen=True, kw_only=True, dict=True):
    """A template, compiled when a message may fit it first, and what it needs beside its words."""

    template: str
    notation: Notation
    need: Need

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What the whole of a clause must match.

        Raises:
            TemplateInvalid: the template cannot be compiled.
        """
        return self.notation.compile(self.template)

    @property
    def needs(self) -> Needs:
        """Groups of words, of each of which no clause lacks all that matches."""
        return tuple(map(_shortest, self.notation.needed(self.template)))


class Intent(Struct, frozen=True, kw_only=True, dict=True):
    """Everything that means one thing."""

    name: str
    sentences: tuple[Sentence, ...]
    refused: tuple[LazyPattern, ...]

    @cached_property
    def _needs(self) -> tuple[Mapping[str, int], tuple[int, ...]]:
        """For each word the groups that it is of, and for each sentence the groups it needs: a bit stands for a group.

        Sentences share their groups, so that each word is looked for once.
        """
        bits: dict[tuple[str, ...], int] = {}
        needed = [{bits.setdefault(group, 1 << len(bits)) for group in each.needs} for each in self.sentences]
        words: dict[str, int] = {}
        for group, bit in bits.items():
            for word in group:
                words[word] = words.get(word, 0) | bit
        return words, tuple(map(sum, needed))

    def fitting(self, clause: str) -> list[Sentence]:
        """The sentences, in order, that `clause` has the words of."""
        words, needed = self._needs
        had = 0
        for word, groups in words.items():
            if word in clause:
                had |= groups
        return [sentence for sentence, groups in zip(self.sentences, needed, strict=True) if groups & had == groups]


class Sought(Struct, frozen=True, eq=False):
    """A pattern, and words of which every match has one, which are found much faster."""

    pattern: LazyPattern
    signs: tuple[str, ...]

    def search(self, folded: str) -> re.Match[str] | None:
        """The first match in a folded text."""
        for sign in self.signs:
            if sign in folded:
                return self.pattern.search(folded)
        return None


class LanguagePack(Struct, frozen=True, eq=False):
    """One language: its data, and what is compiled from them.

    What is sought in every message is written in small letters and matched with a folded text: to look for letters of
    either size takes several times as long. What is taken out of the words of a request reads letters of either size.

    Attributes:
        language: The language's code.
        data: The file as read.
        opening: Matches politeness at the front; `closing` at the end; both to be applied again and again.
        taken_back: Matches the end of a message that takes itself back.
        waved_off: Matches a message that says why something is not wanted after all.
        joint: Matches one joint at the front of a content; `leftover` one at its end; `subject` one that names it.
        timed: Matches the blank of a time with the small words that go with it.
        tail: Matches what stands behind a reference ("the milk one").
        plain: Matches words that name nothing; `plain_edge` those that stand at an end or beside a time.
        correction: Matches a word that takes something back and the time meant instead; `afresh` that word alone,
            and `turning` one behind a mark.
        trigger: Matches what asks to be reminded, in a language that says so alike; `next_trigger` nothing, where a
            time and a trigger follow one another behind other words.
        read_as: What is written one way and read as another; `odd` matches all that is.
        rewritten: What is read as something else before all, in small letters; `typed` single words, slips among them.
        no_note: Matches what is no note of something to do, although it names a time: "see you at 5".
            `to_do` matches what is one, although it speaks of what people search for: "buy milk", "lunch with Sam".
        lengths: Match an amount of time, `span`, that says when something is over.
        later: Match words of an amount of time, `span`, by which something is put off; `earlier`, advanced.
            `length` matches the amount itself.
        purpose: Matches what stands before the content of a reminder ahead of something: "(the 4pm) demo to".
        somebody: Matches words that name a person and nothing else; `to_somebody` a verb that takes one: "call ".
        glued_name: Matches a name that what it is about is written on to, as far as it is a name.
        listed_clock: Matches what goes on behind a clock time with another one, `clock`, as a bare figure.
        either: Matches what stands between two times of which one is meant.
        pointing: Matches a request to be reminded of nothing but "this".
        pronoun: Matches a request to remind one who is named by a pronoun, `who`: "remind her at 5".
            `again` matches what says that it is for another time, and no more.
        unwanted: Matches what says that there is to be no reminder, where "never mind" may mean only a change of it.
        alike: Matches what says that the same is wanted at another time as well, and what may stand beside it.
        just_once: Matches what says that it is wanted one time more, and not as often as before.
        same_time: Matches what says that it is wanted at the hour that it has.
        nameless: Matches, as a whole, what points at a reminder and names nothing to do: "the one".
        replacing: Match what takes back a word, `wrong`, of what was just set, and names the `right` one.
        second_thoughts: Match, as a whole, what names another `time` for what was just set: "actually 6".
        rhythms: Match, as a whole, what says how often it is to come, `time`: "monthly from now on".
        telling: Matches the beginning of what tells something, a reason perhaps, and asks for nothing.
        owning: Matches a span of days that something is of: it says when only where nothing else does.
        period: Matches a span of days that reminders are asked for by, too wide to be a time: "this week".
        answering: Matches words that answers are given with, at an end: "let's say".
        vague: Matches words of a time that no clock knows; `lead` an amount of time ahead of something.
    """

    language: str
    data: PackData
    notation: Notation
    traditional: frozenset[str]
    folding: dict[int, int]
    opening: Openings
    closing: Sought
    taken_back: Sought
    waved_off: LazyPattern
    unwanted: LazyPattern
    joint: LazyPattern
    subject: LazyPattern
    leftover: LazyPattern
    timed: LazyPattern
    timed_words: LazyPattern
    between: LazyPattern
    plain: LazyPattern
    plain_edge: LazyPattern
    plural: LazyPattern
    vague: LazyPattern
    not_time: LazyPattern
    read_as: tuple[tuple[LazyPattern, str], ...]
    odd: LazyPattern
    rewritten: tuple[tuple[Sought, str], ...]
    typed: Mapping[str, str]
    no_note: LazyPattern
    to_do: LazyPattern
    repeated: LazyPattern
    lead: LazyPattern
    tail: LazyPattern
    correction: LazyPattern
    afresh: LazyPattern
    turning: LazyPattern
    trigger: LazyPattern
    next_trigger: LazyPattern
    lengths: tuple[LazyPattern, ...]
    listed_clock: LazyPattern
    either: LazyPattern
    pointing: LazyPattern
    pronoun: LazyPattern
    again: LazyPattern
    alike: LazyPattern
    just_once: LazyPattern
    same_time: LazyPattern
    nameless: LazyPattern
    owning: LazyPattern
    replacing: tuple[LazyPattern, ...]
    second_thoughts: tuple[LazyPattern, ...]
    rhythms: tuple[LazyPattern, ...]
    telling: LazyPattern
    period: LazyPattern
    answering: LazyPattern
    length: LazyPattern
    purpose: LazyPattern
    somebody: LazyPattern
    to_somebody: LazyPattern
    glued_name: LazyPattern
    later: tuple[LazyPattern, ...]
    earlier: tuple[LazyPattern, ...]
    untitled: tuple[tuple[LazyPattern, str], ...]
    mornings: tuple[tuple[LazyPattern, MorningData], ...]

    def fold(self, text: str) -> str:
        """`text`, as long as it was, in the letters and characters that the sentences of this language are written in.

        These are small letters, and simplified characters in place of traditional ones.
        """
        if text.isascii():
            return text.lower()
        small = text.replace(_LONGER_WHEN_SMALL, "i").lower()
        return small if self.traditional.isdisjoint(small) else small.translate(self.folding)

    def lead_time(self, number: str, unit: str) -> timedelta | None:
        """The amount of time that `number` `unit`s are, if the language knows them and a calendar can go so far."""
        seconds = self.data.lead.units.get(unit[:1].lower())
        amount = float(number) if number.isdecimal() else self.data.lead.numbers.get(number.lower())
        if seconds is None or amount is None or seconds * amount > _LONGEST_LEAD_SECONDS:
            return None
        return timedelta(seconds=seconds * amount)


@cache
def languages() -> tuple[str, ...]:
    """The languages that there are sentences for, English first."""
    found = [file.name for file in files(__package__).joinpath("sentences").iterdir()]
    names = [name.removesuffix(".toml") for name in found if name.endswith(".toml")]
    return tuple(sorted(names, key=lambda name: (name != FALLBACK, name)))


def languages_of(text: str, preferred: str) -> tuple[str, ...]:
    """Which languages' sentences `text` should be tried with, one for each of its scripts, Chinese first.

    It is `preferred` among those of its script.
    """
    scripts = [script for script, letter in (("han", _HAN), ("latin", _LATIN)) if letter.search(text)]
    return tuple(_of_script(script, preferred) for script in scripts or ["latin"])


def language_of(text: str, preferred: str) -> str:
    """The first of `languages_of`."""
    return languages_of(text, preferred)[0]


@cache
def _of_script(script: str, preferred: str) -> str:
    """A language of that script; `preferred` is looked at first, for to look at one is to compile its frame."""
    in_turn = (*(language for language in languages() if language == preferred), *languages())
    return next(language for language in in_turn if load_pack(language).data.script == script)


@cache
def load_pack(language: str) -> LanguagePack:
    """Read and compile the frame of one language; the sentences of its intents are compiled one by one.

    Raises:
        TemplateInvalid: a template of the data names a rule that is not there.
    """
    raw = tomllib.loads(files(__package__).joinpath("sentences", f"{language}.toml").read_text(encoding="utf-8"))
    raw["intents"] = {name: raw.pop(name) for name in INTENTS if name in raw}
    data = _in_both_scripts(convert(raw, PackData))
    slots = {name: _with_blanks(pattern) for name, pattern in data.slots.items()}
    notation = Notation(rules=data.rules, slots=slots, is_spaced=data.is_spaced, is_folded=True)
    edge = r"\b" if data.is_spaced else ""
    behind = r"\b(?!-\w)" if data.is_spaced else ""  # "on-call" begins with no joint
    before = r"(?<!\w)" if data.is_spaced else ""
    start = r"(?<![\w'-])" if data.is_spaced else ""
    plain = f"(?:{_repeatable(data.plain_words, is_spaced=data.is_spaced)})"
    pause = r"[\s,.;:!?~～…，。；：！？、-]*"
    return LanguagePack(
        language=language,
        data=data,
        notation=notation,
        traditional=frozenset(data.traditional),
        folding=str.maketrans(data.traditional, data.simplified),
        opening=Openings(data.opening, notation, f"{edge}{pause}"),
        closing=_ending(rf"{pause}{edge}", data.closing, notation, rf"{pause}$"),
        taken_back=_ending(r"(?:^|[\s,.;!?…，。；！？~-])\s*", data.taken_back, notation, rf"{pause}$"),
        waved_off=any_of(data.waved_off),
        unwanted=any_of(data.unwanted),
        joint=LazyPattern(rf"(?:{_longest(data.joints)}){behind}[\s:：,，]*|[\s:：,，.;。；、-]+", re.IGNORECASE),
        subject=LazyPattern(rf"(?:{_words(data.subject_joints)}){edge}", re.IGNORECASE),
        leftover=LazyPattern(rf"[\s,，.;。；、:-]+$|{start}(?:{_words(data.trailing)})$", re.IGNORECASE),
        timed=LazyPattern(
            rf"(?:{edge}(?:{_repeatable(data.before_time, is_spaced=data.is_spaced)})\s*){{0,{MOST_REPEATS}}}{BLANK}"
            rf"(?:{_repeatable(data.after_time, is_spaced=data.is_spaced)}){{0,{MOST_REPEATS}}}",
            re.IGNORECASE,
        ),
        timed_words=LazyPattern(
            rf"^(?:(?:{_repeatable(data.before_time, is_spaced=data.is_spaced)}){edge}\s*){{1,{MOST_REPEATS}}}",
            re.IGNORECASE,
        ),
        between=LazyPattern(
            rf"\s*[,，;；。.]?\s*{edge}(?:{_words(data.between)}){edge}[\s,，]*|\s*[,，;；。]\s*|\s*\.\s+",
            re.IGNORECASE,
        ),
        plain=LazyPattern(rf"{edge}{plain}{edge}", re.IGNORECASE),
        plain_edge=LazyPattern(
            rf"(?:^|(?<={BLANK}))(?:\s*{plain}{edge}){{1,{MOST_REPEATS}}}"
            rf"|(?:{edge}{plain}\s*){{1,{MOST_REPEATS}}}(?=$|{BLANK})",
            re.IGNORECASE,
        ),
        plural=LazyPattern(_alternatives(data.plurals, edge)),
        vague=LazyPattern(_alternatives(data.vague_times, edge)),
        not_time=LazyPattern(rf"{_QUOTED}|{before}(?:{'|'.join(data.not_times) or NEVER})"),
        read_as=_pairs(data.read_as),
        odd=any_of(written for written, _ in data.read_as),
        rewritten=tuple((sought(pattern), words) for pattern, words in data.rewritten),
        typed={**slips(data.slips, real=data.no_slips), **data.typed},
        no_note=any_of(data.no_notes),
        to_do=any_of((data.to_do,)),
        repeated=LazyPattern(rf"{edge}(?:{_words(data.repeat_words)}){edge}", re.IGNORECASE),
        lead=LazyPattern(data.lead.pattern),
        tail=LazyPattern(rf"\s*{start}(?:{_words(data.reference_tails)})$", re.IGNORECASE),
        correction=LazyPattern(
            rf"{_BREAK}(?:(?:{_longest(data.corrections)}){edge}[\s,，.。…]*){{1,2}}"
            rf"(?:(?:{_repeatable(data.before_time, is_spaced=data.is_spaced)}){edge}\s*){{0,{MOST_REPEATS}}}"
            rf"(?:(?P<blank>{BLANK})|(?P<figure>\d{{1,2}}(?::\d\d)?)(?![\w:]|\.\d))"
        ),
        turning=LazyPattern(f"，(?:{_longest(data.corrections)})"),
        trigger=any_of((data.trigger,)),
        next_trigger=LazyPattern(rf"(?<=[^\s,，。；])(?={BLANK}(?:{data.trigger}))"),
        afresh=LazyPattern(rf"{_BREAK}(?:{_longest(data.corrections)}){edge}[\s,，.。…]*"),
        lengths=_each(data.lengths),
        listed_clock=any_of((data.listed_clock,)),
        either=any_of((data.either,)),
        pointing=any_of((data.pointing,)),
        pronoun=any_of((data.pronoun,)),
        again=any_of((data.again,)),
        alike=any_of(map(_with_blanks, data.alike)),
        just_once=any_of((data.just_once,)),
        same_time=any_of((data.same_time,)),
        nameless=any_of((data.nameless,)),
        owning=any_of((data.owning,)),
        replacing=_each(data.replacing),
        second_thoughts=_each(data.second_thoughts),
        rhythms=_each(data.rhythms),
        telling=LazyPattern(data.telling, re.IGNORECASE),
        period=any_of(data.periods),
        answering=any_of(data.answering),
        length=LazyPattern(data.length, re.IGNORECASE),
        purpose=LazyPattern(data.purpose),
        somebody=LazyPattern(data.somebody),
        to_somebody=LazyPattern(data.to_somebody),
        glued_name=any_of((data.glued_name,)),
        later=_each(data.later, re.IGNORECASE),
        earlier=_each(data.earlier, re.IGNORECASE),
        mornings=tuple((any_of((each.words,)), each) for each in data.mornings),
        untitled=_pairs(data.untitled),
    )


@cache
def load_intent_gate(language: str, name: str) -> Sought:
    """Matches the words of which every sentence of one intent has at least one."""
    pack = load_pack(language)
    edge = r"\b" if pack.data.is_spaced else ""
    return sought(_alternatives(pack.data.intents[name].gate, edge))


@cache
def load_second_gate(language: str, name: str) -> Sought | None:
    """Matches the words of which every sentence of one intent has one besides; None where it has no such words."""
    pack = load_pack(language)
    words = pack.data.intents[name].gate_too
    edge = r"\b" if pack.data.is_spaced else ""
    return sought(_alternatives(words, edge)) if words else None


@cache
def load_gate(language: str) -> re.Pattern[str]:
    """Matches the words of which every request has at least one, whatever its intent."""
    edge = r"\b" if load_pack(language).data.is_spaced else ""
    words = [word for intent in load_pack(language).data.intents.values() for word in intent.gate]
    return re.compile(_alternatives(dict.fromkeys(words), edge))


@cache
def load_intent(language: str, name: str) -> Intent:
    """The sentences of one intent."""
    pack = load_pack(language)
    data = pack.data.intents[name]
    groups: Mapping[Need, tuple[str, ...]] = {
        "nothing": data.sentences,
        "time": data.timed,
        "clock": data.clocked,
        "follow": data.followed,
        "address": data.addressed,
    }
    return Intent(
        name="reminder_set" if name == LATE else name,
        sentences=tuple(
            Sentence(template=template, notation=pack.notation, need=need)
            for need, templates in groups.items()
            for template in templates
        ),
        refused=_each(data.refused),
    )


def _in_both_scripts(data: PackData) -> PackData:
    """`data` with the words that are sought in a text as it is written in traditional characters as well."""
    written = str.maketrans(data.simplified, data.traditional)
    words = {name: getattr(data, name) for name in _SOUGHT_AS_WRITTEN} if written else {}
    return replace(
        data, **{name: type(each)((*each, *(word.translate(written) for word in each))) for name, each in words.items()}
    )


def sought(pattern: str) -> Sought:
    """`pattern`, to be looked for in folded texts."""
    return Sought(LazyPattern(pattern), certain_words(pattern) or ("",))


def _shortest(words: tuple[str, ...]) -> tuple[str, ...]:
    """Those of `words` that hold no other of them: a text with "reminder" has "remind"."""
    return tuple(word for word in dict.fromkeys(words) if not any(one != word and one in word for one in words))


def _each(patterns: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> tuple[LazyPattern, ...]:
    return tuple(LazyPattern(pattern, flags) for pattern in patterns)


def _pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[LazyPattern, str], ...]:
    return tuple((LazyPattern(pattern), words) for pattern, words in pairs)


def any_of(patterns: Iterable[str]) -> LazyPattern:
    """Matches any of some regular expressions in a folded text; nothing, when there are none."""
    return LazyPattern("|".join(patterns) or NEVER)


def _with_blanks(pattern: str) -> str:
    """`pattern` with what `%B` stands for, bare where it stands in a character class."""
    return pattern.replace("[^%B", f"[^{BLANK[1:-1]}").replace("%B", BLANK)


def _alternatives(patterns: Iterable[str], edge: str) -> str:
    return f"{edge}(?:{'|'.join(patterns) or NEVER}){edge}"


def _any_template(templates: Iterable[str], notation: Notation) -> str:
    longest_first = sorted(templates, key=len, reverse=True)
    return "|".join(notation.expand(template) for template in longest_first) or NEVER


def _ending(before: str, templates: Iterable[str], notation: Notation, behind: str) -> Sought:
    """Any of `templates`, between what stands `before` it and `behind` it."""
    pattern = LazyPattern(f"{before}(?:{_any_template(templates, notation)}){behind}")
    signs = notation.needed(f"({'|'.join(templates)})")
    return Sought(pattern=pattern, signs=_shortest(signs[0]) if signs else ("",))


def _longest(patterns: Iterable[str]) -> str:
    return "|".join(sorted(patterns, key=len, reverse=True)) or NEVER


def _words(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(dict.fromkeys(words), key=len, reverse=True)) or NEVER


def _repeatable(words: Iterable[str], *, is_spaced: bool) -> str:
    """Match one of `words` within a repetition, so that no text can be cut into them in more than one way.

    A word that is listed twice, or that others make up ("first thing" and "in"), would double the work for each time
    that it comes.
    """
    gap = r"\s+" if is_spaced else ""
    each = dict.fromkeys(words)
    others = {word: _words(other for other in each if other != word) for word in each}
    return _words(word for word in each if not re.fullmatch(rf"(?:{others[word]})(?:{gap}(?:{others[word]}))+", word))
