"""Split a message into its requests: by the words that begin another one, and by times that alternate with contents."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, NOTHING, MessageReading
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import are_function_words, find_place
from function_calls.understanding.reading.slots.time_words import find_letters_beside_times
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, MARKS, Token, is_time

_FEWEST_POINTS, _MOST_POINTS = 2, 12
"""The points of a list of requests."""
_POINT_EDGES = " \t:：,，;；-–"
_BULLET = re.compile(r"^\s*(?:[-–*•·]\s*|\(?\d{1,2}[.)、）:：]\s*|[①-⑫]\s*)(?=\S)")
_NUMBERED = re.compile(r"(?<![A-Za-z0-9.])\(?(\d{1,2})(?:[)）、]|\.(?!\d))\s*(?=\S)")

Read = Callable[[str], MessageReading]
Classify = Callable[[Sequence[Token]], tuple[tuple[str, float], ...]]

_MOST_PARTS = 8
"""The most parts, sentences or joints of a message that are read by themselves."""
_REMARKED_ON = frozenset(
    {"move", "delete", "undo", "skip", "pause", "resume", "snooze", "keep_days", "add_days", "until", "once", "reword"}
    | {"when_is", "done", "list", "summary"}
)
"""Intents of sentences that people give a reason for, or say something else beside."""
_TIMELESS = frozenset({"delete", "undo", "resume", "when_is", "done", "list", "summary"})
"""Intents without a time: a time in a remark beside such a request does not belong to it."""
_LIKELY = 0.5
"""The least probability of each of two changes of one reminder."""
_SURE = 0.85
"""The least probability of each of two changes of reminders that are named."""
_UPDATES = frozenset(
    {"move", "reword", "append", "keep_days", "add_days", "until", "urgent", "nag"}
    | {"person_add", "person_remove", "person_set"}
)
"""Intents of changes that one call can make together."""
_ORDERS = (_REMARKED_ON | _UPDATES | {"leave", "not_urgent"}) - {"undo", "when_is", "list", "summary"}
"""Intents of changes of a reminder that is named."""
_NEW_TIMES = frozenset({"WHEN", "LATER", "EARLIER", "LEAD"})
_CLOCKS = frozenset({"@clock", "@part"})
WITH_CLOCK = frozenset({"@clock", "@dayclock", "@ruletime"})
_DAYS = frozenset({"@day", "@dayclock", "@daypart", "@rule", "@ruletime"})
_LEAST_REMARK = 0.7
"""The probability from which a sentence asks for nothing."""


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
    reading = _join_names(_join_reason(reading, words))
    bounds = [0, *reading.begins[: _MOST_PARTS - 1], len(tokens)]
    found: list[MessageReading] = []
    open_at = 0
    for first, last in pairwise(bounds):
        if first and _continues_request(reading, first, last, words, read):
            continue
        if first:
            found.append(_read_part(reading, open_at, first, words, read))
        open_at = first
    return [*found, _read_part(reading, open_at, len(tokens), words, read)] if open_at else [reading]


def _split_joined(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return `reading` in two where a mark or a word for "and" joins a complete request to another one.

    The other one asks by itself, or each changes a reminder that it names.
    """
    joints = list(_find_joints(reading, words))
    for at, end in joints if len(joints) <= _MOST_PARTS else ():
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
        asks = _asks_to_remind(second.tokens, words) or second.tokens[0].form in words.lead_in_words
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
    """Return whether words behind "and" are a request: a list, a zone, "make it …", or a change of a known reminder.

    Words that may be the content of the request in front (`is_content`) are one if they say "reminder" or a new time.
    """
    if reading.intent == "list":
        return not is_content and reading.certainty >= _LEAST_REMARK
    if not reading.is_certain:
        return False
    if reading.intent == "zone":
        return reading.has("ZONE")
    is_new_time = reading.intent == "move" and reading.has("WHEN")
    if is_new_time and not is_content and not any(extract_references(reading, words)):
        return words.has_any(words.change_it, words.joint.join(reading.forms))
    if not _names_known_reminder(reading):
        return False
    if not is_content:
        return reading.intent in _REMARKED_ON and reading.tags[0] == NO_TAG  # no other name: "and the rent"
    return is_new_time or (reading.intent == "delete" and _says_reminder(reading, words))


def _says_reminder(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a deletion has a word that stands for a reminder or asks to remind, or begins with "delete"."""
    has_mark = any(token.form in words.reference_marks for token in reading.tokens)
    return has_mark or _asks_to_remind(reading.tokens, words) or words.fold(reading.text).startswith(words.erasing)


def split_changes(reading: MessageReading, words: Lexicon, read: Read, read_in_dialogue: Read) -> list[MessageReading]:
    """Return the two changes of one reminder that a message asks for: "make it 8 and call it yoga"; none for others.

    The second one names no reminder of its own, and is a change out of the dialogue as well, in which only the first is
    read. A content with "and" in it is one, but for "and move it to Friday" at its end.
    """
    tokens = reading.tokens
    marks = [at for at, token in enumerate(tokens) if token.form in CLAUSE_ENDS]
    cuts = [*marks, *(at for at, token in enumerate(tokens) if token.form in words.and_words)]
    may_update = reading.intent in _UPDATES or not reading.is_certain
    for at in cuts[:_MOST_PARTS] if may_update else ():
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


def _join_reason(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with its first part as the beginning of the second, where that alone asks to remind.

    "The cat has surgery on Monday, please remind us on Sunday not to feed it" asks for one reminder.
    """
    if reading.intent != "set" or len(reading.begins) != 1:
        return reading
    tokens, begin = reading.tokens, reading.begins[0]
    is_reason = not _asks_to_remind(tokens[:begin], words) and _asks_to_remind(tokens[begin:], words)
    return replace(reading, begins=()) if is_reason else reading


def _join_names(reading: MessageReading) -> MessageReading:
    """Return `reading` without the parts that only name people: "remind us of the rehearsal, me and also Luz".

    Nor does a name begin a part behind them: "a reminder for Raj | and Colette for tomorrow".
    """
    if reading.intent != "set":
        return reading
    bounds = [0, *reading.begins, len(reading.tokens)]
    has_slot = [bool({"WHEN", "CONTENT", "REF"} & {*reading.tags[first:last]}) for first, last in pairwise(bounds)]
    begins = tuple(
        first
        for first, (is_full_before, is_full) in zip(reading.begins, pairwise(has_slot), strict=True)
        if is_full and (is_full_before or "PERSON" not in reading.tags[first : first + 2])
    )
    return replace(reading, begins=begins)


def _continues_request(reading: MessageReading, first: int, last: int, words: Lexicon, read: Read) -> bool:
    """Return whether a part of a message is another reminder of the request before it, as it does not ask by itself."""
    part = trim_tokens(reading.tokens[first:last], words)
    if not part:
        return True
    references = {token for token, tag in reading.tagged if tag == "REF"}
    if reading.intent != "set" and references.issuperset(part):
        return True  # "cancel the dentist | and the rent"
    if reading.intent != "set" or _asks_to_remind(part, words):
        return False
    alone = read(reading.text_of(part[0], part[-1]))
    return alone.intent in {"set", NOTHING} or not alone.is_certain


def _read_part(reading: MessageReading, first: int, last: int, words: Lexicon, read: Read) -> MessageReading:
    """Read the tokens from `first` up to `last` as a message of their own."""
    tokens = trim_tokens(reading.tokens[first:last], words, is_first=not first)
    tokens = tokens or reading.tokens[first:last]
    return read(reading.text_of(tokens[0], tokens[-1]))


def drop_remarks(reading: MessageReading, words: Lexicon, classify: Classify, read: Read) -> MessageReading:
    """Return the only sentence that asks for a change, where all others ask for nothing: "it rains, make it 6".

    Return the last one as well where it asks to remind and the whole message is no sure request.
    """
    sentences = list(_split_sentences(reading))
    is_set = reading.intent == "set" and reading.is_certain
    if is_set or not 1 < len(sentences) <= _MOST_PARTS:
        return reading
    intents = [dict(classify(sentence)) for sentence in sentences]
    requests = [at for at, each in enumerate(intents) if each[NOTHING] < _LEAST_REMARK]
    if len(requests) != 1 or intents[requests[0]][NOTHING] > 1 - _LEAST_REMARK:
        return reading
    sentence, intent = sentences[requests[0]], next(iter(intents[requests[0]]))
    ends_with_set = reading.intent in {NOTHING, "set"} and intent == "set"
    ends_with_set = ends_with_set and _ends_with_request(sentence, reading, words)
    if not ends_with_set and not _is_change_beside_remarks(sentence, intent, reading, words):
        return reading
    has_only_time = not find_letters_beside_times(words.joint.join(_list_words(sentence)), [], words)
    if (
        has_only_time
        or lacks_day(sentence, reading.tokens)
        or _is_about_day_of_other_sentence(sentence, reading, words)
    ):
        return reading
    alone = read(reading.text_of(sentence[0], sentence[-1]))
    lacks_text = alone.intent == "reword" and reading.has("CONTENT") and not alone.has("CONTENT")
    lacks_slot = ends_with_set and not (alone.has("WHEN") and alone.has("CONTENT"))
    return reading if lacks_text or lacks_slot else alone


def _is_change_beside_remarks(sentence: Sequence[Token], intent: str, reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a sentence of `intent` is a change that other sentences give a reason for, and not its time."""
    has_all_times = any(map(is_time, sentence)) or not any(map(is_time, reading.tokens))
    if reading.intent == "set" or intent not in (_REMARKED_ON if has_all_times else _TIMELESS):
        return False
    own = _list_words(sentence)
    return not are_function_words([form for form in _list_words(reading.tokens) if form not in own], words)


def _list_words(tokens: Sequence[Token]) -> list[str]:
    """Return the forms of tokens that are no times."""
    return [token.form for token in tokens if token.form[0] != "@"]


def _ends_with_request(sentence: Sequence[Token], reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message ends with a sentence that says "remind": "me. remind me at 9 to wash up"."""
    text = words.joint.join(token.form for token in sentence)
    is_last = not any(token.form.isalnum() for token in reading.tokens if token.start >= sentence[-1].end)
    return is_last and any(word in text for word in words.triggers)


def lacks_day(part: Iterable[Token], tokens: Iterable[Token]) -> bool:
    """Return whether a part of a message names a clock without a day, which the rest of the message names."""
    own, every = ({token.form for token in each} for each in (part, tokens))
    return bool(own & _CLOCKS and not own & _DAYS and every & _DAYS)


def _is_about_day_of_other_sentence(sentence: Sequence[Token], reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a sentence is about the day of another one: 周四下雨，那天别提醒; 周末休息，不用叫."""
    days = [token for token in reading.tokens if token.form in _DAYS]
    if not days or any(day in sentence for day in days):
        return False
    is_left_out = any(words.fold(reading.text[day.end :]).startswith(words.exclusion_endings) for day in days)
    return is_left_out or words.has_any(words.same_day_phrases, words.joint.join(token.form for token in sentence))


def _split_sentences(reading: MessageReading) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each sentence, and of each part of one that a mark ends outside of quotation marks."""
    first = 0
    for at, token in enumerate(reading.tokens):
        is_quoted = reading.text[: token.start].count('"') % 2 == 1
        if token.form in CLAUSE_ENDS and at > first and not is_quoted and _ends_sentence(reading.text, token):
            yield reading.tokens[first:at]
            first = at + 1
    if first < len(reading.tokens):
        yield reading.tokens[first:]


def _read_points(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return the points of a list behind a request, where each has a time of its own; none where it is no such list."""
    head, points = _parse_list(reading.text) if reading.times else ("", [])
    if not points or not _asks_to_remind(reading.tokens, words) or not all(read(point).times for point in points):
        return []
    return [read(f"{head}{words.joint}{point}") for point in points]


def _asks_to_remind(tokens: Sequence[Token], words: Lexicon) -> bool:
    """Return whether the tokens have a word that asks to remind."""
    text = words.joint.join(token.form for token in tokens)
    return any(word in text for word in words.calling)


def _ends_sentence(text: str, token: Token) -> bool:
    """Return whether a mark ends a sentence, and does not stand within an address or behind the number of a point."""
    is_numbered = token.form == "." and text[: token.start][-1:].isdecimal()
    return not token.form.isascii() or (text[token.end : token.end + 1].isspace() and not is_numbered)


def find_asking_words(tokens: Sequence[Token], words: Lexicon) -> list[int]:
    """Return the places of the words that ask to remind."""
    if words.joint:
        return [at for at, token in enumerate(tokens) if token.form in words.reminding]
    text = "".join(token.form if len(token.form) == 1 else " " for token in tokens)
    return sorted({at for word in words.calling for at in _find_all(text, word)})


def _find_all(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def trim_tokens(tokens: tuple[Token, ...], words: Lexicon, *, is_first: bool = False) -> tuple[Token, ...]:
    """Return the tokens of a part without marks at its edges and without the word that joins it to another part."""
    while tokens and not is_first and (tokens[0].form in words.and_words or tokens[0].form in words.lead_in_words):
        tokens = tokens[1:]
    going_on = [tuple(word.split() if words.joint else word) for word in words.going_on]
    while tokens and (tokens[-1].form in CLAUSE_ENDS or tuple(each.form for each in tokens[-2:]) in going_on):
        tokens = tokens[: -1 if tokens[-1].form in CLAUSE_ENDS else -2]
    while tokens and tokens[0].form in CLAUSE_ENDS:
        tokens = tokens[1:]
    return tokens


def split_reminders(reading: MessageReading) -> list[MessageReading]:
    """Split a request with several reminders: "at 5 to call mum and at 6 to feed the cat"."""
    reading = _separate_people(reading)
    begins = [at for at in reading.begins if not reading.tags[at - 1] == reading.tags[at] == "CONTENT"]
    bounds = [0, *begins, len(reading.tokens)]
    return [_cut_piece(reading, first, last) for first, last in pairwise(bounds)] if begins else [reading]


def _separate_people(reading: MessageReading) -> MessageReading:
    """Return `reading` with a beginning at each person with a time of their own, where the network found none."""
    if reading.begins:
        return reading
    tagged = [at for at, tag in enumerate(reading.tags) if tag != NO_TAG]
    runs = [(tag, next(places)) for tag, places in groupby(tagged, key=reading.tags.__getitem__)]
    people = [at for tag, at in runs if tag == "PERSON"]
    if len(people) > 1 and [tag for tag, _ in runs] == ["PERSON", "WHEN"] * len(people) + ["CONTENT"]:
        return replace(reading, begins=tuple(people[1:]))  # "Ann at 5 and Bob at 6 to call"
    return reading


def list_slots(reading: MessageReading) -> list[list[str]]:
    """Return the order of the time and the content of each reminder; empty for one that is not certain or lacks one."""
    is_set = reading.intent == "set" and reading.is_certain
    pieces = [reading.tags[first:last] for first, last in pairwise([0, *reading.begins, len(reading.tags)])]
    slots = [[tag for tag, _ in groupby(piece) if is_set and tag not in {NO_TAG, "PERSON"}] for piece in pieces]
    return [each if each in (["WHEN", "CONTENT"], ["CONTENT", "WHEN"]) else [] for each in slots]


def _cut_piece(reading: MessageReading, first: int, last: int) -> MessageReading:
    """Return the tokens from `first` up to `last`, with the person who is named once for all reminders."""
    has_person = "PERSON" in reading.tags[first:last]
    people = [at for at, tag in enumerate(reading.tags) if tag == "PERSON" and not has_person and at < first]
    return replace(reading, begins=()).with_tokens([*people, *range(first, last)])


def _parse_list(text: str) -> tuple[str, list[str]]:
    """Return the words in front of a list, and its lines or numbered points; no points for any other text."""
    lines = [line for line in text.splitlines() if line.strip()]
    for head, points in (_parse_lines(lines), _parse_points(" ".join(lines))):
        if _FEWEST_POINTS <= len(points) <= _MOST_POINTS:
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
