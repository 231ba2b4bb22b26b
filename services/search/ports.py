"""What a search engine must offer."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from services.search.model import SearchAnswer

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
