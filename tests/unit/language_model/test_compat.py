"""A server that refuses the usual form of a request says why, and gets every request after in the form that it takes.

The refusals are those of servers in use, word for word.
"""

import json

import pytest

from services.kernel.errors import ModelUnavailable
from services.language_model.compat import simplify_tools
from services.language_model.openai_model import OpenAIModel, RequestRetries
from services.language_model.ports import CompletionRequest, Timeouts
from tests.support.openai_server import Chat, OpenAIServer, Raw, say, status

SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"const": "daily"},
        "time": {"anyOf": [{"type": "string", "pattern": "^[0-9]", "minLength": 1}, {"type": "null"}], "default": None},
        "weekdays": {"type": "array", "items": {"$ref": "#/$defs/Day"}, "description": "Days."},
        "count": {"type": ["integer", "null"], "exclusiveMinimum": 0, "enum": [1, 2]},
    },
    "required": ["type"],
    "additionalProperties": False,
    "$defs": {"Day": {"type": "string", "enum": ["mon", "tue"]}},
}
TOOLS = [
    {"type": "function", "function": {"name": "reminder_set", "description": "Set.", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "undo", "parameters": {"type": "object", "properties": {}}}},
]
CALLS = [{"id": "call_1", "type": "function", "function": {"name": "reminder_set", "arguments": "{}"}}]
MESSAGES = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "earlier"},
    {"role": "assistant", "content": "yes?"},
    {"role": "user", "content": "喝茶"},
    {"role": "assistant", "content": None, "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "call_1", "name": "reminder_set", "content": "done"},
]


def message(body, place):
    return body["messages"][place]


def has_reasoning(body):
    return [m.get("reasoning_content") for m in body["messages"] if m["role"] == "assistant"] == ["", ""]


def is_signed(body):
    signature = message(body, 4)["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
    return signature == "skip_thought_signature_validator"


def has_short_ids(body):
    identity = message(body, 4)["tool_calls"][0]["id"]
    return len(identity) == 9 and identity.isalnum() and identity == message(body, 5)["tool_call_id"]


def has_no_system(body):
    first = message(body, 0)
    return first == {"role": "user", "content": "You help.\n\nearlier"} and "system" not in json.dumps(body["messages"])


def has_no_null(body):
    return message(body, 4)["content"] == ""


def has_plain_tools(body):
    properties = body["tools"][0]["function"]["parameters"]["properties"]
    return "parameters" not in body["tools"][1]["function"] and properties == {
        "type": {"type": "string", "enum": ["daily"]},
        "time": {"type": "string"},
        "weekdays": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue"]}, "description": "Days."},
        "count": {"type": "integer"},
    }


REFUSALS = [
    ("Missing `reasoning_content` field in the assistant message at message index 2.", 400, has_reasoning),
    ("The `reasoning_content` in the thinking mode must be passed back to the API.", 400, has_reasoning),
    ("Function call is missing a thought_signature in functionCall parts.", 400, is_signed),
    ("Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.", 400, has_short_ids),
    ("System role not supported", 400, has_no_system),
    ("Unsupported value: 'messages[0].role' does not support 'system' with this model.", 400, has_no_system),
    ("Developer instruction is not enabled for models/gemma-3-27b-it", 400, has_no_system),
    ("Conversation roles must alternate user/assistant/user/assistant/...", 400, has_no_system),
    ("invalid message content type: <nil>", 400, has_no_null),
    ("Invalid 'content': 'content' field must be a string or an array of objects.", 400, has_no_null),
    ("messages.2.content: none is not an allowed value", 422, has_no_null),
    ("'messages.5' : for 'role:tool' property 'name' is unsupported", 400, lambda body: "name" not in message(body, 5)),
    ('Invalid JSON payload received. Unknown name "additionalProperties" at tools', 400, has_plain_tools),
    ("GenerateContentRequest.tools[0].function_declarations[1].parameters.properties: should be non-empty", 400,
     has_plain_tools),
    ("Invalid schema for function 'reminder_set': '$ref' is not permitted", 400, has_plain_tools),
    ("Error: pattern must start with '^' and end with '$'", 400, has_plain_tools),
    ("max_tokens is not supported with this model. Use 'max_completion_tokens' instead.", 400,
     lambda body: body["max_completion_tokens"] == 50 and "max_tokens" not in body),
    ("parameter.enable_thinking must be set to false for non-streaming calls", 400, lambda body: body["stream"]),
    ("This model only support stream mode, please enable the stream parameter to access the model.", 400,
     lambda body: body["stream"]),
    ("enable thinking can not be support when `stream=False`.", 400, lambda body: body["stream"]),
]  # fmt: skip

STREAM_REFUSALS = [
    ("Unrecognized request argument supplied: stream_options", 400, lambda body: body["stream"]),
    ("body.stream_options: Extra inputs are not permitted", 422, lambda body: body["stream"]),
    ("Cannot use tools with stream", 400, lambda body: "stream" not in body),
    ("Streaming is not supported with tools", 400, lambda body: "stream" not in body),
]


def plain_parameters(definitions):
    """Return the plain schema of a tool with the argument `root`, a `Root` of `definitions`."""
    schema = {"type": "object", "properties": {"root": {"$ref": "#/$defs/Root"}}, "$defs": definitions}
    tool = {"type": "function", "function": {"name": "find", "parameters": schema}}
    (plain,) = json.loads(simplify_tools(json.dumps([tool]).encode()))
    return plain["function"]["parameters"]


def test_type_that_contains_itself_several_times_is_a_text_inside_itself():
    root = {"type": "object", "properties": {name: {"$ref": "#/$defs/Root"} for name in "abcdefgh"}}

    inner = plain_parameters({"Root": root})["properties"]["root"]["properties"]

    assert inner == {name: {"type": "string"} for name in "abcdefgh"}


def test_types_that_contain_each_other_do_not_multiply():
    names = ["Root", *"ABCDEFGHIJ"]
    each = {"type": "object", "properties": {name: {"$ref": f"#/$defs/{name}"} for name in names}}

    assert len(json.dumps(plain_parameters(dict.fromkeys(names, each)))) < 100_000


def test_alternative_that_is_the_type_itself_is_a_text():
    root = {"anyOf": [{"$ref": "#/$defs/Root"}, {"type": "null"}]}

    assert plain_parameters({"Root": root})["properties"] == {"root": {"type": "string"}}


async def hear_nothing(text):
    pass


def request(*, is_streamed=False, messages=MESSAGES):
    return CompletionRequest(
        messages=messages,
        tools=json.dumps(TOOLS).encode(),
        max_tokens=50,
        on_text=hear_nothing if is_streamed else None,
    )


def model_at(server, **options):
    return OpenAIModel(
        "m",
        base_url=server.base_url,
        timeouts=Timeouts(connect=1, silence=2, total=4),
        retries=RequestRetries(attempts=2, first_delay=0.001),
        **options,
    )


async def ask_twice(script, asked, **options):
    async with OpenAIServer(script) as server:
        model = model_at(server, **options)
        await model.warm_up()
        answers = [await model.complete(asked) for _ in range(2)]
        await model.close()
    assert server.overruns == 0
    return [answer.text for answer in answers], [each.body for each in server.requests]


@pytest.mark.parametrize(("message", "code", "is_right"), REFUSALS, ids=[message[:40] for message, _, _ in REFUSALS])
async def test_refused_field_is_replaced_and_remembered(message, code, is_right):
    texts, bodies = await ask_twice([status(code, message), say("one"), say("two")], request())

    assert texts == ["one", "two"]
    assert [is_right(body) for body in bodies[1:]] == [True, True]
    assert bodies[0]["messages"] == MESSAGES


@pytest.mark.parametrize(
    ("message", "code", "is_right"), STREAM_REFUSALS, ids=[message[:40] for message, _, _ in STREAM_REFUSALS]
)
async def test_refused_field_of_a_stream_is_replaced_and_remembered(message, code, is_right):
    script = [status(code, message), say("one"), say("two")]

    texts, bodies = await ask_twice(script, request(is_streamed=True))

    assert texts == ["one", "two"]
    assert [is_right(body) and "stream_options" not in body for body in bodies[1:]] == [True, True]


async def test_refusals_are_remembered_one_after_the_other():
    script = [
        status(400, "System role not supported"),
        status(400, "temperature is not supported"),
        Raw(code=400, body=json.dumps([{"error": {"message": "missing a thought_signature"}}]).encode()),
        say("one"),
        say("two"),
    ]

    _, bodies = await ask_twice(script, request(), extra={"temperature": 0})

    assert [("temperature" in body, body["messages"][0]["role"]) for body in bodies[-2:]] == [(False, "user")] * 2
    assert "thought_signature" in json.dumps(bodies[-1])


async def test_server_that_keeps_refusing_is_not_retried():
    async with OpenAIServer([status(400, "System role not supported")] * 5) as server:
        model = model_at(server)
        with pytest.raises(ModelUnavailable):
            await model.complete(request())
        await model.close()

    assert len(server.requests) == 2


LONG = [
    MESSAGES[0],
    {"role": "user", "content": "long ago"},
    {"role": "assistant", "content": "yes"},
    MESSAGES[3],
    MESSAGES[4],
    {**MESSAGES[5], "content": "begin " + "x" * 9000 + " end"},
]
TOO_LONG = status(400, "This model's maximum context length is 4096 tokens. Please reduce the length of the messages.")


async def test_a_request_that_is_too_long_loses_its_history_then_the_middle_of_long_results():
    async with OpenAIServer([TOO_LONG, TOO_LONG, say("one")]) as server:
        model = model_at(server)
        completion = await model.complete(request(messages=LONG))
        await model.close()
    first, second, third = (each.body["messages"] for each in server.requests)

    assert completion.text == "one"
    assert (len(first), second) == (6, [LONG[0], *LONG[3:]])
    assert third[:-1] == second[:-1]
    assert third[-1]["content"].startswith("begin")
    assert third[-1]["content"].endswith("end")
    assert len(third[-1]["content"]) < 2000


CALLED = {"role": "assistant", "content": None, "tool_calls": [{**CALLS[0], "id": "call_0"}]}
CONVERSATION = [
    MESSAGES[0],
    {"role": "user", "content": "first"},
    CALLED,
    {"role": "tool", "tool_call_id": "call_0", "content": "x" * 100},
    {"role": "system", "content": "Answer in one line."},
    {"role": "user", "content": "y" * 100},
    {"role": "assistant", "content": "z" * 100},
    {"role": "user", "content": "w" * 100},
    {"role": "assistant", "content": "yes"},
    {"role": "user", "content": "now"},
]


async def test_the_oldest_turns_are_left_out_first_and_only_as_many_as_needed():
    systems = [CONVERSATION[0], CONVERSATION[4]]
    async with OpenAIServer([TOO_LONG, TOO_LONG, say("one"), say("two")]) as server:
        model = model_at(server)
        await model.complete(request(messages=CONVERSATION))
        await model.complete(request(messages=CONVERSATION))
        await model.close()
    sent = [each.body["messages"] for each in server.requests]

    assert sent[0] == CONVERSATION
    assert sent[1] == [*systems, *CONVERSATION[5:]]
    assert sent[2] == sent[3] == [*systems, *CONVERSATION[7:]]


async def test_system_messages_and_the_last_message_are_always_kept():
    async with OpenAIServer([TOO_LONG] * 9) as server:
        model = model_at(server)
        with pytest.raises(ModelUnavailable):
            await model.complete(request(messages=CONVERSATION))
        await model.close()

    assert server.requests[-1].body["messages"] == [CONVERSATION[0], CONVERSATION[4], CONVERSATION[-1]]


async def test_request_too_long_once_is_shortened_before_the_next_request():
    _, bodies = await ask_twice([TOO_LONG, say("one"), say("two")], request(messages=LONG))

    assert [len(body["messages"]) for body in bodies] == [6, 4, 4]


async def test_the_words_of_the_person_are_never_shortened():
    async with OpenAIServer([TOO_LONG] * 3) as server:
        model = model_at(server)
        with pytest.raises(ModelUnavailable):
            await model.complete(request(messages=[{"role": "user", "content": "x" * 9000}]))
        await model.close()

    assert len(server.requests) == 1


async def test_answer_unreadable_for_its_server_is_read_here():
    written = '<function=reminder_set{"type": "daily"}</function>'
    error = {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": written}
    async with OpenAIServer([Raw(code=400, body=json.dumps({"error": error}).encode())]) as server:
        model = model_at(server)
        completion = await model.complete(request())
        await model.close()

    assert completion.text == written


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "Tool use failed"},
        {"message": "error parsing tool call: raw='{\"type', err=unexpected end of JSON input"},
    ],
)
async def test_unreadable_calls_are_requested_again(error):
    async with OpenAIServer([Raw(code=400, body=json.dumps({"error": error}).encode()), Chat(text="ok")]) as server:
        model = model_at(server)
        completion = await model.complete(request())
        await model.close()

    assert completion.text == "ok"
