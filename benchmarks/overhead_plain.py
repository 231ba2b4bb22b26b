"""Baseline of the overhead benchmark: a tool loop on `AsyncOpenAI` without a framework."""

import asyncio

from _tools import MODEL, SYSTEM, models
from openai import AsyncOpenAI
from pydantic import ValidationError

_MAX_ROUNDS = 8


async def setup(base_url: str) -> None:
    global client, schemas, tools  # noqa: PLW0603 - the benchmark's form
    client = AsyncOpenAI(base_url=base_url, api_key="sk-fake", max_retries=0, timeout=600)
    specs = models(12)
    tools = {spec.name: spec for spec in specs}
    schemas = [
        {
            "type": "function",
            "function": {"name": each.name, "description": each.doc, "parameters": each.model.model_json_schema()},
        }
        for each in specs
    ]


async def run(message: str) -> str:
    messages = _make_messages(message)
    for _ in range(_MAX_ROUNDS):
        response = await client.chat.completions.create(model=MODEL, messages=messages, tools=schemas)
        answer = response.choices[0].message
        if not answer.tool_calls:
            return answer.content
        calls = [(each.id, each.function.name, each.function.arguments) for each in answer.tool_calls]
        messages += [
            _make_assistant_message(answer.content, calls),
            *await asyncio.gather(*(_call_function(*call) for call in calls)),
        ]
    raise RuntimeError("too many rounds")


async def run_stream(message: str) -> str:
    messages = _make_messages(message)
    for _ in range(_MAX_ROUNDS):
        text, calls = "", {}
        stream = await client.chat.completions.create(model=MODEL, messages=messages, tools=schemas, stream=True)
        async for chunk in stream:
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for piece in choice.delta.tool_calls or ():
                    call = calls.setdefault(piece.index, ["", "", ""])
                    call[0] += piece.id or ""
                    call[1] += piece.function.name or ""
                    call[2] += piece.function.arguments or ""
        if not calls:
            return text
        messages += [
            _make_assistant_message(text or None, calls.values()),
            *await asyncio.gather(*(_call_function(*call) for call in calls.values())),
        ]
    raise RuntimeError("too many rounds")


def _make_messages(message: str) -> list[dict[str, object]]:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": message}]


def _make_assistant_message(text: str | None, calls) -> dict[str, object]:
    functions = [
        {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
        for key, name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": functions}


async def _call_function(key: str, name: str, arguments: str) -> dict[str, object]:
    spec = tools[name]
    try:
        content = await spec.handler(spec.model.model_validate_json(arguments))
    except ValidationError as error:
        content = error.json(include_url=False)
    return {"role": "tool", "tool_call_id": key, "content": content}
