"""Tell letters that a text must hold for a regular expression to match it: to look for them is many times as fast."""

import re
from collections.abc import Iterator, Sequence

Words = tuple[str, ...]
"""Letters of which a text has at least one group; none where nothing can be told."""

_PART = re.compile(
    r"\\(?P<kind>u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[A-Za-z])|\\(?P<mark>\W)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<without>\(\?<?!)|(?P<open>\((?:\?(?:<?=|:|P<\w+>|[a-z]+:))?)|(?P<close>\))"
    r"|(?P<often>[?*]\??|\{0?,\d*\}|\{0\})|(?P<times>\+\??|\{[1-9]\d*(?:,\d*)?\})|(?P<way>\|)|(?P<any>[.^$])|(?P<letter>.)",
    re.DOTALL,
)


def certain_words(pattern: str) -> Words:
    """Letters of which every text has some that `pattern` matches; none where it may match without."""
    return _of_ways(_PART.finditer(pattern))


def _of_ways(parts: Iterator[re.Match[str]]) -> Words:
    """What is certain as far as the bracket that closes `parts`: of each way of matching, one thing."""
    ways: list[Words] = []
    certain: list[Words] = []
    run = ""
    for part in parts:
        if part["letter"] or part["mark"]:
            run += part["letter"] or part["mark"]
            continue
        if part["often"]:  # what stands before it may be missing
            certain, run = (certain, run[:-1]) if run else (certain[:-1], "")
        certain.append((run,) if run else ())
        run = ""
        if part["open"]:
            certain.append(_of_ways(parts))
        elif part["without"]:
            _of_ways(parts)
            certain.append(())
        elif part["kind"] or part["set"] or part["any"]:
            certain.append(())
        elif part["way"]:
            ways.append(_rarest(certain))
            certain = []
        elif part["close"]:
            break
    ways.append(_rarest([*certain, (run,) if run else ()]))
    return tuple(word for way in ways for word in way) if all(ways) else ()


def _rarest(certain: Sequence[Words]) -> Words:
    """The group with the fewest and longest letters; single letters are met too often to tell much."""
    return max(filter(None, certain), key=_how_telling, default=())


def _how_telling(words: Words) -> tuple[bool, int, int]:
    shortest = min(map(len, words))
    return shortest > 1, -len(words), shortest
