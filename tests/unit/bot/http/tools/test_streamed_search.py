"""A web search streamed by an engine into the room, as one answer."""

import json

import pytest
from pydantic import SecretStr

from bot.config.settings import SearchSettings
from bot.testing.models import ScriptedInterpreter
from function_calls.tools.calls import ToolCall
from tests.support.search_server import Behaviour, SearchServer

QUESTION = "Bubbles, search the web for how many stars the galaxy has"


@pytest.fixture
async def engine():
    async with SearchServer() as running:
        yield running


def settings_of(engine):
    return SearchSettings(
        engines=("perplexity",), perplexity_api_key=SecretStr("k"), perplexity_base_url=engine.url, cache_minutes=10
    )


@pytest.fixture
async def api(api_of, engine):
    return await api_of(search=settings_of(engine))


async def ask(api, text=QUESTION):
    """Return the server-sent events of the answer, as (kind, data)."""
    body = {"session_id": "lobby", "message": text, "name": "Ann"}
    answer = await api.post("/api/chat/send", json=body, headers={"Accept": "text/event-stream"})
    blocks = [block.splitlines() for block in answer.text.strip().split("\n\n") if not block.startswith(":")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


async def list_bot_messages(api):
    messages = (await api.get("/api/chat/sessions/lobby/messages")).json()
    return [each["content"] for each in messages if each["role"] == "assistant"]


async def test_text_of_the_engine_is_streamed_during_the_search(api):
    events = await ask(api)

    kinds = [kind for kind, _ in events]
    assert kinds[:2] == ["start", "tool_start"]
    assert kinds.index("message") < kinds.index("tool_complete")


async def test_answer_is_the_streamed_text_with_its_sources_below(api):
    events = await ask(api)

    streamed = "".join(data["content"] for kind, data in events if kind == "message")
    whole = events[-1][1]["message"]["text"]
    assert whole.startswith(streamed)
    assert "[1]" in streamed
    assert "https://stars.example/milky-way" in whole[len(streamed) :]


async def test_a_streamed_answer_is_one_message(api, engine):
    await ask(api)

    assert len(await list_bot_messages(api)) == 1
    assert engine.requests[0].body["stream"] is True


async def test_interrupted_stream_is_replaced_by_an_error_message(api, engine):
    engine.behaviour = Behaviour.CUT

    events = await ask(api)

    assert (
        "could not reach a search engine just now (perplexity: incomplete answer)" in events[-1][1]["message"]["text"]
    )
    assert len(await list_bot_messages(api)) == 1


async def test_cached_answer_is_sent_without_streaming(api, engine):
    await ask(api)

    events = await ask(api)

    assert len(engine.requests) == 1
    assert "https://stars.example/milky-way" in events[-1][1]["message"]["text"]


async def test_first_of_two_parallel_searches_is_streamed_and_the_answer_has_both(api_of, engine):
    calls = [ToolCall(id=each, name="perplexity_search", arguments={"query": each}) for each in ("stars", "moons")]
    api = await api_of(search=settings_of(engine), interpreter=ScriptedInterpreter([calls]))

    events = await ask(api, "Bubbles, search for stars and for moons")

    streamed = "".join(data["content"] for kind, data in events if kind == "message")
    whole = events[-1][1]["message"]["text"]
    assert streamed
    assert whole.startswith(streamed)
    assert whole.count(streamed) == 2
