"""The model client, with a scripted server on loopback."""

import asyncio
import json
import sys
import traceback

import pytest

from function_calls.model_calls.transcript import round_messages
from function_calls.tools.calls import Step, ToolCall, ToolResult
from services.kernel.errors import ModelUnavailable
from services.language_model.openai_model import OpenAIModel, RequestRetries
from services.language_model.ports import CompletionRequest, Timeouts
from tests.support.openai_server import Chat, Hang, HangUp, OpenAIServer, Raw, call, calls, cut, garbage, say, status

KEY = "sk-very-secret-0123456789"
TOOLS = json.dumps(
    [{"type": "function", "function": {"name": "clock", "description": "时间", "parameters": {"type": "object"}}}],
    ensure_ascii=False,
).encode()
MESSAGES = [{"role": "system", "content": "You help."}, {"role": "user", "content": "几点了?"}]


def model_at(server, *, attempts=3, timeouts=None, slots=32, max_wait=1.0, extra=None):
    return OpenAIModel(
        "test-model",
        base_url=server.base_url,
        api_key=KEY,
        timeouts=timeouts or Timeouts(connect=1, silence=1, total=3),
        retries=RequestRetries(attempts=attempts, first_delay=0.001, max_delay=0.002, max_wait=max_wait),
        slots=slots,
        extra=extra,
    )


async def ask(script, *, on_text=None, tools=TOOLS, **options):
    """Return the result of one request, and the server."""
    server = OpenAIServer(script)
    async with server:
        model = model_at(server, **options)
        await model.warm_up()  # to import the SDK is no part of the time that an answer may take
        try:
            return await model.complete(CompletionRequest(messages=MESSAGES, tools=tools, on_text=on_text)), server
        finally:
            await model.close()


async def fail(script, *, on_text=None, **options):
    """Return the error of one request, and the server."""
    server = OpenAIServer(script)
    async with server:
        model = model_at(server, **{"attempts": 1, **options})
        with pytest.raises(ModelUnavailable) as error:
            await model.complete(CompletionRequest(messages=MESSAGES, tools=TOOLS, on_text=on_text))
        await model.close()
    return error.value, server


class TextListener:
    def __init__(self):
        self.heard = []

    async def __call__(self, text):
        self.heard.append(text)


async def test_an_answer_in_words_is_read_with_its_usage():
    completion, _ = await ask([say("It is ten.")])

    assert completion.text == "It is ten."
    assert completion.finish_reason == "stop"
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (120, 7)
    assert completion.usage.cached_tokens == 64


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_parallel_calls_come_back_in_order_with_their_arguments(is_streamed):
    script = [calls(("reminder_set", {"content": "喝水", "type": "daily"}), ("clock", {}))]

    completion, _ = await ask(script, on_text=TextListener() if is_streamed else None)

    assert [entry.name for entry in completion.calls] == ["reminder_set", "clock"]
    assert json.loads(completion.calls[0].arguments) == {"content": "喝水", "type": "daily"}
    assert completion.finish_reason == "tool_calls"


async def test_streamed_text_is_handed_on_as_it_arrives():
    listener = TextListener()

    completion, _ = await ask([say("It is ten o'clock.")], on_text=listener)

    assert len(listener.heard) > 1
    assert "".join(listener.heard) == completion.text == "It is ten o'clock."
    assert completion.usage.prompt_tokens == 120


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_request_body_has_the_tools_and_extra_fields(is_streamed):
    _, server = await ask(
        [say("yes")],
        on_text=TextListener() if is_streamed else None,
        extra={"temperature": 0, "chat_template_kwargs": {"enable_thinking": False}},
    )

    body = server.requests[0].body
    assert body["tools"] == json.loads(TOOLS)
    assert body["temperature"] == 0
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


async def test_without_tools_the_body_has_no_tools_field():
    _, server = await ask([say("yes")], tools=None)

    assert "tools" not in server.requests[0].body


async def test_request_may_name_another_model():
    async with OpenAIServer([say("yes"), say("yes")]) as server:
        model = model_at(server)
        for name in ("small", ""):
            await model.complete(CompletionRequest(messages=[{"role": "user", "content": "hello"}], model=name))
        await model.close()

    assert [request.body["model"] for request in server.requests] == ["small", model.name]


async def test_call_ids_are_not_longer_than_openai_accepts():
    called = [
        ToolCall(id=identity, name="look", arguments={})
        for identity in ("confirmed-telegram:-100123456789/4711/0.0", "confirmed-telegram:-100123456789/4711/0.1", "c1")
    ]
    results = tuple(ToolResult(ok=True, text=call.id) for call in called)
    messages = round_messages([Step(text="", calls=tuple(called), results=results)])
    async with OpenAIServer([say("yes")]) as server:
        model = model_at(server)
        await model.complete(CompletionRequest(messages=[*MESSAGES, *messages], tools=TOOLS))
        await model.close()
    sent = server.requests[0].body["messages"][2:]
    ids = [call["id"] for call in sent[0]["tool_calls"]]

    assert [message["tool_call_id"] for message in sent[1:]] == ids
    assert len(set(ids)) == 3
    assert all(len(identity) <= 40 for identity in ids)
    assert ids[2] == "c1"


async def test_half_a_surrogate_pair_in_a_message_does_not_stop_it():
    async with OpenAIServer([say("yes")]) as server:
        model = model_at(server)
        await model.complete(CompletionRequest(messages=[{"role": "user", "content": "hi \ud83d"}]))
        await model.close()

    assert server.requests[0].body["messages"][0]["content"].startswith("hi")


async def test_an_integer_of_more_than_64_bits_in_a_schema_is_sent():
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "integer", "maximum": 10**30}}}
    async with OpenAIServer([say("1")]) as server:
        model = model_at(server)
        await model.complete(CompletionRequest(messages=[{"role": "user", "content": "hi"}], response_format=schema))
        await model.close()

    assert server.requests[0].body["response_format"] == schema


@pytest.mark.parametrize("trouble", [status(429, retry_after=0), status(500), status(503), HangUp(), garbage()])
async def test_temporary_failure_is_retried(trouble):
    completion, server = await ask([trouble, say("now")])

    assert completion.text == "now"
    assert len(server.requests) == 2


async def test_retry_waits_for_retry_after():
    loop = asyncio.get_running_loop()
    started = loop.time()

    await ask([status(429, retry_after=0.2), say("now")])

    assert loop.time() - started >= 0.2


async def test_long_retry_after_is_not_waited_for():
    error, server = await fail([status(429, retry_after=60), say("too late")], attempts=3)

    assert error.reason == "rate_limited"
    assert len(server.requests) == 1


async def test_the_retries_are_bounded():
    error, server = await fail([status(500)] * 9, attempts=3)

    assert error.reason == "server_error"
    assert len(server.requests) == 3


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
async def test_a_refused_request_is_not_repeated(code):
    error, server = await fail([status(code), say("never")], attempts=3)

    assert error.reason == "refused"
    assert len(server.requests) == 1


async def test_an_exhausted_quota_is_not_waited_for():
    body = b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'

    error, server = await fail([Raw(code=429, body=body), say("never")], attempts=3)

    assert error.reason == "refused"
    assert len(server.requests) == 1


async def test_a_hanging_server_is_a_timeout_within_the_total():
    error, _ = await fail([Hang()] * 9, attempts=9, timeouts=Timeouts(connect=1, silence=5, total=0.2))

    assert error.reason == "timeout"


async def test_server_that_sends_nothing_causes_a_timeout():
    error, _ = await fail([Hang()], timeouts=Timeouts(connect=1, silence=0.1, total=3))

    assert error.reason == "timeout"


async def test_no_server_at_all_is_a_connection_failure():
    model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1", retries=RequestRetries(attempts=1))

    with pytest.raises(ModelUnavailable) as error:
        await model.complete(CompletionRequest(messages=MESSAGES))
    await model.close()

    assert error.value.reason == "connection"


async def test_a_cut_stream_is_malformed_and_not_an_answer():
    error, _ = await fail([cut("It is ten and I will tell")], on_text=TextListener())

    assert error.reason == "malformed"


async def test_a_cut_stream_of_calls_is_asked_for_again():
    broken = Chat(calls=(("clock", '{"zone": "Asia/Shanghai"}'),), is_cut=True)

    completion, server = await ask([broken, call("clock", {"zone": "UTC"})], on_text=TextListener())

    assert completion.calls[0].arguments == '{"zone": "UTC"}'
    assert len(server.requests) == 2


async def test_started_stream_is_not_restarted():
    listener = TextListener()

    _, server = await fail([cut("It is ten and I will tell"), say("again")], on_text=listener, attempts=3)

    assert len(server.requests) == 1


async def test_a_whole_answer_cut_in_the_middle_is_tried_again():
    completion, server = await ask([cut("It is ten"), say("It is ten")])

    assert completion.text == "It is ten"
    assert len(server.requests) == 2


async def test_garbage_is_malformed_not_an_empty_answer():
    error, _ = await fail([garbage()])

    assert error.reason == "malformed"


async def test_error_with_status_200_is_a_failure():
    error, _ = await fail([Raw(code=200, body=b'{"error": {"message": "model is loading"}}')])

    assert error.reason == "malformed"
    assert "model is loading" in error.detail


async def test_whole_answer_to_a_streaming_request_is_read():
    body = b'{"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}'
    listener = TextListener()

    completion, _ = await ask([Raw(code=200, body=body)], on_text=listener)

    assert completion.text == "whole"
    assert listener.heard == ["whole"]


async def test_at_most_the_given_number_of_requests_is_in_flight():
    async with OpenAIServer([Hang()] * 5) as server:
        model = model_at(server, slots=2)
        await model.warm_up()
        asking = [asyncio.create_task(model.complete(CompletionRequest(messages=MESSAGES))) for _ in range(5)]
        await asyncio.sleep(0.5)
        in_flight = len(server.requests)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await model.close()

    assert in_flight == 2


async def test_request_contains_nothing_about_the_machine():
    _, server = await ask([say("It is ten.")])

    assert [name for name in server.requests[0].headers if name.startswith("x-stainless")] == []


async def test_organisation_and_project_of_the_environment_are_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")

    _, server = await ask([say("It is ten.")])

    sent = server.requests[0].headers
    assert (sent["openai-organization"], sent["openai-project"]) == ("org-1", "proj-1")
    assert sent["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("on_text", [None, TextListener()])
async def test_answer_that_is_no_http_is_a_broken_connection(on_text):
    async def answer(_, writer):
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        model = OpenAIModel(
            "m",
            base_url=f"http://127.0.0.1:{port}/v1",
            api_key=KEY,
            retries=RequestRetries(attempts=1, first_delay=0.001),
        )
        with pytest.raises(ModelUnavailable) as error:
            await model.complete(CompletionRequest(messages=MESSAGES, on_text=on_text))
        await model.close()

    assert error.value.reason == "connection"


async def test_key_is_sent_to_the_server_only():
    error, server = await fail([status(401, f"Incorrect API key provided: {KEY}")])
    model = OpenAIModel("m", base_url="http://user:hunter2@localhost/v1?key=x", api_key=KEY)

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in "".join(traceback.format_exception(error))
    assert KEY not in repr(model)
    assert "hunter2" not in repr(model)


@pytest.mark.parametrize(
    "answer", [f"no such key: {KEY}", f"{'no ' * 92}such key: {KEY}", f"prompt too long for {KEY}"]
)
async def test_key_in_an_answer_without_failure_is_masked(answer):
    error, _ = await fail([status(200, answer)])

    assert KEY[:10] not in f"{error} {vars(error)}"


async def test_a_cancelled_request_frees_its_slot():
    async with OpenAIServer([Hang(), say("next")]) as server:
        model = model_at(server, slots=1)
        hanging = asyncio.create_task(model.complete(CompletionRequest(messages=MESSAGES)))
        await server.received(1)
        hanging.cancel()
        completion = await model.complete(CompletionRequest(messages=MESSAGES))
        await model.close()

    assert completion.text == "next"


async def test_two_first_messages_at_once_make_one_client():
    async with OpenAIServer([say("a"), say("b")]) as server:
        model = model_at(server)
        answers = await asyncio.gather(*(model.complete(CompletionRequest(messages=MESSAGES)) for _ in range(2)))
        await model.close()

    assert {answer.text for answer in answers} == {"a", "b"}


async def test_a_connection_is_used_again_after_a_stream():
    async with OpenAIServer([say("one"), say("two")]) as server:
        model = model_at(server)
        for _ in range(2):
            await model.complete(CompletionRequest(messages=MESSAGES, on_text=TextListener()))
        await model.close()

    assert server.connections == 1


async def test_an_extra_field_that_the_server_refuses_is_left_out_from_then_on():
    script = [status(400, "Unsupported parameter: 'temperature' with this model."), say("one"), say("two")]
    async with OpenAIServer(script) as server:
        model = model_at(server, extra={"temperature": 0, "seed": 1})
        for _ in range(2):
            await model.complete(CompletionRequest(messages=MESSAGES))
        await model.close()

    sent = [("temperature" in request.body, "seed" in request.body) for request in server.requests]
    assert sent == [(True, True), (False, True), (False, True)]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        (
            "/openai/deployments/d?api-version=2024-10-21",
            "/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
    ],
)
async def test_address_is_normalised(written, asked, is_streamed):
    async with OpenAIServer([say("yes")]) as server:
        model = OpenAIModel("m", base_url=f"{server.url}{written}")
        await model.complete(CompletionRequest(messages=MESSAGES, on_text=TextListener() if is_streamed else None))
        await model.close()

    assert server.requests[0].path == asked


async def test_the_sdk_is_imported_by_the_first_use_and_not_before():
    code = (
        "import sys; import services.language_model.openai_model, services.language_model.fallback, function_calls.llm;"
        "print('openai' in sys.modules)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)

    output, _ = await process.communicate()

    assert output.strip() == b"False"
