"""Find the words that ask to remind, and split a request to be reminded into its reminders."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.tokens import Token


def find_asking_words(tokens: Sequence[Token], words: Lexicon) -> list[int]:
    """Return the places of the words that ask to remind."""
    if words.joint:
        return [at for at, token in enumerate(tokens) if token.form in words.reminding]
    text = "".join(token.form if len(token.form) == 1 else " " for token in tokens)
    return sorted({found.start() for word in words.calling for found in re.finditer(re.escape(word), text)})


def asks_to_remind(tokens: Sequence[Token], words: Lexicon) -> bool:
    """Return whether the tokens have a word that asks to remind."""
    text = words.joint.join(token.form for token in tokens)
    return any(word in text for word in words.calling)


def split_reminders(reading: MessageReading) -> list[MessageReading]:
    """Split a request with several reminders: "at 5 to call mum and at 6 to feed the cat"."""
    reading = _join_timeless_contents(_separate_people(reading))
    begins = [at for at in reading.begins if not reading.tags[at - 1] == reading.tags[at] == "CONTENT"]
    bounds = [0, *begins, len(reading.tokens)]
    return [_cut_piece(reading, first, last) for first, last in pairwise(bounds)] if begins else [reading]


def _separate_people(reading: MessageReading) -> MessageReading:
    """Return `reading` with a beginning at each person with a time or a content of their own, where there is none yet.

    "Remind Ben to bring plates, remind Kim to bring cups" asks for two reminders.
    """
    if reading.begins:
        return reading
    tagged = [at for at, tag in enumerate(reading.tags) if tag != NO_TAG]
    runs = [(tag, next(places)) for tag, places in groupby(tagged, key=reading.tags.__getitem__)]
    people = [at for tag, at in runs if tag == "PERSON"]
    order = [tag for tag, _ in runs]
    has_times = order == ["PERSON", "WHEN"] * len(people) + ["CONTENT"]  # "Ann at 5 and Bob at 6 to call"
    has_contents = [tag for tag in order if tag != "WHEN"] == ["PERSON", "CONTENT"] * len(people)
    if len(people) > 1 and (has_times or (has_contents and "WHEN" not in reading.tags[people[1] :])):
        return replace(reading, begins=tuple(people[1:]))
    return reading


def _join_timeless_contents(reading: MessageReading) -> MessageReading:
    """Return `reading` with a part that has only a content joined to the content in front of it, which has a time.

    "At 2 to load the van | and charge the pack" is one reminder.
    """
    bounds = [0, *reading.begins, len(reading.tokens)]
    tags, begins = list(reading.tags), list(reading.begins)
    for before, first, last in zip(bounds, bounds[1:], bounds[2:], strict=False):
        own = [at for at in range(first, last) if tags[at] != NO_TAG]
        ends_with_content = next((tag for tag in reversed(tags[before:first]) if tag != NO_TAG), "") == "CONTENT"
        is_timed = "WHEN" in tags[before:first]
        if is_timed and ends_with_content and own and {tags[at] for at in own} == {"CONTENT"}:
            end = max(at for at in range(before, first) if tags[at] == "CONTENT")
            tags[end : own[0]] = ["CONTENT"] * (own[0] - end)
            begins.remove(first)
    return replace(reading, begins=tuple(begins)).with_tags(tags) if len(begins) < len(reading.begins) else reading


def _cut_piece(reading: MessageReading, first: int, last: int) -> MessageReading:
    """Return the tokens from `first` up to `last`, with the person who is named once for all reminders."""
    has_person = "PERSON" in reading.tags[first:last]
    people = [at for at, tag in enumerate(reading.tags) if tag == "PERSON" and not has_person and at < first]
    return replace(reading, begins=()).with_tokens([*people, *range(first, last)])


def list_slots(reading: MessageReading) -> list[list[str]]:
    """Return the order of the time and the content of each reminder; empty for one that is not certain or lacks one."""
    is_set = reading.intent == "set" and reading.is_certain
    pieces = [reading.tags[first:last] for first, last in pairwise([0, *reading.begins, len(reading.tags)])]
    slots = [[tag for tag, _ in groupby(piece) if is_set and tag not in {NO_TAG, "PERSON"}] for piece in pieces]
    return [each if each in (["WHEN", "CONTENT"], ["CONTENT", "WHEN"]) else [] for each in slots]
