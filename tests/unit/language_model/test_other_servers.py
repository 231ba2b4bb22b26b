"""Answers as servers really write them, which is not always as the API's reference says: the client puts them right.

Each form was reported of a server in use (Ollama, llama.cpp, vLLM, Gemini, DeepSeek, Qwen, Moonshot, OpenRouter, Groq,
Azure, new-api and other proxies).
"""

import gzip
import json

import pytest

from services.kernel.errors import ModelUnavailable
from services.language_model.failures import EndpointFailed, RequestRejected
from services.language_model.openai_model import OpenAIModel, RequestRetries
from services.language_model.ports import CompletionRequest, Timeouts
from tests.support.openai_server import OpenAIServer, Raw

TEA = '{"content": "喝茶", "type": "daily"}'
TEA_CALL = ("reminder_set", TEA)
LIST_CALL = ("reminder_list", "{}")


def part(name=None, arguments=None, **fields):
    """Return one entry of a delta's or message's `tool_calls`."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {**fields, "function": function}


def delta(*parts, **fields):
    return {"choices": [{"index": 0, "delta": {**({"tool_calls": list(parts)} if parts else {}), **fields}}]}


def end(reason="tool_calls", **fields):
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason, **fields}]}


def events(*chunks, done=True, line="\n\n"):
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}{line}" for chunk in chunks]
    return "".join([*lines, f"data: [DONE]{line}" if done else ""]).encode()


def stream_answer(*chunks, **options):
    return Raw(code=200, body=events(*chunks, **options), content_type="text/event-stream; charset=utf-8")


def make_answer(message, reason="stop", **fields):
    answer = {"choices": [{"index": 0, "message": message, "finish_reason": reason}], **fields}
    return Raw(code=200, body=json.dumps(answer).encode())


def model_at(server, **options):
    return OpenAIModel(
        "m",
        base_url=server.base_url,
        timeouts=Timeouts(connect=1, silence=2, total=4),
        retries=RequestRetries(attempts=options.pop("attempts", 1), first_delay=0.001),
        **options,
    )


async def ask(script, *, on_text=None, **options):
    async with OpenAIServer(script if isinstance(script, list) else [script]) as server:
        model = model_at(server, **options)
        await model.warm_up()
        try:
            return await model.complete(CompletionRequest(messages=[{"role": "user", "content": "x"}], on_text=on_text))
        finally:
            await model.close()


async def fail(answer, **options):
    with pytest.raises(ModelUnavailable) as error:
        await ask(answer, **options)
    return error.value


class TextListener:
    def __init__(self):
        self.heard = ""

    async def __call__(self, text):
        self.heard += text


def list_calls(completion):
    return [(call.name, json.loads(call.arguments or "{}")) for call in completion.calls]


def parse_calls(*calls):
    return [(name, json.loads(arguments)) for name, arguments in calls]


STREAMED_CALLS = {
    "index missing, ids given": [
        delta(part("reminder_set", TEA, id="a")),
        delta(part("reminder_list", "{}", id="b")),
    ],
    "index missing, id empty on later parts": [
        delta(part("reminder_set", TEA[:9], id="a")),
        delta(part(None, TEA[9:], id="", type="")),
        delta(part("reminder_list", "{}", id="b")),
    ],
    "index always 0, ids differ (Gemini proxies, Ollama)": [
        delta(part("reminder_set", TEA, index=0, id="a")),
        delta(part("reminder_list", "{}", index=0, id="b")),
    ],
    "index always 0, no ids": [
        delta(part("reminder_set", TEA, index=0, id="")),
        delta(part("reminder_list", "{}", index=0, id="")),
    ],
    "index always 0, all in one chunk": [
        delta(part("reminder_set", TEA, index=0, id="a"), part("reminder_list", "{}", index=0, id="b")),
    ],
    "index always 0, arguments in parts": [
        delta(part("reminder_set", TEA[:5], index=0, id="a")),
        delta(part(None, TEA[5:], index=0)),
        delta(part("reminder_list", "", index=0, id="b")),
        delta(part(None, "{}", index=0)),
    ],
    "index null": [
        delta(part("reminder_set", TEA, index=None, id="a")),
        delta(part("reminder_list", None, index=None, id="b")),
    ],
    "the same id for both": [
        delta(part("reminder_set", TEA, index=0, id="a")),
        delta(part("reminder_list", "{}", index=1, id="a")),
    ],
    "no arguments at all": [
        delta(part("reminder_set", TEA, index=0, id="a")),
        delta(part("reminder_list", None, index=1, id="b")),
    ],
    "a part with metadata only (Gemini)": [
        delta(part("reminder_set", TEA, id="a"), part("reminder_list", "{}", id="b")),
        delta({"extra_content": {"google": {"thought_signature": "abc"}}}),
    ],
    "role missing, content null": [
        delta(part("reminder_set", TEA, index=0, id="a"), content=None),
        delta(part("reminder_list", "{}", index=1, id="b"), content=None, role=None),
    ],
    "last chunk says it all again as a message": [
        delta(part("reminder_set", TEA, index=0, id="a"), part("reminder_list", "{}", index=1, id="b")),
        {
            "choices": [
                {"message": {"tool_calls": [part(*TEA_CALL, id="a"), part(*LIST_CALL, id="b")]}, "finish_reason": None}
            ]
        },
    ],
}

STREAMED_TEA = {
    "name in every part": [
        delta(part("reminder_set", "", index=0, id="a")),
        *[delta(part("reminder_set", piece, index=0, id="a")) for piece in (TEA[:4], TEA[4:9], TEA[9:])],
    ],
    "name in every part and no id": [
        delta(part("reminder_set", "", index=0)),
        *[delta(part("reminder_set", piece, index=0)) for piece in (TEA[:4], TEA[4:9], TEA[9:])],
    ],
    "name in pieces": [
        delta(part("remin", None, index=0, id="a")),
        delta(part("der_set", None, index=0)),
        delta(part(None, TEA, index=0)),
    ],
    "name grows": [
        delta(part("remin", None, index=0, id="a")),
        delta(part("reminder_set", None, index=0)),
        delta(part(None, TEA, index=0)),
    ],
    "another id with every part": [
        delta(part("reminder_set", TEA[:4], index=0, id="a")),
        delta(part(None, TEA[4:], index=0, id="b")),
    ],
    "arguments as an object": [delta(part("reminder_set", json.loads(TEA), index=0, id="a"))],
    "arguments opened with an empty object": [
        delta(part("reminder_set", "{}", index=0, id="a")),
        delta(part(None, TEA[:6], index=0)),
        delta(part(None, TEA[6:], index=0)),
    ],
    "arguments ended with all of them again": [
        delta(part("reminder_set", TEA[:6], index=0, id="a")),
        delta(part(None, TEA[6:], index=0)),
        delta(part(None, TEA, index=0)),
    ],
    "arguments that grow": [
        delta(part("reminder_set", TEA[:6], index=0, id="a")),
        delta(part(None, TEA[:12], index=0)),
        delta(part(None, TEA, index=0)),
    ],
    "arguments letter by letter": [
        delta(part("reminder_set", "", index=0, id="a")),
        *[delta(part(None, letter, index=0)) for letter in TEA],
    ],
    "the old function_call": [
        delta(function_call={"name": "reminder_set", "arguments": ""}),
        delta(function_call={"arguments": TEA[:7]}),
        delta(function_call={"arguments": TEA[7:]}),
    ],
    "one call that is no list": [delta(tool_calls=part("reminder_set", TEA, index=0, id="a"))],
    "name and arguments beside the id": [
        delta(tool_calls=[{"index": 0, "id": "a", "name": "reminder_set", "arguments": TEA}])
    ],
    "thoughts before it": [
        delta(reasoning_content="Call reminder_list?", content=""),
        delta(reasoning="Yes.", content=None),
        delta(part("reminder_set", TEA, index=0, id="a")),
    ],
}


@pytest.mark.parametrize("form", STREAMED_CALLS)
async def test_two_streamed_calls_are_separated(form):
    completion = await ask(stream_answer(*STREAMED_CALLS[form], end()), on_text=TextListener())

    assert list_calls(completion) == parse_calls(TEA_CALL, LIST_CALL)
    assert completion.finish_reason == "tool_calls"


@pytest.mark.parametrize("form", STREAMED_TEA)
@pytest.mark.parametrize("reason", ["tool_calls", "stop", "function_call", "tool_use"])
async def test_streamed_call_is_put_together(form, reason):
    completion = await ask(stream_answer(*STREAMED_TEA[form], end(reason)), on_text=TextListener())

    assert list_calls(completion) == parse_calls(TEA_CALL)
    assert completion.finish_reason == "tool_calls"
    assert completion.text == ""


WHOLE_CALLS = {
    "arguments as an object": {"tool_calls": [part("reminder_set", json.loads(TEA), id="a")]},
    "id missing, content missing": {"tool_calls": [part("reminder_set", TEA)]},
    "id a number": {"tool_calls": [part("reminder_set", TEA, id=0)]},
    "the old function_call": {"content": None, "function_call": {"name": "reminder_set", "arguments": TEA}},
    "one call that is no list": {"tool_calls": part("reminder_set", TEA)},
    "name and arguments beside the id": {"tool_calls": [{"id": "a", "name": "reminder_set", "arguments": TEA}]},
    "arguments called input": {"tool_calls": [{"id": "a", "name": "reminder_set", "input": json.loads(TEA)}]},
    "arguments called parameters": {"tool_calls": [{"function": {"name": "reminder_set", "parameters": TEA}}]},
    "arguments beside the function": {"tool_calls": [{"function": {"name": "reminder_set"}, "arguments": TEA}]},
    "the function's name for the function": {"tool_calls": [{"function": "reminder_set", "arguments": TEA}]},
    "a part of the content (Anthropic)": {
        "content": [{"type": "tool_use", "id": "a", "name": "reminder_set", "input": json.loads(TEA)}]
    },
    "content a list of parts": {"content": [{"type": "text", "text": ""}], "tool_calls": [part("reminder_set", TEA)]},
    "an empty call beside it": {"tool_calls": [part("reminder_set", TEA), {}, None]},
}


@pytest.mark.parametrize("form", WHOLE_CALLS)
@pytest.mark.parametrize("reason", ["tool_calls", "stop", "function_call", None, ""])
async def test_a_whole_call_is_read(form, reason):
    completion = await ask(make_answer(WHOLE_CALLS[form], reason))

    assert list_calls(completion) == parse_calls(TEA_CALL)
    assert completion.finish_reason == "tool_calls"


CHUNKS = [delta(role="assistant", content="喝"), delta(content="茶!"), end("stop")]
HELLO_STREAMS = {
    "no [DONE]": events(*CHUNKS, done=False),
    "no finish reason but [DONE]": events(*CHUNKS[:2]),
    "finish reason as the text null": events(*CHUNKS[:2], end("null")),
    "CRLF": events(*CHUNKS, line="\r\n\r\n"),
    "one line break between events": events(*CHUNKS, line="\n"),
    "comments": b": OPENROUTER PROCESSING\n\n: ping\n\n" + events(*CHUNKS),
    "named events with ids": b"event: message\nid: 7\nretry: 10\n" + events(*CHUNKS),
    "no blank after the colon": events(*CHUNKS).replace(b"data: ", b"data:"),
    "events without data": b"data:\n\ndata: \n\n" + events(*CHUNKS),
    "empty choices first (Azure)": events({"choices": [], "prompt_filter_results": [{"index": 0}]}, *CHUNKS),
    "choices null": events({"choices": None, "usage": None}, *CHUNKS),
    "usage after the end": events(*CHUNKS, {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
    "content as parts": events(delta(content=[{"type": "text", "text": "喝"}]), *CHUNKS[1:]),
    "thoughts as parts (Magistral)": events(
        delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]), *CHUNKS
    ),
    "thoughts beside the content": events(delta(reasoning_content="hm", content=None), *CHUNKS),
    "whole message in the only chunk": events(
        {"choices": [{"message": {"content": "喝茶!"}, "finish_reason": "stop"}]}
    ),
    "message again in the last chunk": events(
        *CHUNKS[:2], {"choices": [{"message": {"content": "喝茶!"}, "finish_reason": "stop"}]}
    ),
    "a refusal": events(delta(refusal="喝", content=None), *CHUNKS[1:]),
}


@pytest.mark.parametrize("form", HELLO_STREAMS)
@pytest.mark.parametrize("content_type", ["text/event-stream", "text/plain", "application/json"])
async def test_streamed_words_are_passed_on_once_without_anything_else(form, content_type):
    listener = TextListener()

    completion = await ask(Raw(code=200, body=HELLO_STREAMS[form], content_type=content_type), on_text=listener)

    assert completion.text == listener.heard == "喝茶!"
    assert (completion.calls, completion.finish_reason) == ((), "stop")


async def test_a_compressed_stream_is_read():
    answer = Raw(
        code=200,
        body=gzip.compress(events(*CHUNKS)),
        content_type="text/event-stream",
        headers={"Content-Encoding": "gzip"},
    )

    assert (await ask(answer, on_text=TextListener())).text == "喝茶!"


async def test_unrequested_stream_is_read():
    answer = Raw(code=200, body=events(*CHUNKS), content_type="text/event-stream")

    assert (await ask(answer)).text == "喝茶!"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "tea"}], "tea"),
        ([{"type": "reasoning", "text": "hm"}, {"type": "output_text", "text": "tea"}], "tea"),
        ([{"text": "tea"}], "tea"),
        ([{"type": {"name": "text"}, "text": "hm"}], ""),
        (None, ""),
    ],
)
async def test_only_text_parts_are_text(content, text):
    assert (await ask(make_answer({"content": content, "reasoning_content": "hm"}))).text == text


@pytest.mark.parametrize(
    ("finish_reason", "reason"),
    [
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("SAFETY", "content_filter"),
        ("sensitive", "content_filter"),
        ("STOP", "stop"),
        ("end_turn", "stop"),
        ("eos", "stop"),
        ("tool_calls", "stop"),
    ],
)
async def test_other_words_for_the_end_are_understood(finish_reason, reason):
    assert (await ask(make_answer({"content": "tea"}, finish_reason))).finish_reason == reason


@pytest.mark.parametrize("finish_reason", ["error", "network_error", "insufficient_system_resource", "abort"])
async def test_an_answer_that_the_server_broke_off_is_asked_for_again(finish_reason):
    completion = await ask([make_answer({"content": "te"}, finish_reason), make_answer({"content": "tea"})], attempts=2)

    assert completion.text == "tea"


async def test_calls_that_are_promised_and_missing_are_asked_for_again():
    calls = {"tool_calls": [part("reminder_set", TEA)]}

    completion = await ask([make_answer({"content": ""}, "tool_calls"), make_answer(calls, "tool_calls")], attempts=2)

    assert list_calls(completion) == parse_calls(TEA_CALL)


ERRORS = {
    "the API's": {"error": {"message": "the cause", "type": "x", "code": 400}},
    "a text": {"error": "the cause"},
    "in a list (Gemini)": [{"error": {"code": 400, "message": "the cause", "status": "INVALID_ARGUMENT"}}],
    "vLLM and Mistral": {"object": "error", "message": "the cause", "type": "BadRequestError", "code": "400"},
    "FastAPI": {"detail": "the cause"},
    "FastAPI's list": {"detail": [{"loc": ["body", "stream_options"], "msg": "the cause", "type": "extra_forbidden"}]},
    "OpenRouter": {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "the cause"}}},
    "within an error": {"error": {"detail": "the cause"}},
}


@pytest.mark.parametrize("form", ERRORS)
async def test_the_cause_of_a_refusal_is_found_in_every_form(form):
    failure = await fail(Raw(code=400, body=json.dumps(ERRORS[form]).encode()))

    assert isinstance(failure, RequestRejected)
    assert "the cause" in failure.detail


@pytest.mark.parametrize("form", ERRORS)
@pytest.mark.parametrize("is_streamed", [False, True])
async def test_error_with_status_200_is_a_failure_with_its_cause(form, is_streamed):
    failure = await fail(
        Raw(code=200, body=json.dumps(ERRORS[form]).encode()), on_text=TextListener() if is_streamed else None
    )

    assert "the cause" in failure.detail


@pytest.mark.parametrize("prefix", ["data: ", "event: error\ndata: ", "", "error: "])
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ({"message": "overloaded"}, "malformed"),
        ({"message": "Rate limit exceeded", "code": 429}, "rate_limited"),
        ({"message": "Provider disconnected", "code": 502}, "server_error"),
        ({"message": "bad request", "code": 400}, "refused"),
        ("overloaded", "malformed"),
    ],
)
async def test_error_in_the_middle_of_a_stream_fails_with_its_reason(prefix, error, reason):
    body = events(CHUNKS[0], done=False) + f"{prefix}{json.dumps({'error': error})}\n\n".encode()

    failure = await fail(Raw(code=200, body=body, content_type="text/event-stream"), on_text=TextListener())

    assert failure.reason == reason


async def test_a_proxys_page_is_no_reason():
    failure = await fail(Raw(code=502, body=b"<html><h1>Bad Gateway</h1></html>", content_type="text/html"))

    assert (failure.reason, failure.detail) == ("server_error", "HTTP 502")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": "Fri, 20 Nov 2026 10:00:07 GMT", "Date": "Fri, 20 Nov 2026 10:00:00 GMT"}, 7.0),
        ({"Retry-After": "Fri, 20 Nov 2026 09:00:00 GMT", "Date": "Fri, 20 Nov 2026 10:00:00 GMT"}, 0.0),
        ({"Retry-After": "Fri, 20 Nov 2026 10:00:07 GMT"}, None),
        ({"Retry-After": "soon", "Date": "Fri, 20 Nov 2026 10:00:00 GMT"}, None),
    ],
)
async def test_the_wait_that_a_server_asks_for_is_read_in_both_forms(headers, seconds):
    failure = await fail(Raw(code=429, body=b"{}", headers=headers))

    assert isinstance(failure, EndpointFailed)
    assert failure.retry_after == seconds


@pytest.mark.parametrize(
    ("code", "message", "matter"),
    [
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", "length"),
        (400, "the request exceeds the available context size. try increasing the context size", "length"),
        (500, "Trying to keep the first 5000 tokens when context the overflows.", "length"),
        (400, "Range of input length should be [1, 30720]", "length"),
        (413, "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000", "length"),
        (429, "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000.", "length"),
        (400, "registry.ollama.ai/library/gemma:latest does not support tools", "tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "tools"),
        (500, "tools param requires --jinja flag", "tools"),
        (404, "No endpoints found that support tool use. To learn more about provider routing", "tools"),
        (400, "deepseek-reasoner does not support Function Calling", "tools"),
        (400, "`tool calling` is not supported with this model", "tools"),
        (400, "This response_format type is unavailable now", "format"),
        (400, "Invalid value", "other"),
    ],
)
async def test_refusal_is_recognised_with_any_status(code, message, matter):
    failure = await fail(Raw(code=code, body=json.dumps({"error": {"message": message}}).encode()))

    assert isinstance(failure, RequestRejected)
    assert failure.matter == matter


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 5}, (9, 2, 5)),
        ({"prompt_tokens": None, "completion_tokens": "2"}, (0, 0, 0)),
        ({"prompt_tokens": 2**70, "completion_tokens": -2}, (0, 0, 0)),
        (None, (0, 0, 0)),
    ],
)
async def test_usage_is_read_from_each_place(usage, counted):
    read = (await ask(make_answer({"content": "tea"}, usage=usage))).usage

    assert (read.prompt_tokens, read.completion_tokens, read.cached_tokens) == counted


async def test_tokens_that_stand_in_the_choice_are_counted():
    chunks = [*CHUNKS[:2], end("stop", usage={"prompt_tokens": 9, "completion_tokens": 2})]

    assert (await ask(stream_answer(*chunks), on_text=TextListener())).usage.prompt_tokens == 9
