"""Create the search engines that the settings have keys or addresses for."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.config.settings import SearchSettings
from services.kernel.clock import Clock
from services.search.model import SearchEngine
from services.search.service import SearchService

if TYPE_CHECKING:
    import httpx


async def create_search_service(
    settings: SearchSettings, clock: Clock, resources: AsyncExitStack, more: Sequence[SearchEngine] = ()
) -> SearchService:
    """Return the search over the configured engines, in the order of the settings, then `more` of plugins.

    `resources` closes the connections of the former.
    """
    configured = [name for name in settings.engines if _is_configured(settings, name)]
    timeout, cache_ttl = timedelta(seconds=settings.timeout_seconds), timedelta(minutes=settings.cache_minutes)
    if not configured:
        return SearchService(more, clock=clock, timeout=timeout, cache_ttl=cache_ttl)
    from services.search.engines.exchange import open_client

    client = await resources.enter_async_context(open_client())
    engines = [_engine(name, settings, client) for name in configured]
    return SearchService([*engines, *more], clock=clock, timeout=timeout, cache_ttl=cache_ttl)


def _is_configured(settings: SearchSettings, name: str) -> bool:
    if name in {"searxng", "wikipedia"}:
        return bool(settings.searxng_url if name == "searxng" else settings.wikipedia_contact)
    keys = {
        "perplexity": settings.perplexity_api_key,
        "tavily": settings.tavily_api_key,
        "brave": settings.brave_api_key,
    }
    return bool(keys[name].get_secret_value())


def _engine(name: str, settings: SearchSettings, client: "httpx.AsyncClient") -> SearchEngine:
    if name == "perplexity":
        from services.search.engines.perplexity import PerplexityEngine

        return PerplexityEngine(
            client,
            api_key=settings.perplexity_api_key,
            model=settings.perplexity_model,
            base_url=settings.perplexity_base_url,
        )
    from services.search.engines.result_pages import BraveEngine, SearxngEngine, TavilyEngine, WikipediaEngine

    if name == "tavily":
        return TavilyEngine(client, api_key=settings.tavily_api_key)
    if name == "brave":
        return BraveEngine(client, api_key=settings.brave_api_key)
    if name == "wikipedia":
        return WikipediaEngine(client, contact=settings.wikipedia_contact)
    return SearxngEngine(client, base_url=settings.searxng_url)
