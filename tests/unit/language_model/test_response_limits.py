"""Endless and deeply nested answers, and redirects, from a server on loopback."""

import asyncio
import gzip
import json
import random
from collections.abc import Mapping

import pytest
from msgspec import Struct, field

from services.language_model.answer import MAX_TEXT_CHARACTERS
from services.language_model.transport import MAX_BODY_BYTES
from tests.support.openai_server import OpenAIServer, Raw
from tests.unit.language_model.test_openai_model import TextListener, ask, fail

DEEP = "[" * 200_000


class Endless(Struct, frozen=True, kw_only=True):
    """Sends `piece` until the client hangs up; `sent` counts the bytes."""

    piece: bytes
    code: int = 200
    content_type: str = "application/json"
    sent: list[int] = field(default_factory=list)

    async def play(self, writer: asyncio.StreamWriter, *, is_streamed: bool) -> bool:
        """Write for as long as anybody reads."""
        head = f"HTTP/1.1 {self.code} Scripted\r\nContent-Type: {self.content_type}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        while True:
            writer.write(self.piece)
            self.sent.append(len(self.piece))
            await writer.drain()


def event(fields: Mapping[str, object]) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": fields}]}).encode() + b"\n\n"


@pytest.mark.parametrize("code", [200, 400])
async def test_endless_body_is_cut_off(code):
    answer = Endless(piece=b" " * 65_536, code=code)

    failure, _ = await fail([answer])

    assert failure.reason == "malformed"
    assert sum(answer.sent) < MAX_BODY_BYTES + 20_000_000  # the rest waits in socket buffers


async def test_endless_event_is_cut_off():
    answer = Endless(piece=b"data: " + b" " * 65_536, content_type="text/event-stream")

    failure, _ = await fail([answer], on_text=TextListener())

    assert failure.reason == "malformed"


async def test_endless_streamed_text_ends_as_an_answer_that_was_cut():
    answer = Endless(piece=event({"content": "word " * 1_000}), content_type="text/event-stream")

    completion, _ = await ask([answer], on_text=TextListener())

    assert completion.finish_reason == "length"
    assert len(completion.text) == MAX_TEXT_CHARACTERS


async def test_endless_streamed_arguments_are_refused():
    part = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "clock", "arguments": "x" * 5_000}}]}

    failure, _ = await fail([Endless(piece=event(part), content_type="text/event-stream")], on_text=TextListener())

    assert failure.reason == "malformed"


@pytest.mark.parametrize("body", [DEEP, '{"choices": ' + DEEP, '{"error": ' + DEEP])
async def test_deeply_nested_answer_is_malformed(body):
    failure, _ = await fail([Raw(code=200, body=body.encode())])

    assert failure.reason == "malformed"


async def test_deeply_nested_refusal_is_malformed():
    failure, _ = await fail([Raw(code=500, body=(DEEP[:5_000] + "]" * 5_000).encode())])

    assert failure.reason == "malformed"


async def test_compressed_answer_counts_as_much_longer():
    packed = gzip.compress(random.Random(1).randbytes(MAX_BODY_BYTES // 40))
    bomb = Raw(code=400, body=packed, headers={"Content-Encoding": "gzip"})

    failure, _ = await fail([bomb])

    assert "too long" in str(failure)


async def test_redirect_to_another_origin_is_refused():
    async with OpenAIServer([]) as other_server:
        redirect = Raw(code=307, body=b"", headers={"Location": f"{other_server.base_url}/chat/completions"})

        failure, _ = await fail([redirect])

    assert "another origin" in str(failure)
    assert other_server.requests == []


async def test_redirect_within_the_origin_is_followed():
    answer = {"choices": [{"message": {"content": "ten"}, "finish_reason": "stop"}]}
    redirect = Raw(code=307, body=b"", headers={"Location": "/v2/chat/completions"})

    completion, server = await ask([redirect, Raw(code=200, body=json.dumps(answer).encode())])

    assert completion.text == "ten"
    assert server.requests[1].path == "/v2/chat/completions"
