"""Split a message into tokens, with every time expression as one token of its kind."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice, pairwise

from msgspec import Struct

from services.time_expressions import TimeReadings

MAX_TOKENS = 200
SENTENCE_ENDS = frozenset(".;!?。；！？\n")
CLAUSE_ENDS = SENTENCE_ENDS | frozenset(",，")
MARKS = CLAUSE_ENDS | frozenset("、:：")
CLAUSE_MARK = re.compile(r"[.!?…,;:。！？，；：\n]")
WITH_CLOCK = frozenset({"@clock", "@dayclock", "@ruletime"})
"""Forms of times with a clock."""
_ACCENTS = str.maketrans("áéíóúüñ", "aeiouun")
_MAX_HOUR_DIGITS = 2
_MIN_CLAUSE_LENGTH = 2
"""Chinese characters of a clause on average: where fewer stand together, spaces part words."""
_DETACHED = re.compile(r"(?:nights?|evening|morning|afternoon|starts?|starting|begins?|opens|early|late)(?= \w)")
"""Words at the head of a time expression that may belong to the word before: "quiz night on Friday at 8"."""
_MARK = 37
"""Seconds of the time that is read from: a reading that has seconds is an amount of time and no clock."""
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_TOKEN = re.compile(
    r"(?P<address>(?:https?://|www\.)[!-~]*[a-z0-9/])|"
    r"(?<=@)(?P<localpart>[a-z0-9._=/+-]+):(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?|"  # an id of Matrix
    r"(?P<id>(?<![a-z0-9])(?=[a-z]{1,5}\d)[a-hjkmnp-z][a-hjkmnp-z2-9]{5}(?![a-z0-9]))|"  # the id of a reminder
    r"(?<![\d.])\d{1,2}\.\d{2}(?![\d.])|"  # a clock, or a price
    r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)*|\d+|[\u3400-\u9fff]|[^\s\w]|\w"
)


def strip_accents(forms: Iterable[str]) -> list[str]:
    """Return the forms of tokens without Spanish accents, which people leave out in a chat."""
    return [form if form.isascii() else form.translate(_ACCENTS) for form in forms]


class Token(Struct, frozen=True):
    """One word, character, number, mark or time expression, with its place in the text.

    `form` is folded; that of a time expression begins with `@` and names its kind. The pieces of one expression have
    the same number `expression`, words -1.
    """

    start: int
    end: int
    form: str
    expression: int = -1


class TimeSpan(Struct, frozen=True):
    """A piece of a time expression: its place in the text, the kind of the whole expression and its number."""

    start: int
    end: int
    kind: str
    expression: int = 0


def mark_seconds(now: datetime) -> datetime:
    """Return `now` with the seconds that distinguish amounts of time from clock times."""
    return now.replace(second=_MARK, microsecond=0)


def find_time_spans(expressions: Iterable[TimeReadings]) -> tuple[TimeSpan, ...]:
    """Return the pieces of `expressions` in order; they were read from a time of `mark_seconds`."""
    found = [
        TimeSpan(start, end, _name_kind(each), number)
        for number, each in enumerate(expressions)
        for start, end in (each.readings or each.past)[0].spans
    ]
    return tuple(sorted(found, key=lambda span: span.start))


def _name_kind(expression: TimeReadings) -> str:
    """Return the form of a time expression, which says what it names: "@dayclock", "@pastoffset"."""
    reading = (expression.readings or expression.past)[0]
    past = "" if expression.readings else "past"
    if reading.rrule is not None:
        return "@ruletime" if reading.has_clock or reading.part else "@rule"
    if reading.start.second:
        return f"@{past}offset"
    day = "day" if reading.has_day else ""
    return f"@{past}{day}{'clock' if reading.has_clock else 'part' if reading.part else ''}"


def tokenize(text: str, spans: Sequence[TimeSpan], folding: dict[int, int]) -> tuple[Token, ...]:
    """Split `text` into at most `MAX_TOKENS` tokens; `folding` maps traditional characters to simplified ones."""
    folded = text.lower()
    folded = (folded if len(folded) == len(text) else text).translate(folding)
    tokens: list[Token] = []
    at = 0
    for span in (*spans, None):
        end = len(folded) if span is None else span.start
        for match in islice(_TOKEN.finditer(folded, at, end), MAX_TOKENS - len(tokens)):
            form = "id" if match["id"] else "url" if match["address"] else _fold_form(match["localpart"] or match[0])
            tokens.append(Token(match.start(), match.end(), form))
        if span is None or len(tokens) >= MAX_TOKENS:
            break
        start = span.start
        head = _DETACHED.match(folded, start, span.end)
        if head is not None and tokens:
            tokens.append(Token(start, head.end(), head[0], span.expression))
            start = head.end() + 1
        is_shift = span.kind == "@offset" and folded.endswith("later", start, span.end)
        tokens.append(Token(start, span.end, "@later" if is_shift else span.kind, span.expression))
        at = max(at, span.end)
    return _mark_spaces(tokens)


def _mark_spaces(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return `tokens` with a comma for each space between two Chinese characters, as many people leave commas out.

    In a text whose words are all apart, as learners write, a space is no comma.
    """
    spaces = [at for at, (one, other) in enumerate(pairwise(tokens), 1) if _is_spaced_chinese(one, other)]
    chinese = [token for token in tokens if _CHINESE.fullmatch(token.form)]
    runs = 1 + sum(one.end < other.start for one, other in pairwise(chinese))
    if not spaces or len(chinese) < _MIN_CLAUSE_LENGTH * runs:
        return tuple(tokens)
    all_tokens: list[Token] = []
    for begin, end in pairwise([0, *spaces, len(tokens)]):
        if begin:
            all_tokens.append(Token(tokens[begin - 1].end, tokens[begin].start, "，"))
        all_tokens += tokens[begin:end]
    return tuple(all_tokens)


def _fold_form(word: str) -> str:
    if word.isdecimal():
        return "0" if len(word) <= _MAX_HOUR_DIGITS else "00"
    if word[:1].isdecimal():
        return "0.00"
    return word.replace("’", "'")


def split_clauses(tokens: Sequence[Token]) -> list[list[int]]:
    """Return the places of the tokens of each clause that has any, without the marks that end it."""
    clauses: list[list[int]] = [[]]
    for at, token in enumerate(tokens):
        if token.form in CLAUSE_ENDS:
            clauses.append([])
        else:
            clauses[-1].append(at)
    return [clause for clause in clauses if clause]


def _is_spaced_chinese(one: Token, other: Token) -> bool:
    """Return whether two neighbours are Chinese characters with a space between them."""
    return one.end < other.start and all(_CHINESE.fullmatch(token.form) for token in (one, other))


def is_time(token: Token) -> bool:
    """Return whether a token is a time expression."""
    return is_time_form(token.form)


def is_time_form(form: str) -> bool:
    """Return whether a form is that of a time expression: `@clock`, but not `@` alone."""
    return form.startswith("@") and form != "@"
