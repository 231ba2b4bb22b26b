"""Search with Perplexity, a language model with web search and an OpenAI-compatible API.

Source: https://docs.perplexity.ai/api-reference/chat-completions-post; besides the OpenAI fields its answers have
`citations` (URLs; [n] in the text is the n-th) and `search_results` (title, url, date, snippet).
"""

import re
from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING

from pydantic import BaseModel, SecretStr

from services.search.engines.exchange import body_pieces, exchange, fetch, parse
from services.search.engines.pages import TEXT_LENGTH, CitationNumbering, page, plain, renumber, visible
from services.search.model import SearchAnswer, SearchUnavailable, Source, TextListener

if TYPE_CHECKING:
    import httpx

_DATA = b"data:"
_DONE = b"[DONE]"
_THOUGHT = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
_MAX_TOKENS = 800
_MANNER = "Answer briefly and precisely in the language with the code {language}. Cite sources as [n]."


class _SearchResult(BaseModel):
    url: str
    title: str | None = None
    snippet: str | None = None


class _Piece(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Piece = _Piece()
    delta: _Piece = _Piece()
    finish_reason: str | None = None


class _Completion(BaseModel):
    """An answer, or one event of a streamed one; an event without choices may have sources."""

    choices: list[_Choice]
    citations: list[str] | None = None
    search_results: list[_SearchResult] | None = None


class PerplexityEngine:
    """Asks a Perplexity model; streams the reply to a listener."""

    name = "perplexity"

    def __init__(
        self,
        client: "httpx.AsyncClient",
        *,
        api_key: SecretStr,
        model: str = "sonar",
        base_url: str = "https://api.perplexity.ai",
    ) -> None:
        self._client = client
        self._api_key = api_key
        self._model = model
        self._url = f"{base_url.rstrip('/')}/chat/completions"

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query`; with `on_text` the reply is streamed, except that of reasoning models."""
        if on_text is not None and "reasoning" not in self._model:
            return await self._stream(query, language, on_text)
        answer = await fetch(self._client, self._request(query, language), _Completion, engine=self.name)
        if not answer.choices:
            raise SearchUnavailable("malformed", engine=self.name)
        written = plain(_THOUGHT.sub("", answer.choices[0].message.content or ""))
        text, sources = renumber(written, _sources(answer))
        return SearchAnswer(text=text, sources=sources, engine=self.name)

    async def _stream(self, query: str, language: str, on_text: TextListener) -> SearchAnswer:
        request = self._request(query, language, is_streamed=True)
        numbering = CitationNumbering()
        sources: list[Source] = []
        shown: list[str] = []
        is_finished, left = False, TEXT_LENGTH
        async with exchange(self._client, request, engine=self.name) as response:
            async for line in _lines(body_pieces(response, engine=self.name)):
                event = self._event(line)
                if event is None:
                    continue
                listed = _sources(event)
                if len(listed) >= len(sources):  # a shorter list may lack sources that the text cites
                    sources = listed
                for choice in event.choices:
                    is_finished = is_finished or choice.finish_reason is not None
                    piece = (choice.delta.content or "")[:left]
                    left -= len(piece)
                    await _pass_on(numbering.feed(visible(piece), sources), shown, on_text)
        if not is_finished:
            raise SearchUnavailable("cut", engine=self.name)
        await _pass_on(numbering.finish(sources), shown, on_text)
        return SearchAnswer(
            text="".join(shown),
            sources=numbering.list_cited(sources),
            engine=self.name,
            is_already_answered=bool(shown),
        )

    def _event(self, line: bytes) -> _Completion | None:
        data = line.removeprefix(_DATA).strip()
        if not line.startswith(_DATA) or not data or data == _DONE:
            return None
        return parse(data, _Completion, engine=self.name)

    def _request(self, query: str, language: str, *, is_streamed: bool = False) -> "httpx.Request":
        return self._client.build_request(
            "POST",
            self._url,
            headers={"Authorization": f"Bearer {self._api_key.get_secret_value()}"},
            json={
                "model": self._model,
                "messages": [
                    {"role": "system", "content": _MANNER.format(language=language)},
                    {"role": "user", "content": query},
                ],
                "max_tokens": _MAX_TOKENS,
                "stream": is_streamed,
            },
        )


async def _lines(pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield lines, which only line feeds end: JSON may contain other line separators, such as U+2028."""
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line
    yield rest


async def _pass_on(text: str, shown: list[str], on_text: TextListener) -> None:
    if text:
        shown.append(text)
        await on_text(text)


def _sources(answer: _Completion) -> list[Source]:
    """Return the sources in the order of their numbers in the text: those of `citations`, if any.

    A source without a web address keeps its number, so that later ones do not shift.
    """
    results = {result.url: result for result in answer.search_results or []}
    addresses = answer.citations or list(results)
    return [_source(address, results.get(address)) for address in addresses]


def _source(address: str, result: _SearchResult | None) -> Source:
    title = (result.title if result else None) or ""
    snippet = (result.snippet if result else None) or ""
    return page(url=address, title=title, snippet=snippet) or Source(title=title, url="")
