"""Check that the messages a bullet cites support it."""

import re
import unicodedata
from collections.abc import Iterable

from msgspec import Struct

from services.summary.lexicon import lexicon
from services.summary.terms import is_cjk, terms

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
        """Return whether `text` follows from the cited words, as far as words can tell.

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
        return _is_other_script(text, said) and self._contains(quote)

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


def _is_other_script(text: str, said: str) -> bool:
    return _is_mostly_cjk(text) != _is_mostly_cjk(said)


def _is_mostly_cjk(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(map(is_cjk, letters)) > len(letters)
