"""Build sources and answers from the pages that engines return."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from services.kernel.text import unescape_html
from services.search.model import SearchAnswer, Source

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_MARKER = re.compile(r" ?\[\d{1,3}\]")
_TITLE_LENGTH = 120
_SNIPPET_LENGTH = 280
_TEXT_LENGTH = 8_000
_MOST_QUOTES = 3
_KEPT_CONTROLS = "\n\t"


def page(*, url: str, title: str = "", snippet: str = "") -> Source | None:
    """Return a source with clean short texts, None when `url` is not a web address."""
    address = url.strip()
    if not address.lower().startswith(("http://", "https://")) or any(character.isspace() for character in address):
        return None
    return Source(title=_line(title, _TITLE_LENGTH), url=address, snippet=_line(snippet, _SNIPPET_LENGTH))


def distinct(pages: Iterable[Source | None]) -> tuple[Source, ...]:
    """Return the pages that have a web address, each address once."""
    kept: dict[str, Source] = {}
    for found in pages:
        if found is not None:
            kept.setdefault(found.url, found)
    return tuple(kept.values())


def quoting_answer(engine: str, pages: Sequence[Source], *, lead: str = "") -> SearchAnswer:
    """Answer with what the first pages say, for engines that return pages; `lead` is the engine's own short answer."""
    quoted = [found for found in pages if found.snippet][:_MOST_QUOTES]
    quotes = [f"{_MARKER.sub('', found.snippet)} [{number}]" for number, found in enumerate(quoted, start=1)]
    opening = [_MARKER.sub("", plain(lead))] if lead.strip() else []
    return SearchAnswer(text="\n".join([*opening, *quotes]), sources=tuple(quoted), engine=engine)


def plain(text: str) -> str:
    """Return `text` without invisible characters, at most 8,000 characters of it."""
    return visible(text[:_TEXT_LENGTH]).strip()


def visible(text: str) -> str:
    """Return `text` without control and invisible format characters; line ends and tabs stay."""
    return "".join(c for c in text if c in _KEPT_CONTROLS or unicodedata.category(c) not in ("Cc", "Cf"))


def _line(text: str, limit: int) -> str:
    """Return `text` without mark-up on one line, cut at `limit` characters."""
    bare = " ".join(plain(unescape_html(_TAG.sub("", text))).split())
    return bare if len(bare) <= limit else bare[: limit - 1].rstrip() + "…"
