"""The program on the page about the library, with a scripted model server."""

import re
import sys
from asyncio import create_subprocess_exec, subprocess
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot.testing.models import ScriptedModel, completion, requested
from tests.support.openai_server import OpenAIServer, call, calls, say, status

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "use-as-a-library.md").read_text(encoding="utf-8")
PROGRAM, TRACES, TESTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RIGHT = """
from typing import assert_type
from function_calls import AgentResult, CallContext, Registry, Session

async def check(ctx: CallContext) -> None:
    assert_type(seller, Agent[Shop, Offer])
    assert_type(writer, Agent[None, str])
    assert_type(await seller.run("A plum", deps=Shop(plum=1)), AgentResult[Offer])
    assert_type((await writer.run("A plum", session=Session())).output, str)
    assert_type(Agent("other", model="any", deps=Shop(plum=1)), Agent[Shop, str])
    stream = writer.stream("A plum")
    async for piece in stream:
        assert_type(piece, str)
    assert_type(stream.result.output, str)
    assert_type(ctx.state.chat.get_as(list[str], "items"), list[str] | None)
    assert_type(ctx.state.get_as(int, "count", 0), int)
    Registry().register(price)
"""
WRONG = """
async def check_wrong() -> None:
    await seller.run("A plum", deps=3)
    from function_calls import Nothing
"""

exec(compile(f"{PROGRAM}\n{TESTS}", "use-as-a-library.md", "exec"), globals())


async def test_program_retries_corrects_and_streams(monkeypatch, capsys):
    script = [
        status(503, retry_after=0),
        calls(("price", {"item": "apple"}), ("price", {"item": "pear"}), ("price", {"item": "prune"})),
        call("price", {"item": "plum"}),
        call("give_answer", {"items": ["apple", "pear", "plum"], "total": 3.5}),
        say("Three fruits for 3.50 euros, enjoy!"),
    ]
    async with OpenAIServer(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        program = {"__name__": "program"}
        exec(compile(PROGRAM, "use-as-a-library.md", "exec"), program)
        await program["main"]()
    corrected, answered = (server.requests[place].body["messages"] for place in (2, 3))

    assert capsys.readouterr().out == "3.50 EUR, 3 calls, 381 tokens\nThree fruits for 3.50 euros, enjoy!"
    assert server.script == []
    assert '/item: expected one of "apple", "pear", "plum", got "prune"' in corrected[-1]["content"]
    assert [each["content"] for each in answered if each["role"] == "tool"] == [
        '{"result": 1}',
        '{"result": 2}',
        '{"result": 0.5}',
    ]
    assert server.requests[4].body["stream"]


async def test_traced_agent_writes_a_span_of_its_run_requests_and_calls():
    exporter, traces = InMemorySpanExporter(), TracerProvider()
    traces.add_span_processor(SimpleSpanProcessor(exporter))
    program = {"__name__": "program"}
    exec(compile(f"{PROGRAM}\n{TRACES}", "use-as-a-library.md", "exec"), program)
    program["get_tracer_provider"] = lambda: traces
    model = ScriptedModel([completion("", requested("price", item="plum")), '{"items": ["plum"], "total": 0.5}'])
    await program["traced_seller"](model).run("A plum, please.", deps=program["Shop"](plum=0.5))

    names = [span.name for span in exporter.get_finished_spans()]
    assert names == [
        "chat scripted",
        "execute_tool price",
        "chat scripted",
        "execute_tool give_answer",
        "invoke_agent seller",
    ]


def test_program_is_short():
    lines = [line for line in PROGRAM.splitlines() if line.strip()]
    imports = [line for line in lines if line.startswith(("import ", "from "))]

    assert len(lines) <= 50
    assert len(imports) <= 6


@pytest.mark.integration
@pytest.mark.timeout(120)
async def test_program_is_strictly_typed(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(f"{PROGRAM}\n{TRACES}\n{TESTS}" + RIGHT + WRONG, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    process = await create_subprocess_exec(*command, str(file), cwd=ROOT, stdout=subprocess.PIPE)
    output, _ = await process.communicate()

    assert re.findall(r": error: .*\[([\w-]+)\]", output.decode()) == ["call-overload", "attr-defined"]
