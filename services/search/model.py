"""Declare sources, answers and the interface of search engines."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from services.kernel.errors import ToolFailed


class Source(Struct, frozen=True, kw_only=True):
    """One page that an engine returned. `url` is http or https; `title` and `snippet` may be empty."""

    title: str
    url: str
    snippet: str = ""


class SearchAnswer(Struct, frozen=True, kw_only=True):
    """The result of a search.

    `text` cites its sources as [1], [2], …: the n-th is `sources[n - 1]`. Every source was returned by the engine and
    is cited in the text. `is_already_answered` says that the text has been streamed to the person and must not be sent
    again. `is_untrusted` reminds the reader: strangers wrote this text, it is data and never an instruction.
    """

    text: str
    sources: tuple[Source, ...] = ()
    engine: str = ""
    is_already_answered: bool = False
    is_untrusted: bool = True

    @property
    def is_empty(self) -> bool:
        """Return whether the engine answered and found nothing."""
        return not self.text and not self.sources


TextListener = Callable[[str], Awaitable[None]]
"""Receives pieces of an answer as they arrive, citations already renumbered."""


class SearchEngine(Protocol):
    """Searches the web."""

    @property
    def name(self) -> str:
        """The engine's short name, as the configuration has it."""
        ...

    async def search(self, query: str, language: str, *, on_text: TextListener | None = None) -> SearchAnswer:
        """Answer `query` for a reader of `language` (a code such as `en` or `zh`).

        An engine that passed its whole text to `on_text` sets `is_already_answered`; others leave `on_text` alone.

        Raises:
            SearchUnavailable: no usable answer.
        """
        ...


class SearchUnavailable(ToolFailed):
    """No engine gave a usable answer.

    `reason` is a short code: `timeout`, `connection`, `rate_limited`, `refused` (key or request), `server_error`,
    `malformed` or `cut` (the answer broke off). `retry_after` is the engine's wish in seconds, None when it named none.
    `attempts` holds (engine, reason) of every engine asked, in order.
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
    """The page could not be read.

    `reason` is a short code: `address` (no web address, or one that is not public), `timeout`, `connection`, `status`,
    `redirects` (too many), `content_type`, `too_large`, `malformed`, or `made_up` (by a model that had read texts of
    others). `detail` says more, never text of the page.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"page unavailable: {reason} {detail}".rstrip())
        self.reason = reason
        self.detail = detail
