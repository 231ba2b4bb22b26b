"""Split a message into its requests: by the words that begin another one, and by times that alternate with contents."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, NOTHING, MessageReading
from function_calls.understanding.reading.repair import is_time as is_time_token
from function_calls.understanding.reading.repair import runs
from function_calls.understanding.reading.slots import are_small, reference, uncovered
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, SENTENCE_ENDS, Token

_FEWEST_POINTS, _MOST_POINTS = 2, 12
_POINT_EDGES = " \t:：,，;；-–"
_BULLET = re.compile(r"^\s*(?:[-–*•·]\s*|\(?\d{1,2}[.)、）:：]\s*|[①-⑫]\s*)(?=\S)")
_NUMBERED = re.compile(r"(?<![A-Za-z0-9.])\(?(\d{1,2})(?:[)）、]|\.(?!\d))\s*(?=\S)")

Read = Callable[[str], MessageReading]
Classify = Callable[[Sequence[Token]], tuple[tuple[str, float], ...]]

_SURE, _CERTAIN = 0.6, 0.9
_MOST_PARTS = 8
_FEWEST_TOKENS = 3
_LONGEST_RETRACTION = 4
_MOST_TRIED = 6
_MOST_AHEAD = 60
"""The most tokens behind a cut by which it is decided."""
_FOLLOWING = frozenset({"move", "reword", "append", "answer_when", "answer_content", "cancel_ask", "repeat_last"})
"""Intents that go on with the request in front of them."""
_CHANGING = frozenset(
    {"move", "delete", "undo", "skip", "pause", "resume", "snooze", "keep_days", "add_days", "until", "once", "reword"}
    | {"when_is", "done", "list"}
)
"""Intents of sentences that people give a reason for, or say something else beside."""
_TIMELESS = frozenset({"delete", "undo", "resume", "when_is", "done", "list"})
"""Intents without a time: a time in a remark beside such a request does not belong to it."""
_CLOCKS = frozenset({"@clock", "@part"})
_DAYS = frozenset({"@day", "@dayclock", "@daypart", "@rule", "@ruletime"})
_REMARK = 0.7
"""The probability from which a sentence asks for nothing."""
_CHAINED = frozenset({"set", "delete", "list", "ask", "move", "pause", "resume", "summary", "undo"})


def parts_of(reading: MessageReading, words: Lexicon, classify: Classify, read: Read) -> list[MessageReading]:
    """Return the requests of a message, each with an intent and tags of its own; one alone for most messages.

    `classify` returns the intents of some tokens, `read` reads a piece of the text as a message, which takes longer.
    """
    points = _points_of(reading, words, read)
    if points:
        return points
    tokens = reading.tokens
    found: list[MessageReading] = []
    first = 0
    is_retracted = False
    for cut in list(_cuts(reading, words))[:_MOST_TRIED]:
        pieces = (_trimmed(tokens[first:cut], words, is_first=not first), _trimmed(tokens[cut:], words)[:_MOST_AHEAD])
        is_marked = any(token.form in SENTENCE_ENDS for token in tokens[max(cut - 2, 0) : cut])
        if not all(pieces) or not _may_be_apart(*(classify(piece)[0] for piece in pieces), is_marked=is_marked):
            continue
        left, right = (read(reading.text[piece[0].start : piece[-1].end]) for piece in pieces)
        if _is_apart(left, right, is_marked=is_marked, words=words):
            is_retracted = _retracts(tokens[first:cut], tokens[cut:], words)
            found = [] if is_retracted else [*found, left]
            first = cut
    rest = _trimmed(tokens[first:], words, is_first=not first) if found or is_retracted else ()
    return [*found, read(reading.text[rest[0].start : rest[-1].end])][:_MOST_PARTS] if rest else [reading]


def without_remarks(reading: MessageReading, words: Lexicon, classify: Classify, read: Read) -> MessageReading:
    """Return the one sentence that asks for a change, where all others are remarks: "it rains, make it 6"."""
    sentences = list(_sentences(reading))
    if reading.intent == "set" or not 1 < len(sentences) <= _MOST_PARTS:
        return reading
    intents = [classify(sentence) for sentence in sentences]
    asking = [at for at, each in enumerate(intents) if dict(each)[NOTHING] < _REMARK]
    if len(asking) != 1:
        return reading
    found, sentence = intents[asking[0]], sentences[asking[0]]
    own, every = ({token.form for token in tokens} for tokens in (sentence, reading.tokens))
    is_bare = not uncovered(words.joint.join(form for form in own if form[0] != "@"), [], words)
    is_idle = are_small((form for form in every - own if form[0] != "@"), words)
    needs_day = own & _CLOCKS and not own & _DAYS and every & _DAYS
    is_timed = any(map(is_time_token, sentence)) or not any(map(is_time_token, reading.tokens))
    is_known = found[0][0] in (_CHANGING if is_timed else _TIMELESS)
    is_clear = is_known and dict(found)[NOTHING] <= 1 - _REMARK
    if not is_clear or is_bare or is_idle or needs_day:
        return reading
    return read(reading.text[sentence[0].start : sentence[-1].end])


def _sentences(reading: MessageReading) -> Iterator[Sequence[Token]]:
    """Yield the tokens between marks that end a sentence, or a part of one."""
    first = 0
    for at, token in enumerate(reading.tokens):
        if token.form in CLAUSE_ENDS and at > first and _ends(reading.text, token):
            yield reading.tokens[first:at]
            first = at + 1
    if first < len(reading.tokens):
        yield reading.tokens[first:]


def _points_of(reading: MessageReading, words: Lexicon, read: Read) -> list[MessageReading]:
    """Return the points of a list behind a request, where each has a time of its own; none where it is no such list."""
    several = _listed(reading.text) if any(map(is_time_token, reading.tokens)) else None
    if several is None or not _begins(reading, words):
        return []
    parts = [read(f"{several.head}{words.joint}{point}") for point in several.points]
    are_timed = all(any(map(is_time_token, read(point).tokens)) for point in several.points)
    return parts if are_timed and all(part.intent == "set" for part in parts) else []


def _retracts(tokens: Sequence[Token], following: Sequence[Token], words: Lexicon) -> bool:
    """Return whether words between two requests take back the first: "…, no, remind me at 6"."""
    begin = words.joint.join(token.form for token in following[:_LONGEST_RETRACTION])
    if any(begin.startswith(f"{word}{words.joint}") for word in words.corrections):
        return True
    end = len(tokens)
    while end and tokens[end - 1].form in CLAUSE_ENDS:
        end -= 1
    said = words.joint.join(token.form for token in tokens[:end])
    return any(said == word or said.endswith(f"{words.joint}{word}") for word in words.corrections)


def _may_be_apart(left: tuple[str, float], right: tuple[str, float], *, is_marked: bool) -> bool:
    """Return whether two parts, of which this is what they probably ask for, are two requests."""
    (one, share), (other, other_share) = left, right
    if one not in _CHAINED or other == NOTHING or share < _SURE or other_share < (_SURE if is_marked else _CERTAIN):
        return False
    return other == "set" or (other in _CHAINED and other != one)


def _is_apart(left: MessageReading, right: MessageReading, *, is_marked: bool, words: Lexicon) -> bool:
    """Return whether both of two parts ask for something by themselves."""
    one, other = left.intent, right.intent
    if not _may_be_apart(left.intents[0], right.intents[0], is_marked=is_marked):
        return False
    if other == "set":
        is_whole = left.has("CONTENT") or (left.has("WHEN") and right.has("WHEN"))
        if not right.has("CONTENT") and has_deadline(left, words):
            return False
        return _begins(right, words) and (one != "set" or (_begins(left, words) and is_whole))
    if not is_marked and right.tokens[0].form in words.articles:
        return False  # "the gym and the vet reminders"
    return any(reference(right, words)) or other not in _FOLLOWING


def has_deadline(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether the first time of a request is one by which its task is to be done."""
    first, last = next(runs(reading.tags, "WHEN"), (0, 0))
    if first == last:
        return False
    said = words.fold(reading.text[reading.tokens[max(first - 1, 0)].start : reading.tokens[last - 1].end])
    if words.joint:
        return any(f" {word} " in f" {said} " for word in words.deadlines)
    rest = words.fold(reading.text[reading.tokens[last - 1].end :])
    return said.endswith(words.deadlines) or rest.startswith(words.deadlines)


def _begins(part: MessageReading, words: Lexicon) -> bool:
    """Return whether a part has a word that asks to remind."""
    said = words.joint.join(token.form for token in part.tokens)
    return any(word in said for word in words.calling)


def _ends(text: str, token: Token) -> bool:
    """Return whether a mark ends a sentence, and does not stand within an address or behind the number of a point."""
    is_numbered = token.form == "." and text[: token.start][-1:].isdigit()
    return not token.form.isascii() or (text[token.end : token.end + 1].isspace() and not is_numbered)


def _cuts(reading: MessageReading, words: Lexicon) -> Iterator[int]:
    """Yield where another request may begin: behind marks, and at each word that asks once more to remind."""
    tokens = reading.tokens
    asked = asking_words(tokens, words)
    seen: set[int] = set()
    for at, token in enumerate(tokens):
        cut = -1
        if token.form in SENTENCE_ENDS and at + 1 < len(tokens) and _ends(reading.text, token):
            cut = at + 1
        elif at in asked[1:]:
            cut = _front(tokens, at, words)
        elif (token.form in CLAUSE_ENDS - SENTENCE_ENDS or token.form in words.and_words) and _may_begin(tokens, at):
            cut = at + 1
        if cut > 0 and cut not in seen and len(tokens) - cut >= _FEWEST_TOKENS:
            seen.add(cut)
            yield cut


def _may_begin(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a request may begin behind the comma or "and" at `at`: between two times it lists them."""
    around = [tokens[place] for place in (at - 1, at + 1) if 0 <= place < len(tokens)]
    return at + 1 < len(tokens) and not all(is_time_token(each) or each.form.isdigit() for each in around)


def asking_words(tokens: Sequence[Token], words: Lexicon) -> list[int]:
    """Return the places of the words that ask to remind."""
    if words.joint:
        return [at for at, token in enumerate(tokens) if token.form in words.reminding]
    said = "".join(token.form if len(token.form) == 1 else " " for token in tokens)
    return sorted({at for word in words.calling for at in _all(said, word)})


def _all(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _front(tokens: Sequence[Token], at: int, words: Lexicon) -> int:
    """Return where the request begins whose asking word stands at `at`: a time in front of it belongs to it."""
    begin = at
    while begin > 0 and (tokens[begin - 1].form in words.in_front or is_time_token(tokens[begin - 1])):
        begin -= 1
    is_cut = begin > 0 and (tokens[begin - 1].form in CLAUSE_ENDS or tokens[begin - 1].form in words.and_words)
    has_time = any(map(is_time_token, tokens[:begin]))
    return begin if is_cut or has_time else at


def _trimmed(tokens: tuple[Token, ...], words: Lexicon, *, is_first: bool = False) -> tuple[Token, ...]:
    """Return the tokens of a part without marks at its edges, nor what joins it to the part in front of it."""
    while tokens and not is_first and (tokens[0].form in words.and_words or tokens[0].form in words.in_front):
        tokens = tokens[1:]
    while tokens and tokens[-1].form in CLAUSE_ENDS:
        tokens = tokens[:-1]
    while tokens and tokens[0].form in CLAUSE_ENDS:
        tokens = tokens[1:]
    return tokens


def reminders_of(reading: MessageReading, words: Lexicon) -> list[MessageReading]:
    """Return the reminders that one request asks for: "at 5 to call mum and at 6 to feed the cat"."""
    chunks = _chunks(reading, words)
    kinds = "".join(kind for kind, _, _ in chunks)
    if kinds.count("C") < len("CC") or kinds.count("W") < len("WW"):
        return [reading]
    begins = [first for kind, first, _ in chunks if kind == kinds[-2:][0]] if _alternates(kinds) else []
    if len(begins) < len("CC") or _is_one_time(reading, chunks):
        return [reading]
    bounds = [0, *begins[1:], len(reading.tokens)]
    return [_piece(reading, first, last) for first, last in pairwise(bounds)]


def _alternates(kinds: str) -> bool:
    """Return whether contents and times come by turns, in pairs that all have the same order."""
    pairs = kinds[1:] if len(kinds) % 2 and kinds[:1] == "W" else kinds
    return len(pairs) % 2 == 0 and pairs in {"WC" * (len(pairs) // 2), "CW" * (len(pairs) // 2)}


def _chunks(reading: MessageReading, words: Lexicon) -> list[tuple[str, int, int]]:
    """Return the contents and times of a reading in order, as C and W, with the places of their tokens."""
    found: list[tuple[str, int, int]] = []
    asked = min(asking_words(reading.tokens, words), default=0)
    is_ahead = "LEAD" in reading.tags
    for at, tag in enumerate(reading.tags):
        is_time = tag == "WHEN" or (tag == "EVENT" and at > asked and not is_ahead)
        kind = "C" if tag == "CONTENT" else "W" if is_time else ""
        is_joint = reading.tokens[at].form in words.and_words or reading.tokens[at].form in CLAUSE_ENDS
        if not kind or is_joint:
            continue
        if found and found[-1][0] == kind:
            found[-1] = (kind, found[-1][1], at + 1)
        else:
            found.append((kind, at, at + 1))
    return found


def _is_one_time(reading: MessageReading, chunks: list[tuple[str, int, int]]) -> bool:
    """Return whether the words that say when are a day and a clock apart from each other."""
    kinds = [
        token.form
        for kind, first, last in chunks
        if kind == "W"
        for token in reading.tokens[first:last]
        if is_time_token(token)
    ]
    days = [kind for kind in kinds if kind in {"@day", "@rule"}]
    clocks = [kind for kind in kinds if kind in {"@clock", "@part"}]
    return len(days) == len(clocks) == 1 == len(kinds) - 1


def _piece(reading: MessageReading, first: int, last: int) -> MessageReading:
    """Return some tokens of a request with who is reminded, who is named once for all of them."""
    has_person = "PERSON" in reading.tags[first:last]
    kept = [at for at, tag in enumerate(reading.tags) if tag == "PERSON" and not has_person and at < first]
    places = [*kept, *range(first, last)]
    tokens = tuple(reading.tokens[at] for at in places)
    return MessageReading(reading.text, tokens, reading.intents, tuple(reading.tags[at] for at in places))


def without_joints(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with marks and a spaced "and" at the edges of its contents untagged."""
    tags = list(reading.tags)
    joints = CLAUSE_ENDS | (words.and_words if words.joint else frozenset())
    for at, token in enumerate(reading.tokens):
        before = tags[at - 1] if at else NO_TAG
        after = tags[at + 1] if at + 1 < len(tags) else NO_TAG
        if tags[at] == "CONTENT" and token.form in joints and (before != "CONTENT" or after != "CONTENT"):
            tags[at] = NO_TAG
    return reading.with_tags(tags)


class _Listed(Struct, frozen=True, kw_only=True):
    """The lines or numbered points of a message, and the words that stand before them all."""

    head: str
    points: tuple[str, ...]


def _listed(text: str) -> _Listed | None:
    """The list that `text` is; None where it is none."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = _of_lines(lines) if _FEWEST_POINTS <= len(lines) <= _MOST_POINTS + 1 else None
    return found or _of_points(" ".join(lines))


def _of_lines(lines: list[str]) -> _Listed | None:
    if not any(map(_BULLET.match, lines)):
        return _made("", lines)
    head, rest = ("", lines) if _BULLET.match(lines[0]) else (lines[0], lines[1:])
    return _made(head, [_BULLET.sub("", line) for line in rest]) if all(map(_BULLET.match, rest)) else None


def _of_points(text: str) -> _Listed | None:
    """Return the points of a list on one line that are numbered from 1 on; None for any other text."""
    numbers = list(_NUMBERED.finditer(text))
    if [int(number[1]) for number in numbers] != list(range(1, len(numbers) + 1)) or not numbers:
        return None
    ends = [*(number.start() for number in numbers[1:]), len(text)]
    points = [text[number.end() : end] for number, end in zip(numbers, ends, strict=True)]
    return _made(text[: numbers[0].start()], points)


def _made(head: str, points: list[str]) -> _Listed | None:
    if not _FEWEST_POINTS <= len(points) <= _MOST_POINTS:
        return None
    return _Listed(head=head.strip(_POINT_EDGES), points=tuple(point.strip(_POINT_EDGES) for point in points))
