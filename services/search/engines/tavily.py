"""Search with Tavily, a search service for language models.

Source: https://docs.tavily.com/documentation/api-reference/endpoint/search.
"""

from typing import TYPE_CHECKING

from pydantic import BaseModel, SecretStr

from services.search.engines.exchange import fetch
from services.search.engines.pages import distinct, page, quoting_answer
from services.search.model import SearchAnswer, TextListener

if TYPE_CHECKING:
    import httpx

_MAX_RESULTS = 5


class _Result(BaseModel):
    url: str
    title: str | None = None
    content: str | None = None


class _Results(BaseModel):
    results: list[_Result]
    answer: str | None = None


class TavilyEngine:
    """Asks Tavily; gives its short answer and quotes the first pages."""

    def __init__(
        self, client: "httpx.AsyncClient", *, api_key: SecretStr, base_url: str = "https://api.tavily.com"
    ) -> None:
        self._client = client
        self._api_key = api_key
        self._url = f"{base_url.rstrip('/')}/search"

    @property
    def name(self) -> str:
        """Return `tavily`."""
        return "tavily"

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query`; nothing is streamed, and Tavily takes no language.

        Raises:
            SearchUnavailable: no usable answer.
        """
        del language, on_text
        request = self._client.build_request(
            "POST",
            self._url,
            headers={"Authorization": f"Bearer {self._api_key.get_secret_value()}"},
            json={"query": query, "include_answer": True, "max_results": _MAX_RESULTS},
        )
        found = await fetch(self._client, request, _Results, engine=self.name)
        pages = distinct(
            page(url=each.url, title=each.title or "", snippet=each.content or "") for each in found.results
        )
        return quoting_answer(self.name, pages, lead=found.answer or "")
