"""A loopback server and the engines asking it."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from pydantic import SecretStr

from services.search.engines.exchange import open_client
from services.search.engines.perplexity import PerplexityEngine
from services.search.engines.result_pages import BraveEngine, SearxngEngine, TavilyEngine, WikipediaEngine
from services.search.model import SearchEngine
from tests.support.search_server import SearchServer

KEY = "key-that-nobody-may-see"


@pytest.fixture
async def server() -> AsyncIterator[SearchServer]:
    async with SearchServer() as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(trust_environment=False) as opened:
        yield opened


@pytest.fixture
def engine_named(server: SearchServer, client: httpx.AsyncClient) -> Callable[[str], SearchEngine]:
    engines: tuple[SearchEngine, ...] = (
        PerplexityEngine(client, api_key=SecretStr(KEY), base_url=server.url),
        SearxngEngine(client, base_url=server.url + "/"),
        TavilyEngine(client, api_key=SecretStr(KEY), base_url=server.url),
        BraveEngine(client, api_key=SecretStr(KEY), base_url=server.url),
        WikipediaEngine(client, contact="mailto:ann@home.example", base_url=server.url),
    )
    return lambda name: next(engine for engine in engines if engine.name == name)
