"""Search the web, with sources that the engine returned and the answer cites.

Engines are imported from their own modules, so that only those in use are loaded.
"""

from services.search.model import SearchAnswer, SearchEngine, SearchUnavailable, Source, TextListener
from services.search.service import SearchService

__all__ = ["SearchAnswer", "SearchEngine", "SearchService", "SearchUnavailable", "Source", "TextListener"]
