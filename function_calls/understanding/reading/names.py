"""Find people and the bot by their names: members of the chat, the name that calls the bot, names of several words."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Turn
from function_calls.understanding.reading.lexicon import Lexicon

_PAIRS = (('"', '"'), ("'", "'"), ("“", "”"), ("「", "」"), ("(", ")"), ("（", "）"))
_PAIRED = re.compile("[\"'“”「」()（）]")
_MENTION = re.compile(r"@(\w+)")
_EDGES = " \t\n.,;:!?¿¡~～…，。；：！？、-—\"'“”「」()（）"

_CLAUSE_MARKS = tuple(",.;:!?，。；：！？、…—-")
_SENTENCE_MARKS = frozenset(".!?…:。！？：")
_SPACES = re.compile(r"[^\S\n]+")
_FEELINGS = (
    *(range(0x1F600, 0x1F650), range(0x1F44A, 0x1F451), range(0x1F90C, 0x1F930), range(0x1F970, 0x1F97B)),
    *(range(0x1FAE0, 0x1FAE9), range(0x1F493, 0x1F4A0), range(0x1F3FB, 0x1F400)),
)
_DECORATION = " ❤💪✨\ufe0f\u200d" + "".join(chr(code) for codes in _FEELINGS for code in codes)
"""Emoji that show a feeling: faces, hands and hearts with their skin tones."""
_AROUND_NAME = " ,，:：;；~"


def tidy_text(turn: Turn) -> Turn:
    """Return the turn with single spaces in its text, and one for the bot without the emoji at its ends.

    Emoji stay in a message that has nothing else beside the name of the bot, and in talk, which they help to recognise.
    """
    text, name = turn.message.text, turn.bot_name.casefold()
    tidy = _SPACES.sub(" ", text).strip()
    plain = tidy.strip(_DECORATION).strip()
    is_for_bot = turn.message.is_for_bot or name in plain.casefold()
    if is_for_bot and trim(plain.casefold().replace(name, "")).strip("@"):
        tidy = plain
    return turn if tidy == text else replace(turn, message=replace(turn.message, text=tidy))


def join_names(turn: Turn) -> tuple[Turn, Mapping[str, str]]:
    """Return the turn with each mention joined to one word and followed by a space, and the names by these words."""
    text = turn.message.text
    joined: dict[str, str] = {}
    for name in sorted((mention.name for mention in turn.message.mentions), key=len, reverse=True):
        word = "".join(name.split())
        if word != name and f"@{name}" in text:
            text = text.replace(f"@{name}", f"@{word}")
            joined[word] = name
        # Where a name ends, the platform knows; its words cannot tell when the next one is glued to it.
        text = re.sub(rf"@{re.escape(word)}(?=[^\W_])(?![A-Za-z0-9])", f"@{word} ", text)
    if text == turn.message.text:
        return turn, joined
    return replace(turn, message=replace(turn.message, text=text)), joined


def find_members(turn: Turn) -> set[str]:
    """Return the names of the people who have written lately in the chat."""
    return {message.sender.name for message in turn.recent if not message.sender.is_bot}


def find_named_people(turn: Turn) -> frozenset[str]:
    """Return the names of the members, and of the people whom the message mentions, also in plain text."""
    mentioned = {mention.name for mention in turn.message.mentions}
    return frozenset(find_members(turn) | mentioned | set(_MENTION.findall(turn.message.text)))


def list_named(people: Iterable[str], text: str, words: Lexicon) -> list[str]:
    """Return those of the names `people` that a folded text has, also in the genitive: "Ann's", "at annas"."""
    bare = text.replace("'s", "").replace("’s", "")
    folded = {name: words.fold(name).lstrip("@") for name in people}
    return sorted(name for name, each in folded.items() if words.has_any((each, f"{each}s"), bare))


def restore_names(interpretation: Interpretation, joined: Mapping[str, str]) -> Interpretation:
    """Return the interpretation with joined names as they were written."""
    if not joined:
        return interpretation
    calls = tuple(
        replace(call, arguments={key: _restore(value, joined) for key, value in call.arguments.items()})
        for call in interpretation.calls
    )
    return replace(interpretation, calls=calls, answer=str(_restore(interpretation.answer, joined)))


def _restore(value: object, joined: Mapping[str, str]) -> object:
    """Return an argument or an answer with each joined name in it as it was written."""
    if isinstance(value, str):
        for word, name in joined.items():
            value = value.replace(word, name)
    return value


def trim(text: str) -> str:
    """Return `text` without punctuation and spaces at its ends; a mark whose partner is within the text stays."""
    bare = text.strip(_EDGES)
    if len(bare) == len(text) or not _PAIRED.search(bare):
        return bare
    tail = text[text.index(bare) + len(bare) :]
    for opening, closing in _PAIRS:
        if closing in tail and _is_unpaired(opening, closing, bare):
            bare += closing
    return bare


def _is_unpaired(one: str, other: str, text: str) -> bool:
    """Return whether `text` has one mark of a pair without the other; apostrophes within words do not count."""
    if one == other == '"':
        return text.count(one) % 2 == 1
    if one == other:
        return len(re.findall(rf"(?<!\w){one}|{one}(?!\w)", text)) % 2 == 1
    return text.count(one) > text.count(other)


def strip_names(text: str, names: Iterable[str]) -> str:
    """Return `text` without the bot's `names` at both ends, unless nothing else would be left."""
    for name in names:
        if not name or name.lower() not in text.lower():
            continue
        for pattern in _compile_edges(name):
            shorter = pattern.sub("", text)
            text = shorter if trim(shorter) else text
    return text


def strip_calls(text: str, name: str) -> str:
    """Return a message without the bot's name, wherever it stands: "lunch is at 1, Bubbles, tell us at 12:30"."""
    if name.lower() not in text.lower():
        return text
    text = strip_names(text, (name,))
    match = find_name(text, name)
    if match is None:
        return text
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    if before[-1:] in _CLAUSE_MARKS:
        mark, after = "", after.lstrip(_AROUND_NAME)
    else:
        mark = after[:1] if after[:1] in _CLAUSE_MARKS else ""
        after = after[len(mark) :].lstrip(_AROUND_NAME)
    return f"{before}{mark} {after}".strip()


def find_text_behind_call(text: str, name: str) -> str:
    """Return the text behind the bot's name that begins a later sentence: "Great news! Bubbles, skip Friday"."""
    match = find_name(text, name)
    if match is None or text[: match.start()].rstrip(" @\n")[-1:] not in _SENTENCE_MARKS:
        return ""
    return text[match.end() :].lstrip(_AROUND_NAME)


def find_name(text: str, name: str) -> re.Match[str] | None:
    """Find the bot's `name` in `text` as a word of its own, first as a mention."""
    bot = re.escape(name)
    mention = re.search(rf"@{bot}(?![a-z0-9])", text, re.IGNORECASE)
    return mention or re.search(rf"(?<![a-z0-9]){bot}(?![a-z0-9])", text, re.IGNORECASE)


@lru_cache(maxsize=64)
def _compile_edges(name: str) -> tuple[re.Pattern[str], ...]:
    """Compile patterns for `name` at the front of a text, and at its end behind another word or a mark."""
    escaped = re.escape(name)
    in_front = r"(?<![\s,，])(?:[\s,，]*@|[\s,，]+)|(?<=[.。!！?？…\u3400-\u9fff])"
    return (
        re.compile(rf"^\s*@?{escaped}(?![a-z0-9_])[\s,:，：!！]*", re.IGNORECASE),
        re.compile(rf"(?:{in_front}){escaped}(?=[\s.!?。！？~～…]*$)", re.IGNORECASE),
    )
