"""Words of others on their way to a terminal: without what would steer it, or turn the direction of reading."""

import re
from typing import Final

# The control characters but tab and line feed, escape sequences being made of them, and those that turn text round.
_STEERING: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """`text` as a terminal may be given it."""
    return _STEERING.sub("", text)
