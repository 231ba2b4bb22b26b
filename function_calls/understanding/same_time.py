"""Take "at the same time" out of words: the hour of a reminder is meant, and not that of the present moment."""

from function_calls.understanding.pack import LanguagePack


def without_same_time(text: str, pack: LanguagePack) -> str:
    """`text` without it: a day alone keeps the clock that there was."""
    found = pack.same_time.search(pack.fold(text))
    joint = " " if pack.data.is_spaced else ""
    return text if found is None else joint.join((text[: found.start()], text[found.end() :])).strip()
