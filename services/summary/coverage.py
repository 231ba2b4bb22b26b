"""Choose the messages that together cover most of a conversation.

The method is greedy maximisation of a monotone submodular function under scaled cost: each message covers the terms in
it, a term weighs the square root of the number of messages that use it, and gain is divided by a power of the message's
length. A term already covered still counts by half, so that what everybody talks about stays in sight.
Source: Lin and Bilmes, "Multi-document Summarization via Budgeted Maximization of Submodular Functions", NAACL 2010,
https://aclanthology.org/N10-1134/; the lazy evaluation is Minoux's accelerated greedy (1978).
"""

import heapq
import math
from collections import Counter
from collections.abc import Sequence

from services.summary.terms import is_cjk, reading_length, terms

_LENGTH_POWER = 0.65
_LENGTH_FLOOR = 20
_REPEATED_SHARE = 0.5
_UNSHARED_WEIGHT = 0.1
_EARLY_BONUS = 0.2
"""Openings state the subject: the first message counts a fifth more than the last."""
_PAIR_WEIGHT = 0.5
"""A Chinese word of average length gives two pairs."""


def choose(texts: Sequence[str], count: int) -> list[int]:
    """Return the positions of at most `count` texts, in order, no two of them alike."""
    bags = [frozenset(terms(text)) for text in texts]
    weights = term_weights(bags)
    scales = [
        (1 + _EARLY_BONUS * (1 - position / len(texts))) / (reading_length(text) + _LENGTH_FLOOR) ** _LENGTH_POWER
        for position, text in enumerate(texts)
    ]
    heap = [(-scales[i] * sum(weights[term] for term in bag), i) for i, bag in enumerate(bags) if bag]
    heapq.heapify(heap)
    covered: set[str] = set()
    chosen: list[int] = []
    chosen_bags: set[frozenset[str]] = set()
    while heap and len(chosen) < count:
        _, best = heapq.heappop(heap)
        if bags[best] in chosen_bags:
            continue
        gain = scales[best] * _gain(bags[best], weights, covered)
        if heap and gain < -heap[0][0]:
            heapq.heappush(heap, (-gain, best))
            continue
        chosen.append(best)
        chosen_bags.add(bags[best])
        covered |= bags[best]
    return sorted(chosen)


def term_weights(bags: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return each term's weight: what several messages share counts, what one message says alone hardly does."""
    shared = Counter(term for bag in bags for term in bag)
    return {term: _weight(term, uses) for term, uses in shared.items()}


def _weight(term: str, uses: int) -> float:
    weight = math.sqrt(uses) if uses > 1 else _UNSHARED_WEIGHT
    return weight * _PAIR_WEIGHT if is_cjk(term[0]) else weight


def _gain(bag: frozenset[str], weights: dict[str, float], covered: set[str]) -> float:
    return sum(weights[term] * (_REPEATED_SHARE if term in covered else 1.0) for term in bag)
