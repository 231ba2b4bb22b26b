"""Extract what to be reminded of from the tagged words of a message."""

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.slots.small_words import EDGE, QUOTES, tidy, trim_marks

_CLOSING = {"”": "“", "’": "‘", "」": "「", "』": "『", "）": "（"}
"""The opening mark of each closing mark."""


def extract_content(reading: MessageReading, words: Lexicon) -> str:
    """Return the words with the tag of a content, as they are written.

    A content in front of the request is a reason or an event, unless the request itself has no more than a verb.
    """
    spans = [_include_article(reading, span, words) for span in reading.spans("CONTENT")]
    begin = max((start for start, _ in reading.spans("PERSON")), default=0)
    behind = [span for span in spans if span[0] >= begin]
    if behind and len(reading.text[behind[0][0] : behind[-1][1]].strip()) > 1:
        spans = behind
    spans = [(start, _find_end_of_routine_time(reading.text, end, words)) for start, end in spans]
    texts = [reading.text[start : _find_end_of_word(reading.text, start, end, words)] for start, end in spans]
    first, *others = [_tidy_content(text, words) for text in texts] or [""]
    links = [_find_link(reading, start, words) for start, _ in spans[1:]]
    pieces = [first, *(f"{link}{piece}" for link, piece in zip(links, others, strict=True) if piece)]
    content = (" " if words.joint else "，").join(piece for piece in pieces if piece)
    return "" if words.fold(content) in words.but else content  # "but on Thursdays tell Ann"


def _find_end_of_routine_time(text: str, end: int, words: Lexicon) -> int:
    """Return where a content ends with the routine time right behind it: "buy bread after work"."""
    behind = text[end:].lstrip()
    for routine_time in words.routine_times:
        length = len(routine_time)
        if behind[:length].casefold() == routine_time and not behind[length : length + 1].isalnum():
            return len(text) - len(behind) + length
    return end


def _find_end_of_word(text: str, start: int, end: int, words: Lexicon) -> int:
    """Return where the last word of a content ends: an address has marks within it."""
    if not words.joint and "://" not in text[start:end]:
        return end + (text[end : end + 1] in _CLOSING and text.count(_CLOSING[text[end]], start, end) == 1)
    while end < len(text) and not text[end].isspace() and text[end : end + 2].strip(EDGE + QUOTES):
        end += 1
    return end


def _tidy_content(text: str, words: Lexicon) -> str:
    """Return a content without leading words that link it; a relative keeps its possessive: 我妈."""
    bare = trim_marks(text)
    is_kin = any(bare.startswith(f"{word}{kin}") for word in words.oneself for kin in words.kinship_terms)
    return bare if is_kin else tidy(bare, words.before_content)


def _include_article(reading: MessageReading, span: tuple[int, int], words: Lexicon) -> tuple[int, int]:
    """Return the span of a content with the untagged article in front of it: "of the standup"."""
    for token, tag in reading.tagged:
        if token.form in words.articles and tag == NO_TAG and reading.text[token.end : span[0]].isspace():
            return token.start, span[1]
    return span


def _find_link(reading: MessageReading, start: int, words: Lexicon) -> str:
    """Return the preposition or "and" in front of a later piece of a content: "email Bob tomorrow | about it"."""
    at = sum(token.end <= start for token in reading.tokens) - 1
    if at < 0 or reading.tags[at] != NO_TAG:
        return ""
    token, is_listed = reading.tokens[at], bool(words.joint) and reading.tags[at - 1] == "CONTENT"
    is_link = token.form in words.prepositions or (is_listed and token.form in words.and_words)
    return f"{reading.text_of(token)} " if is_link else ""
