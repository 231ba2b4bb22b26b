"""Generate labelled sentences from a grammar of frames.

A grammar is a TOML file: `[lists]` names lists of phrases, `[frames.INTENT]` has lists of frames by the context in
which they are written (`any`, `none`, `acted`, `fired`, `listed`, `asked_when`, `asked_content`), with `_named` behind
where the bot is spoken to and `_unnamed` where it is not (`any_named`). A phrase or frame may hold
`<name>` (a phrase of that list), `{TAG:name}` (the same, labelled), `[a|b|]` (one of these) and `#1-12#` (a number).
A frame that begins with `×8 ` yields eight times as many examples as another, which plain ways of speaking need.
`[folding]` maps characters of another script to those that the models read.
"""

import random
import re
import tomllib
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct

from function_calls.understanding.reading.names import strip_calls

GRAMMARS = Path(__file__).parent / "grammar"
LABELLED = Path(__file__).parent / "labelled"
CONTEXTS = ("none", "acted", "fired", "listed", "asked_when", "asked_content")
_CONTEXT_WEIGHTS = (6, 4, 2, 1, 1, 1)
_TOKEN = re.compile(r"<(?P<list>\w+)>|\{(?P<tag>[A-Z_]+):(?P<slot>\w+)\}|#(?P<low>\d+)-(?P<high>\d+)#|(?P<open>\[)")
_MARKED = re.compile(r"\{(?P<tag>[A-Z_]+):(?P<words>[^}]*)\}|(?P<begin>\|\| ?)|[^{|]+|.", re.DOTALL)
_NAME = "Bubbles"
_WEIGHT = re.compile(r"×(\d+) ")
_ADDRESSED = {
    "none": 0.12,
    **dict.fromkeys(("set", "answer_when", "answer_content", "snooze", "done"), 0.3),
    **dict.fromkeys(("ask", "help", "find", "recall", "time_now"), 0.9),
}
"""The share of an intent's sentences that are addressed to the bot; one half for the other intents."""
_MAX_DEPTH = 20
_MIN_EXAMPLES = 500


class Example(Struct, frozen=True, kw_only=True):
    """A sentence with its intent, the context it is written in, and labelled spans (start, end, tag)."""

    text: str
    intent: str
    context: str
    is_addressed: bool
    spans: tuple[tuple[int, int, str], ...]


class Message(Struct, frozen=True, kw_only=True):
    """A labelled message of one or several requests; each request but the first begins at one of `begins`."""

    text: str
    intents: tuple[str, ...]
    context: str
    is_addressed: bool
    spans: tuple[tuple[int, int, str], ...]
    begins: tuple[int, ...]


def labelled_messages(path: Path) -> Iterator[Message]:
    """Yield the messages of all conversations of a file."""
    for conversation in conversations(path):
        yield from conversation


def conversations(path: Path) -> Iterator[list[Message]]:
    """Yield the conversations of a file, which empty lines part, each with its messages."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for block in re.split(r"\n\s*\n", text):
        yield [_message(line) for line in block.splitlines() if line.strip()]


def _message(line: str) -> Message:
    """Return the message of a line, parted by tabs: intents joined by `+`, context, `named` or `unnamed`, and the text
    with its labels, as in `remind {PERSON:me} {WHEN:at 5}`, with `|| ` where a further request begins.

    The bot's name is taken off as from a message that it receives.
    """
    intents, context, address, marked = line.split("\t")
    text, spans, begins = "", [], []
    for piece in _MARKED.finditer(marked):
        if piece["tag"]:
            spans.append((len(text), len(text) + len(piece["words"]), piece["tag"]))
            text += piece["words"]
        elif piece["begin"]:
            begins.append(len(text))
        else:
            text += piece[0]
    is_addressed = address == "named"
    if is_addressed and _NAME.casefold() in text.casefold():
        text, spans, begins = _without_name(text, spans, begins)
    return Message(
        text=text,
        intents=tuple(intents.split("+")),
        context=context,
        is_addressed=is_addressed,
        spans=tuple(spans),
        begins=tuple(begins),
    )


def _without_name(
    text: str, spans: list[tuple[int, int, str]], begins: list[int]
) -> tuple[str, list[tuple[int, int, str]], list[int]]:
    """Take the bot's name off a message, and move the places of its labels."""
    kept = strip_calls(text, _NAME)
    places: list[int] = []  # of the letters of `text` in `kept`
    for tag, one, other, start, _ in SequenceMatcher(None, text, kept, autojunk=False).get_opcodes():
        places += (start + offset if tag == "equal" else start for offset in range(other - one))
    places.append(len(kept))
    moved = [(places[start], places[end - 1] + 1, tag) for start, end, tag in spans]
    return kept, [(start, end, tag) for start, end, tag in moved if end > start], [places[begin] for begin in begins]


class Grammar:
    """The frames of one language."""

    def __init__(self, data: dict[str, dict[str, object]]) -> None:
        self._lists: dict[str, list[str]] = data["lists"]  # type: ignore[assignment]
        frames: dict[str, dict[str, list[str]]] = data["frames"]  # type: ignore[assignment]
        self._frames = [
            (intent, context, frame)
            for intent, groups in frames.items()
            for context, group in groups.items()
            for frame in group
        ]
        self._noise: dict[str, list[str]] = data.get("noise", {})  # type: ignore[assignment]
        self.is_spaced = bool(data.get("is_spaced", True))

    @classmethod
    def load(cls, language: str) -> "Grammar":
        """Read the grammar of `language`."""
        return cls(tomllib.loads((GRAMMARS / f"{language}.toml").read_text(encoding="utf-8")))

    def generate(self, a_frame: int, seed: int) -> Iterator[Example]:
        """Yield `a_frame` examples of each frame, more where it has a weight or an intent has few frames; or just one.

        The examples of a frame depend on nothing but the lists and the seed, so that they can be cached.
        """
        frames: dict[str, int] = {}
        for intent, _, _ in self._frames:
            frames[intent] = frames.get(intent, 0) + 1
        for intent, context, frame in self._frames:
            chance = random.Random(f"{seed} {intent} {context} {frame}")
            weight = _WEIGHT.match(frame)
            plain, times = (frame[weight.end() :], int(weight[1])) if weight else (frame, 1)
            count = times * max(a_frame, _MIN_EXAMPLES // frames[intent]) if a_frame > 1 else a_frame
            for _ in range(count):
                yield self._example(intent, context, plain, chance)

    def _example(self, intent: str, context: str, frame: str, chance: random.Random) -> Example:
        pieces = self._noisy(self._expanded(frame, "", chance), intent, chance)
        text = ""
        spans: list[tuple[int, int, str]] = []
        for piece, tag in pieces:
            if tag and piece:
                if spans and spans[-1][2] == tag and spans[-1][1] == len(text):
                    spans[-1] = (spans[-1][0], len(text) + len(piece), tag)
                else:
                    spans.append((len(text), len(text) + len(piece), tag))
            text += piece
        share = _ADDRESSED.get(intent, 0.5)
        for suffix, each in (("_named", 1.0), ("_unnamed", 0.0)):
            if context.endswith(suffix):
                context, share = context.removesuffix(suffix), each
        if context == "any":
            context = chance.choices(CONTEXTS, _CONTEXT_WEIGHTS)[0]
        is_addressed = chance.random() < share
        return Example(text=text, intent=intent, context=context, is_addressed=is_addressed, spans=tuple(spans))

    def _expanded(self, text: str, tag: str, chance: random.Random, depth: int = 0) -> list[tuple[str, str]]:
        if depth > _MAX_DEPTH:
            raise ValueError(f"a list holds itself: {text}")
        found: list[tuple[str, str]] = []
        at = 0
        while match := _TOKEN.search(text, at):
            found.append((text[at : match.start()], tag))
            at = match.end()
            if match["list"] or match["slot"]:
                name = match["list"] or match["slot"]
                inner = match["tag"] or tag
                found += self._expanded(chance.choice(self._lists[name]), inner, chance, depth + 1)
            elif match["low"]:
                found.append((str(chance.randint(int(match["low"]), int(match["high"]))), tag))
            else:
                end = _closing(text, match.end())
                options = _alternatives(text[match.end() : end])
                found += self._expanded(chance.choice(options), tag, chance, depth + 1)
                at = end + 1
        found.append((text[at:], tag))
        return [(piece, each) for piece, each in found if piece]

    def _noisy(self, pieces: list[tuple[str, str]], intent: str, chance: random.Random) -> list[tuple[str, str]]:
        gap = " " if self.is_spaced else ""
        if chance.random() < 0.18 and self._noise.get("before"):
            pieces = [(chance.choice(self._noise["before"]) + gap, ""), *pieces]
        if chance.random() < 0.18 and self._noise.get("after"):
            pieces = [*pieces, (gap + chance.choice(self._noise["after"]), "")]
        if self.is_spaced and chance.random() < 0.12:
            pieces = [(_mistyped(piece, chance) if chance.random() < 0.4 else piece, tag) for piece, tag in pieces]
        if self.is_spaced and chance.random() < 0.12:
            pieces = [(piece.replace("'", ""), tag) for piece, tag in pieces]
        roll = chance.random()
        if self.is_spaced and roll < 0.45:
            pieces = [(piece.lower(), tag) for piece, tag in pieces]
        elif self.is_spaced and roll < 0.75 and pieces:
            first, tag = pieces[0]
            pieces[0] = (first[:1].upper() + first[1:], tag)
        if chance.random() < (0.3 if intent != "none" else 0.15) and pieces[-1][0][-1:].isalnum():
            pieces = [
                *pieces,
                (chance.choice((".", "!", "!!", "…", "~") if self.is_spaced else ("。", "！", "~", "…")), ""),
            ]
        return pieces


def _closing(text: str, at: int) -> int:
    depth = 1
    for index in range(at, len(text)):
        depth += {"[": 1, "]": -1}.get(text[index], 0)
        if not depth:
            return index
    raise ValueError(f"a bracket is not closed: {text}")


def _alternatives(text: str) -> list[str]:
    options, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += {"[": 1, "]": -1, "{": 1, "}": -1}.get(letter, 0)
        if letter == "|" and not depth:
            options.append(text[start:index])
            start = index + 1
    return [*options, text[start:]]


def _mistyped(piece: str, chance: random.Random) -> str:
    """Return `piece` with two letters of one longer word exchanged, or one left out."""
    words = list(re.finditer(r"[a-z]{5,}", piece))
    if not words:
        return piece
    word = chance.choice(words)
    at = word.start() + chance.randint(1, len(word[0]) - 3)
    middle = piece[at + 1] + piece[at] if chance.random() < 0.5 else piece[at]
    return piece[:at] + middle + piece[at + 2 :]
