"""Parse JSON tolerantly: accept unambiguous mistakes and report each."""

import json
import math
import re
import sys
from typing import Final, NoReturn

from msgspec import Struct, field

DEEPEST: Final = 64
_MAX_NUMBER_LENGTH: Final = 400

_QUOTES: Final = dict(zip("\"'“”‘’＂＇「`", "\"'””’’＂＇」`", strict=True))
_PUNCTUATION: Final = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ",", "、": ","}
_WORDS: Final = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None}
INVISIBLE: Final = "\ufeff\u200b\u200c\u200d\u2060"
SPACE: Final = " \t\r\n\f\v\u00a0\u3000" + INVISIBLE
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""} | {
    letter: letter for letter in "\"'\\/`"
}
_CODE_DIGITS: Final = {"u": 4, "x": 2, "U": 8}
_LOW_SURROGATE: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_STRUCTURE: Final = r"""\s*(?:[,:}\]，：｝］、]|$)"""
_NEXT_NAME: Final = r"""\s*["'“‘]?[\w-]+["'”’]?\s*[:：]"""
# The text after a quotation mark that closes nothing: no structure, next text or name.
_AFTER_INNER_QUOTE: Final = re.compile(rf"""(?!{_STRUCTURE}|{_NEXT_NAME})(?:\s*[^\s"'“”‘’`]|["']{_STRUCTURE})""")
_PLAIN: Final = re.compile("[^\\\\\"'“”‘’＂＇」`\\n\\r\\t]+")
_NUMBER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)


class Unreadable(Exception):
    """The text cannot be read as JSON without guessing; `problem` has the position and the reason."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities."""
    raise Unreadable(f"{name} is not a number that JSON has; leave the argument out or send a number")


def finite(digits: str) -> float:
    """Parse a number.

    Raises:
        Unreadable: it is too large for a float.
    """
    number = float(digits)
    if math.isinf(number):
        raise Unreadable(f"{digits[:20]} is too large a number")
    return number


def _number(word: str) -> int | float:
    if len(word) > _MAX_NUMBER_LENGTH:
        raise Unreadable(f"a number has more than {_MAX_NUMBER_LENGTH} digits")
    return int(word) if word.lstrip("+-").isdecimal() else finite(word)


class RelaxedReader(Struct, kw_only=True):
    """A recursive-descent parser of `text`; `steps` are the tolerated deviations."""

    text: str
    at: int = 0
    steps: list[str] = field(default_factory=list)

    def read(self) -> object:
        """Parse the whole text.

        Raises:
            Unreadable: the text has no value, or an ambiguous one.
        """
        value = self._value(depth=0)
        self._finish()
        return value

    def note(self, step: str) -> None:
        """Record a tolerated deviation."""
        self.steps.append(step)

    def _peek(self) -> str:
        """Return the next character after spaces, in ASCII; empty at the end."""
        while self.at < len(self.text) and self.text[self.at] in SPACE:
            if self.text[self.at] in INVISIBLE:
                self.note("skipped invisible characters")
            self.at += 1
        here = self.text[self.at : self.at + 1]
        if here in _PUNCTUATION and here:
            self.note("read full-width punctuation as JSON's")
            return _PUNCTUATION[here]
        return here

    def _value(self, depth: int) -> object:
        if depth > DEEPEST:
            raise Unreadable(f"it is nested more than {DEEPEST} levels deep")
        here = self._peek()
        if not here:
            self._refuse_cut_off("a value")
        if here == "{":
            return self._members(depth)
        if here == "[":
            return self._items(depth)
        if here in _QUOTES:
            return self._string()
        return self._word()

    def _members(self, depth: int) -> dict[str, object]:
        self.at += 1
        members: dict[str, object] = {}
        while (here := self._peek()) != "}":
            if not here:
                self._refuse_cut_off("an object")
            key = self._string() if here in _QUOTES else self._bare_key()
            if self._peek() != ":":
                self._refuse("':' after a name")
            self.at += 1
            members[key] = self._value(depth + 1)
            self._separator("}")
        self.at += 1
        return members

    def _items(self, depth: int) -> list[object]:
        self.at += 1
        items: list[object] = []
        while (here := self._peek()) != "]":
            if not here:
                self._refuse_cut_off("a list")
            items.append(self._value(depth + 1))
            self._separator("]")
        self.at += 1
        return items

    def _separator(self, closing: str) -> None:
        """Skip a comma, also one before the closing bracket."""
        here = self._peek()
        if here == ",":
            self.at += 1
            if self._peek() == closing:
                self.note("overlooked a trailing comma")
        elif not here:
            self._refuse_cut_off("an object" if closing == "}" else "a list")
        elif here != closing:
            self._refuse(f"',' or '{closing}'")

    def _string(self) -> str:
        opening = self.text[self.at]
        closings = {_QUOTES[opening], opening} if opening in "“”‘’" else {_QUOTES[opening]}
        if opening != '"':
            self.note("read other quotation marks as double quotes")
        self.at += 1
        pieces: list[str] = []
        while True:
            found = _PLAIN.match(self.text, self.at)
            if found:
                pieces.append(found[0])
                self.at = found.end()
            here = self.text[self.at : self.at + 1]
            if not here:
                self._refuse_cut_off("a text")
            self.at += 1
            if here in closings and self._closes():
                return "".join(pieces)
            pieces.append(self._escape() if here == "\\" else here)
            if here in "\n\r\t":
                self.note("read a raw line break or tab inside a text")

    def _closes(self) -> bool:
        """Return whether the last quotation mark ends its text; one inside a sentence (`it's`) does not."""
        if not _AFTER_INNER_QUOTE.match(self.text, self.at):
            return True
        self.note("took a quotation mark inside a text for part of it")
        return False

    def _escape(self) -> str:
        here = self.text[self.at : self.at + 1]
        if not here:
            self._refuse_cut_off("a text")
        self.at += 1
        if here in _ESCAPES:
            return _ESCAPES[here]
        if here not in _CODE_DIGITS:
            self.note("kept a backslash that JSON would not have")
            return "\\" + here
        code = self._code(_CODE_DIGITS[here])
        low = _LOW_SURROGATE.match(self.text, self.at)
        if 0xD800 <= code < 0xDC00 and low:
            self.at = low.end()
            code = 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
        return chr(code)

    def _code(self, digits: int) -> int:
        """Parse the hexadecimal digits of an escape of JSON or Python."""
        found = re.compile(f"[0-9a-fA-F]{{{digits}}}").match(self.text, self.at)
        if not found or int(found[0], 16) > sys.maxunicode:
            self._refuse(f"the {digits} hexadecimal digits of a character")
        self.at = found.end()
        return int(found[0], 16)

    def _bare_key(self) -> str:
        found = re.compile(r"[^\W\d][\w-]*").match(self.text, self.at)
        if not found:
            self._refuse("a quoted name")
        self.note("read a name without quotation marks")
        self.at = found.end()
        return found[0]

    def _word(self) -> object:
        """Parse a number, or a literal of JSON or Python."""
        found = re.compile(r"[-+]?[\w.]+(?:(?<=[eE])[-+]\d+)?").match(self.text, self.at)
        if not found:
            self._refuse("a value")
        word = found[0]
        if word.lstrip("+-").lower() in {"nan", "inf", "infinity"}:
            refuse_constant(word)
        if word.lower() not in _WORDS and not _NUMBER.fullmatch(word):
            self._refuse("a value in quotation marks")
        self.at = found.end()
        if word.lower() in _WORDS:
            if word not in _WORDS or word in {"none", "nil", "undefined"}:
                self.note(f"read {word} as {json.dumps(_WORDS[word.lower()])}")
            return _WORDS[word.lower()]
        if word.startswith("+"):
            self.note("overlooked a plus sign")
        return _number(word)

    def _finish(self) -> None:
        """Skip surplus closing brackets, and refuse any other text after the value."""
        if self._peek() and not self.text[self.at :].strip(SPACE + "}];"):
            self.note("overlooked surplus closing brackets")
        elif self._peek():
            self._refuse("the end")

    def _refuse_cut_off(self, what: str) -> NoReturn:
        raise Unreadable(f"it is cut off: it ends inside {what} at character {len(self.text)}; send it whole")

    def _refuse(self, wanted: str) -> NoReturn:
        found = self.text[self.at : self.at + 12]
        if not found:
            self._refuse_cut_off("the arguments")
        raise Unreadable(f"it is not JSON: expected {wanted} at character {self.at + 1}, found {found!r}")
