"""Summarise without a model, by quoting the messages that cover most terms of a conversation.

The method is greedy maximisation of a monotone submodular function under scaled cost: each message covers the terms in
it, a term weighs the square root of the number of messages that use it, and gain is divided by a power of the message's
length. A term already covered still counts by half, so that frequent subjects are not lost.
Source: Lin and Bilmes, Multi-document Summarization via Budgeted Maximization of Submodular Functions, NAACL 2010,
https://aclanthology.org/N10-1134/; the lazy evaluation is Minoux's accelerated greedy (1978).
"""

import heapq
import math
import re
from collections import Counter
from collections.abc import Sequence

from services.kernel.chat import ChatMessage
from services.summary.content import is_chatter
from services.summary.lexicon import is_cjk, reading_length, terms
from services.summary.model import Bullet

_SENTENCE = re.compile(r".+?(?:[.!?…]+(?=\s|$)|[。！？；]+|$)")
_CUT = "…"
_LOOKED_AT = 4_000
"""The number of characters at the beginning of a message from which it is quoted."""


def quote(text: str, *, about: frozenset[str] = frozenset(), limit: int = 240) -> str:
    """Return `text` on one line, at most about `limit` Latin letters long (a Chinese character counts as three).

    For a longer text return the sequence of sentences with most of the terms in `about`, and mark the cuts.
    """
    line = " ".join(text[:_LOOKED_AT].split())
    if reading_length(line) <= limit:
        return line
    sentences = [match.group().strip() for match in _SENTENCE.finditer(line)]
    start, end = _best_run(sentences, about, limit)
    run = _clip(" ".join(sentences[start:end]), limit)
    return f"{_CUT if start else ''}{run}{_CUT if end < len(sentences) and not run.endswith(_CUT) else ''}"


def _best_run(sentences: list[str], about: frozenset[str], limit: int) -> tuple[int, int]:
    worth = [len(about.intersection(terms(sentence))) for sentence in sentences]
    lengths = [reading_length(sentence) for sentence in sentences]
    best = (0, 1)
    best_worth = -1
    for start in range(len(sentences)):
        end, length = start + 1, lengths[start]
        while end < len(sentences) and length + lengths[end] <= limit:
            length += lengths[end]
            end += 1
        if sum(worth[start:end]) > best_worth:
            best, best_worth = (start, end), sum(worth[start:end])
    return best


def _clip(text: str, limit: int) -> str:
    """Truncate a sentence at a word boundary, or anywhere in a script without spaces."""
    if reading_length(text) <= limit:
        return text
    count = 0
    length = 0
    while length < limit:
        length += reading_length(text[count])
        count += 1
    head = text[:count]
    at_word = head.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > count // 2 else head).rstrip() + _CUT


_LENGTH_POWER = 0.65
_LENGTH_FLOOR = 20
_REPEATED_SHARE = 0.5
_UNSHARED_WEIGHT = 0.1
_EARLY_BONUS = 0.2
"""The first message weighs a fifth more than the last, because beginnings state the subject."""
_PAIR_WEIGHT = 0.5
"""The number of pairs in a Chinese word of average length."""


def choose(texts: Sequence[str], count: int) -> list[int]:
    """Return the positions of at most `count` texts, in order, without similar ones."""
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
    """Return the weight of each term, which is small for terms of a single message."""
    shared = Counter(term for bag in bags for term in bag)
    return {term: _weight(term, uses) for term, uses in shared.items()}


def _weight(term: str, uses: int) -> float:
    weight = math.sqrt(uses) if uses > 1 else _UNSHARED_WEIGHT
    return weight * _PAIR_WEIGHT if is_cjk(term[0]) else weight


def _gain(bag: frozenset[str], weights: dict[str, float], covered: set[str]) -> float:
    return sum(weights[term] * (_REPEATED_SHARE if term in covered else 1.0) for term in bag)


def quote_best(messages: Sequence[ChatMessage], count: int) -> tuple[Bullet, ...]:
    """Choose and quote at most `count` content messages; thanks and greetings only if there are no others."""
    candidates = [message for message in messages if not is_chatter(message.text)] or list(messages)
    texts = [message.text for message in candidates]
    chosen = choose(texts, count) or list(range(min(count, len(candidates))))
    about = frozenset(term for position in chosen for term in terms(texts[position]))
    return tuple(
        Bullet(
            text=quote(candidates[position].text, about=about),
            message_ids=(candidates[position].id,),
            sender=candidates[position].sender.name,
        )
        for position in chosen
    )
