"""Time zones as people read them, and who may set one for a whole chat."""

import re

_OFFSET = re.compile(r"Etc/GMT([+-])(\d+)")


def zone_label(name: str) -> str:
    """Return the name of a zone; an offset with the sign that people know: `Etc/GMT-8` is UTC+8."""
    found = _OFFSET.fullmatch(name)
    if found is None:
        return name
    return f"UTC{'-' if found[1] == '+' else '+'}{found[2]}"
