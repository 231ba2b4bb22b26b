"""Cut a folded text into the tokens that the rules match; any other text ends a phrase."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from services.time_expressions.model import DateOrder
from services.time_expressions.rules.grammar import Grammar
from services.time_expressions.scan.chinese_numerals import CHARACTERS, read_numeral
from services.time_expressions.scan.numeric_tokens import clock_sense, read_senses, week_senses, zoned_senses
from services.time_expressions.values import Span


class Item(NamedTuple):
    """A token or a phrase of several: a symbol with its value over `start`..`end`; the next token begins at `after`.

    `weight` prefers longer rules, `size` counts letters and figures.
    """

    start: int
    end: int
    after: int
    symbol: str
    value: Any
    weight: int = 0
    pieces: int = 1
    size: int = 0


@lru_cache
def _scanner(figured: str) -> re.Pattern[str]:
    """Return the pattern of tokens; `figured` are words that begin with a figure ("2morrow")."""
    return re.compile(
        (rf"(?P<figured>(?<![a-z\d])(?:{figured})\b)|" if figured else "")
        + r"(?P<mask>(?:https?://|www\.)\S+|[\w.+-]{1,64}+@[\w-]{1,64}+\.\w+|[$€£¥#%*]\s?\d[\d.,]*)"
        r"|(?P<han>[⺀-鿿〇豈-﫿])"
        r"|(?=\d)(?:(?P<stamp>(?<!\d)\d{4}[-/.]\d{1,2}[-/.](?:\d{2}(?=\d\d:)|\d{1,2})(?!\d)(?![-/.]\d\d?(?![:\d]))"
        r"|(?<!\d)\d{4}[-/.]\d\d[-/.]\d\d(?=\d\d:)"
        r"|(?<![\d./-])\d{1,2}[./-]\d{1,2}[./-]\d{4}(?![\d/-]))"
        r"|(?P<zoned>(?<=\dt)\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d(?::?\d\d)?)(?![a-z\d:])"
        r"|(?<![:\d])\d\d:\d\d(?::\d\d(?:\.\d+)?(?:\s?[+-]|-)|\s?\+)\d\d:?\d\d(?![a-z\d:]))"
        r"|(?P<week>(?<![\w-])\d{4}-?w\d\d(?:-?[1-7])?(?![\w-]))"
        r"|(?P<clock>(?<!:)\d{1,2}:\d{2}(?:[:.]\d{2})?(?:\.\d+)?(?!\d|:\d))"
        r"|(?P<hclock>\d{1,2}h\d{2}(?!\w))"
        r"|(?P<ordinal>\d{1,3}(?:st|nd|rd|th)(?!\w))"
        r"|(?P<chunk>\d+(?:[.,/:·-]\d+)*))"
        r"|(?P<half>[ap]\s?\.\s?m\b(?:\s?\.)?)"
        r"|(?P<word>[a-zß-ɏ]+(?:'[a-zß-ɏ]+)*)"
        r"|(?P<mark>\S)"
    )


MAX_SENSES, MAX_TOKENS = 100, 400
"""The limits of tokens with a time sense, and of all tokens, which bound the work for hostile texts."""

Tokens = dict[int, list[Item]]
"""The tokens of a text by their start."""


def scan(text: str, grammar: Grammar, order: DateOrder | None) -> Tokens:
    """Find the tokens in `text`, up to `MAX_TOKENS`."""
    tokens: Tokens = {}
    sensed = 0
    for match in _pieces(text, grammar):
        kind, start = match.lastgroup, match.start()
        if kind == "han":
            found = _han(text, start, grammar)
        elif kind in {"word", "mark", "figured"}:
            found = _word(text, match, grammar)
        elif kind == "mask":
            found = []
        else:
            found = _figures(text, match, grammar, order)
        if found:
            tokens[start] = found
            if any(token.symbol[0] != "=" for token in found):
                tokens[start] = _with_lone_half(found, text)
                sensed += 1
            if sensed >= MAX_SENSES or len(tokens) >= MAX_TOKENS:
                break
    return tokens


def _pieces(text: str, grammar: Grammar) -> Iterator[re.Match[str]]:
    """Yield the pieces of `text` without its idioms."""
    scanner = _scanner(grammar.figured)
    match = scanner.search(text)
    while match is not None:
        idiom = grammar.idioms.match(text, match.start())
        if idiom is None or not idiom[0]:
            yield match
            idiom = match
        match = scanner.search(text, idiom.end())


_LIST_GOES_ON = re.compile(r"\s*(?:and|or|,|&)\s")


def _with_lone_half(found: list[Item], text: str) -> list[Item]:
    """Add a LONEHALF for an "am" that may stand alone ("4:30 tomorrow am"), but not in a list ("at 8am and 9pm")."""
    halves = [token for token in found if token.symbol == "HALF"]
    if not halves:
        return found
    is_behind_figure = text[: halves[0].start].rstrip()[-1:].isdecimal()
    if is_behind_figure and _LIST_GOES_ON.match(text, halves[0].end):
        return found
    return [*found, *(token._replace(symbol="LONEHALF") for token in halves)]


def _tokens(text: str, start: int, end: int, known: Iterable[tuple[str, Any]]) -> list[Item]:
    """Return a token for each `known` sense of `start`..`end`; marks have size 0, so that no rule wins by them."""
    after, size = _after(text, end), end - start
    literal = 0 if size == 1 and not text[start].isalnum() else size
    return [
        Item(start, end, after, symbol, value, 0, 1, literal if symbol[0] == "=" else size) for symbol, value in known
    ]


def _after(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    return end


def _word(text: str, match: re.Match[str], grammar: Grammar) -> list[Item]:
    word, start, end = match[0], match.start(), match.end()
    known = grammar.words.get(word)
    if known is None and word.endswith("'s"):
        known = grammar.words.get(word[:-2])
    if known is None:
        return []
    if text[end : end + 1] == "." and any(sense[0] in _ABBREVIATED for sense in known):
        end += _is_short_form(text, word, end)
    if word == "a" and text[start - 1 : start].isdecimal():  # "5a" is 5 a.m., but not "5 a"
        known = (*known, ("GLUEDHALF", "am"))
    return _tokens(text, start, end, known)


_ABBREVIATED = {"MONTH", "SHORTDAY", "WEEKDAY", "UNIT"}
_MAX_SHORT_FORM_LENGTH = 5


def _is_short_form(text: str, word: str, end: int) -> bool:
    """Return whether the full stop at `end` belongs to an abbreviation ("Oct. 2") and does not end a sentence."""
    following = text[_after(text, end + 1) :][:2].strip()
    return following.isdecimal() or (len(word) <= _MAX_SHORT_FORM_LENGTH and bool(following) and not word.endswith("s"))


def _figures(text: str, match: re.Match[str], grammar: Grammar, order: DateOrder | None) -> list[Item]:
    start, end, chunk = match.start(), match.end(), match[0]
    found: list[tuple[str, Any]] = []
    if match.lastgroup == "half":
        found = [("HALF", "pm" if chunk[0] == "p" else "am")]
    elif match.lastgroup == "zoned":
        found = zoned_senses(chunk)
    elif match.lastgroup == "week":
        found = week_senses(chunk)
    elif not _is_free_standing(text, start, end, grammar):
        return []
    elif match.lastgroup in {"clock", "hclock"}:
        hour, minute, *rest = re.split(r"[:.h]", chunk)
        clock = clock_sense(hour, minute, rest[0] if rest else None, marked=match.lastgroup == "hclock")
        found = [("HMS", clock)] if clock else []
        if match.lastgroup == "hclock":
            found.append(("HSPAN", Span(seconds=int(hour) * 3600 + int(minute) * 60, unit="minute")))
    elif match.lastgroup == "ordinal":
        found = [("ORD", int(chunk[:-2])), ("DAYORD", int(chunk[:-2]))]
    else:
        found = read_senses(chunk, order, grammar.order)
        if any(name == "PADDED" for name, _ in found) and _is_in_code(text, start, end):
            found = [sense for sense in found if sense[0] != "PADDED"]
    tokens = _tokens(text, start, end, found)
    joint = _STAMP_JOINT.match(text, end) if match.lastgroup == "stamp" else None
    return [token._replace(after=joint.end()) for token in tokens] if joint else tokens


_MAX_CODE_LENGTH = 12
_LONG_NUMBER_BEFORE = re.compile(r"(?:\d{3}|\+\d*|[(#])[ -]?$")
_NUMBER_BEHIND = re.compile(r"\)|[ -]\d{3,}(?!\d*[:.h])")


def _is_in_code(text: str, start: int, end: int) -> bool:
    """Return whether figures belong to a phone number or a code: 0207 946 0958."""
    before = _LONG_NUMBER_BEFORE.search(text, max(0, start - _MAX_CODE_LENGTH), start)
    return before is not None or _NUMBER_BEHIND.match(text, end) is not None


_STAMP_JOINT = re.compile(r"[.t_-](?=\d\d?:\d\d)")
"""The separator between a date and a clock in a timestamp: 2015-07-31T12:00."""


def _is_free_standing(text: str, start: int, end: int, grammar: Grammar) -> bool:
    """Return False for figures joined to letters that are not a time word: A4, 6358fe2310, 5kg."""
    head = start
    while head and text[head - 1].isascii() and text[head - 1].isalpha():
        head -= 1
    if head < start and text[head:start] not in grammar.words:
        return False
    tail = end
    while tail < len(text) and text[tail].isascii() and text[tail].isalpha():
        tail += 1
    if tail > end and text[end:tail] not in grammar.words:
        return False
    return text[tail : tail + 1] not in {"%", "°"}


def _han(text: str, start: int, grammar: Grammar) -> list[Item]:
    found: list[Item] = []
    for length in grammar.lengths.get(text[start], ()):
        end = start + length
        known = grammar.words.get(text[start:end])
        before = text[start - 1 : start]
        if known and text[start] == "一" and before in _WEEK_ENDINGS and any(symbol == "PART" for symbol, _ in known):
            continue
        is_whole = known and before != "点" and _is_day_word(known)
        if known and end <= len(text) and (is_whole or not _cuts_idiom(text, start, end, grammar)):
            found += _tokens(text, start, end, known)
    if text[start] in CHARACTERS:
        found += _numerals(text, start)
    return found


_DAY_WORDS = {"DAYWORD", "DAYPARTWORD", "PART", "YEARWORD", "=每天", "=每日"}


_WEEK_ENDINGS = {"周", "期", "拜"}
"""The characters before the numeral of a weekday; they prevent 一早 in 周一早餐."""
_WEEKDAY_NUMERALS = frozenset("一二三四五六")
"""After a week these are weekdays, not part of the following number (周一九点) and not a count (每周三次)."""


def _is_day_word(known: Iterable[tuple[str, Any]]) -> bool:
    """Return whether a word is a time in any context: 今晚 in 今晚安排, 明天 in 明天才."""
    return any(symbol in _DAY_WORDS for symbol, _ in known)


def _cuts_idiom(text: str, start: int, end: int, grammar: Grammar) -> bool:
    """Return whether the word overlaps the beginning of an idiom: 周天 in 这周天气."""
    idioms = grammar.idioms
    return any(found.end() > end for place in range(start + 1, end) if (found := idioms.match(text, place)))


def _numerals(text: str, start: int) -> list[Item]:
    numeral = read_numeral(text, start)
    if numeral is None:
        return []
    value, end, digits = numeral
    if text[start] in _WEEKDAY_NUMERALS and text[start - 1 : start] in _WEEK_ENDINGS:
        return _tokens(text, start, end, [("WEEKNUM", value)])
    known = [("NUM", value)]
    if digits == 4 or (digits == 0 and 1900 <= value < 2200):
        known.append(("YEAR", value))
    if digits == 2:
        known.append(("YY", (2000 if value < 70 else 1900) + value))
    found = _tokens(text, start, end, known)
    if (first := read_numeral(text[: start + 1], start)) and first.end < end:
        found.insert(1, Item(start, first.end, first.end, "NUM", first.value, size=first.end - start))
    return found
