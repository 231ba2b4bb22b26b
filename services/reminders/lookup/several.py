"""Parse references to several reminders: "both", "the last two", "1 and 3", 前两个."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from services.reminders.model import Reminder

_MAX_IN_RANGE: Final = 20
_FIGURES: Final = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6} | {
    figure: number for number, figures in enumerate(("两二俩", "三仨", "四", "五", "六"), start=2) for figure in figures
}
_NUMBER: Final = r"(?:two|three|four|five|six|[2-9])"
_ONES: Final = r"(?: (?:ones|reminders|alerts))?"
_TOGETHER: Final = re.compile(
    rf"(?:(?:of )?(?:them|these|those) )?(?P<both>both)(?: of)?(?: (?:the|my|our|them|these|those|it))?{_ONES}"
    rf"|(?:all|the|these|those|my|our) (?:the |my |our )?(?P<count>{_NUMBER})(?: of (?:them|these|those))?{_ONES}"
    rf"|(?P<few>{_NUMBER}) of (?:them|these|those)"
    rf"|(?:(?:all|each) (?:of )?)?(?:them|these|those)(?: all)?{_ONES}"
    r"|(?:它们?|他们|[这那])?(?P<pair>[俩仨])(?:个|条)?(?:提醒)?(?:全?都|全部)?"
    r"|(?:它们|他们|上面|刚才|刚刚|[这那]|我)?的?(?:所有|全部)?(?P<figure>[两二三四五六2-6])[个条](?:提醒)?(?:全?都|全部)?"
    r"|(?:它们|他们|[这那]些|这几[个条]|那几[个条])的?(?:提醒)?(?:全?都|全部)?|都",
    re.IGNORECASE,
)
_END: Final = re.compile(
    rf"(?:the |my )?(?P<end>first|top|last|latest|bottom) (?P<count>{_NUMBER}){_ONES}"
    r"|(?:最?前面?|头|(?P<behind>最?后面?|末尾?))的?(?P<figure>[两二俩三四五六2-6])[个条]?(?:提醒)?(?:全?都|全部)?",
    re.IGNORECASE,
)
_FROM_BEHIND: Final = frozenset({"last", "latest", "bottom"})
_RANGE: Final = re.compile(
    r"(?:numbers? |nos?\. ?|#|第)?(\d{1,4})[个条号]? ?(?:-|–|to|through|到|至) ?第?#?(\d{1,4})[个条号]?", re.IGNORECASE
)
_AND: Final = re.compile(r"\s*(?:,\s*and\b|[,，、;&和跟与]|\b(?:and|y)\b|以及|(?<=[个条])(?=第))\s*", re.IGNORECASE)
_BEFORE: Final = re.compile(
    r"^(?:the |my |our |both |reminders? |el |la |l[oa]s )+(?!\d*$)|^(?:el |reminders? |numbers? |nos?\. ?|第)(?=\d)",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"(?<=\d)[个条号](?:提醒)?$|(?<=\w) (?:reminders?|ones?|alerts?)$|(?<=.)的?提醒$", re.IGNORECASE
)


class Several(Struct, frozen=True, kw_only=True):
    """A reference to several reminders.

    `spoken`: the reminders mentioned last; `count` is 2 for "both" and None for "them". `first`, `last`: `count`
    reminders of the list. `each`: one reminder for each of `references`.
    """

    kind: Literal["spoken", "first", "last", "each"]
    count: int | None = None
    references: tuple[str, ...] = ()


def several_in(reference: str) -> Several | None:
    """Parse a reference to several reminders; None if it names one, or all."""
    words = " ".join(reference.strip().split())
    found = _TOGETHER.fullmatch(words)
    if found is not None:
        counts = map(found.group, ("both", "count", "few", "pair", "figure"))
        return Several(kind="spoken", count=_number(next(filter(None, counts), "")))
    found = _END.fullmatch(words)
    if found is not None:
        is_last = found["behind"] is not None or (found["end"] or "").lower() in _FROM_BEHIND
        return Several(kind="last" if is_last else "first", count=_number(found["count"] or found["figure"]))
    references = _each(words)
    return Several(kind="each", references=references) if len(references) > 1 else None


def at_end(several: Several, listed: Sequence[Reminder], newer: Sequence[Reminder]) -> tuple[Reminder, ...]:
    """Return the first or last reminders of the shown list `listed`, continued by `newer`, those created since."""
    count = several.count or 0
    if several.kind == "first":
        return tuple(listed[:count])
    return tuple([*listed, *newer][-count:])


def _each(words: str) -> tuple[str, ...]:
    """Split `words` at commas and "and" into references, and expand ranges of numbers."""
    found: list[str] = []
    for part in _AND.split(words):
        span = _RANGE.fullmatch(part)
        if span is None:
            found.append(_BEHIND.sub("", _BEFORE.sub("", part)).strip())
        else:
            first, last = int(span[1]), int(span[2])
            found += map(str, range(first, min(last, first + _MAX_IN_RANGE) + 1))
    return tuple(dict.fromkeys(filter(None, found)))


def _number(figure: str) -> int | None:
    return int(figure) if figure.isdecimal() else _FIGURES.get(figure.lower())
