"""Recording and replay of requests to a model."""

import json

import pytest

from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.turns import make_tool, make_turn
from function_calls.llm import FunctionCallLLM
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest
from tests.support.model_traffic import NotRecorded, RecordingModel, ReplayedModel

KEY = "sk-abcdefgh12345678"
HELLO = CompletionRequest(messages=[{"role": "user", "content": "hello"}])


async def record(tmp_path, *answers, request=HELLO, secrets=()):
    """Record `answers` to `request`, and return the file."""
    model = RecordingModel(ScriptedModel(answers), secrets=secrets)
    for _ in answers:
        await model.complete(request)
    model.save(tmp_path / "traffic.json")
    return tmp_path / "traffic.json"


async def test_a_turn_is_played_back_as_it_was_recorded(tmp_path):
    turn = make_turn("what time is it in Lima?", tools=[make_tool("get_time", zone={"type": "string"})])
    recording = RecordingModel(ScriptedModel([completion("", requested("get_time", zone="America/Lima"))]))
    first = await FunctionCallLLM(recording).interpret(turn)
    recording.save(tmp_path / "traffic.json")

    again = await FunctionCallLLM(ReplayedModel.load(tmp_path / "traffic.json")).interpret(turn)

    assert again == first
    assert again.calls[0].arguments == {"zone": "America/Lima"}


async def test_the_same_request_gets_its_answers_in_order_and_then_the_last(tmp_path):
    model = ReplayedModel.load(await record(tmp_path, "one", "two"))

    assert [(await model.complete(HELLO)).text for _ in range(3)] == ["one", "two", "two"]


async def test_unrecorded_request_is_an_error_with_the_message(tmp_path):
    model = ReplayedModel.load(await record(tmp_path, "one"))

    with pytest.raises(NotRecorded, match="goodbye"):
        await model.complete(CompletionRequest(messages=[{"role": "user", "content": "goodbye"}]))


@pytest.mark.parametrize(
    "text",
    [
        f"my key is {KEY}",
        f"first line\n{KEY}",
        "Authorization: Bearer abcdefghijklmnop",
        "pplx-0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    ],
)
async def test_likely_key_is_never_written(tmp_path, text):
    request = CompletionRequest(messages=[{"role": "user", "content": text}])

    path = await record(tmp_path, text, request=request)

    assert "[secret]" in path.read_text(encoding="utf-8")
    for part in text.replace("\n", " ").split():
        assert len(part) < 16 or part not in path.read_text(encoding="utf-8")


async def test_named_secrets_are_left_out_and_the_request_is_still_found(tmp_path):
    request = CompletionRequest(messages=[{"role": "user", "content": "the word is hunter2!"}])

    path = await record(tmp_path, "fine", request=request, secrets=["hunter2"])

    assert "hunter2" not in path.read_text(encoding="utf-8")
    assert (await ReplayedModel.load(path, secrets=["hunter2"]).complete(request)).text == "fine"


async def test_failures_are_raised_and_not_recorded(tmp_path):
    model = RecordingModel(ScriptedModel([ModelUnavailable("timeout"), "one"]))

    with pytest.raises(ModelUnavailable):
        await model.complete(HELLO)
    await model.complete(HELLO)

    assert len(model.exchanges) == 1


async def test_streamed_request_gets_the_recorded_text(tmp_path):
    messages = []

    async def on_text(text):
        messages.append(text)

    model = ReplayedModel.load(await record(tmp_path, "one"))
    await model.complete(CompletionRequest(messages=HELLO.messages, on_text=on_text))

    assert messages == ["one"]


async def test_a_recording_is_readable_json(tmp_path):
    table = json.loads((await record(tmp_path, "好")).read_text(encoding="utf-8"))

    assert table["exchanges"][0]["completion"]["text"] == "好"
