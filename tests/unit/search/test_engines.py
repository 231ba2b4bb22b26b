"""Search engines, with a loopback server in their recorded forms."""

import json
import logging
import re

import httpx
import pytest
from pydantic import SecretStr

from services.search.engines.perplexity import PerplexityEngine
from services.search.engines.result_pages import SearxngEngine, WikipediaEngine
from services.search.model import SearchUnavailable
from tests.support.search_server import Behaviour

NAMES = ["perplexity", "searxng", "tavily", "brave", "wikipedia"]
KEYLESS = {"searxng", "wikipedia"}
every_engine = pytest.mark.parametrize("name", NAMES)


@every_engine
async def test_every_source_was_returned_and_is_cited(engine_named, name):
    answer = await engine_named(name).search("how many stars", "en")

    cited = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
    assert cited == set(range(1, len(answer.sources) + 1))
    assert {source.url for source in answer.sources} == {
        "https://stars.example/milky-way",
        "https://survey.example/gaia",
    }


@every_engine
async def test_an_answer_is_not_yet_sent(engine_named, name):
    answer = await engine_named(name).search("how many stars", "en")

    assert not answer.is_already_answered


@every_engine
async def test_empty_result_is_an_empty_answer(engine_named, server, name):
    server.behaviour = Behaviour.EMPTY

    answer = await engine_named(name).search("zxqv", "en")

    assert answer.is_empty


@every_engine
@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (Behaviour.RATE_LIMITED, "rate_limited"),
        (Behaviour.REFUSED, "refused"),
        (Behaviour.BROKEN, "server_error"),
        (Behaviour.MALFORMED, "malformed"),
        (Behaviour.CUT, "cut"),
    ],
)
async def test_a_failure_is_named(engine_named, server, name, behaviour, reason):
    server.behaviour = behaviour

    with pytest.raises(SearchUnavailable) as failure:
        await engine_named(name).search("how many stars", "en")

    assert failure.value.reason == reason
    assert failure.value.retry_after == (7.0 if reason == "rate_limited" else None)


@every_engine
async def test_a_server_that_is_gone_is_a_connection_failure(engine_named, server, name):
    engine = engine_named(name)
    await server.__aexit__(None, None, None)

    with pytest.raises(SearchUnavailable) as failure:
        await engine.search("how many stars", "en")

    assert failure.value.reason == "connection"


@every_engine
async def test_key_is_not_shown(engine_named, server, name, caplog):
    server.behaviour = Behaviour.REFUSED
    caplog.set_level(logging.DEBUG)
    engine = engine_named(name)

    with pytest.raises(SearchUnavailable) as failure:
        await engine.search("how many stars", "en")

    seen = f"{engine!r} {vars(engine)!r} {failure.value} {failure.value!r} {caplog.text}"
    assert "nobody-may-see" not in seen
    assert name in KEYLESS or "nobody-may-see" in str(server.requests[0].headers)


async def test_a_redirect_is_not_followed():
    transport = httpx.MockTransport(
        lambda request: httpx.Response(302, headers={"location": "http://elsewhere.example"})
    )
    async with httpx.AsyncClient(transport=transport) as redirected:
        with pytest.raises(SearchUnavailable) as failure:
            await SearxngEngine(redirected, base_url="http://127.0.0.1").search("stars", "en")

    assert failure.value.reason == "server_error"


async def test_an_endless_answer_is_refused():
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=b" " * (2 * 1024 * 1024 + 1)))
    async with httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(SearchUnavailable) as failure:
            await SearxngEngine(client, base_url="http://127.0.0.1").search("stars", "en")

    assert failure.value.reason == "malformed"


async def test_perplexity_numbers_citations_in_the_order_of_the_text(engine_named):
    answer = await engine_named("perplexity").search("how many stars", "en")

    assert answer.text == "The galaxy has 100 to 400 billion stars[1][2]. Faint ones are hard to count [2]."
    assert [source.title for source in answer.sources] == ["Milky Way", "Gaia survey"]


async def test_perplexity_is_asked_in_the_chat_completions_form(engine_named, server):
    await engine_named("perplexity").search("银河系有多少星星", "zh")

    body = server.requests[0].body
    assert body["model"] == "sonar"
    assert body["messages"][-1] == {"role": "user", "content": "银河系有多少星星"}
    assert "code zh" in body["messages"][0]["content"]


async def test_perplexity_streams_its_reply_and_says_so(engine_named):
    pieces = []

    async def on_text(piece):
        pieces.append(piece)

    answer = await engine_named("perplexity").search("how many stars", "en", on_text=on_text)

    assert answer.is_already_answered
    assert "".join(pieces) == answer.text
    assert answer.text == "The galaxy has 100 to 400 billion stars[1][2]. Faint ones are hard to count [2]."
    assert len(pieces) > 1
    assert [source.title for source in answer.sources] == ["Milky Way", "Gaia survey"]


async def stream_of(body):
    """Return the answer of Perplexity with `body` as its stream."""
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=body))

    async def on_text(piece):
        assert piece

    async with httpx.AsyncClient(transport=transport) as client:
        engine = PerplexityEngine(client, api_key=SecretStr("key"))
        return await engine.search("how many stars", "en", on_text=on_text)


def stream_body(*events):
    return "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events).encode()


def piece_of(content, finish_reason=None):
    return {"choices": [{"delta": {"content": content}, "finish_reason": finish_reason}]}


async def test_perplexity_lists_sources_that_a_later_event_of_the_stream_lacks():
    answer = await stream_of(
        stream_body(
            {"citations": ["https://a.example", "https://b.example"], **piece_of("stars [2]. ")},
            {"citations": ["https://a.example"], **piece_of(None, "stop")},
        )
    )

    assert [source.url for source in answer.sources] == ["https://b.example"]


@pytest.mark.parametrize("body", [b" " * (2 * 1024 * 1024 + 1), b"data: \n" * 400_000])
async def test_an_endless_stream_is_refused(body):
    with pytest.raises(SearchUnavailable) as failure:
        await stream_of(body)

    assert failure.value.reason == "malformed"


async def test_streamed_text_is_as_short_as_a_whole_one():
    answer = await stream_of(stream_body(piece_of("a" * 9_000), piece_of("b" * 9_000, "stop")))

    assert answer.text == "a" * 8_000


async def test_line_separator_in_a_streamed_text_ends_no_line():
    answer = await stream_of(stream_body(piece_of("many\u2028stars", "stop")))

    assert answer.text == "many\u2028stars"


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [(Behaviour.CUT, "cut"), (Behaviour.MALFORMED, "malformed"), (Behaviour.BROKEN, "server_error")],
)
async def test_a_broken_stream_is_named(engine_named, server, behaviour, reason):
    server.behaviour = behaviour

    async def on_text(piece):
        assert piece

    with pytest.raises(SearchUnavailable) as failure:
        await engine_named("perplexity").search("how many stars", "en", on_text=on_text)

    assert failure.value.reason == reason


async def test_engines_that_return_pages_stream_nothing(engine_named):
    pieces = []

    async def on_text(piece):
        pieces.append(piece)

    answer = await engine_named("brave").search("how many stars", "en", on_text=on_text)

    assert not answer.is_already_answered
    assert pieces == []


async def test_tavily_puts_its_short_answer_before_the_quotations(engine_named):
    answer = await engine_named("tavily").search("how many stars", "en")

    assert answer.text.splitlines()[0] == "Some hundred billion stars."


async def test_mark_up_and_foreign_markers_are_taken_out_of_quotations(engine_named):
    answer = await engine_named("brave").search("how many stars", "zh")

    assert answer.text.splitlines() == [
        "The galaxy has 100 to 400 billion stars. [1]",
        "Gaia counts stars one by one. [2]",
    ]


async def test_brave_is_asked_in_the_readers_language(engine_named, server):
    await engine_named("brave").search("星星", "zh")

    assert server.requests[0].query["search_lang"] == "zh-hans"
    assert server.requests[0].query["q"] == "星星"


async def test_wikipedia_gets_the_contact_of_the_operator(engine_named, server):
    await engine_named("wikipedia").search("银河系", "zh")

    assert server.requests[0].headers["user-agent"] == "Bubbles/1 (mailto:ann@home.example)"
    assert server.requests[0].query["gsrsearch"] == "银河系"


@pytest.mark.parametrize(("language", "host"), [("zh", "zh.wiki.example"), ("xx", "en.wiki.example")])
async def test_wikipedia_is_asked_in_the_readers_language_if_it_exists(language, host):
    requests = []

    def answer(request):
        requests.append(request.url.host)
        return httpx.Response(200, json={"batchcomplete": True})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        engine = WikipediaEngine(client, contact="c", base_url="http://{language}.wiki.example")
        await engine.search("stars", language)

    assert requests == [host]


async def test_articles_are_quoted_in_the_order_of_their_rank(engine_named):
    answer = await engine_named("wikipedia").search("stars", "en")

    assert [source.title for source in answer.sources] == ["Milky Way", "Gaia survey"]


@pytest.mark.parametrize(("code", "reason"), [("maxlag", "rate_limited"), ("badvalue", "refused")])
async def test_refusal_of_wikipedia_with_status_200_is_reported(code, reason):
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json={"error": {"code": code, "info": "no"}}))
    async with httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(SearchUnavailable) as failure:
            await WikipediaEngine(client, contact="c").search("stars", "en")

    assert failure.value.reason == reason
