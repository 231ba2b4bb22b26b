"""Search with SearXNG, a self-hosted metasearch engine; `json` must be among its enabled formats.

Source: https://docs.searxng.org/dev/search_api.html.
"""

from typing import TYPE_CHECKING

from pydantic import BaseModel

from services.search.engines.exchange import fetch
from services.search.engines.pages import distinct, page, quoting_answer
from services.search.model import SearchAnswer, TextListener

if TYPE_CHECKING:
    import httpx


class _Result(BaseModel):
    url: str
    title: str | None = None
    content: str | None = None


class _InstantAnswer(BaseModel):
    answer: str = ""


class _Results(BaseModel):
    """`answers` were plain texts in versions before 2025 and are objects since."""

    results: list[_Result]
    answers: list[str | _InstantAnswer] = []


class SearxngEngine:
    """Asks a SearXNG instance and quotes the first pages."""

    def __init__(self, client: "httpx.AsyncClient", *, base_url: str) -> None:
        self._client = client
        self._url = f"{base_url.rstrip('/')}/search"

    @property
    def name(self) -> str:
        """Return `searxng`."""
        return "searxng"

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` with quotations of the first pages; nothing is streamed.

        Raises:
            SearchUnavailable: no usable answer; `refused` also where the instance does not offer JSON.
        """
        del on_text
        request = self._client.build_request(
            "GET", self._url, params={"q": query, "format": "json", "language": language, "safesearch": "1"}
        )
        found = await fetch(self._client, request, _Results, engine=self.name)
        pages = distinct(
            page(url=each.url, title=each.title or "", snippet=each.content or "") for each in found.results
        )
        instant = next(iter(found.answers), "")
        return quoting_answer(self.name, pages, lead=instant if isinstance(instant, str) else instant.answer)
