"""Name tools and arguments: names that every model endpoint takes, the same for the same document every time."""

import hashlib
import re
from collections.abc import Collection
from typing import Final

_LONGEST: Final = 64
_DIGEST: Final = 8
_ODD: Final = re.compile(r"[^A-Za-z0-9_-]+")
_ODD_IN_ARGUMENT: Final = re.compile(r"[^\w.-]")
_LONGEST_MEMBER: Final = 100


def tool_name(operation_id: str, method: str, path: str, taken: Collection[str]) -> str:
    """Return the operation's own id, or method and path; one that is taken gets a number."""
    plain = _plain(operation_id) or _plain(f"{method}_{path.strip('/')}") or method
    return _free(_short(plain), taken)


def argument_name(name: str, place: str, taken: Collection[str]) -> str:
    """Return the parameter's own name; where two places have the same one, the second says its place (`id_query`).

    Members of a body keep their names as they are written, as far as they can be printed.
    """
    is_member = place == "body" and len(name) <= _LONGEST_MEMBER and name.isprintable()
    plain = name if is_member else _ODD_IN_ARGUMENT.sub("_", name)[:_LONGEST]
    return plain if plain and plain not in taken else _free(f"{plain}_{place}", taken)


def _plain(text: str) -> str:
    return _ODD.sub("_", text).strip("_-") if re.search(r"[A-Za-z0-9]", text) else ""


def _short(name: str) -> str:
    if len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: _LONGEST - _DIGEST - 1]}_{digest}"


def _free(name: str, taken: Collection[str]) -> str:
    made, count = name, 1
    while made in taken:
        count += 1
        ending = f"_{count}"
        made = name[: _LONGEST - len(ending)] + ending
    return made
