"""Which reminder is meant: a number, an ID, words of its content, or all of them."""

import re

from function_calls.understanding.clauses import trimmed
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.requests import Request
from services.reminders.lookup.several import several_in

ALL = "all"
_SEVERAL = ("which", "reference", "habit", "due", "numbers", "ordinals")
_RANGE = re.compile(r"(\d+)(?:\s?[个条]?\s?(?:-|–|to|through|到|至)\s?第?(\d+))?")
_FIGURES = re.compile("[一二两三四五六七八九十]+")
_LONGEST_RANGE = 20
_LISTED = re.compile("[、,，]")


def reminder_references(request: Request, pack: LanguagePack, *, may_be_several: bool = False) -> tuple[str, ...]:
    """The references in the form that `reminder_delete` takes: several numbers, or one of any kind; or none.

    "Both" and "the first two" are one of those that name several.

    `may_be_several` says that one may mean all reminders of a time ("all tomorrow").
    """
    number = request.words("number", "number_only", "order", "id", "code").strip("[]")
    if number:
        return (numbered(number, pack),)
    together = request.words("these", "those", "together") or _together(request)
    if together:
        return (together,)
    kept = request.match.first("kept")
    if kept:
        return (f"{ALL} except {_restored(kept, request, pack)}",)
    both = [request.match.first(name) for name in ("which", "which_2")]
    if all(both):
        return tuple(_restored(words, request, pack) for words in both)
    words = " ".join(filter(None, map(request.match.first, _SEVERAL)))
    numbers = _numbers(words, pack) if request.match.first("numbers") else []
    parts = [part for joined in pack.between.compiled.split(words) for part in _LISTED.split(joined)]
    numbers = numbers or [_restored(part, request, pack) for part in parts if part.strip()]
    if len(numbers) > 1 and all(number.isdigit() for number in numbers):
        return tuple(numbers)
    named = _restored(words, request, pack)
    is_plural = pack.plural.search(pack.fold(request.clause.text)) is not None
    if named and is_plural and may_be_several and (request.clause.owners_in(words) or _is_every(named, request, pack)):
        return (_all_of(named, pack),)
    return (named or ALL,) if named or is_plural else ()


def _together(request: Request) -> str:
    """The words of a reference that means several by how many they are: "both my", "the first two"."""
    words = request.words("which", "reference")
    named = several_in(words)
    return words if named is not None and named.kind != "each" else ""


def _numbers(words: str, pack: LanguagePack) -> list[str]:
    """The numbers in `words`, those between the ends of a range included: 1, 2 and 3 of "1 to 3"."""
    found: list[str] = []
    words = _FIGURES.sub(lambda figures: str(pack.data.ordinals.get(figures[0], figures[0])), words)
    for first, last in _RANGE.findall(words):
        end = int(last or first)
        found += map(str, range(int(first), min(end, int(first) + _LONGEST_RANGE) + 1))
    return found


def _all_of(words: str, pack: LanguagePack) -> str:
    """All the reminders of a time, where the person spoke of several."""
    for word in sorted(pack.data.all_words, key=len, reverse=True):
        if len(words) > len(word) and words.lower().endswith(word):
            words = words[: -len(word)]
        if words.lower().startswith(f"{word} " if pack.data.is_spaced else word):
            words = without_joint(words[len(word) :].strip(), pack)
    while (tail := pack.leftover.search(words)) and tail[0] and tail.start():
        words = words[: tail.start()]
    return f"{ALL} {words}"


def _is_every(words: str, request: Request, pack: LanguagePack) -> bool:
    """Whether words in a language without spaces name several, as the words behind them say: 喝水的提醒都删掉."""
    is_all = any(words.endswith(word) and words != word for word in pack.data.all_words)
    behind = request.clause.restore(request.clause.text).rpartition(words)[2]
    is_named = words != ALL and not words.startswith(f"{ALL} ") and not words.isdigit()
    return not pack.data.is_spaced and is_named and (is_all or pack.plural.search(pack.fold(behind)) is not None)


def _restored(words: str, request: Request, pack: LanguagePack) -> str:
    """Words of a time are no joints, whatever they begin with."""
    return numbered(without_joint(request.clause.restore(named_reminder(words, pack)), pack), pack)


def without_joint(words: str, pack: LanguagePack) -> str:
    """`words` without a joint in front of them: "tomorrow" of "for tomorrow"."""
    joint = pack.joint.match(words)
    return words[joint.end() :] or words if joint else words


def named_reminder(words: str, pack: LanguagePack) -> str:
    """`words` without articles and joints; a number if they are one."""
    number = numbered(trimmed(words), pack)
    if number.isdigit():
        return number
    kept = untailed(words, pack)
    while (match := pack.joint.match(kept) or pack.plain.match(kept)) and match[0]:
        kept = kept[match.end() :].lstrip()
    while (match := pack.leftover.search(kept)) and match[0]:
        kept = kept[: match.start()].rstrip()
    kept = trimmed(kept)
    return ALL if _is_all(kept, pack) else numbered(kept, pack)


def untailed(words: str, pack: LanguagePack) -> str:
    """`words` without what stands behind a reference; "the milk" of "the milk one"."""
    kept = trimmed(words)
    while (tail := pack.tail.search(kept)) and trimmed(kept[: tail.start()]):
        kept = trimmed(kept[: tail.start()])
    return kept


def numbered(words: str, pack: LanguagePack) -> str:
    """An ordinal or number as digits; other words as they are."""
    bare = words.lower().lstrip("#")
    digits = re.fullmatch(r"(?:no\.? ?|number |nr\.? ?|第|编号)?(\d{1,4})(?:st|nd|rd|th|个|条|项|号)?", bare)
    if digits:
        return digits[1]
    return str(pack.data.ordinals[bare]) if bare in pack.data.ordinals else words


def _is_all(words: str, pack: LanguagePack) -> bool:
    """Whether `words` say "all of my" and nothing else."""
    shorter = words.lower()
    for word in sorted(pack.data.all_words, key=len, reverse=True):
        if shorter.startswith(word):
            return not trimmed(pack.plain.sub("", shorter.removeprefix(word)))
    return False
