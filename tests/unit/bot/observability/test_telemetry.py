"""Spans and metrics, sent over OTLP and HTTP to a collector on loopback."""

import asyncio
import json
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from bot.app.application import build_app
from bot.config.settings import BotSettings, ModelSettings, Settings, TelemetrySettings
from bot.testing.clocks import StandingClock
from bot.testing.platform import FakePlatform
from services.call_log.model import trace_id
from services.kernel.chat import ChatAddress
from services.storage.database import Database
from tests.support.openai_server import OpenAIServer, call, say, status

traces_pb = pytest.importorskip(
    "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="needs the extra telemetry"
)
metrics_pb = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")

SET = {"type": "once", "time": "2026-11-20 10:00", "content": "tea"}
ASKED = "remind me of tea at ten in the morning"


class Collector(ThreadingHTTPServer):
    """Keeps the spans and the metrics that are sent to it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans, self.metrics = [], {}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            sent = traces_pb.ExportTraceServiceRequest.FromString(body)
            self.server.spans += [s for r in sent.resource_spans for scope in r.scope_spans for s in scope.spans]
        elif self.path == "/v1/metrics":
            sent = metrics_pb.ExportMetricsServiceRequest.FromString(body)
            found = [m for r in sent.resource_metrics for scope in r.scope_metrics for m in scope.metrics]
            self.server.metrics |= {metric.name: metric for metric in found}
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def collector():
    with Collector() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


async def converse(collector, script, text, *, database="sqlite://", path="", secret="", model=None, **telemetry):
    clock = StandingClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    own = {"name": "small", "function_calling": "native", "max_retries": 0, "api_key": secret} | (model or {})
    async with OpenAIServer(script) as server:
        settings = Settings(
            bot=BotSettings(timezone="UTC"),
            model=ModelSettings(base_url=server.base_url, **own),
            telemetry=TelemetrySettings(endpoint=f"http://127.0.0.1:{collector.server_port}{path}", **telemetry),
        )
        async with build_app(settings, platforms=[platform], clock=clock, database=Database(database)):
            await platform.say(text, is_private=True)
    return collector.spans


def attributes(span):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


@pytest.mark.timeout(20)
async def test_a_message_is_one_trace_with_its_agent_requests_and_calls(collector):
    spans = await converse(collector, [call("reminder_set", SET)], ASKED)
    named = {span.name: span for span in spans}

    assert set(named) == {"message", "invoke_agent Bubbles", "chat small", "execute_tool reminder_set"}
    assert len({span.trace_id for span in spans}) == 1
    assert named["invoke_agent Bubbles"].parent_span_id == named["message"].span_id
    for name in ("chat small", "execute_tool reminder_set"):
        assert named[name].parent_span_id == named["invoke_agent Bubbles"].span_id
    assert attributes(named["message"])["gen_ai.conversation.id"] == "fake:home"
    assert named["chat small"].kind == named["chat small"].SPAN_KIND_CLIENT


@pytest.mark.timeout(20)
async def test_spans_have_the_attributes_of_the_conventions(collector):
    spans = await converse(collector, [call("reminder_set", SET)], ASKED)
    agent, chat, tool = (
        attributes(next(span for span in spans if span.name.startswith(name)))
        for name in ("invoke_agent", "chat", "execute_tool")
    )

    assert agent["gen_ai.usage.input_tokens"] == chat["gen_ai.usage.input_tokens"] > 0
    assert (agent["bubbles.route"], agent["bubbles.outcome"], agent["bubbles.rounds"]) == ("model", "answered", 1)
    assert {name: chat[name] for name in chat if "usage" not in name and "port" not in name} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.request.stream": False,
        "gen_ai.agent.name": "Bubbles",
        "gen_ai.conversation.id": "fake:home",
        "gen_ai.response.model": chat["gen_ai.response.model"],
        "gen_ai.response.finish_reasons": chat["gen_ai.response.finish_reasons"],
        "server.address": "127.0.0.1",
    }
    assert tool.pop("gen_ai.tool.call.id")
    assert tool == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "reminder_set",
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": "Bubbles",
        "gen_ai.conversation.id": "fake:home",
    }


@pytest.mark.timeout(20)
async def test_span_of_the_task_model_has_its_name(collector):
    model = {"function_calling": "prompt", "task_name": "tiny"}
    spans = await converse(
        collector, [say('{"name": "reminder_list", "parameters": {}}')], "tell me how it looks", model=model
    )

    (chat,) = (span for span in spans if span.name.startswith("chat"))
    assert (chat.name, attributes(chat)["gen_ai.request.model"]) == ("chat tiny", "tiny")


@pytest.mark.timeout(20)
async def test_metrics_count_tokens_and_durations(collector):
    await converse(collector, [call("reminder_set", SET)], ASKED)
    tokens = collector.metrics["gen_ai.client.token.usage"].histogram.data_points

    assert collector.metrics["gen_ai.client.token.usage"].unit == "{token}"
    assert {attributes(point)["gen_ai.token.type"] for point in tokens} == {"input", "output"}
    assert all(point.sum > 0 and len(point.explicit_bounds) == 14 for point in tokens)
    for name in ("gen_ai.client.operation.duration", "gen_ai.invoke_agent.duration", "gen_ai.execute_tool.duration"):
        (point,) = collector.metrics[name].histogram.data_points
        assert (collector.metrics[name].unit, point.count) == ("s", 1)


@pytest.mark.timeout(20)
async def test_metrics_can_be_switched_off(collector):
    await converse(collector, [say("hello")], "hello", metrics=False)

    assert collector.spans
    assert collector.metrics == {}


@pytest.mark.timeout(20)
async def test_address_for_traces_of_earlier_settings_still_works(collector):
    assert await converse(collector, [say("hello")], "hello", path="/v1/traces")


@pytest.mark.timeout(20)
async def test_no_text_of_a_message_is_in_a_trace(collector):
    spans = await converse(collector, [call("no_such_planted_tool", {"a": "b"}), say("x")], "a planted question")

    assert spans
    assert all("planted question" not in str(span) for span in spans)


@pytest.mark.timeout(20)
async def test_no_text_of_an_error_is_in_a_trace(collector):
    spans = await converse(collector, [status(401, "a planted error")], "a planted question")
    (chat,) = [span for span in spans if span.name == "chat small"]

    assert chat.status.code == chat.status.STATUS_CODE_ERROR
    assert attributes(chat)["error.type"] == "refused"
    assert all("planted" not in str(span) for span in spans)


@pytest.mark.timeout(20)
async def test_content_is_sent_where_it_is_asked_for_without_secrets(collector):
    secret = "planted-very-secret-key"
    text, content = f"remind me of {secret} at ten in the morning", {**SET, "content": secret}
    spans = await converse(collector, [call("reminder_set", content)], text, content=True, secret=secret)
    agent, chat, tool = (
        attributes(next(span for span in spans if span.name.startswith(name)))
        for name in ("invoke_agent", "chat", "execute_tool")
    )

    assert json.loads(agent["gen_ai.input.messages"])[0]["parts"] == [
        {"type": "text", "content": "remind me of [secret] at ten in the morning"}
    ]
    assert json.loads(agent["gen_ai.output.messages"])[0]["parts"][0]["content"].startswith("✅ Set [")
    assert json.loads(chat["gen_ai.input.messages"])[0]["role"] == "system"
    (written,) = json.loads(chat["gen_ai.output.messages"])
    assert (written["finish_reason"], written["parts"][0]["name"]) == ("tool_call", "reminder_set")
    assert json.loads(tool["gen_ai.tool.call.arguments"])["content"] == "[secret]"
    assert "gen_ai.tool.call.result" in tool
    assert all(secret not in str(span) for span in spans)


@pytest.mark.timeout(20)
async def test_explain_shows_the_trace_and_the_tokens_of_its_span(collector, tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    spans = await converse(collector, [call("reminder_set", SET)], ASKED, database=url)
    (tmp_path / "config.toml").write_text(
        f'[bot]\ndata_dir = "{tmp_path}"\n[telemetry]\nendpoint = "http://127.0.0.1:{collector.server_port}"\n'
    )
    command = ["explain", "--config", str(tmp_path / "config.toml"), "last"]
    run = await asyncio.to_thread(CliRunner().invoke, cli, command)
    agent = attributes(next(span for span in spans if span.name.startswith("invoke_agent")))

    assert f"trace {spans[0].trace_id.hex()}" in run.output
    assert f"{agent['gen_ai.usage.input_tokens']} in" in run.output


def test_trace_ids_differ_between_chats_and_messages():
    home, work = ChatAddress(platform="fake", chat_id="home"), ChatAddress(platform="fake", chat_id="work")

    assert len({trace_id(home, "1"), trace_id(home, "2"), trace_id(work, "1")}) == 3


async def test_without_an_endpoint_no_telemetry_is_loaded(collector):
    clock = StandingClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    before = {name for name in sys.modules if name.startswith("opentelemetry.sdk")}
    async with build_app(Settings(), platforms=[FakePlatform(clock)], clock=clock, database=Database("sqlite://")):
        await asyncio.sleep(0)

    assert {name for name in sys.modules if name.startswith("opentelemetry.sdk")} == before
    assert collector.spans == []
