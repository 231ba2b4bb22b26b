"""Declare sources, answers and the interface of search engines."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from services.kernel.errors import ToolFailed


class Source(Struct, frozen=True, kw_only=True):
    """A page returned by an engine. `url` is http or https; `title` and `snippet` may be empty."""

    title: str
    url: str
    snippet: str = ""


class SearchAnswer(Struct, frozen=True, kw_only=True):
    """The result of a search.

    `text` cites its sources as [1], [2], …: the n-th is `sources[n - 1]`. Every source was returned by the engine and
    is cited in the text. `is_already_answered`: the text was streamed to the person and must not be sent again.
    """

    text: str
    sources: tuple[Source, ...] = ()
    engine: str = ""
    is_already_answered: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether the engine answered and found nothing."""
        return not self.text and not self.sources


TextListener = Callable[[str], Awaitable[None]]
"""Receives pieces of an answer with renumbered citations."""


class SearchEngine(Protocol):
    """Searches the web."""

    @property
    def name(self) -> str:
        """The name of the engine in the settings."""

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` for a reader of `language` (a code such as `en` or `zh`).

        An engine that passed its whole text to `on_text` sets `is_already_answered`; other engines ignore `on_text`.

        Raises:
            SearchUnavailable: no usable answer.
        """


class SearchUnavailable(ToolFailed):
    """No engine gave a usable answer.

    `reason` is a short code: `timeout`, `connection`, `rate_limited`, `refused` (key or request), `server_error`,
    `malformed` or `cut` (an incomplete answer). `retry_after` is the wait in seconds that the engine asked for, or
    None. `attempts` has (engine, reason) of every attempted engine, in order.
    """

    def __init__(
        self,
        reason: str,
        *,
        engine: str,
        retry_after: float | None = None,
        attempts: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.reason = reason
        self.engine = engine
        self.retry_after = retry_after
        self.attempts = attempts or ((engine, reason),)
        super().__init__("search unavailable: " + ", ".join(f"{name} {why}" for name, why in self.attempts))


class PageUnavailable(ToolFailed):
    """The page cannot be read.

    `reason` is a short code: `address` (not a public web address), `timeout`, `connection`, `status`, `redirects` (too
    many), `content_type`, `too_large`, `malformed`, or `made_up` (by a model that has read untrusted text). `detail`
    never contains text of the page.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"page unavailable: {reason} {detail}".rstrip())
        self.reason = reason
        self.detail = detail
