"""Search with Brave Search, an independent web index.

Source: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started.
"""

from typing import TYPE_CHECKING

from pydantic import BaseModel, SecretStr

from services.search.engines.exchange import fetch
from services.search.engines.pages import distinct, page, quoting_answer
from services.search.model import SearchAnswer, TextListener

if TYPE_CHECKING:
    import httpx

_MAX_RESULTS = 5
_MAX_QUERY_CHARACTERS = 400
_LANGUAGES = {"en": "en", "zh": "zh-hans"}


class _Result(BaseModel):
    url: str
    title: str | None = None
    description: str | None = None


class _Web(BaseModel):
    results: list[_Result] = []


class _Results(BaseModel):
    """`web` is missing when nothing was found; `type` tells a real answer from another JSON object."""

    type: str
    web: _Web | None = None


class BraveEngine:
    """Asks Brave and quotes the first pages."""

    def __init__(
        self,
        client: "httpx.AsyncClient",
        *,
        api_key: SecretStr,
        base_url: str = "https://api.search.brave.com",
    ) -> None:
        self._client = client
        self._api_key = api_key
        self._url = f"{base_url.rstrip('/')}/res/v1/web/search"

    @property
    def name(self) -> str:
        """Return `brave`."""
        return "brave"

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` with quotations of the first pages; nothing is streamed.

        Raises:
            SearchUnavailable: no usable answer.
        """
        del on_text
        params = {"q": query[:_MAX_QUERY_CHARACTERS], "count": str(_MAX_RESULTS), "text_decorations": "false"}
        if language in _LANGUAGES:
            params["search_lang"] = _LANGUAGES[language]
        request = self._client.build_request(
            "GET",
            self._url,
            params=params,
            headers={"X-Subscription-Token": self._api_key.get_secret_value(), "Accept": "application/json"},
        )
        found = await fetch(self._client, request, _Results, engine=self.name)
        results = found.web.results if found.web else []
        pages = distinct(page(url=each.url, title=each.title or "", snippet=each.description or "") for each in results)
        return quoting_answer(self.name, pages)
