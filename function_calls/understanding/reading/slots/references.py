"""Extract the references to reminders from the tagged words of a message."""

import re

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import MessageReading
from function_calls.understanding.reading.slots.small_words import EDGE, trim_marks
from function_calls.understanding.reading.slots.time_words import mark_day, strip_time_words

_NUMBER = re.compile(r"(?:#|no\.? ?|number |第|编号)?(\d{1,3})(?:st|nd|rd|th|个|条|项|号)?", re.IGNORECASE)


def extract_references(reading: MessageReading, words: Lexicon) -> list[str]:
    """Return the names of reminders in the message; empty where it names none."""
    names = (normalize_reference(piece, words) for piece in find_reference_pieces(reading, words))
    return list(dict.fromkeys(filter(None, names)))


def find_reference_pieces(reading: MessageReading, words: Lexicon) -> list[str]:
    """Return the pieces of text that name reminders, as they are written."""
    whole = _find_reference_spans(reading, words)
    spans = [span for span in whole if words.fold(reading.text[slice(*span)]) not in words.articles]
    together = [spans[0]] if spans else []
    for span in spans[1:]:
        between = reading.text[together[-1][1] : span[0]].strip(EDGE + " 的")
        is_beside = words.fold(reading.text[span[1] :]).lstrip().startswith(words.too)  # 看牙别提醒了，跑步也是
        if between in words.and_words or is_beside:
            together.append(span)
    if len(together) < len(spans) and len(together) == 1:
        marked_ones = [
            span for span in spans if any(word in reading.text[slice(*span)] for word in words.reference_marks)
        ]
        together = marked_ones[:1] or together
    names = [reading.text[start:end] for start, end in together]
    is_pronoun = all(words.fold(name).strip() in words.itself for name in names)
    names = [] if is_pronoun and reading.has("OLD") else names
    old = [] if names else reading.spans("OLD")[:1]
    if old and _is_retracted(reading.text[: old[0][0]], words):
        return []
    return names or [strip_time_words(reading.text[start:end], words) for start, end in old]


def _find_reference_spans(reading: MessageReading, words: Lexicon) -> list[tuple[int, int]]:
    """Return the spans of references, with the day or clock that is part of the name: "the Monday review"."""
    spans = reading.spans("REF")
    pronouns = words.all | words.both | words.them | words.itself
    if any(words.fold(reading.text[slice(*span)]).strip() in pronouns for span in spans):
        return spans
    for start, end in reading.spans("OLD"):
        behind = next((span for span in spans if not reading.text[end : span[0]].strip(" 的") and end <= span[0]), None)
        if behind is None:
            continue
        ahead = next((span for span in spans if span[1] <= start and not reading.text[span[1] : start].strip()), None)
        spans = [span for span in spans if span not in {ahead, behind}]
        spans.append((start if ahead is None else ahead[0], behind[1]))
    return sorted(spans)


def _is_retracted(before: str, words: Lexicon) -> bool:
    """Return whether the words in front of an old time deny it: "7, not 6", "from 5 to 6"."""
    folded = before.casefold().rstrip()
    return any(folded == word or folded.endswith(f"{words.joint}{word}") for word in words.retraction_markers)


def normalize_reference(piece: str, words: Lexicon) -> str:
    """Return the words that name a reminder; "" for a pronoun, "all", "both" or "them" for several."""
    name = trim_marks(piece)
    bare = words.fold(name).lstrip("@")
    for meaning, names in (("", words.itself), ("all", words.all), ("both", words.both), ("them", words.them)):
        if bare in names:
            return meaning
    shorter = _strip_edge(name, words)
    while shorter != name:
        day = mark_day(shorter, words)
        if day != shorter:  # "el del 18" is that of a day, "el 18" may be the one with this number
            return day
        name, shorter = shorter, _strip_edge(shorter, words)
    pointing = words.itself.intersection(words.demonstratives)  # "de eso"
    if words.joint and words.fold(name) in pointing.union(words.before_reference):
        return ""
    if not words.joint and bare.endswith(words.one_time):  # 四号那次 is of a day, 四号 has a number
        return name
    number = _NUMBER.fullmatch(name)
    return number[1] if number else str(words.ordinals.get(words.fold(name), name))


def _strip_edge(name: str, words: Lexicon) -> str:
    """Return `name` without one word at an edge that names nothing: "the", "reminder", 那个."""
    for word in words.before_reference:
        if _begins(name, word, words.joint):
            return trim_marks(name[len(word) :])
    for word in words.behind_reference:
        if _ends(name, word, words.joint):
            return trim_marks(name[: -len(word)]).removesuffix("'s").removesuffix("’s")
    return name


def _begins(name: str, word: str, joint: str) -> bool:
    return name.casefold().startswith(word + joint) and len(name) > len(word + joint)


def _ends(name: str, word: str, joint: str) -> bool:
    joint = "" if word.startswith("'") else joint
    return name.casefold().endswith(joint + word) and len(name) > len(joint + word)
