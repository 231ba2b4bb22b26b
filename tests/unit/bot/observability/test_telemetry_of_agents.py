"""Spans of agents of a program, with the in-memory exporter of the SDK."""

import asyncio

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs the extra telemetry")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot.observability.telemetry.instruments import Instruments
from bot.observability.telemetry.telemetry import Telemetry
from bot.testing.models import ScriptedModel, completion, requested
from function_calls import Agent, AgentHooks, AgentTool, tool_function
from function_calls.tools.dispatch.events import EventBus
from services.kernel.errors import ModelUnavailable


@tool_function
async def water(plant: str) -> str:
    """Water a plant."""
    return f"{plant} has water"


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def reader():
    return InMemoryMetricReader()


@pytest.fixture
def telemetry(exporter, reader):
    traces = TracerProvider()
    traces.add_span_processor(SimpleSpanProcessor(exporter))
    return Telemetry(Instruments(traces, MeterProvider([reader])))


def observed(telemetry, name, script, tools):
    """Return an agent with a scripted model, whose runs, requests and calls are traced."""
    events = EventBus()
    telemetry.listen(events)
    model = telemetry.model(ScriptedModel(script))
    return Agent(name, model=model, description=name, tools=tools, hooks=AgentHooks(events=events))


def tree(exporter):
    """Return the spans by name, with the name of the span above each."""
    spans = exporter.get_finished_spans()
    names = {span.context.span_id: span.name for span in spans}
    return {span.name: None if span.parent is None else names[span.parent.span_id] for span in spans}


async def test_calls_and_requests_are_below_the_run_of_their_agent(telemetry, exporter):
    script = [completion("", requested("water", plant="fern")), completion("Done.")]
    await observed(telemetry, "gardener", script, [water]).run("water the fern")

    assert tree(exporter) == {
        "invoke_agent gardener": None,
        "chat scripted": "invoke_agent gardener",
        "execute_tool water": "invoke_agent gardener",
    }


async def test_run_of_an_agent_that_is_a_tool_is_below_its_call(telemetry, exporter):
    helper = observed(
        telemetry, "helper", [completion("", requested("water", plant="fern")), completion("ok")], [water]
    )
    script = [completion("", requested("helper", request="water it")), completion("Done.")]
    head = observed(telemetry, "head", script, [AgentTool(helper)])
    await head.run("water the fern")
    found = tree(exporter)

    assert found["execute_tool helper"] == "invoke_agent head"
    assert found["invoke_agent helper"] == "execute_tool helper"
    assert found["execute_tool water"] == "invoke_agent helper"
    assert len(exporter.get_finished_spans()) == 8


async def test_run_and_request_that_fail_have_the_reason(telemetry, exporter, reader):
    agent = observed(telemetry, "gardener", [ModelUnavailable("timeout", "planted detail")], [water])
    with pytest.raises(ModelUnavailable):
        await agent.run("water the fern")
    spans = exporter.get_finished_spans()

    assert {span.name: span.attributes["error.type"] for span in spans} == {
        "invoke_agent gardener": "timeout",
        "chat scripted": "timeout",
    }
    assert all("planted" not in span.to_json() for span in spans)
    assert "timeout" in reader.get_metrics_data().to_json()


async def test_content_of_a_run_is_not_in_its_spans(telemetry, exporter):
    script = [completion("", requested("water", plant="planted fern")), completion("planted answer")]
    await observed(telemetry, "gardener", script, [water]).run("planted request")

    assert all("planted" not in span.to_json() for span in exporter.get_finished_spans())


async def test_call_that_a_timeout_cancels_ends_with_the_call_around_it(telemetry, exporter):
    @tool_function
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(60)
        return "late"

    helper = observed(telemetry, "helper", [completion("", requested("wait")), completion("ok")], [wait])
    script = [completion("", requested("helper", request="wait")), completion("Done."), completion("Done.")]
    head = observed(telemetry, "head", script, [AgentTool(helper, timeout=0.05), water])
    await head.run("wait a little")
    spans = {span.name: span for span in exporter.get_finished_spans()}

    assert spans["execute_tool wait"].attributes["error.type"] == "CancelledError"
    assert spans["execute_tool helper"].attributes["error.type"] == "timeout"
    assert tree(exporter)["invoke_agent head"] is None


async def test_parallel_calls_with_one_id_have_a_span_each(telemetry, exporter):
    calls = [requested("water", plant=plant, id="call_0") for plant in ("fern", "rose")]
    await observed(telemetry, "gardener", [completion("", *calls), completion("Done.")], [water]).run("water both")

    assert [span.name for span in exporter.get_finished_spans()].count("execute_tool water") == 2
