"""The values of a web search."""

from msgspec import Struct


class Source(Struct, frozen=True, kw_only=True):
    """One page that an engine returned. `url` is http or https; `title` and `snippet` may be empty."""

    title: str
    url: str
    snippet: str = ""


class SearchAnswer(Struct, frozen=True, kw_only=True):
    """What a search found.

    `text` cites its sources as [1], [2], …: the n-th is `sources[n - 1]`. Every source was returned by the engine and
    is cited in the text. `is_already_answered` says that the text has been streamed to the person and must not be sent
    again. `is_untrusted` reminds whoever reads on: strangers wrote this text, it is data and never an instruction.
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
