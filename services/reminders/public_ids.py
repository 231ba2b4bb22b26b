"""Short ids that people type: a letter first, no look-alikes, one for each row for ever."""

_LETTERS = "abcdefghjkmnpqrstuvwxyz"
_SYMBOLS = _LETTERS + "23456789"
_TAIL = 5
_SPACE: int = len(_LETTERS) * len(_SYMBOLS) ** _TAIL
_FACTOR = 358_413_187  # shares no factor with _SPACE, so multiplying scatters ids without a clash
_INVERSE: int = pow(_FACTOR, -1, _SPACE)


def public_id(key: int) -> str:
    """The id of row `key` (1 and up): six symbols, more after some 658 million rows."""
    rounds, place = divmod(key, _SPACE)
    number = place * _FACTOR % _SPACE
    tail = ""
    for _ in range(_TAIL):
        number, symbol = divmod(number, len(_SYMBOLS))
        tail = _SYMBOLS[symbol] + tail
    return _LETTERS[number] + tail + (_SYMBOLS[0] * rounds if rounds else "")


def row_key(identifier: str) -> int | None:
    """The row that a complete id names, None when it cannot be one."""
    text = identifier.strip().lower()
    head, extra = text[: _TAIL + 1], text[_TAIL + 1 :]
    if len(head) <= _TAIL or head[0] not in _LETTERS or any(symbol not in _SYMBOLS for symbol in head[1:]):
        return None
    if extra.strip(_SYMBOLS[0]):
        return None
    number = _LETTERS.index(head[0])
    for symbol in head[1:]:
        number = number * len(_SYMBOLS) + _SYMBOLS.index(symbol)
    return number * _INVERSE % _SPACE + len(extra) * _SPACE
