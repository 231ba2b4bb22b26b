"""Resolve an inexact tool name: other case, a prefix, or its words in another order."""

import re
from collections.abc import Callable, Collection, Iterable

_AFTER_THE_NAME = r"<\||[(\[（]"  # special tokens of gpt-oss, or the brackets of a call
_NUMBER = r":\d+\Z"  # Kimi counts its calls there
_PREFIX = r"[.:/]|__"
_WORD = r"[A-Z]?[^\W_A-Z]+|[A-Z]+(?![^\W_A-Z])"


def meant(name: str, names: Collection[str]) -> str | None:
    """Return the only one of `names` that `name` matches; None when there is none, or more than one."""
    if name in names:
        return name
    bare = _bare(name)
    return _only(names, bare, _letters) or _only(names, bare, _words)


def _only(names: Iterable[str], bare: str, form: Callable[[str], str]) -> str | None:
    wanted = form(bare)
    found = [each for each in names if wanted and form(_bare(each)) == wanted]
    return found[0] if len(found) == 1 else None


def _bare(name: str) -> str:
    """Return `name` without special tokens and brackets around it."""
    cut = re.sub(_NUMBER, "", re.split(_AFTER_THE_NAME, name.strip(), maxsplit=1)[0].strip())
    return re.split(_PREFIX, cut)[-1]


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _words(name: str) -> str:
    """Return the words of a name, sorted: `set_reminder` equals `reminder_set`."""
    words = re.findall(_WORD, name)
    return " ".join(sorted(word.casefold() for word in words)) if len(words) > 1 else ""
