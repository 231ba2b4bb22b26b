"""Web search with sources that were really returned and cited.

Each engine is imported from its own module, so that only those in use cost anything.
"""

from services.search.model import SearchAnswer, SearchEngine, SearchUnavailable, Source, TextListener
from services.search.service import SearchService

__all__ = ["SearchAnswer", "SearchEngine", "SearchService", "SearchUnavailable", "Source", "TextListener"]
