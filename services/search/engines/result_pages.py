"""Search with Brave, SearXNG, Tavily and Wikipedia, and quote their first result pages.

Sources: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started,
https://docs.searxng.org/dev/search_api.html, https://docs.tavily.com/documentation/api-reference/endpoint/search,
https://www.mediawiki.org/wiki/API:Search, https://www.mediawiki.org/wiki/Extension:TextExtracts.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic

from pydantic import BaseModel, SecretStr

from services.search.engines.exchange import Body, fetch
from services.search.engines.pages import answer_with_quotes, distinct, page
from services.search.model import SearchAnswer, SearchUnavailable, Source, TextListener

if TYPE_CHECKING:
    import httpx

_MAX_RESULTS = 5
_NO_KEY = SecretStr("")


class _Result(BaseModel):
    """A result page; Brave has its text in `description`, other engines in `content`."""

    url: str
    title: str | None = None
    description: str | None = None
    content: str | None = None


class PageEngine(Generic[Body]):
    """The base class of engines with result pages; subclasses build the request and parse the answer."""

    name: str
    form: type[Body]
    home = ""

    def __init__(self, client: "httpx.AsyncClient", *, api_key: SecretStr = _NO_KEY, base_url: str = "") -> None:
        """Create an engine; `base_url` is `home` by default, `api_key` is empty for engines without one."""
        self._client = client
        self._api_key = api_key
        self._base_url = (base_url or self.home).rstrip("/")

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` with quotations of the first pages, without streaming."""
        del on_text
        found = await fetch(self._client, self.request(query, language), self.form, engine=self.name)
        pages, lead = self.read(found)
        return answer_with_quotes(self.name, distinct(pages), lead=lead)

    def request(self, query: str, language: str) -> "httpx.Request":
        """Return the request for `query`."""
        raise NotImplementedError

    def read(self, answer: Body) -> tuple[Iterable[Source | None], str]:
        """Return the pages of an answer, and the engine's own short answer or an empty string.

        Raises:
            SearchUnavailable: the answer reports an error.
        """
        raise NotImplementedError


class _BraveWeb(BaseModel):
    results: list[_Result] = []


class _BraveAnswer(BaseModel):
    """`web` is missing if nothing was found; `type` distinguishes an answer from other JSON objects."""

    type: str
    web: _BraveWeb | None = None


class BraveEngine(PageEngine[_BraveAnswer]):
    """Brave Search, an independent web index."""

    name = "brave"
    form = _BraveAnswer
    home = "https://api.search.brave.com"
    _max_characters = 400

    def request(self, query: str, language: str) -> "httpx.Request":
        """Return the request for `query`, truncated to the limit of Brave."""
        params = {"q": query[: self._max_characters], "count": str(_MAX_RESULTS), "text_decorations": "false"}
        if language in {"en", "zh", "es"}:
            params["search_lang"] = "zh-hans" if language == "zh" else language
        return self._client.build_request(
            "GET",
            f"{self._base_url}/res/v1/web/search",
            params=params,
            headers={"X-Subscription-Token": self._api_key.get_secret_value(), "Accept": "application/json"},
        )

    def read(self, answer: _BraveAnswer) -> tuple[Iterable[Source | None], str]:
        """Return the pages."""
        return _pages(answer.web.results if answer.web else []), ""


class _SearxngInstantAnswer(BaseModel):
    answer: str = ""


class _SearxngAnswer(BaseModel):
    """`answers` are strings in versions before 2025 and objects since."""

    results: list[_Result]
    answers: list[str | _SearxngInstantAnswer] = []


class SearxngEngine(PageEngine[_SearxngAnswer]):
    """SearXNG, a self-hosted metasearch engine; its format `json` must be enabled."""

    name = "searxng"
    form = _SearxngAnswer

    def request(self, query: str, language: str) -> "httpx.Request":
        """Return the request for `query`."""
        params = {"q": query, "format": "json", "language": language, "safesearch": "1"}
        return self._client.build_request("GET", f"{self._base_url}/search", params=params)

    def read(self, answer: _SearxngAnswer) -> tuple[Iterable[Source | None], str]:
        """Return the pages and the first instant answer."""
        instant = next(iter(answer.answers), "")
        return _pages(answer.results), instant if isinstance(instant, str) else instant.answer


class _TavilyAnswer(BaseModel):
    results: list[_Result]
    answer: str | None = None


class TavilyEngine(PageEngine[_TavilyAnswer]):
    """Tavily, a search service for language models, without a parameter for the language."""

    name = "tavily"
    form = _TavilyAnswer
    home = "https://api.tavily.com"

    def request(self, query: str, language: str) -> "httpx.Request":
        """Return the request for `query`."""
        del language
        return self._client.build_request(
            "POST",
            f"{self._base_url}/search",
            headers={"Authorization": f"Bearer {self._api_key.get_secret_value()}"},
            json={"query": query, "include_answer": True, "max_results": _MAX_RESULTS},
        )

    def read(self, answer: _TavilyAnswer) -> tuple[Iterable[Source | None], str]:
        """Return the pages and Tavily's short answer."""
        return _pages(answer.results), answer.answer or ""


class _Article(BaseModel):
    """An article; `index` is its position among the results, which are unordered."""

    index: int = 0
    title: str = ""
    extract: str | None = None
    fullurl: str = ""


class _WikipediaQuery(BaseModel):
    pages: list[_Article] = []


class _WikipediaError(BaseModel):
    code: str


class _WikipediaAnswer(BaseModel):
    """`query` is missing if nothing was found; a refusal is an `error` with the HTTP status of success."""

    query: _WikipediaQuery | None = None
    error: _WikipediaError | None = None
    batchcomplete: bool = False


class WikipediaEngine(PageEngine[_WikipediaAnswer]):
    """Wikipedia in the language of the reader, without a key.

    Wikimedia requires every client to name its operator: `contact` is a mail address or page. `base_url` may contain
    `{language}`.
    Source: https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_API_Usage_Guidelines.
    """

    name = "wikipedia"
    form = _WikipediaAnswer
    home = "https://{language}.wikipedia.org"
    _max_characters = 300
    _languages = frozenset({"en", "zh", "es", "de", "fr", "ja"})
    _busy = frozenset({"maxlag", "ratelimited", "readonly"})

    def __init__(self, client: "httpx.AsyncClient", *, contact: str, base_url: str = "") -> None:
        super().__init__(client, base_url=base_url)
        self._agent = f"Bubbles/1 ({contact})"

    def request(self, query: str, language: str) -> "httpx.Request":
        """Return the request for the introductions of the articles that match `query`."""
        language = language if language in self._languages else "en"
        params = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "generator": "search",
            "gsrsearch": query[: self._max_characters],
            "gsrlimit": str(_MAX_RESULTS),
            "prop": "extracts|info",
            "inprop": "url",
            "exintro": "1",
            "explaintext": "1",
            "exsentences": "2",
            "exlimit": "max",
        }
        if language == "zh":
            params["variant"] = "zh-cn"
        url = f"{self._base_url.replace('{language}', language)}/w/api.php"
        return self._client.build_request("GET", url, params=params, headers={"User-Agent": self._agent})

    def read(self, answer: _WikipediaAnswer) -> tuple[Iterable[Source | None], str]:
        """Return the articles in order.

        Raises:
            SearchUnavailable: the answer reports an error, or is not an answer.
        """
        if answer.error is not None:
            reason = "rate_limited" if answer.error.code in self._busy else "refused"
            raise SearchUnavailable(reason, engine=self.name)
        if answer.query is None and not answer.batchcomplete:
            raise SearchUnavailable("malformed", engine=self.name)
        articles = sorted(answer.query.pages if answer.query else [], key=lambda article: article.index)
        return (
            page(url=article.fullurl, title=article.title, snippet=article.extract or "") for article in articles
        ), ""


def _pages(results: Iterable[_Result]) -> Iterable[Source | None]:
    return (
        page(url=result.url, title=result.title or "", snippet=result.content or result.description or "")
        for result in results
    )
