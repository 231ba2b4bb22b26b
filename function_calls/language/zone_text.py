"""Format names of time zones."""

import re

_OFFSET = re.compile(r"Etc/GMT([+-])(\d+)")


def zone_label(name: str) -> str:
    """Format the name of a zone; an offset with the usual sign: `Etc/GMT-8` is UTC+8."""
    found = _OFFSET.fullmatch(name)
    if found is None:
        return name
    return f"UTC{'-' if found[1] == '+' else '+'}{found[2]}"
