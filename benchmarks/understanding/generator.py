"""Generate labelled sentences from a grammar of frames.

A grammar is a TOML file. `[lists]` has named lists of phrases. `[frames.INTENT]` has lists of frames by context (`any`,
`none`, `acted`, `fired`, `listed`, `asked_when`, `asked_content`), with the suffix `_named` if the bot is addressed and
`_unnamed` if not (`any_named`). A phrase or frame may have `<name>` (a phrase of that list), `{TAG:name}` (the same,
labelled), `[a|b|]` (one of these) and `#1-12#` (a number). A frame that begins with `×8 ` yields eight times as many
examples as others. `[folding]` maps characters of another script to those that the models read.
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
_LABELLED_PIECE = re.compile(r"\{(?P<tag>[A-Z_]+):(?P<words>[^}]*)\}|(?P<begin>\|\| ?)|[^{|]+|.", re.DOTALL)
_NAME = "Bubbles"
_WEIGHT = re.compile(r"×(\d+) ")
_ADDRESSED_SHARES = {
    "none": 0.12,
    **dict.fromkeys(("set", "answer_when", "answer_content", "snooze", "done"), 0.3),
    **dict.fromkeys(("ask", "help", "find", "recall", "time_now"), 0.9),
}
"""The share of addressed sentences by intent; one half for the other intents."""
_MAX_DEPTH = 20
_MIN_EXAMPLES = 500


class Example(Struct, frozen=True, kw_only=True):
    """A sentence with its intent, its context, and labelled spans (start, end, tag)."""

    text: str
    intent: str
    context: str
    is_addressed: bool
    spans: tuple[tuple[int, int, str], ...]


class Message(Struct, frozen=True, kw_only=True):
    """A labelled message of one or several requests; `begins` are the places of all requests but the first."""

    text: str
    intents: tuple[str, ...]
    context: str
    is_addressed: bool
    spans: tuple[tuple[int, int, str], ...]
    begins: tuple[int, ...]


def load_messages(path: Path) -> Iterator[Message]:
    """Yield the messages of all conversations of a file."""
    for conversation in load_conversations(path):
        yield from conversation


def load_conversations(path: Path) -> Iterator[list[Message]]:
    """Yield the messages of each conversation of a file, in which conversations are separated by empty lines."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for block in re.split(r"\n\s*\n", text):
        yield [_parse_message(line) for line in block.splitlines() if line.strip()]


def _parse_message(line: str) -> Message:
    """Parse a line of intents joined by `+`, context, `named` or `unnamed`, and labelled text, separated by tabs.

    The text is such as `remind {PERSON:me} {WHEN:at 5}`, with `|| ` in front of further requests. The bot's name is
    removed, as from a message that it receives.
    """
    intents, context, address, labelled_text = line.split("\t")
    text, spans, begins = "", [], []
    for piece in _LABELLED_PIECE.finditer(labelled_text):
        if piece["tag"]:
            spans.append((len(text), len(text) + len(piece["words"]), piece["tag"]))
            text += piece["words"]
        elif piece["begin"]:
            begins.append(len(text))
        else:
            text += piece[0]
    is_addressed = address == "named"
    if is_addressed and _NAME.casefold() in text.casefold():
        text, spans, begins = _strip_name(text, spans, begins)
    return Message(
        text=text,
        intents=tuple(intents.split("+")),
        context=context,
        is_addressed=is_addressed,
        spans=tuple(spans),
        begins=tuple(begins),
    )


def _strip_name(
    text: str, spans: list[tuple[int, int, str]], begins: list[int]
) -> tuple[str, list[tuple[int, int, str]], list[int]]:
    """Remove the bot's name from a message, and move the places of its labels."""
    stripped = strip_calls(text, _NAME)
    places: list[int] = []  # the index in `stripped` of each letter of `text`
    for tag, one, other, start, _ in SequenceMatcher(None, text, stripped, autojunk=False).get_opcodes():
        places += (start + offset if tag == "equal" else start for offset in range(other - one))
    places.append(len(stripped))
    moved = [(places[start], places[end - 1] + 1, tag) for start, end, tag in spans]
    return (
        stripped,
        [(start, end, tag) for start, end, tag in moved if end > start],
        [places[begin] for begin in begins],
    )


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

    def generate(self, per_frame: int, seed: int) -> Iterator[Example]:
        """Yield `per_frame` examples of each frame, and more of frames with a weight or of intents with few frames.

        With 1, each frame has one example. The examples of a frame depend only on the lists and the seed.
        """
        frames: dict[str, int] = {}
        for intent, _, _ in self._frames:
            frames[intent] = frames.get(intent, 0) + 1
        for intent, context, frame in self._frames:
            rng = random.Random(f"{seed} {intent} {context} {frame}")
            weight = _WEIGHT.match(frame)
            plain, times = (frame[weight.end() :], int(weight[1])) if weight else (frame, 1)
            count = times * max(per_frame, _MIN_EXAMPLES // frames[intent]) if per_frame > 1 else per_frame
            for _ in range(count):
                yield self._make_example(intent, context, plain, rng)

    def _make_example(self, intent: str, context: str, frame: str, rng: random.Random) -> Example:
        pieces = self._add_noise(self._expand(frame, "", rng), intent, rng)
        text = ""
        spans: list[tuple[int, int, str]] = []
        for piece, tag in pieces:
            if tag and piece:
                if spans and spans[-1][2] == tag and spans[-1][1] == len(text):
                    spans[-1] = (spans[-1][0], len(text) + len(piece), tag)
                else:
                    spans.append((len(text), len(text) + len(piece), tag))
            text += piece
        share = _ADDRESSED_SHARES.get(intent, 0.5)
        for suffix, each in (("_named", 1.0), ("_unnamed", 0.0)):
            if context.endswith(suffix):
                context, share = context.removesuffix(suffix), each
        if context == "any":
            context = rng.choices(CONTEXTS, _CONTEXT_WEIGHTS)[0]
        is_addressed = rng.random() < share
        return Example(text=text, intent=intent, context=context, is_addressed=is_addressed, spans=tuple(spans))

    def _expand(self, text: str, tag: str, rng: random.Random, depth: int = 0) -> list[tuple[str, str]]:
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
                found += self._expand(rng.choice(self._lists[name]), inner, rng, depth + 1)
            elif match["low"]:
                found.append((str(rng.randint(int(match["low"]), int(match["high"]))), tag))
            else:
                end = _find_closing(text, match.end())
                options = _split_alternatives(text[match.end() : end])
                found += self._expand(rng.choice(options), tag, rng, depth + 1)
                at = end + 1
        found.append((text[at:], tag))
        return [(piece, each) for piece, each in found if piece]

    def _add_noise(self, pieces: list[tuple[str, str]], intent: str, rng: random.Random) -> list[tuple[str, str]]:
        gap = " " if self.is_spaced else ""
        if rng.random() < 0.18 and self._noise.get("before"):
            pieces = [(rng.choice(self._noise["before"]) + gap, ""), *pieces]
        if rng.random() < 0.18 and self._noise.get("after"):
            pieces = [*pieces, (gap + rng.choice(self._noise["after"]), "")]
        if self.is_spaced and rng.random() < 0.12:
            pieces = [(_add_typo(piece, rng) if rng.random() < 0.4 else piece, tag) for piece, tag in pieces]
        if self.is_spaced and rng.random() < 0.12:
            pieces = [(piece.replace("'", ""), tag) for piece, tag in pieces]
        roll = rng.random()
        if self.is_spaced and roll < 0.45:
            pieces = [(piece.lower(), tag) for piece, tag in pieces]
        elif self.is_spaced and roll < 0.75 and pieces:
            first, tag = pieces[0]
            pieces[0] = (first[:1].upper() + first[1:], tag)
        if rng.random() < (0.3 if intent != "none" else 0.15) and pieces[-1][0][-1:].isalnum():
            pieces = [
                *pieces,
                (rng.choice((".", "!", "!!", "…", "~") if self.is_spaced else ("。", "！", "~", "…")), ""),
            ]
        return pieces


def _find_closing(text: str, at: int) -> int:
    depth = 1
    for index in range(at, len(text)):
        depth += {"[": 1, "]": -1}.get(text[index], 0)
        if not depth:
            return index
    raise ValueError(f"a bracket is not closed: {text}")


def _split_alternatives(text: str) -> list[str]:
    options, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += {"[": 1, "]": -1, "{": 1, "}": -1}.get(letter, 0)
        if letter == "|" and not depth:
            options.append(text[start:index])
            start = index + 1
    return [*options, text[start:]]


def _add_typo(piece: str, rng: random.Random) -> str:
    """Return `piece` with two letters of a word exchanged, or one left out."""
    words = list(re.finditer(r"[a-z]{5,}", piece))
    if not words:
        return piece
    word = rng.choice(words)
    at = word.start() + rng.randint(1, len(word[0]) - 3)
    middle = piece[at + 1] + piece[at] if rng.random() < 0.5 else piece[at]
    return piece[:at] + middle + piece[at + 2 :]
