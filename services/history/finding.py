"""What a message is found by, and the order of those that fit a query: every term first, then most of them."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from services.chat import Attachment

Found = TypeVar("Found")

NEWEST_OF_A_TERM = 50
"""Where no message has all terms, so many of the newest that have one of them are compared."""


def searched_text(text: str, attachments: Sequence[Attachment] = ()) -> str:
    """Return what a message is found by: the descriptions of what came with it, and its text."""
    described = [each.description for each in attachments if each.description]
    return "\n".join([*described, text]) if described else text


def best_first(candidates: Iterable[tuple[Found, frozenset[str]]], wanted: Sequence[str], limit: int) -> list[Found]:
    """At most `limit` of `candidates` (newest first, each with its terms) that have half of `wanted` or more.

    A term counts the more, the fewer candidates have it; of equals the newest comes first.
    """
    kept = list(candidates)
    worth = {term: 1 / (1 + sum(term in terms for _, terms in kept)) for term in wanted}
    fewest = (len(wanted) + 1) // 2
    scored = [
        (sum(worth[term] for term in wanted if term in terms), found)
        for found, terms in kept
        if sum(term in terms for term in wanted) >= fewest
    ]
    scored.sort(key=lambda each: -each[0])  # stable: equals stay newest first
    return [found for _, found in scored[:limit]]
