"""What the sentence file of a language holds."""

from typing import Literal

from msgspec import Struct, field

NEVER = r"(?!)"
"""A regular expression that matches nothing."""
LATE = "reminder_set_late"
"""Looser sentences of `reminder_set`, tried when those of the other intents do not fit."""
INTENTS = (
    "day_off",
    "none",
    "help",
    "the_time",
    "undo",
    "summary_schedule",
    "reminder_snooze",
    "reminder_update",
    "reminder_set",
    "reminder_delete",
    "reminder_list",
    LATE,
    "summary",
    "perplexity_search",
)


class IntentData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sentences of one intent; `gate` are regular expressions of which one must occur, and one of `gate_too`."""

    gate: tuple[str, ...]
    gate_too: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    timed: tuple[str, ...] = ()
    clocked: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class LeadData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the language says "30 minutes before"; units are in seconds, by the first letter."""

    pattern: str = NEVER
    numbers: dict[str, float] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)


class MorningData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requests (regular expression `words`) whose unmarked hour is one of the morning; `said` says so of {time}.

    Where that `is_likely` only, the person is asked.
    """

    words: str
    said: str
    is_likely: bool = False


class QuestionData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What questions look like: regular expressions.

    `forms` are those of any question, `demands` those of other ways to ask, `phrases` what is no sentence at all;
    `chatty` is talk with the bot about itself; `topics` are what search engines are asked in all of these, `facts`
    in questions and demands only, `open_facts` in those that are put to the bot; `others` are signs that a message
    is meant for other people. `dues` ask when something is, the `topic`, that there may be a reminder for.
    """

    forms: tuple[str, ...] = ()
    demands: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    chatty: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    open_facts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    dues: tuple[str, ...] = ()


class PackData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One language file. Only the script and the sentences are needed; what is left out never matches."""

    script: Literal["latin", "han"]
    is_spaced: bool
    traditional: str = ""
    simplified: str = ""
    everyone: frozenset[str] = frozenset()
    oneself: frozenset[str] = frozenset()
    all_words: frozenset[str] = frozenset()
    opening: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    taken_back: tuple[str, ...] = ()
    waved_off: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    subject_joints: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    before_time: tuple[str, ...] = ()
    after_time: tuple[str, ...] = ()
    plain_words: tuple[str, ...] = ()
    plurals: tuple[str, ...] = ()
    ordinals: dict[str, int] = field(default_factory=dict)
    vague_times: tuple[str, ...] = ()
    not_times: tuple[str, ...] = ()
    read_as: tuple[tuple[str, str], ...] = ()
    rewritten: tuple[tuple[str, str], ...] = ()
    typed: dict[str, str] = field(default_factory=dict)
    slips: tuple[str, ...] = ()
    no_slips: frozenset[str] = frozenset()
    repeat_words: tuple[str, ...] = ()
    reference_tails: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    pointers: frozenset[str] = frozenset()
    pointing: str = NEVER
    pronoun: str = NEVER
    again: str = NEVER
    alike: tuple[str, ...] = ()
    just_once: str = NEVER
    same_time: str = NEVER
    nameless: str = NEVER
    owning: str = NEVER
    replacing: tuple[str, ...] = ()
    second_thoughts: tuple[str, ...] = ()
    rhythms: tuple[str, ...] = ()
    moved_to: str = "{time}"
    telling: str = NEVER
    untitled: tuple[tuple[str, str], ...] = ()
    no_notes: tuple[str, ...] = ()
    to_do: str = NEVER
    mornings: tuple[MorningData, ...] = ()
    clock: str = "{time}"
    listed_clock: str = NEVER
    either: str = NEVER
    trigger: str = NEVER
    from_now: str = "{span}"
    periods: tuple[str, ...] = ()
    length: str = NEVER
    purpose: str = NEVER
    somebody: str = NEVER
    glued_name: str = NEVER
    to_somebody: str = NEVER
    later: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    every: tuple[str, ...] = ()
    answering: tuple[str, ...] = ()
    choices: dict[str, frozenset[str]] = field(default_factory=dict)
    lead: LeadData = field(default_factory=LeadData)
    slots: dict[str, str] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    questions: QuestionData = field(default_factory=QuestionData)
    intents: dict[str, IntentData] = field(default_factory=dict)
