"""Name the reminders that a request is about, in the form that `reminder_id` takes."""

import re
from collections.abc import Iterator

from function_calls.understanding.reading import slots
from function_calls.understanding.reading.asked import Asked
from services.reminders.lookup.several import several_in

LAST = "last"
_SEVERAL = ("both", "all", "them")
_KEPT_TAGS = frozenset({"O", "REF"})
_MOST_FIGURES = 3
_SHORT_ID = re.compile(r"(?=[a-z]*\d)[a-z][a-z0-9]{3}")
_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"the", "my", "our"})
_ENDS = frozenset({"please", "pls", "and", "to", "from", ",", ".", "!", "?", ";", "for", "until", "at", "on", "now"})


def references_of(asked: Asked, *, may_be_several: bool = False) -> list[str]:
    """Return the reminders that are named; empty for the one spoken of last.

    `may_be_several` says that words for all of them may stand beside the name: "everything for tomorrow".
    """
    spared = [name for piece in asked.reading.pieces("SPARED") for name in _names(piece, asked)]
    if spared:
        return [f"all except {' and '.join(spared)}"]
    pieces = slots.reference_pieces(asked.reading, asked.words)
    definite = [each for each in pieces if each.strip().casefold() not in asked.words.indefinite]
    named = [name for each in definite for name in _names(each, asked)]
    named = list(dict.fromkeys(filter(None, named)))
    if named == ["all"] or (not named and may_be_several and _means_all(asked)):
        day = _days(asked) if may_be_several else ""
        return [f"all {day}" if day else "all"]
    return named or _untagged(asked)


def points(asked: Asked) -> bool:
    """Return whether a pronoun stands for the reminder: "cancel it"."""
    return asked.reading.has("REF") or asked.turn.message.reply_to is not None


def _id(asked: Asked) -> str:
    """Return the id of a reminder among the words, or its first characters: letters and figures in one."""
    words = [asked.reading.text[token.start : token.end] for token in asked.reading.tokens if token.form == "id"]
    found = [match[0] for match in map(_SHORT_ID.fullmatch, _WORD.findall(asked.said)) if match]
    return next(iter([*words, *found]), "")


def _behind_article(asked: Asked) -> str:
    """Return the words behind an article up to the end or a mark: "the dentist" of "cancel the dentist"."""
    forms = [token.form for token in asked.reading.tokens]
    first = next((at for at, form in enumerate(forms) if form in _ARTICLES), None)
    if first is None or not asked.words.joint:
        return ""
    last = first + 1
    while last < len(forms) and asked.reading.tags[last] == "O" and forms[last] not in _ENDS:
        last += 1
    tokens = asked.reading.tokens[first:last]
    name = slots.reference_name(asked.reading.text[tokens[0].start : tokens[-1].end], asked.words)
    return "" if name.casefold() in {*_ARTICLES, *asked.words.itself, *asked.words.indefinite} else name


def _names(piece: str, asked: Asked) -> Iterator[str]:
    """Yield the references in a piece: each of several that are joined, those between the ends of a range."""
    if asked.words.fold(piece).strip() in asked.words.indefinite:
        return
    bare = slots.reference_name(piece, asked.words)
    several = None if bare in {"", *_SEVERAL} else several_in(bare) or several_in(piece)
    if several is None:
        yield _narrowed(bare, asked)
    elif several.kind == "each":
        yield from (slots.reference_name(each, asked.words) for each in several.references)
    else:
        yield piece.strip()


def _narrowed(name: str, asked: Asked) -> str:
    """Return "all" and what narrows it, where words for all of them begin a name: 所有喝水的."""
    folded = name.casefold()
    for word in sorted(asked.words.every, key=len, reverse=True):
        if folded.startswith(word + asked.words.joint) and len(name) > len(word):
            rest = slots.reference_name(name[len(word) :], asked.words)
            return f"all {rest}" if rest and rest not in _SEVERAL else "all"
    return LAST if folded in asked.words.newest else name


def _means_all(asked: Asked) -> bool:
    return asked.names(asked.words.every) or asked.names(asked.words.all)


def _days(asked: Asked) -> str:
    """Return the words of the days whose reminders are meant."""
    words = asked.reading.words("OLD") or asked.reading.words("WHEN")
    return slots.bare_time(words, asked.words)


def _untagged(asked: Asked) -> list[str]:
    """Return the words for several reminders, or the newest, or a number, among the words without a tag."""
    for meaning, words in (("both", asked.words.both), ("them", asked.words.them), ("all", asked.words.all)):
        if asked.names(words) and not asked.names(asked.words.always):
            return [meaning]
    if asked.names(asked.words.newest):
        return [LAST]
    named = _id(asked) or _behind_article(asked)
    if named:
        return [named]
    numbers = [
        asked.reading.text[token.start : token.end]
        for token, tag in zip(asked.reading.tokens, asked.reading.tags, strict=True)
        if tag == "O" and token.form.isdigit() and token.end - token.start <= _MOST_FIGURES
    ]
    return [str(int(number)) for number in numbers]
