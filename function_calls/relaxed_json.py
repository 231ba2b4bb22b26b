"""Read JSON as models write it: strictly first, then with the slips whose meaning is beyond doubt.

Quotes of another kind, a trailing comma, Python's None and True, a fence around it: these are read and reported.
What is cut off, not a number, too large or too deep is refused with the place: content is never guessed.
"""

import json
import math
import re
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NoReturn

LARGEST_BYTES: Final = 1_000_000
DEEPEST: Final = 64
_LONGEST_NUMBER: Final = 400

_QUOTES: Final = dict(zip("\"'“”‘’＂＇「`", "\"'””’’＂＇」`", strict=True))
_PUNCTUATION: Final = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ",", "、": ","}
_WORDS: Final = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None}
_INVISIBLE: Final = "\ufeff\u200b\u200c\u200d\u2060"
_SPACE: Final = " \t\r\n\f\v\u00a0\u3000" + _INVISIBLE
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""} | {each: each for each in "\"'\\/`"}
_CODE_DIGITS: Final = {"u": 4, "x": 2, "U": 8}


class Unreadable(Exception):
    """The text is not JSON and cannot be taken for it without guessing; `problem` says where and why."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A value and what had to be overlooked to read it."""

    value: object
    steps: tuple[str, ...] = ()


def read_json(text: str) -> Read:
    """The value that `text` writes.

    Raises:
        Unreadable: too large, too deep, cut off, not a number, or not JSON at all.
    """
    _check_text(text)
    check_depth(text)
    try:
        value = _decoder().decode(text)
    except ValueError:
        read = _read_relaxed(text)
    else:
        read = Read(value=value)
    if "\\u" in text or "\\U" in text:
        _refuse_half_characters(read.value)
    return read


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _check_text(text: str) -> None:
    if len(text) > LARGEST_BYTES:
        raise Unreadable(f"the text is longer than {LARGEST_BYTES:,} bytes")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise Unreadable(f"it has half a character (a lone surrogate) at character {error.start + 1}") from error
    if size > LARGEST_BYTES:
        raise Unreadable(f"the text is longer than {LARGEST_BYTES:,} bytes")


def _refuse_half_characters(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Unreadable("an escape stands for half a character (a lone surrogate)") from error


def check_depth(text: str) -> None:
    """Refuse what is nested too deeply; brackets inside strings count only when there are that many.

    Raises:
        Unreadable: deeper than `DEEPEST`.
    """
    if text.count("[") + text.count("{") + text.count("｛") + text.count("［") <= DEEPEST:
        return
    depth = 0
    for mark in _structure_pattern().findall(text):
        depth += 1 if mark in "[{" else -1 if mark in "]}" else 0
        if depth > DEEPEST:
            raise Unreadable(f"it is nested more than {DEEPEST} levels deep")


def _read_relaxed(text: str) -> Read:
    stripped = text.strip(_SPACE)
    if not stripped:
        return Read(value={}, steps=("read empty text as no arguments",))
    fence = _fence_pattern().search(stripped) if stripped[:1] not in {"{", "["} else None
    reader = _Reader(text=fence["body"].strip(_SPACE) if fence else stripped)
    if fence:
        reader.note("took the JSON out of its Markdown fence")
    elif text[0] in _INVISIBLE or text[-1] in _INVISIBLE:
        reader.note("skipped invisible characters")
    value = reader.value(depth=0)
    reader.finish()
    return Read(value=value, steps=tuple(dict.fromkeys(reader.steps)))


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is not a number that JSON has; leave the argument out or send a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Unreadable(f"{digits[:20]} is too large a number")
    return number


def _number(word: str) -> int | float:
    if len(word) > _LONGEST_NUMBER:
        raise Unreadable(f"a number has more than {_LONGEST_NUMBER} digits")
    return int(word) if word.lstrip("+-").isdigit() else _finite(word)


@dataclass(kw_only=True, slots=True)
class _Reader:
    """A small recursive-descent parser that reports every licence it took."""

    text: str
    at: int = 0
    steps: list[str] = field(default_factory=list)

    def note(self, step: str) -> None:
        self.steps.append(step)

    def peek(self) -> str:
        """The next character that is no space, in its ASCII form; empty at the end."""
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            if self.text[self.at] in _INVISIBLE:
                self.note("skipped invisible characters")
            self.at += 1
        here = self.text[self.at : self.at + 1]
        if here in _PUNCTUATION and here:
            self.note("read full-width punctuation as JSON's")
            return _PUNCTUATION[here]
        return here

    def value(self, depth: int) -> object:
        if depth > DEEPEST:
            raise Unreadable(f"it is nested more than {DEEPEST} levels deep")
        here = self.peek()
        if not here:
            self.cut_off("a value")
        if here == "{":
            return self.members(depth)
        if here == "[":
            return self.items(depth)
        if here in _QUOTES:
            return self.string()
        return self.word()

    def members(self, depth: int) -> dict[str, object]:
        self.at += 1
        made: dict[str, object] = {}
        while (here := self.peek()) != "}":
            if not here:
                self.cut_off("an object")
            key = self.string() if here in _QUOTES else self.bare_key()
            if self.peek() != ":":
                self.unexpected("':' after a name")
            self.at += 1
            made[key] = self.value(depth + 1)
            self.separator("}")
        self.at += 1
        return made

    def items(self, depth: int) -> list[object]:
        self.at += 1
        made: list[object] = []
        while (here := self.peek()) != "]":
            if not here:
                self.cut_off("a list")
            made.append(self.value(depth + 1))
            self.separator("]")
        self.at += 1
        return made

    def separator(self, closing: str) -> None:
        """Step over a comma; one before the closing bracket is overlooked."""
        here = self.peek()
        if here == ",":
            self.at += 1
            if self.peek() == closing:
                self.note("overlooked a trailing comma")
        elif not here:
            self.cut_off("an object" if closing == "}" else "a list")
        elif here != closing:
            self.unexpected(f"',' or '{closing}'")

    def string(self) -> str:
        opening = self.text[self.at]
        closings = {_QUOTES[opening], opening} if opening in "“”‘’" else {_QUOTES[opening]}
        if opening != '"':
            self.note("read other quotation marks as double quotes")
        self.at += 1
        made: list[str] = []
        while True:
            found = _plain_pattern().match(self.text, self.at)
            if found:
                made.append(found[0])
                self.at = found.end()
            here = self.text[self.at : self.at + 1]
            if not here:
                self.cut_off("a text")
            self.at += 1
            if here in closings and self.closes():
                return "".join(made)
            made.append(self.escape() if here == "\\" else here)
            if here in "\n\r\t":
                self.note("read a raw line break or tab inside a text")

    def closes(self) -> bool:
        """Whether the quotation mark just passed ends its text; one inside a sentence (`it's`) plainly does not."""
        if not _inner_quote_pattern().match(self.text, self.at):
            return True
        self.note("took a quotation mark inside a text for part of it")
        return False

    def escape(self) -> str:
        here = self.text[self.at : self.at + 1]
        if not here:
            self.cut_off("a text")
        self.at += 1
        if here in _ESCAPES:
            return _ESCAPES[here]
        if here not in _CODE_DIGITS:
            self.note("kept a backslash that JSON would not have")
            return "\\" + here
        code = self.code(_CODE_DIGITS[here])
        low = _low_surrogate_pattern().match(self.text, self.at)
        if 0xD800 <= code < 0xDC00 and low:
            self.at = low.end()
            code = 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
        return chr(code)

    def code(self, digits: int) -> int:
        """The number that so many hexadecimal digits spell, in JSON's way or in Python's."""
        found = re.compile(f"[0-9a-fA-F]{{{digits}}}").match(self.text, self.at)
        if not found or int(found[0], 16) > sys.maxunicode:
            self.unexpected(f"the {digits} hexadecimal digits of a character")
        self.at = found.end()
        return int(found[0], 16)

    def bare_key(self) -> str:
        found = re.compile(r"[^\W\d][\w-]*").match(self.text, self.at)
        if not found:
            self.unexpected("a quoted name")
        self.note("read a name without quotation marks")
        self.at = found.end()
        return found[0]

    def word(self) -> object:
        """A number, or a literal in JSON's or Python's spelling."""
        found = re.compile(r"[-+]?[\w.]+(?:(?<=[eE])[-+]\d+)?").match(self.text, self.at)
        if not found:
            self.unexpected("a value")
        word = found[0]
        if word.lstrip("+-").lower() in {"nan", "inf", "infinity"}:
            _refuse_constant(word)
        if word.lower() not in _WORDS and not _number_pattern().fullmatch(word):
            self.unexpected("a value in quotation marks")
        self.at = found.end()
        if word.lower() in _WORDS:
            if word not in _WORDS or word in {"none", "nil", "undefined"}:
                self.note(f"read {word} as {json.dumps(_WORDS[word.lower()])}")
            return _WORDS[word.lower()]
        if word.startswith("+"):
            self.note("overlooked a plus sign")
        return _number(word)

    def finish(self) -> None:
        """Overlook closing brackets too many; anything else after the value is refused."""
        if self.peek() and not self.text[self.at :].strip(_SPACE + "}];"):
            self.note("overlooked surplus closing brackets")
        elif self.peek():
            self.unexpected("the end")

    def cut_off(self, what: str) -> NoReturn:
        raise Unreadable(f"it is cut off: it ends inside {what} at character {len(self.text)}; send it whole")

    def unexpected(self, wanted: str) -> NoReturn:
        found = self.text[self.at : self.at + 12]
        if not found:
            self.cut_off("the arguments")
        raise Unreadable(f"it is not JSON: expected {wanted} at character {self.at + 1}, found {found!r}")


@cache
def _fence_pattern() -> re.Pattern[str]:
    return re.compile(r"(?:```|~~~)[ \t]*[\w+-]*[ \t]*\r?\n?(?P<body>.*?)\r?\n?[ \t]*(?:```|~~~)", re.DOTALL)


@cache
def _structure_pattern() -> re.Pattern[str]:
    return re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


@cache
def _low_surrogate_pattern() -> re.Pattern[str]:
    return re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")


@cache
def _inner_quote_pattern() -> re.Pattern[str]:
    """What follows a quotation mark that cannot be a closing one: neither structure, nor a next text or name."""
    structure = r"""\s*(?:[,:}\]，：｝］、]|$)"""
    next_name = r"""\s*["'“‘]?[\w-]+["'”’]?\s*[:：]"""
    return re.compile(rf"""(?!{structure}|{next_name})(?:\s*[^\s"'“”‘’`]|["']{structure})""")


@cache
def _plain_pattern() -> re.Pattern[str]:
    return re.compile("[^\\\\\"'“”‘’＂＇」`\\n\\r\\t]+")


@cache
def _number_pattern() -> re.Pattern[str]:
    return re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)
