"""Search Wikipedia through its public API: no key needed, encyclopaedia articles only.

Wikimedia asks whoever calls to say who answers for it, and whoever shows its texts to name where they are from.
Sources: https://www.mediawiki.org/wiki/API:Search, https://www.mediawiki.org/wiki/Extension:TextExtracts,
https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_API_Usage_Guidelines.
"""

from typing import TYPE_CHECKING

from pydantic import BaseModel

from services.search.engines.exchange import fetch
from services.search.engines.pages import distinct, page, quoting_answer
from services.search.model import SearchAnswer, SearchUnavailable, TextListener

if TYPE_CHECKING:
    import httpx

_MAX_RESULTS = 5
_MAX_QUERY_CHARACTERS = 300
_SENTENCES = 2
_FALLBACK = "en"
_LANGUAGES = frozenset({"en", "zh", "es", "de", "fr", "ja"})
_VARIANTS = {"zh": {"variant": "zh-cn"}}
_BUSY = frozenset({"maxlag", "ratelimited", "readonly"})


class _Page(BaseModel):
    """An article; `index` is its place among the results, which come in no order."""

    index: int = 0
    title: str = ""
    extract: str | None = None
    fullurl: str = ""


class _Query(BaseModel):
    pages: list[_Page] = []


class _Failure(BaseModel):
    code: str


class _Results(BaseModel):
    """`query` is missing when nothing was found; a refusal comes as `error` with the status of success."""

    query: _Query | None = None
    error: _Failure | None = None
    batchcomplete: bool = False


class WikipediaEngine:
    """Asks the Wikipedia of the reader's language and quotes the first articles.

    `contact` is a mail address or page of whoever runs the bot. `base_url` may hold `{language}`.
    """

    def __init__(
        self, client: "httpx.AsyncClient", *, contact: str, base_url: str = "https://{language}.wikipedia.org"
    ) -> None:
        self._client = client
        self._agent = f"Bubbles/1 ({contact})"
        self._base_url = base_url.rstrip("/")

    @property
    def name(self) -> str:
        """Return `wikipedia`."""
        return "wikipedia"

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` with the beginnings of the first articles; nothing is streamed.

        Raises:
            SearchUnavailable: no usable answer.
        """
        del on_text
        request = self._request(query, language if language in _LANGUAGES else _FALLBACK)
        found = await fetch(self._client, request, _Results, engine=self.name)
        if found.error is not None:
            reason = "rate_limited" if found.error.code in _BUSY else "refused"
            raise SearchUnavailable(reason, engine=self.name)
        if found.query is None and not found.batchcomplete:
            raise SearchUnavailable("malformed", engine=self.name)
        articles = sorted(found.query.pages if found.query else [], key=lambda each: each.index)
        return quoting_answer(
            self.name,
            distinct(page(url=each.fullurl, title=each.title, snippet=each.extract or "") for each in articles),
        )

    def _request(self, query: str, language: str) -> "httpx.Request":
        return self._client.build_request(
            "GET",
            f"{self._base_url.replace('{language}', language)}/w/api.php",
            params={
                "action": "query",
                "format": "json",
                "formatversion": "2",
                "generator": "search",
                "gsrsearch": query[:_MAX_QUERY_CHARACTERS],
                "gsrlimit": str(_MAX_RESULTS),
                "prop": "extracts|info",
                "inprop": "url",
                "exintro": "1",
                "explaintext": "1",
                "exsentences": str(_SENTENCES),
                "exlimit": "max",
                **_VARIANTS.get(language, {}),
            },
            headers={"User-Agent": self._agent},
        )
