"""Read numbers written with Chinese numerals."""

from typing import NamedTuple

DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "壹": 1, "贰": 2, "叁": 3}
POWERS = {"十": 10, "百": 100, "千": 1000}
TENS = {"廿": 20, "卅": 30}
CHARACTERS = frozenset(DIGITS) | frozenset(POWERS) | frozenset(TENS) | {"万"}


class Numeral(NamedTuple):
    """A number and the offset of its end; `digits` is the number of digits if it was spelled digit by digit, else 0."""

    value: int
    end: int
    digits: int


def read_numeral(text: str, start: int) -> Numeral | None:
    """Read the longest number that begins at `start`, such as 二十三, 两千零四 or 二零一六."""
    spelled = _read_digits(text, start)
    counted = _read_powers(text, start)
    if spelled and (counted is None or spelled.end > counted.end):
        return spelled
    return counted


def _read_digits(text: str, start: int) -> Numeral | None:
    """Read a number spelled digit by digit: 二零一六."""
    end = start
    while end < len(text) and end - start < 4 and text[end] in DIGITS:
        end += 1
    if end - start < 2:
        return None
    value = int("".join(str(DIGITS[c]) for c in text[start:end]))
    return Numeral(value, end, end - start)


def _read_powers(text: str, start: int) -> Numeral | None:
    """Read a number with powers of ten: 一百二十三, 十五, 廿九, 三万."""
    total, section, figure, end = 0, 0, -1, start
    limit = 100_000
    for place in range(start, len(text)):
        char = text[place]
        if char in DIGITS:
            if figure > 0:
                break
            figure = DIGITS[char]
        elif char in POWERS and POWERS[char] < limit:
            limit = POWERS[char]
            section += (1 if figure < 0 else figure) * limit
            figure = -1
        elif char in TENS and place == start:
            section, limit = TENS[char], 10
        elif char == "万" and place > start and not total:
            total, section, figure, limit = (section + max(figure, 0)) * 10_000, 0, -1, 100_000
        else:
            break
        end = place + 1
    if end == start:
        return None
    return Numeral(total + section + max(figure, 0), end, 0)
