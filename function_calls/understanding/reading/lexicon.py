"""The words of one language that the slots of a request are read with."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from function_calls.understanding.reading.message import has_models, load_models
from function_calls.understanding.reading.reminder_words import stem
from services.kernel.languages import detect_latin_language

FALLBACK = "en"
_MARKS_BEHIND_WORD = re.compile(r"[,;:.!?…]+(?=\s|$)")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


class Lexicon(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words and patterns of one language; see the comments in `lexicon/en.toml`."""

    joint: str
    oneself: frozenset[str]
    everyone: frozenset[str]
    itself: frozenset[str]
    own_one: frozenset[str]
    all: frozenset[str]
    both: frozenset[str]
    them: frozenset[str]
    before_reference: tuple[str, ...]
    behind_reference: tuple[str, ...]
    before_content: tuple[str, ...]
    before_appointment: tuple[str, ...] = ()
    routine_times: tuple[str, ...] = ()
    amount_ahead: tuple[str, ...]
    as_time: tuple[str, ...]
    end: tuple[str, ...]
    until_words: frozenset[str]
    around_time: tuple[str, ...]
    and_words: frozenset[str]
    going_on: tuple[str, ...]
    erasing: tuple[str, ...]
    interjections: frozenset[str] = frozenset()
    about_bot: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    before_bot: str = ""
    orders: str = ""
    suppositions: frozenset[str] = frozenset()
    favours: tuple[str, ...] = ()
    indefinites: tuple[str, ...] = ()
    seeking: tuple[str, ...] = ()
    asking_ability: tuple[str, ...] = ()
    asking_how: tuple[str, ...] = ()
    absences: tuple[str, ...] = ()
    notice: str = ""
    clock_of_place: str = ""
    handing_over: frozenset[str] = frozenset()
    hushing: frozenset[str] = frozenset()
    genitives: frozenset[str] = frozenset()
    question_particles: frozenset[str] = frozenset()
    question_endings: tuple[str, ...] = ()
    reference_marks: tuple[str, ...]
    corrections: tuple[str, ...]
    triggers: tuple[str, ...]
    refusals: tuple[str, ...]
    exceptions: tuple[str, ...]
    without: tuple[str, ...]
    before_month: tuple[str, ...]
    behind_holiday: tuple[str, ...]
    before_noon: frozenset[str]
    after_noon: frozenset[str]
    earlier_one: frozenset[str]
    later_one: frozenset[str]
    around_choice: frozenset[str]
    pronouns: frozenset[str]
    dismissals: tuple[str, ...]
    second_person: frozenset[str]
    help_topics: Mapping[str, tuple[str, ...]]
    quiet_off: tuple[str, ...]
    allowing: tuple[str, ...]
    state_verbs: frozenset[str] = frozenset()
    group_names: tuple[str, ...] = ()
    ending: tuple[str, ...]
    pausing: tuple[str, ...]
    resuming: tuple[str, ...]
    switching_on: tuple[str, ...]
    notes: tuple[str, ...]
    noted: tuple[str, ...] = ()
    forgetting: tuple[str, ...]
    explaining: tuple[str, ...]
    ahead: tuple[str, ...]
    beside: tuple[str, ...]
    adding: tuple[str, ...]
    removing: tuple[str, ...]
    removing_from: frozenset[str] = frozenset()
    slips: tuple[str, ...]
    substitutes: tuple[str, ...]
    morning_phrases: tuple[str, ...]
    evening_events: tuple[str, ...]
    morning_events: tuple[str, ...]
    waking: tuple[str, ...]
    wake_up: str
    alarms: tuple[str, ...]
    in_the_morning: str
    each: frozenset[str]
    as_amount: str
    not_urgent: tuple[str, ...]
    reminding: frozenset[str]
    calling: tuple[str, ...]
    courtesies: frozenset[str]
    links: frozenset[str]
    time_words: frozenset[str]
    behind_oneself: tuple[str, ...]
    both_of_us: frozenset[str]
    demonstratives: tuple[str, ...]
    prepositions: frozenset[str]
    before_time: tuple[str, ...]
    behind_time: tuple[str, ...]
    every: tuple[str, ...]
    newest: tuple[str, ...]
    nearest: frozenset[str]
    remaining: frozenset[str]
    plural: tuple[str, ...]
    own: tuple[str, ...]
    common: tuple[str, ...]
    since: tuple[str, ...]
    same_time: tuple[str, ...]
    same_task: frozenset[str]
    lead_in_words: frozenset[str]
    correction_fillers: frozenset[str]
    articles: frozenset[str]
    kinship_terms: tuple[str, ...]
    behind_content: tuple[str, ...]
    retraction_markers: tuple[str, ...]
    indefinite: tuple[str, ...]
    always: tuple[str, ...]
    for_good: tuple[str, ...]
    behind_days: tuple[str, ...] = ()
    earlier: tuple[str, ...]
    later: tuple[str, ...]
    skipping: tuple[str, ...]
    deleting: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    asking_when: tuple[str, ...] = ()
    here: frozenset[str] = frozenset()
    listing: tuple[str, ...] = ()
    being_in: tuple[str, ...] = ()
    my_zone: str = ""
    asking_which: tuple[str, ...] = ()
    undoing: tuple[str, ...]
    keeping: tuple[str, ...]
    shortly: tuple[str, ...] = ()
    beginning: tuple[str, ...] = ()
    beginning_again: tuple[str, ...] = ()
    this_time: tuple[str, ...] = ()
    during: tuple[str, ...] = ()
    change_it: tuple[str, ...]
    adjusting: frozenset[str]
    negations: tuple[str, ...]
    between_times: str
    between_days: str = ""
    polite: frozenset[str]
    fillers: frozenset[str]
    urgent: tuple[str, ...]
    dont_forget_phrases: tuple[str, ...]
    exclusion_words: tuple[str, ...]
    common_verbs: frozenset[str]
    people_nouns: frozenset[str]
    workdays: tuple[str, ...]
    only_once: tuple[str, ...]
    one_time: tuple[str, ...]
    replacing: tuple[str, ...]
    and_joint: str
    last_day: tuple[str, ...]
    missed: tuple[str, ...]
    as_length: str
    on_day: str
    each_day: str
    each_month: str
    looking_up: tuple[str, ...] = ()
    search_places: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()
    repetitions: dict[str, str] = {}
    lengths: Mapping[str, int]
    parts_of_day: Mapping[str, str] = {}
    ordinals: Mapping[str, int]
    counts: Mapping[str, int]
    redoing: tuple[str, ...]
    copying: tuple[str, ...]
    another: tuple[str, ...]
    completed: tuple[str, ...]
    sharing: tuple[str, ...]
    counted: tuple[str, ...]
    holding: tuple[str, ...]
    around_events: tuple[str, ...] = ()
    occasions: frozenset[str] = frozenset()
    too: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    deadlines: tuple[str, ...] = ()
    unclear_times: tuple[str, ...] = ()
    vague_times: tuple[str, ...] = ()
    event_clauses: tuple[str, ...] = ()
    own_zone: tuple[str, ...] = ()
    time_relations: tuple[str, ...] = ()
    for_everyone: tuple[str, ...] = ()
    asking_stems: tuple[str, ...] = ()
    oneself_endings: tuple[str, ...] = ()
    everyone_endings: tuple[str, ...] = ()
    same_day_phrases: tuple[str, ...] = ()
    same_day: tuple[str, ...] = ()
    same_time_of: str = ""
    day_of_name: str = ""
    following: tuple[str, ...] = ()
    elapsed: tuple[str, ...] = ()
    lasting: tuple[str, ...] = ()
    objections_to_time: tuple[str, ...] = ()
    copulas_of_events: frozenset[str] = frozenset()
    with_hour: str = "{time} {hour}"
    whole_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    task_links: frozenset[str] = frozenset()
    causatives: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    exclusion_endings: tuple[str, ...] = ()
    exclusion_template: str = ""
    matter_suffixes: tuple[str, ...] = ()
    speech_verbs: tuple[str, ...] = ()
    closing_questions: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    forms_of_address: tuple[str, ...] = ()
    keep_phrases: tuple[str, ...] = ()
    possessives: frozenset[str] = frozenset()
    reminding_verbs: tuple[str, ...] = ()
    clitics: tuple[str, ...] = ()
    before_names: frozenset[str] = frozenset()
    before_day: frozenset[str] = frozenset()
    as_day: str = ""
    person_marks: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    exchange_words: tuple[str, ...] = ()
    with_words: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    promises: str = ""
    folding: Mapping[int, int] = {}

    @property
    def event_links(self) -> frozenset[str]:
        """Return the prepositions between "before" and an event, as in "antes de la boda"."""
        return self.prepositions - self.articles - self.task_links

    def parse_search_request(self, text: str) -> str:
        """Return the words behind "search for" and the like at the beginning of `text`; "" for another text."""
        order = max(filter(self.fold(text).startswith, self.looking_up), key=len, default="")
        return text[len(order) :].strip() if order else ""

    def strip_search_place(self, query: str) -> str:
        """Return `query` without "on the web" and the like at its end."""
        place = max(filter(self.fold(query).endswith, self.search_places), key=len, default="")
        return query[: -len(place)].rstrip() if place else query

    def has_any(self, words: Iterable[str], folded: str) -> bool:
        """Return whether the `folded` text has one of `words`, as a word of its own where words have spaces."""
        if not self.joint:
            return any(word in folded for word in words)
        spaced = f" {folded} {_MARKS_BEHIND_WORD.sub(' ', folded)} "
        return any(f" {word} " in spaced for word in words)

    def has_trigger(self, folded: str) -> bool:
        """Return whether the `folded` text has a word such as "remind", also within another word or a time."""
        return any(word in folded for word in self.triggers)

    def has_promise(self, folded: str) -> bool:
        """Return whether a person promises in the `folded` text to remind others: 我再提醒大家."""
        return bool(self.promises) and re.search(self.promises, folded) is not None

    def find_spared(self, text: str) -> str:
        """Return the words for what is excepted from all: 看牙 of 留下看牙，其他全删; "" for none."""
        folded = self.fold(text)
        matches = (re.search(pattern, folded) for pattern in self.spared)
        return next((match["kept"].strip() for match in matches if match), "")

    def strip_same_time(self, text: str) -> str:
        """Return `text` without words such as "the same time", which mean the clock of another reminder."""
        for word in sorted(self.same_time, key=len, reverse=True):
            at = self.fold(text).find(word)
            if at >= 0:
                text = f"{text[:at]} {text[at + len(word) :]}"
        return text

    def find_refusal(self, text: str) -> str:
        """Return the longest word such as "don't" with which `text` (folded) begins; "" where a mark follows."""
        matching = [refusal for refusal in self.refusals if text.startswith(f"{refusal}{self.joint}")]
        return max((each for each in matching if text[len(each) :].strip()[:1].isalnum()), key=len, default="")

    def fold(self, text: str) -> str:
        """Return `text` in small letters and simplified characters."""
        return text.casefold().translate(self.folding)


@cache
def load_lexicon(language: str) -> Lexicon:
    """Load the words of `language`."""
    data = files(__package__).joinpath("lexicon", f"{language}.toml").read_text(encoding="utf-8")
    words = _attach_clitics(msgspec.convert(tomllib.loads(data), Lexicon))
    words = replace(words, itself=words.itself | words.own_one)
    return replace(words, folding=load_models(language).folding) if has_models(language) else words


def _attach_clitics(words: Lexicon) -> Lexicon:
    """Return `words` with the verbs that ask to remind, alone and with each pronoun attached: "recuérdaselo"."""
    with_pronoun = [f"{verb}{clitic}" for verb in words.reminding_verbs for clitic in words.clitics]
    return replace(
        words,
        reminding=words.reminding.union(words.reminding_verbs, with_pronoun),
        calling=(*words.calling, *with_pronoun),
    )


@cache
def list_languages() -> tuple[str, ...]:
    """Return the languages that have a lexicon, English first."""
    file_names = [file.name for file in files(__package__).joinpath("lexicon").iterdir()]
    names = [name.removesuffix(".toml") for name in file_names if name.endswith(".toml")]
    return tuple(sorted(names, key=lambda name: (name != FALLBACK, name)))


def detect_language(text: str, preferred: str) -> str:
    """Return the language in which to read `text`: Chinese where it has Chinese characters, else by its words.

    Where these do not tell, it is `preferred`, or English if that is Chinese or has no lexicon.
    """
    if _HAN.search(text):
        return "zh"
    usual = preferred if preferred in list_languages() and preferred != "zh" else FALLBACK
    language = detect_latin_language(text, usual)
    return language if language in list_languages() else usual


def points_back(text: str, language: str) -> bool:
    """Return whether `text` has a word that stands for what was written before: "it", "that", 这个."""
    words = load_lexicon(detect_language(text, language))
    return words.has_any(words.demonstratives, words.fold(text))


@cache
def load_common_words(language: str) -> frozenset[str]:
    """Return words that stand beside the name of any reminder, or begin the text of many, and their stems."""
    words = load_lexicon(language)
    around = {*words.before_reference, *words.behind_reference, *words.common_verbs, *words.triggers}
    common = words.courtesies | words.links | words.reminding | words.itself | words.copulas_of_events | around
    return common | frozenset(map(stem, common))
