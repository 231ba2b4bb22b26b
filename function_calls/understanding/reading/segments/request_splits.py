"""Split a message into its requests, by the words that begin another one and by what stands between two."""

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, NOTHING, MessageReading, Read
from function_calls.understanding.reading.segments.remarks import MAX_PARTS, MIN_REMARK_PROBABILITY, REMARKED_ON
from function_calls.understanding.reading.segments.reminder_splits import asks_to_remind
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import find_place, trim_tokens
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, MARKS, is_time

_MIN_POINTS, _MAX_POINTS = 2, 12
"""The points of a list of requests."""
_POINT_EDGES = " \t:：,，;；-–"
_BULLET = re.compile(r"^\s*(?:[-–*•·]\s*|\(?\d{1,2}[.)、）:：]\s*|[①-⑫]\s*)(?=\S)")
_NUMBERED = re.compile(r"(?<![A-Za-z0-9.])\(?(\d{1,2})(?:[)）、]|\.(?!\d))\s*(?=\S)")
_LIKELY = 0.5
"""The least probability of each of two changes of one reminder."""
_SURE = 0.85
"""The least probability of each of two changes of reminders that are named."""
_UPDATES = frozenset(
    {"move", "reword", "append", "keep_days", "add_days", "until", "urgent", "nag"}
    | {"person_add", "person_remove", "person_set"}
)
"""Intents of changes that one call can make together."""
_ORDERS = (REMARKED_ON | _UPDATES | {"leave", "not_urgent"}) - {"undo", "when_is", "list", "summary"}
"""Intents of changes of a reminder that is named."""
_NEW_TIMES = frozenset({"WHEN", "LATER", "EARLIER", "LEAD"})


def split_requests(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return the requests of a message, each with an intent and tags of its own; one alone for most messages.

    Several reminders under one "remind" stay one request, whose `begins` part them. `read` reads a piece of the text as
    a message.
    """
    parts = (
        _read_points(reading, words, read) or _split_place(reading, words, read) or _split_begins(reading, words, read)
    )
    return [request for part in parts for request in _split_joined(part, words, read)]


def name_zone(text: str, words: Lexicon) -> str:
    """Return a statement of a place, "I'm in Tokyo", as one of the time zone; "" for any other text."""
    folded = words.fold(text).strip()
    begin = max((each for each in words.being_in if folded.startswith(f"{each}{words.joint}")), key=len, default="")
    place = find_place(folded.removeprefix(begin), words.courtesies, words) if begin else ""
    return words.my_zone.format(place=place) if place else ""


def _split_place(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return the place in front of a reminder, in whose zone its times are, and the reminder: 我在上海，八点提醒我."""
    at = next((at for at, token in enumerate(reading.tokens) if token.form in CLAUSE_ENDS), 0)
    statement = name_zone(reading.text[: reading.tokens[at].start], words) if reading.intent == "set" and at else ""
    return [read(statement), read(reading.text[reading.tokens[at].end :].lstrip())] if statement else []


def _split_begins(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return the parts of a message where the network found that further requests begin."""
    tokens = reading.tokens
    reading = _join_names_and_times(_join_reason(reading, words), words)
    bounds = [0, *reading.begins[: MAX_PARTS - 1], len(tokens)]
    parts: list[MessageReading] = []
    open_at = 0
    for first, last in pairwise(bounds):
        if first and _continues_request(reading, first, last, words, read):
            continue
        if first:
            parts.append(_read_part(reading, open_at, first, words, read))
        open_at = first
    return [*parts, _read_part(reading, open_at, len(tokens), words, read)] if open_at else [reading]


def _join_reason(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with its first part as the beginning of the second, where that alone asks to remind.

    "The cat has surgery on Monday, please remind us on Sunday not to feed it" asks for one reminder.
    """
    if reading.intent != "set" or len(reading.begins) != 1:
        return reading
    tokens, begin = reading.tokens, reading.begins[0]
    is_reason = not asks_to_remind(tokens[:begin], words) and asks_to_remind(tokens[begin:], words)
    return replace(reading, begins=()) if is_reason else reading


def _join_names_and_times(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` without the parts that only name people: "remind us of the rehearsal, me and also Luz".

    Nor does a name begin a part behind them: "a reminder for Raj | and Colette for tomorrow"; nor one of two times that
    share a content: "Friday at 8 | and Saturday at 9 to water the plants".
    """
    if reading.intent != "set":
        return reading
    bounds = [0, *reading.begins, len(reading.tokens)]
    has_slot = [bool({"WHEN", "CONTENT", "REF"} & {*reading.tags[first:last]}) for first, last in pairwise(bounds)]
    begins = tuple(
        first
        for first, (is_full_before, is_full) in zip(reading.begins, pairwise(has_slot), strict=True)
        if is_full
        and (is_full_before or "PERSON" not in reading.tags[first : first + 2])
        and not _shares_content(reading, first, words)
    )
    return replace(reading, begins=begins)


def _shares_content(reading: MessageReading, first: int, words: Lexicon) -> bool:
    """Return whether "and" joins the part at `first` to the time in front of it, and only one of them has a content."""
    bounds = [0, *reading.begins, len(reading.tokens)]
    at = bounds.index(first)
    places = [place for place in range(bounds[at - 1], bounds[at + 1]) if reading.forms[place] not in words.and_words]
    before, behind = ([reading.tags[place] for place in places if (place >= first) is side] for side in (False, True))
    is_joined = not {*words.and_words}.isdisjoint(reading.forms[first - 1 : first + 1])
    are_times = before[-1:] == behind[:1] == ["WHEN"]
    return is_joined and are_times and ("CONTENT" in before) != ("CONTENT" in behind)


def _continues_request(reading: MessageReading, first: int, last: int, words: Lexicon, read: Read) -> bool:
    """Return whether a part of a message is another reminder of the request before it, as it does not ask by itself."""
    part = trim_tokens(reading.tokens[first:last], words)
    if not part:
        return True
    references = {token for token, tag in reading.tagged if tag == "REF"}
    if reading.intent != "set" and references.issuperset(part):
        return True  # "cancel the dentist | and the rent"
    if reading.intent != "set" or asks_to_remind(part, words):
        return False
    alone = read(reading.text_of(part[0], part[-1]))
    return alone.intent in {"set", NOTHING} or not alone.is_certain


def _read_part(reading: MessageReading, first: int, last: int, words: Lexicon, read: Read) -> MessageReading:
    """Read the tokens from `first` up to `last` as a message of their own."""
    tokens = trim_tokens(reading.tokens[first:last], words, is_first=not first)
    tokens = tokens or reading.tokens[first:last]
    return read(reading.text_of(tokens[0], tokens[-1]))


def _split_joined(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return `reading` in two where a mark or a word for "and" joins a complete request to another one.

    The other one asks by itself, or each changes a reminder that it names.
    """
    joints = list(_find_joints(reading, words))
    for at, end in joints if len(joints) <= MAX_PARTS else ():
        first = read(reading.text[: reading.tokens[at].start].rstrip())
        second = read(reading.text[end:].lstrip())
        if _are_changes_apart(first, second, words):
            return [first, *_split_joined(second, words, read)]
        is_content = "CONTENT" in reading.tags[at + 1 :]
        if second.intent == "list" and reading.tags[at + 1] == "REF":  # "delete the dentist and the rent reminders"
            continue
        if reading.intent == "until" and second.intent == "delete":  # "until the 24th, after that no more rehearsals"
            continue
        is_complete = first.intent != "set" or (first.has("WHEN") and first.has("CONTENT"))
        is_request = is_complete and first.intent != NOTHING and first.is_certain
        may_part = reading.tokens[at].form not in MARKS or (first.intent == "set" and _names_known_reminder(second))
        if is_request and may_part and _is_request_alone(second, words, is_content=is_content):
            return [first, *_split_joined(second, words, read)]
    return [reading]


def _find_joints(reading: MessageReading, words: Lexicon) -> Iterator[tuple[int, int]]:
    """Yield the places of the words between requests, and of marks beside names of reminders, each with its end."""
    and_words = words.and_words if words.joint else ()  # 同 is a part of other words: 合同
    for at, token in enumerate(reading.tokens[1:-1], 1):
        text = words.fold(reading.text[token.start :])
        word = next((word for word in words.going_on if text.startswith(f"{word}{words.joint}")), "")
        is_mark = reading.intent not in {"reword", "append"} and bool(reading.reminder_places) and token.form in MARKS
        if word or token.form in and_words or is_mark:
            yield at, token.start + len(word) if word else token.end


def _are_changes_apart(first: MessageReading, second: MessageReading, words: Lexicon) -> bool:
    """Return whether two readings change reminders that each of them names, or the second one sets another.

    One without an order of its own, as "the rent to Friday", goes on with the one before it.
    """
    if not _changes_known_reminder(first, words):
        return False
    if second.intent == "set":
        asks = asks_to_remind(second.tokens, words) or second.tokens[0].form in words.lead_in_words
        return asks and second.has("WHEN") and second.has("CONTENT") and second.is_certain
    names, other_names = ({*extract_references(each, words)} for each in (first, second))
    has_order = any(each.form.isalpha() and each.form not in words.prepositions for each in second.untagged)
    has_own_order = has_order or first.intent == second.intent
    return names.isdisjoint(other_names) and has_own_order and _changes_known_reminder(second, words)


def _changes_known_reminder(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a reading surely changes a reminder that it names, and says when if it moves it."""
    is_complete = reading.intent != "move" or not _NEW_TIMES.isdisjoint(reading.tags)
    if reading.intent == "delete":  # 交房租不变 and "the rent is fine" keep it
        is_complete = words.has_any(words.deleting or words.ending, words.fold(reading.text))
    return _names_known_reminder(reading) and is_complete and reading.intent in _ORDERS and reading.certainty >= _SURE


def _names_known_reminder(reading: MessageReading) -> bool:
    """Return whether a reading names a reminder with a word in the text of a coming one."""
    return any(reading.tags[at] == "REF" for at in reading.reminder_places)


def _is_request_alone(reading: MessageReading, words: Lexicon, *, is_content: bool) -> bool:
    """Return whether words behind "and" are a request: a list, "make it …", or a change of a known reminder.

    Words that may be the content of the request in front (`is_content`) are one if they say "reminder" or a new time.
    """
    if reading.intent == "list":
        return not is_content and reading.certainty >= MIN_REMARK_PROBABILITY
    if not reading.is_certain:
        return False
    is_new_time = reading.intent == "move" and reading.has("WHEN")
    if is_new_time and not is_content and not any(extract_references(reading, words)):
        return words.has_any(words.change_it, words.joint.join(reading.forms))
    if not _names_known_reminder(reading):
        return False
    if not is_content:
        return reading.intent in REMARKED_ON and reading.tags[0] == NO_TAG  # no other name: "and the rent"
    return is_new_time or (reading.intent == "delete" and _says_reminder(reading, words))


def _says_reminder(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a deletion has a word that stands for a reminder or asks to remind, or begins with "delete"."""
    has_mark = any(token.form in words.reference_marks for token in reading.tokens)
    return has_mark or asks_to_remind(reading.tokens, words) or words.fold(reading.text).startswith(words.erasing)


def split_changes(reading: MessageReading, words: Lexicon, read: Read, read_in_dialogue: Read) -> list[MessageReading]:
    """Return the two changes of one reminder that a message asks for: "make it 8 and call it yoga"; none for others.

    The second one names no reminder of its own, and is a change out of the dialogue as well, in which only the first is
    read. A content with "and" in it is one, but for "and move it to Friday" at its end. Where words have spaces, "and"
    stands between the two: what a comma or a full stop divides is a remark and a change.
    """
    tokens = reading.tokens
    marks = [at for at, token in enumerate(tokens) if words.joint == "" and token.form in CLAUSE_ENDS]
    cuts = [*marks, *(at for at, token in enumerate(tokens) if token.form in words.and_words)]
    may_update = reading.intent in _UPDATES or not reading.is_certain
    for at in cuts[:MAX_PARTS] if may_update else ():
        if not 0 < at < len(tokens) - 1 or reading.tags[at] == "WHEN":  # "martes y jueves"
            continue
        first = read_in_dialogue(reading.text[: tokens[at].start])
        ends_with_time = first.intent == "reword" and all(map(is_time, tokens[at + 1 :]))  # 改成拿合同，四点
        second = (read_in_dialogue if ends_with_time else read)(reading.text[tokens[at].end :].lstrip())
        parts = [first, second]
        are_changes = all(part.intent in _UPDATES and part.certainty >= _LIKELY for part in parts)
        is_named = any(extract_references(second, words))
        points = bool(words.joint) and second.has("WHEN") and any(token.form in words.itself for token in second.tokens)
        is_content = reading.tags[at] == "CONTENT" and not points
        if are_changes and first.intent != second.intent and not is_named and not is_content:
            return parts
    return []


def _read_points(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return the points of a list behind a request, where each has a time of its own; none where it is no such list."""
    head, points = _parse_list(reading.text) if reading.times else ("", [])
    if not points or not asks_to_remind(reading.tokens, words) or not all(read(point).times for point in points):
        return []
    return [read(f"{head}{words.joint}{point}") for point in points]


def _parse_list(text: str) -> tuple[str, list[str]]:
    """Return the words in front of a list, and its lines or numbered points; no points for any other text."""
    lines = [line for line in text.splitlines() if line.strip()]
    for head, points in (_parse_lines(lines), _parse_points(" ".join(lines))):
        if _MIN_POINTS <= len(points) <= _MAX_POINTS:
            return head.strip(_POINT_EDGES), [point.strip(_POINT_EDGES) for point in points]
    return "", []


def _parse_lines(lines: list[str]) -> tuple[str, list[str]]:
    """Return the first of `lines`, if only that has no bullet, and the points; all lines where none has one."""
    if not any(map(_BULLET.match, lines)):
        return "", lines
    head, rest = ("", lines) if _BULLET.match(lines[0]) else (lines[0], lines[1:])
    return head, [_BULLET.sub("", line) for line in rest] if all(map(_BULLET.match, rest)) else []


def _parse_points(text: str) -> tuple[str, list[str]]:
    """Return the points of a list on one line that are numbered from 1 on, and the words in front of them."""
    numbers = list(_NUMBERED.finditer(text))
    if [int(number[1]) for number in numbers] != list(range(1, len(numbers) + 1)) or not numbers:
        return "", []
    ends = [*(number.start() for number in numbers[1:]), len(text)]
    return text[: numbers[0].start()], [text[each.end() : end] for each, end in zip(numbers, ends, strict=True)]
