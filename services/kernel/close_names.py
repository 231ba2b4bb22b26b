"""Suggest known names that resemble an unknown one."""

from collections.abc import Iterable


def closest_name(name: str, known: Iterable[str], *, count: int = 1, at_least: float = 0.5) -> list[str]:
    """Return up to `count` of `known` that resemble `name`, the likeliest first.

    `at_least` is how alike they must be, from 0 to 1: `difflib.SequenceMatcher.ratio`.
    """
    from difflib import get_close_matches  # a slip is rare, and difflib is no small module

    return get_close_matches(name, list(known), n=count, cutoff=at_least)
