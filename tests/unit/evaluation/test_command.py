"""The command `bubbles eval`."""

import asyncio
import json

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from tests.support.openai_server import OpenAIServer, call, say, status


def run(*words):
    return CliRunner().invoke(cli, ["eval", *map(str, words)])


@pytest.mark.parametrize(("kind", "line"), [("time", "corpus own_zh"), ("summary", "own_zh, ours")])
def test_without_data_the_own_set_is_measured(kind, line):
    result = run(kind)

    assert result.exit_code == 0
    assert line in result.output


@pytest.mark.parametrize("kind", ["time", "intents", "summary", "conversations"])
def test_folder_without_cases_is_reported(kind, tmp_path):
    result = run(kind, "--data", tmp_path)

    assert result.exit_code == 2
    assert str(tmp_path) in result.output


def test_a_miss_is_shown_when_asked_for(tmp_path):
    row = '{"text": "tomorrow", "lang": "en", "ref": "2026-11-20T10:00:00", "kind": "none", "tags": ["core"]}'
    (tmp_path / "rows.jsonl").write_text(row, encoding="utf-8")

    assert "missed: 'tomorrow'" in run("time", "--data", tmp_path, "--errors", 1).output


@pytest.fixture
def conversation(tmp_path):
    """Write a conversation with a remark and a request for a reminder into a folder, and return the folder."""
    expected = {"content": "call mum", "at": "2026-11-24T09:00", "rrule": None, "for": "me"}
    found = {
        "id": "own-1",
        "lang": "en",
        "zone": "Europe/London",
        "start": "2026-11-23T10:00+00:00",
        "messages": [
            {"sender": "Ann", "text": "nice weather", "kind": "chatter", "expect": [{"silence": True}]},
            {
                "sender": "Ann",
                "text": "Bubbles remind me tomorrow at 9 to call mum",
                "kind": "set",
                "expect": [{"set": [expected]}],
            },
        ],
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(found), encoding="utf-8")
    return tmp_path


def test_a_conversation_is_played_and_scored(conversation):
    result = run("conversations", "--data", conversation)

    assert result.exit_code == 0
    assert "right at the first try 100.0%" in result.output
    assert "talk left alone 100.0%" in result.output


async def test_a_conversation_is_played_with_a_model_over_http(conversation):
    expected = {"type": "once", "time": "2026-11-24 09:00", "content": "call mum"}
    async with OpenAIServer([call("reminder_set", expected)]) as server:
        model = ("--base-url", server.base_url, "--model", "m", "--style", "native")
        result = await asyncio.to_thread(run, "conversations", *model, "--data", conversation)

    assert result.exit_code == 0
    assert "right at the first try 100.0%" in result.output
    assert server.requests, "the model was never asked"


def test_a_model_without_an_address_is_refused(conversation):
    result = run("conversations", "--model", "m", "--data", conversation)

    assert result.exit_code == 2
    assert "--base-url and --model go together" in result.output


@pytest.fixture
def two_prompts(tmp_path):
    (tmp_path / "en.toml").write_text(
        'language = "en"\nsummary = ["sum it up"]\nnone = ["what a lovely day it was"]\n', encoding="utf-8"
    )
    return tmp_path


async def test_a_model_is_measured_over_http(two_prompts):
    async with OpenAIServer([say("Hello!"), call("summary"), say("Indeed.")]) as server:
        result = await asyncio.to_thread(
            run, "tools", "--base-url", server.base_url, "--model", "m", "--style", "native", "--data", two_prompts
        )

    assert result.exit_code == 0
    assert "all             1/1              1/1             0/1" in result.output


async def test_a_model_that_never_answers_is_an_error(two_prompts):
    async with OpenAIServer([status(400)] * 3) as server:
        result = await asyncio.to_thread(
            run, "tools", "--base-url", server.base_url, "--model", "m", "--style", "native", "--data", two_prompts
        )

    assert result.exit_code == 1
    assert "no answer to 2 of 2" in result.output
