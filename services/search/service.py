"""Search the web with the first engine that answers, with a cache and timeouts."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from services.kernel.bounded import BoundedDict
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.kernel.network import RequestPauses
from services.search.model import SearchAnswer, SearchEngine, SearchUnavailable, TextListener

_MAX_ANSWERS = 128
_MAX_SHOWN_LENGTH = 120
"""The longest query that a refusal repeats, in characters."""
_MAX_PAUSE_SECONDS = 300.0
_DEFAULT_PAUSE_SECONDS = 30.0


class SearchService:
    """Asks engines one after the other; a rate-limited engine is skipped until it admits requests again."""

    def __init__(
        self,
        engines: Sequence[SearchEngine] = (),
        *,
        clock: Clock,
        timeout: timedelta = timedelta(seconds=30),
        cache_ttl: timedelta = timedelta(minutes=10),
    ) -> None:
        self._engines = tuple(engines)
        self._clock = clock
        self._timeout = timeout
        self._cache_ttl = cache_ttl
        self._answers: BoundedDict[tuple[str, str], tuple[datetime, SearchAnswer]] = BoundedDict(_MAX_ANSWERS)
        self._pauses = RequestPauses()

    @property
    def is_configured(self) -> bool:
        """Return whether there is an engine."""
        return bool(self._engines)

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` with sources. The timeout applies to each engine.

        If all engines found nothing, the answer is empty (`is_empty`). With `on_text`, an engine may stream its reply,
        and then sets `is_already_answered`.

        Raises:
            RequestRefused: `search_not_configured` with the query, or `search_query_empty`.
            SearchUnavailable: no engine gave an answer; `attempts` has their reasons.
        """
        query = query.strip()
        if not self._engines:
            raise RequestRefused("search_not_configured", query=shorten_query(query))
        if not query:
            raise RequestRefused("search_query_empty")
        key = (" ".join(query.split()).casefold(), language)
        remembered = self._answers.get(key)
        if remembered is not None and timedelta() <= self._clock.now() - remembered[0] < self._cache_ttl:
            self._answers.move_to_end(key)
            return remembered[1]
        answer = await self._first_answer(query, language, on_text)
        if not answer.is_empty:
            self._answers[key] = (self._clock.now(), replace(answer, is_already_answered=False))
        return answer

    async def _first_answer(self, query: str, language: str, on_text: TextListener | None) -> SearchAnswer:
        failures: list[SearchUnavailable] = []
        empty: SearchAnswer | None = None
        listener = None if on_text is None else _RecordingListener(on_text)
        for engine in self._engines:
            try:
                answer = await self._ask(engine, query, language, listener)
            except SearchUnavailable as error:
                failures.append(error)
                if listener is not None and listener.has_text:
                    break  # a part of this reply is in the chat, so a second engine must not reply
                continue
            if not answer.is_empty:
                return answer
            empty = empty or answer
        if empty is not None:
            return empty
        raise SearchUnavailable(
            failures[-1].reason,
            engine=failures[-1].engine,
            retry_after=failures[-1].retry_after,
            attempts=tuple((failure.engine, failure.reason) for failure in failures),
        ) from failures[-1]

    async def _ask(
        self, engine: SearchEngine, query: str, language: str, listener: TextListener | None
    ) -> SearchAnswer:
        now = self._clock.now()
        if seconds := self._pauses.seconds_left(engine.name, now):
            raise SearchUnavailable("rate_limited", engine=engine.name, retry_after=seconds)
        try:
            async with asyncio.timeout(self._timeout.total_seconds()):
                return await engine.search(query, language, on_text=listener)
        except TimeoutError as error:
            raise SearchUnavailable("timeout", engine=engine.name) from error
        except SearchUnavailable as error:
            if error.reason == "rate_limited":
                pause = _DEFAULT_PAUSE_SECONDS if error.retry_after is None else error.retry_after
                self._pauses.begin(engine.name, now, min(pause, _MAX_PAUSE_SECONDS))
            raise


def shorten_query(query: str) -> str:
    """Return a query for a refusal: short, and without mentions, which would notify somebody."""
    return query.replace("@", "")[:_MAX_SHOWN_LENGTH]


class _RecordingListener:
    """Passes text to a listener; `has_text` after the first one."""

    def __init__(self, on_text: TextListener) -> None:
        self._on_text = on_text
        self.has_text = False

    async def __call__(self, text: str) -> None:
        self.has_text = True
        await self._on_text(text)
