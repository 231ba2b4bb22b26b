"""Searches at `/api/search`, which have the limits of messages."""

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from bot.config.settings import RouterSettings, SearchSettings
from bot.testing.clocks import StandingClock
from tests.support.search_server import SearchServer

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
QUERY = {"query": "how many stars has the galaxy"}


@pytest.fixture
async def search():
    async with SearchServer() as engine:
        yield SearchSettings(engines=("perplexity",), perplexity_api_key=SecretStr("k"), perplexity_base_url=engine.url)


async def test_search_counts_as_a_message_for_the_rate_limit(api_of, search):
    api = await api_of(search=search, router=RouterSettings(messages_per_minute=2), clock=StandingClock(NOON))

    response = await api.post("/api/chat/send?name=Ann", json={"session_id": "lobby", "name": "Ann", "message": "hi"})
    answers = [await api.post("/api/search?name=Ann", json=QUERY) for _ in range(2)]
    of_another = await api.post("/api/search?name=Ben", json=QUERY)

    assert response.status_code == 200
    assert [each.status_code for each in answers] == [200, 429]
    assert answers[1].headers["retry-after"] == "30"
    assert of_another.status_code == 200


async def test_chat_that_is_not_served_cannot_search(api_of, search):
    api = await api_of(search=search, router=RouterSettings(allowed_chats=("web:family",)))

    other_response = await api.post("/api/search", json=QUERY)
    there = await api.post("/api/search?session_id=family", json=QUERY)

    assert (other_response.status_code, other_response.json()["code"]) == (403, "chat_not_served")
    assert there.status_code == 200


async def test_a_search_is_recorded_like_any_call(api_of, search):
    api = await api_of(search=search)
    found = (await api.post("/api/search?name=Ann", json=QUERY)).json()
    [recorded] = (await api.get("/api/admin/tool-calls")).json()["items"]

    assert (recorded["name"], recorded["arguments"]) == ("perplexity_search", QUERY)
    assert found["text"]
    assert found["sources"][0]["url"].startswith("https://")
    assert found["engine"] == "perplexity"


async def test_a_program_that_calls_the_tool_gets_the_sources_too(api_of, search):
    api = await api_of(search=search)
    found = (await api.post("/tools/perplexity_search", json=QUERY)).json()

    assert found["sources"][0]["url"].startswith("https://")


async def test_search_without_an_answering_engine_is_unavailable(api_of):
    nowhere = SearchSettings(
        engines=("perplexity",), perplexity_api_key=SecretStr("k"), perplexity_base_url="http://127.0.0.1:9"
    )
    api = await api_of(search=nowhere)
    answer = await api.post("/api/search", json=QUERY)

    assert answer.status_code == 503
