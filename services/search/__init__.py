"""Web search with sources that were really returned and really cited."""

from services.search.brave import BraveEngine
from services.search.errors import SearchUnavailable
from services.search.model import SearchAnswer, Source
from services.search.perplexity import PerplexityEngine
from services.search.ports import SearchEngine, TextListener
from services.search.searxng import SearxngEngine
from services.search.service import SearchService
from services.search.tavily import TavilyEngine
from services.search.web import open_client

__all__ = [
    "BraveEngine",
    "PerplexityEngine",
    "SearchAnswer",
    "SearchEngine",
    "SearchService",
    "SearchUnavailable",
    "SearxngEngine",
    "Source",
    "TavilyEngine",
    "TextListener",
    "open_client",
]
