"""Check that the messages a model's claims cite support them, and turn those into bullets."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

from services.kernel.chat import ChatMessage
from services.summary.lexicon import is_cjk, lexicon, terms
from services.summary.model import Bullet
from services.summary.requests import ClaimedBullet

_SUPPORTED_SHARE = 0.5
_STEM_LENGTH = 5
_SHORTEST_QUOTE = 2
"""Content terms that a quotation needs to prove anything."""
_NUMBER = re.compile(r"\d+")
_LINK = re.compile(r"https?://[^\s<>\"'，。；！？、）】》「」]+")


class Evidence(Struct, frozen=True, kw_only=True):
    """The text and the authors of the cited messages. `outsiders` are members of the chat who wrote none of them."""

    texts: tuple[str, ...]
    names: tuple[str, ...]
    outsiders: tuple[str, ...] = ()

    def supports(self, text: str, *, quote: str = "") -> bool:
        """Return whether the cited words support `text`.

        Numbers, links and people must all be there. Of the content terms at least half must be; where the bullet is
        written in another script than the messages, a verbatim `quote` stands in for that.
        """
        said = "\n".join(self.texts)
        if not _digits(text) <= _digits(said) | _number_words(said) or not set(_LINK.findall(text)) <= set(
            _LINK.findall(said)
        ):
            return False
        if self._names_an_outsider(text, said):
            return False
        claimed = _stems(terms(text))
        shared = claimed & _stems([*terms(said), *(term for name in self.names for term in terms(name))])
        if claimed and len(shared) >= _SUPPORTED_SHARE * len(claimed):
            return True
        return (_is_mostly_cjk(text) != _is_mostly_cjk(said)) and self._contains(quote)

    def _names_an_outsider(self, text: str, said: str) -> bool:
        return any(_has_name(text, name) and not _has_name(said, name) for name in self.outsiders)

    def _contains(self, quote: str) -> bool:
        wanted = _folded(quote)
        return len(terms(quote)) >= _SHORTEST_QUOTE and any(wanted in _folded(text) for text in self.texts)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _stems(found: Iterable[str]) -> set[str]:
    """Compare words by their beginning, so that "decided" supports "decision"; Chinese pairs as they are."""
    return {term[:_STEM_LENGTH] for term in found}


def _digits(text: str) -> set[str]:
    return {number.lstrip("0") or "0" for number in _NUMBER.findall(_folded(text))}


def _number_words(text: str) -> set[str]:
    return {value for word, value in lexicon().numbers.items() if _has_name(text, word)}


def _has_name(text: str, name: str) -> bool:
    """Return whether `name` stands in `text` as a word; in scripts without spaces, anywhere."""
    wanted = _folded(name)
    if not wanted:
        return False
    if is_cjk(wanted[0]) or is_cjk(wanted[-1]):
        return wanted in _folded(text)
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _folded(text)) is not None


def _is_mostly_cjk(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(map(is_cjk, letters)) > len(letters)


_MOST_IDS = 5


def check_claims(claims: Iterable[ClaimedBullet], part: Sequence[ChatMessage]) -> tuple[Bullet, ...]:
    """Return the supported claims about the messages of `part`, in the order of the conversation."""
    names = {message.sender.name for message in part}
    return _kept(_checked_claim(claim, part, names) for claim in _in_order(claims, len(part)))


def check_merges(claims: Iterable[ClaimedBullet], points: Sequence[Bullet]) -> tuple[Bullet, ...]:
    """Return the supported claims about `points`, each with the messages of the points it cites."""
    return _kept(_checked_merge(claim, points) for claim in _in_order(claims, len(points)))


def _in_order(claims: Iterable[ClaimedBullet], count: int) -> list[ClaimedBullet]:
    """Return claims that say something and cite known lines only."""
    known = range(1, count + 1)
    citing = [
        claim
        for claim in claims
        if claim.text.strip() and claim.ids and all(message_id in known for message_id in claim.ids)
    ]
    return sorted(citing, key=lambda claim: min(claim.ids))


def _checked_claim(claim: ClaimedBullet, part: Sequence[ChatMessage], names: set[str]) -> Bullet | None:
    cited = [part[number - 1] for number in sorted(set(claim.ids))][:_MOST_IDS]
    authors = {message.sender.name for message in cited}
    evidence = Evidence(
        texts=tuple(message.text for message in cited), names=tuple(authors), outsiders=tuple(names - authors)
    )
    text = " ".join(claim.text.split())
    if not evidence.supports(text, quote=claim.quote):
        return None
    return Bullet(text=text, message_ids=tuple(message.id for message in cited), sender=cited[0].sender.name)


def _checked_merge(claim: ClaimedBullet, points: Sequence[Bullet]) -> Bullet | None:
    cited = [points[number - 1] for number in sorted(set(claim.ids))]
    text = " ".join(claim.text.split())
    if not Evidence(texts=tuple(point.text for point in cited), names=()).supports(text):
        return None
    ids = dict.fromkeys(message_id for point in cited for message_id in point.message_ids)
    return Bullet(text=text, message_ids=tuple(ids)[:_MOST_IDS], sender=cited[0].sender)


def _kept(bullets: Iterable[Bullet | None]) -> tuple[Bullet, ...]:
    return tuple(bullet for bullet in bullets if bullet is not None)
