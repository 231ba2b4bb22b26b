"""Check that the cited messages support the claims of a model, and convert supported claims to bullets."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

from services.kernel.chat import ChatMessage
from services.summary.lexicon import find_links, is_cjk, lexicon, terms
from services.summary.model import Bullet
from services.summary.requests import MESSAGE_LENGTH, ClaimedBullet

_SUPPORTED_SHARE = 0.5
_STEM_LENGTH = 5
_MIN_QUOTE_LENGTH = 2
"""The minimum of content terms of a quotation that counts as evidence."""
_NUMBER = re.compile(r"\d+")
_THOUSANDS_MARK = re.compile(r"(?<=\d)[.,'’](?=\d{3}(?!\d))")
_SCHEME = re.compile(r"^https?://", re.IGNORECASE)


class Evidence(Struct, frozen=True, kw_only=True):
    """The text and the authors of the cited messages. `outsiders` are the other members of the chat."""

    texts: tuple[str, ...]
    names: tuple[str, ...]
    outsiders: tuple[str, ...] = ()

    def supports(self, text: str, *, quote: str = "") -> bool:
        """Return whether the cited words support `text`.

        All numbers, links and people must occur, and at least half of the content terms. If the bullet is in another
        script than the messages, a verbatim `quote` replaces the content terms.
        """
        cited_text = "\n".join(self.texts)
        if not _digits(text) <= _digits(cited_text) | _number_words(cited_text):
            return False
        if not _addresses(text) <= _addresses(cited_text):
            return False
        if self._names_an_outsider(text, cited_text):
            return False
        claimed = _stems(terms(text))
        shared = claimed & _stems([*terms(cited_text), *(term for name in self.names for term in terms(name))])
        if claimed and len(shared) >= _SUPPORTED_SHARE * len(claimed):
            return True
        return (_is_mostly_cjk(text) != _is_mostly_cjk(cited_text)) and self._contains(quote)

    def _names_an_outsider(self, text: str, cited_text: str) -> bool:
        return any(_has_name(text, name) and not _has_name(cited_text, name) for name in self.outsiders)

    def _contains(self, quote: str) -> bool:
        wanted = _fold(quote)
        return len(terms(quote)) >= _MIN_QUOTE_LENGTH and any(wanted in _fold(text) for text in self.texts)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _stems(found: Iterable[str]) -> set[str]:
    """Return the beginnings of words, so that "decided" supports "decision", and Chinese pairs unchanged."""
    return {term[:_STEM_LENGTH] for term in found}


def _digits(text: str) -> set[str]:
    """Return the numbers of `text`, without leading zeros and the marks between thousands."""
    return {number.lstrip("0") or "0" for number in _NUMBER.findall(_THOUSANDS_MARK.sub("", _fold(text)))}


def _addresses(text: str) -> set[str]:
    """Return the links of `text` without their schemes."""
    return {_SCHEME.sub("", link) for link in find_links(text)}


def _number_words(text: str) -> set[str]:
    return {value for word, value in lexicon().numbers.items() if _has_name(text, word)}


def _has_name(text: str, name: str) -> bool:
    """Return whether `name` occurs in `text` as a word, or anywhere in scripts without spaces."""
    wanted = _fold(name)
    if not wanted:
        return False
    if is_cjk(wanted[0]) or is_cjk(wanted[-1]):
        return wanted in _fold(text)
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _fold(text)) is not None


def _is_mostly_cjk(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(map(is_cjk, letters)) > len(letters)


_MAX_IDS = 5


def check_claims(claims: Iterable[ClaimedBullet], part: Sequence[ChatMessage]) -> tuple[Bullet, ...]:
    """Return the supported claims about the messages of `part`, in the order of the conversation."""
    names = {message.sender.name for message in part}
    return tuple(filter(None, (_check_claim(claim, part, names) for claim in _in_order(claims, len(part)))))


def check_merges(claims: Iterable[ClaimedBullet], points: Sequence[Bullet]) -> tuple[Bullet, ...]:
    """Return the supported claims about `points`, each with the messages of the cited points."""
    return tuple(filter(None, (_check_merge(claim, points) for claim in _in_order(claims, len(points)))))


def _in_order(claims: Iterable[ClaimedBullet], count: int) -> list[ClaimedBullet]:
    """Return non-empty claims that cite only known lines."""
    known = range(1, count + 1)
    citing = [
        claim
        for claim in claims
        if claim.text.strip() and claim.ids and all(message_id in known for message_id in claim.ids)
    ]
    return sorted(citing, key=lambda claim: min(claim.ids))


def _check_claim(claim: ClaimedBullet, part: Sequence[ChatMessage], names: set[str]) -> Bullet | None:
    cited = [part[number - 1] for number in sorted(set(claim.ids))][:_MAX_IDS]
    authors = {message.sender.name for message in cited}
    evidence = Evidence(
        texts=tuple(message.text[:MESSAGE_LENGTH] for message in cited),  # as the model read them
        names=tuple(authors),
        outsiders=tuple(names - authors),
    )
    text = " ".join(claim.text.split())
    if not evidence.supports(text, quote=claim.quote):
        return None
    return Bullet(text=text, message_ids=tuple(message.id for message in cited), sender=cited[0].sender.name)


def _check_merge(claim: ClaimedBullet, points: Sequence[Bullet]) -> Bullet | None:
    cited = [points[number - 1] for number in sorted(set(claim.ids))]
    text = " ".join(claim.text.split())
    if not Evidence(texts=tuple(point.text for point in cited), names=()).supports(text):
        return None
    ids = dict.fromkeys(message_id for point in cited for message_id in point.message_ids)
    return Bullet(text=text, message_ids=tuple(ids)[:_MAX_IDS], sender=cited[0].sender)
