"""Traces as a collector receives them, over OTLP and HTTP on loopback."""

import asyncio
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, ModelSettings, Settings, TelemetrySettings
from bot.testing.clocks import StandingClock
from bot.testing.openai_server import OpenAIServer, call, say
from bot.testing.platform import FakePlatform
from services.storage.database import Database

pb = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="needs the extra telemetry")

SET = {"type": "once", "time": "2026-11-20 10:00", "content": "tea"}


@pytest.fixture
def collector():
    """Keeps the spans that are sent to it."""
    spans = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent = pb.ExportTraceServiceRequest.FromString(body)
            spans.extend(s for r in sent.resource_spans for scope in r.scope_spans for s in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    server.spans = spans
    yield server
    server.shutdown()
    server.server_close()


async def traced(collector, script, text):
    clock = StandingClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with OpenAIServer(script) as model:
        settings = Settings(
            bot=BotSettings(timezone="UTC"),
            model=ModelSettings(base_url=model.base_url, name="small", function_calling="native", max_retries=0),
            telemetry=TelemetrySettings(endpoint=f"http://127.0.0.1:{collector.server_port}/v1/traces"),
        )
        async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")):
            await platform.say(text, is_private=True)
    return collector.spans


def attributes(span):
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


@pytest.mark.timeout(20)
async def test_a_message_is_one_trace_with_its_requests_and_calls(collector):
    spans = await traced(collector, [call("reminder_set", SET)], "remind me of tea at ten in the morning")
    named = {span.name: span for span in spans}

    assert set(named) == {"message", "chat small", "execute_tool reminder_set"}
    assert len({span.trace_id for span in spans}) == 1
    assert {named[name].parent_span_id for name in named if name != "message"} == {named["message"].span_id}
    assert attributes(named["message"])["gen_ai.conversation.id"] == "fake:home"
    asked = attributes(named["chat small"])
    assert asked.pop("gen_ai.usage.input_tokens") > 0
    assert asked.pop("gen_ai.usage.output_tokens") > 0
    assert asked.keys() - {"gen_ai.response.finish_reasons", "gen_ai.response.model"} == {
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
    }
    assert (asked["gen_ai.operation.name"], asked["gen_ai.request.model"]) == ("chat", "small")
    called = attributes(named["execute_tool reminder_set"])
    assert called.pop("gen_ai.tool.call.id")
    assert called == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "reminder_set",
        "gen_ai.tool.type": "function",
    }


@pytest.mark.timeout(20)
async def test_no_text_of_a_message_is_in_a_trace(collector):
    spans = await traced(collector, [say("a planted answer")], "a planted question")

    assert spans
    assert all("planted" not in str(span) for span in spans)


@pytest.mark.timeout(20)
async def test_a_model_that_fails_is_an_error_in_the_trace(collector):
    from bot.testing.openai_server import status

    spans = await traced(collector, [status(401, "no")], "hello")
    (chat,) = [span for span in spans if span.name == "chat small"]

    assert chat.status.code == chat.status.STATUS_CODE_ERROR
    assert attributes(chat)["error.type"] == "refused"


async def test_without_an_endpoint_no_telemetry_is_loaded(collector):
    import sys

    clock = StandingClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    before = {name for name in sys.modules if name.startswith("opentelemetry.sdk")}
    async with build_app(Settings(), platforms=[FakePlatform(clock)], clock=clock, database=Database("sqlite://")):
        await asyncio.sleep(0)

    assert {name for name in sys.modules if name.startswith("opentelemetry.sdk")} == before
    assert collector.spans == []
