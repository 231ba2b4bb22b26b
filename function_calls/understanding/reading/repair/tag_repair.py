"""Correct tags of a request to be reminded by what must be there: a content, a time, and whole names.

Where the network found no content or no time, words that it left untagged are one, if their
place in the sentence says so.
"""

import re
from collections.abc import Collection

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading, Read, find_runs
from function_calls.understanding.reading.repair.content_repair import ContentRepair
from function_calls.understanding.reading.repair.name_repair import NameRepair
from function_calls.understanding.reading.repair.time_repair import TimeRepair
from function_calls.understanding.reading.segments.reminder_splits import find_asking_words, list_slots
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT, extract_people
from function_calls.understanding.reading.slots.small_words import trim_tokens
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, WITH_CLOCK, is_time_form

_CHANGES_OF_TIME = frozenset({"move", "snooze"})
_MAX_CUTS = 8
"""The most places at which a request is tried to be cut into reminders."""
_STOPPING = frozenset({"delete", "pause", "resume", "done"})
"""Intents of changes that are often for several reminders."""


def repair_tags(reading: MessageReading, words: Lexicon, members: Collection[str]) -> MessageReading:
    """Return `reading`, of a request to be reminded, with its tags corrected.

    `members` are names of people in the chat.
    """
    tags = list(reading.tags)
    names = NameRepair(reading, words, tags)
    content = ContentRepair(reading, words, tags)
    times = TimeRepair(reading, words, tags)
    names.tag_marked_members(_fold_names(members, words))
    names.complete_member_names(members)
    content.bound_content()
    times.tag_phrases()
    names.repair_names(_fold_names(members, words))
    times.repair_times()
    content.complete_content()
    return reading.with_tags(tags)


def tag_edge_time(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading`, of one of several reminders, with a time tagged that its content begins or ends with."""
    times = TimeRepair(reading, words, list(reading.tags))
    times.tag_time()
    return reading.with_tags(times.tags)


def tag_same_time(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Tag "the same time", which the network takes for a part of the content or of a time."""
    times = TimeRepair(reading, words, list(reading.tags))
    times.tag_same_time()
    return reading.with_tags(times.tags)


def bound_names(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with names that end where an article begins a content: "a Ana y a mí | la clase"."""
    names = NameRepair(reading, words, list(reading.tags))
    names.bound_names()
    return reading.with_tags(names.tags)


def cut_names(reading: MessageReading, words: Lexicon, members: Collection[str]) -> MessageReading:
    """Return `reading` with names that end behind a member or a pronoun ("Sandeep | kindly"), and those excepted."""
    names, folded = NameRepair(reading, words, list(reading.tags)), _fold_names(members, words)
    if words.joint:
        names.cut_behind_known_names(folded)
    if extract_people(reading, words) == EVERYONE_ARGUMENT:
        names.tag_excepted(folded)
    return reading.with_tags(names.tags)


def split_day_of_name(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading`, of a change, with the day that names the reminder apart from the new time behind it.

    "Mueve el del domingo a las 6" is read as one time: Sunday at 6.
    """
    times = [at for at, token in enumerate(reading.tokens) if is_time_form(token.form)]
    match = re.search(words.day_of_name, words.fold(reading.text)) if words.day_of_name and len(times) == 1 else None
    if match is None or reading.intent not in _CHANGES_OF_TIME:
        return reading
    at, time = times[0], reading.tokens[times[0]]
    if not match.start("name") <= time.start <= match.start("day") < match.end() < time.end:
        return reading
    day = replace(time, end=match.end("day"), form="@day")
    new = replace(time, start=match.end(), form=time.form if match["other"] else "@clock")
    name = {place for place, token in enumerate(reading.tokens[:at]) if token.start >= match.start("name")}
    named = reading.with_tags("REF" if place in name else tag for place, tag in enumerate(reading.tags))
    return named.split_token(at, [(day, "REF"), (new, "WHEN")])


def retag_reminders(reading: MessageReading, words: Lexicon, read: Read) -> MessageReading:
    """Return `reading` with the tags of several reminders read alone, where the network has not found each of them.

    Each has a clock and a content in the same order: "avísame a las 12 de comer y a las 18 de merendar".
    """
    tokens = reading.tokens
    if not _lacks_reminders(reading, words):
        return reading
    verbs = find_asking_words(tokens, words)
    tagged = [at for at, tag in enumerate(reading.tags) if tag not in {NO_TAG, "PERSON"}]
    head = (verbs if verbs and words.joint else [at - 1 for at in tagged] or [-1])[0]
    # A statement in front of the words that ask is no reminder.
    begin = verbs[0] if verbs and max(tagged, default=0) > verbs[0] else 0
    joints = CLAUSE_ENDS | (words.and_words if words.joint else {"、"})  # 同 is a part of other words: 合同
    for at in [at for at, token in enumerate(tokens) if at > begin and token.form in joints][:_MAX_CUTS]:
        first, count_behind = _read_alone(reading.text[: tokens[at].start], read), len(trim_tokens(tokens[at:], words))
        is_reminder = words.joint or {"WHEN", "CONTENT"}.issubset(reading.tags[-count_behind:])  # unlike 四点开完
        if not count_behind or not is_reminder or not all(list_slots(first)):
            continue
        request = reading.text[: tokens[head].end] if 0 <= head < at else ""
        rest = f"{request}{words.joint}{reading.text[tokens[-count_behind].start :]}"
        second = retag_reminders(_read_alone(rest, read), words, read)
        # Where a text has more times than are read, a part of it may have other tokens.
        is_aligned = len(first.tokens) <= len(tokens) - count_behind and count_behind <= len(second.tokens)
        if is_aligned and list_slots(first)[0] == list_slots(second)[0]:
            return _join_reminders(reading, first, second, count_behind)
    return reading


def _lacks_reminders(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a request has several times, corrects none, and has fewer whole reminders than clocks."""
    clocks = {token.expression for token in reading.tokens if token.form in WITH_CLOCK}
    is_whole = len(reading.begins) + 1 >= len(clocks) and all(list_slots(reading))
    is_correction = words.has_any(words.corrections, words.joint.join(reading.forms))
    has_several_times = len({token.expression for token in reading.times}) > 1
    return reading.intent == "set" and has_several_times and not (is_correction or is_whole)


def _join_reminders(
    reading: MessageReading, first: MessageReading, second: MessageReading, count: int
) -> MessageReading:
    """Return `reading` with the tags of its beginning, read as `first`, and of its last `count` tokens, as `second`."""
    size = len(reading.tokens)
    tags = [*first.tags, *[NO_TAG] * (size - count - len(first.tags)), *second.tags[-count:]]
    begins = (size - count, *(begin + size - len(second.tokens) for begin in second.begins))
    return replace(reading, tags=tuple(tags), begins=begins)


def _read_alone(text: str, read: Read) -> MessageReading:
    """Read a reminder, whose clock is its time if it has no other: "comprar pan a las 12"."""
    reading = read(text.strip())
    clocks = () if reading.has("WHEN") else [at for at, each in enumerate(reading.tokens) if each.form in WITH_CLOCK]
    return reading.with_tags("WHEN" if at in clocks else tag for at, tag in enumerate(reading.tags))


def complete_references(reading: MessageReading, texts: Collection[str], words: Lexicon) -> MessageReading:
    """Return `reading` with figures tagged that go on with the name of a reminder in its text: "fig | 3".

    Where some are to stop, words of reminders that are joined to a name are tagged as other names. A day behind a name
    tells which one is meant: "la cuota | del día 15".
    """
    tags = list(reading.tags)
    for first, last in find_runs(reading.tags, "REF"):
        day = _find_day_of_month(reading, first, last, words)
        named = {*filter(str.isalpha, reading.forms[first:day])} - {*words.before_reference, *words.and_words}
        whole = words.fold(reading.text[reading.tokens[first].start : reading.tokens[last - 1].end])
        if named and not any(whole in words.fold(text) for text in texts):
            tags[day:last] = ["OLD"] * (last - day)
    for first, last in find_runs(reading.tags, "REF"):
        if last < len(tags) and reading.tokens[last].form.isdecimal():
            name = reading.text[reading.tokens[first].start : reading.tokens[last].end].casefold()
            if any(re.search(rf"{re.escape(name)}(?!\d)", text.casefold()) for text in texts):
                tags[last] = "REF"
    return reading.with_tags(tags)


def _find_day_of_month(reading: MessageReading, first: int, last: int, words: Lexicon) -> int:
    """Return where a day of the month at the end of a name begins: "la cuota | del día 15"; `first` for no such day."""
    day = last - 1
    while day > first and reading.forms[day - 1] in words.before_day:
        day -= 1
    return day if day < last - 1 and reading.forms[last - 1].isdecimal() else first


def _fold_names(members: Collection[str], words: Lexicon) -> set[str]:
    """Return names as they are compared with tokens; a single character is too often no name."""
    return {words.fold(name).lstrip("@") for name in members if len(name) > 1}
