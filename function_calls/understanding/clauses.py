"""Make a message ready for sentence templates: one spelling of marks, no greeting, no politeness, no bot's name."""

import re
from collections.abc import Iterable
from functools import lru_cache

from function_calls.understanding.blanks import has_words, without_blanks
from function_calls.understanding.pack import LanguagePack

LONGEST = 400
"""Characters of a message that is still looked at; a longer one is no request."""

_LONGEST_COURTESY, _MOST_COURTESIES = 100, 12
"""Characters at an end of a text that are looked through for one greeting or courtesy, and how many are taken off."""

_QUOTED = re.compile(
    r"```.*?```|`[^`\n]+`|\"[^\"\n]+\"|“[^”\n]+”|「[^」\n]+」|『[^』\n]+』|(?<!\w)['‘][^'’\n]+['’](?!\w)", re.DOTALL
)
_TYPED = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_SPACE_IN_HAN = re.compile(
    r"(?<=[\u3000-\u303f\u3400-\u9fff\uff00-\uffef])\s+(?=[\u3000-\u303f\u3400-\u9fff\uff00-\uffef])"
)
_SPACE_BEHIND_HAN = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff\d@])")
_MOST_PAUSES = 8
_PAUSED = 3
"""Characters that stand on both sides of a space for it to be a pause, and not one between words spelled apart."""
_AFTER_MENTION = re.compile(r"(@\S{1,60})\s+")
_BETWEEN_MENTIONS = re.compile(r"(@\S{1,60}?)\s*([和跟与及與、])\s*(?=@)")
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}
_SPELLINGS = _WIDE | str.maketrans("’‘`“”\u00a0\u3000", "'''\"\"  ")
_PAIRS = (('"', '"'), ("'", "'"), ("“", "”"), ("「", "」"), ("(", ")"), ("（", "）"))
_PAIRED = re.compile("[\"'“”「」()（）]")
_SIGNS_AHEAD = re.compile(r"^[\s\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")
_FEELING = re.compile(  # faces, hands and hearts, which show how something is said and are nothing to be reminded of
    r"[\s~～]*(?:[\U0001f600-\U0001f64f\U0001f90c-\U0001f92f\U0001f970-\U0001f97a\U0001f44a-\U0001f450"
    r"\U0001f493-\U0001f49f\U0001f3fb-\U0001f3ff\u263a\u2764\ufe0f\u200d]+\s*)+$"
)
_EDGES = " \t\n.,;:!?~～…，。；：！？、-—\"'“”「」()（）"


@lru_cache(maxsize=4)
def tidy(text: str, pack: LanguagePack) -> str:
    """One spelling of spaces, quotes and wide letters; a message is asked for it a dozen times."""
    plain = without_blanks(text).translate(_SPELLINGS)
    plain = _parted(plain) if pack.data.script == "han" and "@" in plain else plain
    plain = " ".join(plain.split())
    plain = plain if plain.isascii() else _closed_up(plain, pack)
    return _respelt(plain.replace(" ' ", "'") if pack.data.is_spaced else plain, pack)


def with_pauses(text: str) -> str:
    """`text` with a comma for each space behind a Chinese character, as people write who leave out marks, or nothing.

    A space says less than a comma: some write one between any two words.
    """
    paused, spaces = _SPACE_BEHIND_HAN.subn("，", text.strip())
    is_paused = 0 < spaces <= _MOST_PAUSES and max(map(len, re.split("[，,。]", paused))) >= _PAUSED
    return paused if is_paused else ""


def closed_up(text: str) -> str:
    """`text` without spaces between Chinese characters."""
    return _SPACE_IN_HAN.sub("", text)


def _parted(text: str) -> str:
    """`text` with a mark behind each mention, or behind the last of those that are joined."""
    return _AFTER_MENTION.sub(r"\1，", _BETWEEN_MENTIONS.sub(r"\1\2", text))


def uncover(text: str, pack: LanguagePack, names: Iterable[str]) -> str:
    """Take emoji, greetings, politeness and the bot's `names` off both ends; never down to nothing."""
    bare = _FEELING.sub("", _SIGNS_AHEAD.sub("", text))
    text = without_names(bare if has_words(bare) else text, names)
    text = _worn(text, pack, at_front=True)
    return _worn(text, pack, at_front=False)


def quoted_parts(text: str) -> tuple[str, ...]:
    """What `text` quotes, be it words or code; nothing where all of it is a quotation in plain marks."""
    found = tuple(match[0] for match in _QUOTED.finditer(text))
    if not found:
        return ()
    is_code = any(part.startswith("`") for part in found)
    return found if is_code or has_words(_QUOTED.sub("", text)) else ()


def trimmed(text: str) -> str:
    """`text` without punctuation and spaces at its ends; marks that close or open something in it stay."""
    bare = text.strip(_EDGES)
    if len(bare) == len(text) or not _PAIRED.search(bare):
        return bare
    start = text.index(bare)
    head, tail = text[:start], text[start + len(bare) :]
    for opening, closing in _PAIRS:
        if closing in tail and _is_left(opening, closing, bare):
            bare += closing
        elif opening in head and _is_left(closing, opening, bare):
            bare = opening + bare
    return bare


def _is_left(one: str, other: str, text: str) -> bool:
    """Whether `text` has `one` mark of a pair without the `other`; apostrophes inside of words are none."""
    if one == other == '"':
        return text.count(one) % 2 == 1
    if one == other:
        return len(re.findall(rf"(?<!\w){one}|{one}(?!\w)", text)) % 2 == 1
    return text.count(one) > text.count(other)


def _closed_up(text: str, pack: LanguagePack) -> str:
    """`text` without the spaces between Chinese characters; those beside a word that takes something back are marks."""
    paused = _SPACE_IN_HAN.sub("，", text)
    kept = {place for turn in pack.turning.finditer(paused) for place in turn.span()}
    return _SPACE_IN_HAN.sub(lambda space: "，" if space.start() in kept else "", text)


def _respelt(text: str, pack: LanguagePack) -> str:
    """`text` with what is meant by its slips and short forms: "tmrw", "remindme"."""
    if len(text) > LONGEST:  # no request, and dear to look through
        return text
    if not pack.typed.keys().isdisjoint(_TYPED.findall(text.lower())):
        text = _TYPED.sub(lambda match: pack.typed.get(match[0].lower(), match[0]), text)
    small = text.lower()
    for written, meant in pack.rewritten:
        if written.search(small):
            text = re.sub(written.pattern.pattern, meant, text, flags=re.IGNORECASE)
            small = text.lower()
    return text


def without_names(text: str, names: Iterable[str]) -> str:
    """Take the bot's `names` off both ends; never down to nothing."""
    for name in names:
        if not name or name.lower() not in text.lower():
            continue
        for pattern in _at_ends(name):
            shorter = pattern.sub("", text)
            text = shorter if trimmed(shorter) else text
    return text


@lru_cache(maxsize=64)
def _at_ends(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Match `name` at the front of a text, and at its end."""
    escaped = re.escape(name)
    return (
        re.compile(rf"^\s*@?{escaped}(?![a-z0-9_])[\s,:，：!！]*", re.IGNORECASE),
        re.compile(rf"[\s,，]*@{escaped}\s*$", re.IGNORECASE),
    )


@lru_cache(maxsize=64)
def _worn(text: str, pack: LanguagePack, *, at_front: bool) -> str:
    text = trimmed(text)
    for _ in range(_MOST_COURTESIES):
        near = text[:_LONGEST_COURTESY] if at_front else text[-_LONGEST_COURTESY:]
        folded = pack.fold(near)
        match = pack.opening.match(folded) if at_front else pack.closing.search(folded)
        if match is None or not match[0]:
            return text
        shorter = trimmed(text[match.end() :] if at_front else text[: len(text) - len(near) + match.start()])
        if not shorter:
            return text
        text = shorter
    return text
