"""Times that look like one and are none: 30 February, 25:00, 二十五点.

What they are is found by trying: a text in which a possible number in their place makes a time of the words around it.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from services.time_expressions import TimeReadings

Span = tuple[int, int]

_MOST_TRIED: Final = 3
_LARGE: Final = re.compile(r"[2-9]\d|十")
_TENS: Final = "[三四五六七八九]十"
# Numbers that can be no hour, no minute, or not the day of every month, and one that always can.
_POSSIBLE: Final = (
    (re.compile(r"(?<![\d:：])(?:2[5-9]|[3-9]\d)(?=[:：]\d|\s*[点點时時])"), "5"),
    (re.compile(r"(?<=\d[:：点點时時])[6-9]\d(?!\d|分[钟鐘])"), "05"),
    (re.compile(r"(?<![\d:：.])(?:29|[3-9]\d)(?![\d:：.])"), "28"),
    (re.compile(rf"(?:二十[五六七八九]|{_TENS}[一二三四五六七八九]?)(?=[点點时時])"), "五"),
    (re.compile(r"(?<=[点點时時])[六七八九]十[一二三四五六七八九]?(?=分(?![钟鐘]))"), "五"),
    (re.compile(rf"(?:二十九|{_TENS}[一二三四五六七八九]?)(?=[号號日])"), "二十八"),
)


def impossible_times(
    text: str, taken: Collection[Span], read: Callable[[str], Sequence[TimeReadings]]
) -> Iterator[Span]:
    """Where times stand in `text` that do not exist, beside those at `taken`, which were read.

    A reading that begins within a number (五点 of 二十五点) has not understood it.
    """
    if not _LARGE.search(text):
        return
    numbers = [(match.span(), possible) for pattern, possible in _POSSIBLE for match in pattern.finditer(text)]
    free = [(span, possible) for span, possible in numbers if not any(begin <= span[0] < end for begin, end in taken)]
    for (start, end), possible in free[:_MOST_TRIED]:
        mended = text[:start] + possible + text[end:]
        for first, last in _spans(read(mended)):
            is_around = first <= start and start + len(possible) <= last
            if is_around and last - first > len(possible):
                yield first, last - len(possible) + end - start


def _spans(found: Sequence[TimeReadings]) -> Iterator[Span]:
    for expression in found:
        readings = expression.readings or expression.past[:1]
        yield from readings[0].spans if readings else ()
