"""The OpenAI-compatible API: answers, streams, usage, tools and errors."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from bot.config.settings import RouterSettings
from bot.testing.clocks import StandingClock
from bot.testing.models import ScriptedInterpreter, ScriptedModel
from function_calls.model_calls.prompts import variables_of
from function_calls.tools.calls import Interpretation, ToolCall
from services.call_log.usage import MeteredModel
from services.language_model.ports import CompletionRequest
from tests.support.http_bot import with_token

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


class Thinking:
    """An interpreter that requests a model `times` times (10 tokens in, 5 out) and reports the result."""

    def __init__(self, times):
        self._model = MeteredModel(ScriptedModel(["It is noon."] * times))
        self._times = times

    async def interpret(self, turn):
        for _ in range(self._times):
            answer = await self._model.complete(CompletionRequest(messages=[]))
        return Interpretation(answer=answer.text)


USED = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}


def chunks_of(answer):
    """Return the chunks of a stream without its end."""
    lines = [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line.startswith("data: ")]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def asked(*messages, **more):
    return {"model": "bubbles", "messages": [{"role": "user", "content": each} for each in messages], **more}


async def test_the_bot_is_a_model(api):
    models = (await api.get("/v1/models")).json()

    assert [each["id"] for each in models["data"]] == ["bubbles"]


async def test_an_answer_has_the_form_of_a_completion(api):
    body = (await api.post("/v1/chat/completions", json=asked("remind me in 10 minutes to drink tea"))).json()

    assert body["object"] == "chat.completion"
    assert "tea" in body["choices"][0]["message"]["content"]
    assert body["choices"][0]["finish_reason"] == "stop"


async def test_question_and_answer_are_recorded_like_a_chat(api):
    await api.post("/v1/chat/completions", json=asked("remind me in 10 minutes to drink tea", user="client 7"))

    messages = (await api.get("/api/chat/sessions/api-client-7/messages")).json()

    assert [each["role"] for each in messages] == ["user", "assistant"]


async def test_stream_has_the_same_text_in_pieces(api):
    answer = await api.post("/v1/chat/completions", json=asked("remind me in 10 minutes to drink tea", stream=True))

    chunks = chunks_of(answer)
    text = "".join(each["choices"][0]["delta"].get("content") or "" for each in chunks)
    assert "tea" in text
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


LIST = {"id": "c1", "name": "reminder_list", "arguments": {}}
SOURCE = {
    "source": {"name": "TOOL:reminder_list"},
    "metadata": [{"source": "TOOL:reminder_list", "parameters": {}}],
    "tool_result": True,
}


async def test_results_of_the_bots_calls_are_sources_of_the_answer(api_of):
    api = await api_of(interpreter=ScriptedInterpreter([[ToolCall(**LIST)], "There are none."]))

    body = (await api.post("/v1/chat/completions", json=asked("which reminders are there?"))).json()

    (source,) = body["sources"]
    assert source.pop("document")[0]
    assert source == SOURCE


async def test_last_chunk_of_a_stream_has_the_sources(api_of):
    api = await api_of(interpreter=ScriptedInterpreter([[ToolCall(**LIST)], "There are none."]))

    chunks = chunks_of(await api.post("/v1/chat/completions", json=asked("which are there?", stream=True)))

    assert [each["source"] for each in chunks[-1]["sources"]] == [SOURCE["source"]]
    assert all("sources" not in each for each in chunks[:-1])


async def test_answer_without_calls_has_no_sources(api_of):
    api = await api_of(interpreter=ScriptedInterpreter(["Noon."]))

    assert "sources" not in (await api.post("/v1/chat/completions", json=asked("what time is it?"))).json()


@pytest.mark.parametrize(
    ("params", "style"),
    [
        ({"function_calling": "native"}, "native"),
        ({"function_calling": "default"}, "prompt"),
        ({"function_calling": "json_router", "temperature": 0.2}, "json_router"),
        ({}, None),
        (None, None),
    ],
)
async def test_call_style_of_a_request_is_that_of_its_turn(api_of, params, style):
    interpreter = ScriptedInterpreter(["Noon."])
    api = await api_of(interpreter=interpreter)

    await api.post("/api/chat/completions", json=asked("what time is it?", params=params))

    assert [turn.call_style for turn in interpreter.turns] == [style]


VARIABLES = {
    "{{USER_NAME}}": "acaluis",
    "{{USER_LOCATION}}": "Hangzhou",
    "{{CURRENT_DATETIME}}": "2025-08-19 18:06:37",
    "{{CURRENT_TIMEZONE}}": "Etc/GMT-8",
    "{{USER_LANGUAGE}}": "zh-CN",
}


async def test_variables_of_a_request_are_those_of_its_turn(api_of):
    interpreter = ScriptedInterpreter(["Noon."])
    api = await api_of(interpreter=interpreter)

    await api.post("/api/chat/completions", json=asked("what time is it?", variables=VARIABLES))

    (turn,) = interpreter.turns
    filled = variables_of(turn)
    assert [filled[name] for name in ("USER_NAME", "USER_LOCATION", "CURRENT_TIMEZONE")] == [
        "acaluis",
        "Hangzhou",
        "Etc/GMT-8",
    ]
    assert turn.now.utcoffset() == timedelta(hours=8)


async def test_time_of_a_request_is_in_the_zone_of_its_variables(api):
    words = "remind me tomorrow at 9 to drink tea"
    await api.post("/api/chat/completions", json=asked(words, variables=VARIABLES, session_id="lobby"))
    (reminder,) = (await api.get("/api/reminders?session_id=lobby")).json()["reminders"]

    assert reminder["tz"] == "Etc/GMT-8"


@pytest.mark.parametrize("zone", ["Mars/Base", 7, None, ""])
async def test_unknown_zone_of_a_request_is_not_used(api_of, zone):
    interpreter = ScriptedInterpreter(["Noon."])
    api = await api_of(interpreter=interpreter)

    await api.post("/v1/chat/completions", json=asked("now?", variables={"{{CURRENT_TIMEZONE}}": zone}))

    assert str(interpreter.turns[0].zone) == "UTC"


async def test_zone_that_a_person_has_set_is_kept(api_of):
    interpreter = ScriptedInterpreter([[ToolCall(id="1", name="time_zone", arguments={"zone": "Berlin"})], "Noon."])
    api = await api_of(interpreter=interpreter)

    for words in ("my time zone is Berlin", "what time is it?"):
        await api.post("/v1/chat/completions", json=asked(words, variables=VARIABLES))

    assert str(interpreter.turns[-1].zone) == "Europe/Berlin"


async def test_unknown_call_style_is_refused(api):
    answer = await api.post("/v1/chat/completions", json=asked("hello", params={"function_calling": "magic"}))

    assert answer.status_code == 422


async def test_usage_of_models_is_the_usage_of_the_answer(api_of):
    api = await api_of(interpreter=Thinking(2))

    body = (await api.post("/v1/chat/completions", json=asked("what time is it?"))).json()

    assert body["choices"][0]["message"]["content"] == "It is noon."
    assert body["usage"] == USED


async def test_answer_without_a_model_has_no_usage(api):
    body = (await api.post("/v1/chat/completions", json=asked("remind me in 10 minutes to drink tea"))).json()

    assert body["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


async def test_stream_ends_with_its_usage_on_request(api_of):
    api = await api_of(interpreter=Thinking(2))

    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = chunks_of(await api.post("/v1/chat/completions", json=asked("what time is it?", **options)))

    assert (chunks[-1]["choices"], chunks[-1]["usage"]) == ([], USED)
    assert [each["usage"] for each in chunks[:-1]] == [None] * (len(chunks) - 1)


@pytest.mark.parametrize("options", [{}, {"stream_options": None}, {"stream_options": {"include_usage": False}}])
async def test_stream_has_no_usage_without_request(api_of, options):
    api = await api_of(interpreter=Thinking(1))

    chunks = chunks_of(await api.post("/v1/chat/completions", json=asked("what time is it?", stream=True, **options)))

    assert all(each["choices"] and "usage" not in each for each in chunks)


async def test_tool_of_the_client_is_called_by_it_and_its_result_read(api_of):
    interpreter = ScriptedInterpreter(
        [[ToolCall(id="c1", name="get_weather", arguments={"city": "Tokyo"})], "It rains."]
    )
    api = await api_of(interpreter=interpreter)

    first = (await api.post("/v1/chat/completions", json=asked("weather in Tokyo?", tools=[WEATHER]))).json()
    message = first["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "rain"}
    conversation = [{"role": "user", "content": "weather in Tokyo?"}, message, result]
    second = await api.post("/v1/chat/completions", json={"messages": conversation, "tools": [WEATHER]})

    assert first["choices"][0]["finish_reason"] == "tool_calls"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"city": "Tokyo"}
    assert second.json()["choices"][0]["message"]["content"] == "It rains."
    [step] = interpreter.turns[1].steps
    assert step.results[0].value == "rain"
    assert step.results[0].is_untrusted


async def test_earlier_actions_of_the_bot_are_not_repeated(api_of):
    script = [
        [ToolCall(id="a", name="memory_search", arguments={"query": "tea"})],
        [ToolCall(id="b", name="get_weather", arguments={"city": "Tokyo"})],
        "Done.",
    ]
    interpreter = ScriptedInterpreter(script)
    api = await api_of(interpreter=interpreter)
    question = {"role": "user", "content": "what is on, and how is the weather?"}

    first = (await api.post("/v1/chat/completions", json={"messages": [question], "tools": [WEATHER]})).json()
    message = first["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "rain"}
    await api.post("/v1/chat/completions", json={"messages": [question, message, result], "tools": [WEATHER]})

    assert [step.calls[0].name for step in interpreter.turns[-1].steps] == ["memory_search", "get_weather"]


async def test_a_request_without_words_is_refused(api):
    answer = await api.post("/v1/chat/completions", json={"messages": [{"role": "system", "content": "x"}]})

    assert answer.status_code == 422


async def codes_of(api, *users, token=None):
    """Send one request of each user, one after the other, and return the statuses."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    asking = [api.post("/v1/chat/completions", json=asked("hi", user=user), headers=headers) for user in users]
    return [(await each).status_code for each in asking]


async def test_each_user_of_a_token_has_the_rate_limit_of_a_person(api_of):
    api = await api_of(router=RouterSettings(messages_per_minute=2), clock=StandingClock(NOON))

    assert await codes_of(api, "ann", "ann", "ann", "ben", None, None, None) == [200, 200, 429, 200, 200, 200, 429]


async def test_user_of_one_token_does_not_share_data_with_the_same_name_of_another(api_of):
    api = await api_of(
        router=RouterSettings(messages_per_minute=1), http=with_token("s3cret"), clock=StandingClock(NOON)
    )
    tokens = [(await api.context.tokens.issue("Open WebUI", "client"))[1] for _ in range(2)]

    assert [await codes_of(api, "ann", "ann", token=each) for each in tokens] == [[200, 429], [200, 429]]


async def test_users_of_one_room_have_the_rate_limit_of_a_chat(api_of):
    api = await api_of(router=RouterSettings(chat_messages_per_minute=2), clock=StandingClock(NOON))

    requests = [asked("hi", user=user, session_id="lobby") for user in ("ann", "ben", "cem")]
    codes = [(await api.post("/v1/chat/completions", json=each)).status_code for each in requests]

    assert codes == [200, 200, 429]


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_rate_limit_error_has_the_form_of_openai_and_costs_nothing(api_of, is_streamed):
    interpreter = ScriptedInterpreter(["Hello."])
    limits = RouterSettings(messages_per_minute=1)
    api = await api_of(router=limits, interpreter=interpreter, clock=StandingClock(NOON))
    await api.post("/v1/chat/completions", json=asked("hi"))

    response = await api.post("/v1/chat/completions", json=asked("hi", stream=is_streamed))

    error = response.json()["error"]
    assert (response.status_code, response.headers["retry-after"]) == (429, "60")
    assert (error["type"], error["code"]) == ("rate_limit_error", "too_fast")
    assert error["message"]
    assert len(interpreter.turns) == 1


async def test_a_chat_that_is_not_served_is_not_answered(api_of):
    api = await api_of(router=RouterSettings(allowed_chats=("web:api-ann",)))

    response = await api.post("/v1/chat/completions", json=asked("hi", user="ben"))

    assert (response.status_code, response.json()["error"]["code"]) == (403, "chat_not_served")
    assert await codes_of(api, "ann") == [200]


@pytest.mark.parametrize(
    ("answer", "status", "kind"),
    [
        ({"json": {"messages": []}}, 422, "invalid_request_error"),
        ({"json": asked("hi"), "headers": {"Host": "evil.example"}}, 403, "permission_error"),
    ],
)
async def test_every_error_has_the_form_of_openai(api, answer, status, kind):
    response = await api.post("/v1/chat/completions", **answer)

    assert response.status_code == status
    assert set(response.json()) == {"error"}
    assert set(response.json()["error"]) == {"message", "type", "param", "code"}
    assert response.json()["error"]["type"] == kind


async def test_refusal_of_a_wrong_key_has_the_form_of_openai(api_of):
    api = await api_of(http=with_token("s3cret"))

    response = await api.post("/v1/chat/completions", json=asked("hi"), headers={"Authorization": "Bearer wrong"})

    assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")


class Telling:
    """An interpreter that streams `pieces` to listeners, after calls if there are any, and then returns `answer`."""

    def __init__(self, *pieces, answer=None, first=()):
        self._pieces = pieces
        self._answer = "".join(pieces) if answer is None else answer
        self._first = list(first)

    async def interpret(self, turn):
        if self._first:
            text, calls = self._first.pop(0)
            await turn.on_text(text)
            return Interpretation(calls=calls)
        for piece in self._pieces:
            await turn.on_text(piece)
        return Interpretation(answer=self._answer)


async def contents_of(api, text):
    """Return the texts of the chunks of a streamed answer in order."""
    chunks = chunks_of(await api.post("/v1/chat/completions", json=asked(text, stream=True)))
    return [content for each in chunks if (content := each["choices"][0]["delta"].get("content"))]


async def test_the_words_of_a_model_are_streamed_as_they_come(api_of):
    api = await api_of(interpreter=Telling("Once ", "upon ", "a time"))

    assert await contents_of(api, "tell me a story") == ["Once", " upon", " a time"]


async def test_text_before_a_call_is_followed_by_the_answer_only(api_of):
    look = ToolCall(id="a", name="memory_search", arguments={"query": "tea"})
    api = await api_of(interpreter=Telling("It is ", "noon.", first=[("Let me look.", (look,))]))

    assert "".join(await contents_of(api, "what time is it?")) == "Let me look.\n\nIt is noon."


async def test_stream_claims_no_change_that_was_not_made(api_of):
    api = await api_of(interpreter=Telling("Sure. I have ", "set a reminder ", "for tea. ", "Enjoy!"))

    text = "".join(await contents_of(api, "remind me of tea"))

    assert "I have" not in text
    assert "Nothing was set" in text


async def test_replaced_answer_is_streamed_after_a_gap(api_of):
    api = await api_of(interpreter=Telling("Perhaps", answer="No."))

    assert "".join(await contents_of(api, "will it rain?")) == "Perhaps\n\nNo."


async def test_lone_surrogate_in_a_conversation_is_replaced(api):
    body = r'{"model": "bubbles", "messages": [{"role": "user", "content": "list my reminders \ud800"}]}'

    answer = await api.post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 200


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
SOUND = {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}


@pytest.mark.parametrize("part", [PICTURE, SOUND])
@pytest.mark.parametrize(("language", "words"), [("en", "takes text only"), ("zh", "只接受文字")])
async def test_part_that_is_not_text_is_refused_with_an_alternative(api, part, language, words):
    messages = [{"role": "user", "content": [{"type": "text", "text": "what is this?"}, part]}]

    answer = await api.post("/v1/chat/completions", json={"messages": messages}, headers={"Accept-Language": language})
    error = answer.json()["error"]

    assert (answer.status_code, error["type"], error["code"]) == (400, "invalid_request_error", "content_unsupported")
    assert error["param"] == "messages.0.content.1"
    assert part["type"] in error["message"]
    assert words in error["message"]


async def test_text_parts_are_read_like_text(api):
    messages = [{"role": "user", "content": [{"type": "text", "text": "remind me in 10 minutes to drink tea"}]}]

    body = (await api.post("/v1/chat/completions", json={"messages": messages})).json()

    assert "tea" in body["choices"][0]["message"]["content"]


async def test_users_with_long_names_have_rooms_of_their_own(api):
    ann, ben = (f"https://identity.example.org/tenants/a-long-name-of-a-company/{name}" for name in ("ann", "ben"))
    await api.post("/v1/chat/completions", json=asked("remind me in 10 minutes to drink tea", user=ann))
    answer = await api.post("/v1/chat/completions", json=asked("list my reminders", user=ben))

    assert "tea" not in answer.json()["choices"][0]["message"]["content"]
