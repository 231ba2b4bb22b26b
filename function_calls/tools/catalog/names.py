"""Which tool a model means by a name that is not quite one: another case, a prefix, its words in another order."""

import re
from collections.abc import Callable, Collection, Iterable

_AFTER_THE_NAME = r"<\||[(\[（]"  # special tokens of gpt-oss, or the brackets of a call
_NUMBER = r":\d+\Z"  # Kimi counts its calls there
_PREFIX = r"[.:/]|__"
_WORD = r"[A-Z]?[^\W_A-Z]+|[A-Z]+(?![^\W_A-Z])"


def meant(name: str, names: Collection[str]) -> str | None:
    """Return the one of `names` that `name` means beyond doubt; None when there is none, or more than one."""
    if name in names:
        return name
    bare = _bare(name)
    return _only(names, bare, _letters) or _only(names, bare, _words)


def _only(names: Iterable[str], bare: str, form: Callable[[str], str]) -> str | None:
    wanted = form(bare)
    found = [each for each in names if wanted and form(_bare(each)) == wanted]
    return found[0] if len(found) == 1 else None


def _bare(name: str) -> str:
    """`name` without what stands before and behind it."""
    cut = re.sub(_NUMBER, "", re.split(_AFTER_THE_NAME, name.strip(), maxsplit=1)[0].strip())
    return re.split(_PREFIX, cut)[-1]


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _words(name: str) -> str:
    """Its words in the order of the alphabet: `set_reminder` is `reminder_set`."""
    words = re.findall(_WORD, name)
    return " ".join(sorted(word.casefold() for word in words)) if len(words) > 1 else ""
