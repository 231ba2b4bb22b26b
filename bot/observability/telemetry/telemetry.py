"""Write spans and metrics of messages, turns and model requests by the conventions for generative AI.

Source: https://github.com/open-telemetry/semantic-conventions-genai/tree/main/docs/gen-ai
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from opentelemetry import context as otel_context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind

from bot import __version__
from bot.config.settings import TelemetrySettings
from bot.observability.telemetry.attributes import (
    AGENT_NAME,
    PROVIDER,
    Attributes,
    assistant_message,
    input_messages,
    output_messages,
    request_attributes,
    response_attributes,
    server_attributes,
    usage_attributes,
    user_message,
)
from bot.observability.telemetry.event_spans import EventSpans
from bot.observability.telemetry.instruments import Instruments, MessageTraceIds, trace_of
from function_calls.conversation.records.recorder import RecordedReply, RecordTurn
from function_calls.tools.calls import Turn
from function_calls.tools.dispatch.events import EventBus
from services.call_log.secret_mask import SecretMask
from services.call_log.usage import current_usage
from services.kernel.chat import ChatMessage
from services.language_model.ports import Completion, CompletionRequest, InstrumentedModel, LanguageModel

_RULES: Final = "bubbles"
"""The provider of the answers of a bot without a model."""


class Telemetry:
    """Writes the spans and metrics; the span of the running turn is current, so that all others are below it.

    `server` is the address of the model's server, empty without a model.
    """

    def __init__(self, instruments: Instruments, *, server: str = "") -> None:
        self._instruments = instruments
        self._server = server_attributes(server)
        self._events = EventSpans(instruments)

    async def __call__(self, message: ChatMessage, call_next: Callable[[ChatMessage], Awaitable[None]]) -> None:
        """Handle `message` inside a span of its own; this is a middleware, the outermost."""
        attributes: Attributes = {
            "messaging.system": message.address.platform,
            "messaging.destination.name": message.address.key,
            "messaging.message.id": message.id,
            "gen_ai.conversation.id": str(message.address),
        }
        with trace_of(message), self._instruments.span("message", SpanKind.INTERNAL, attributes):
            await call_next(message)

    def model(self, inner: LanguageModel) -> LanguageModel:
        """Wrap `inner` so that each request has a span and is measured."""
        return InstrumentedModel(inner, self.complete)

    def trace_turns(self, record: RecordTurn) -> RecordTurn:
        """Wrap `record` so that each recorded turn has a span with its route and usage."""

        @contextmanager
        def record_and_trace(turn: Turn) -> Iterator[RecordedReply]:
            with record(turn) as recorded, self.turn(turn, recorded):
                yield recorded

        return record_and_trace

    def listen(self, events: EventBus) -> None:
        """Write a span for each run of an agent and each call of a tool."""
        self._events.listen(events)

    @contextmanager
    def turn(self, turn: Turn, recorded: RecordedReply) -> Iterator[None]:
        """Open the span of `turn`; at the end `recorded` has the answer."""
        message, agent, content = turn.message, turn.bot_name, self._instruments.content
        attributes: Attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": PROVIDER if self._server else _RULES,
            AGENT_NAME: agent,
            "gen_ai.conversation.id": str(message.address),
            **content("gen_ai.input.messages", lambda: user_message(message.text)),
        }
        duration, labels = self._instruments.runs, Attributes({AGENT_NAME: agent})
        span_of_turn = self._instruments.span(f"invoke_agent {agent}", SpanKind.INTERNAL, attributes, duration, labels)
        with trace_of(message), _current_agent(agent), span_of_turn as span:
            outcome, answer = "failed", ""
            try:
                yield
                outcome = "silent" if recorded.reply is None else "answered"
                answer = "" if recorded.reply is None else recorded.reply.text
            finally:
                usage = current_usage()
                span.set_attributes({"bubbles.outcome": outcome, **({} if usage is None else usage_attributes(usage))})
                if answer:
                    span.set_attributes(content("gen_ai.output.messages", lambda: assistant_message(answer)))

    async def complete(self, inner: LanguageModel, request: CompletionRequest) -> Completion:
        """Request a completion from `inner` inside a span."""
        instruments, content = self._instruments, self._instruments.content
        name = request.model or inner.name
        labels: Attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDER,
            "gen_ai.request.model": name,
            **self._server,
        }
        attributes: Attributes = {
            **labels,
            **request_attributes(request),
            **content("gen_ai.input.messages", lambda: input_messages(request)),
        }
        with instruments.span(f"chat {name}", SpanKind.CLIENT, attributes, instruments.requests, labels) as span:
            completion = await inner.complete(request)
            labels["gen_ai.response.model"] = completion.model
            span.set_attributes(response_attributes(completion))
            span.set_attributes(content("gen_ai.output.messages", lambda: output_messages(completion)))
        instruments.count_tokens(completion.usage, labels)
        return completion


@asynccontextmanager
async def open_telemetry(settings: TelemetrySettings, *, server: str, mask: SecretMask) -> AsyncIterator[Telemetry]:
    """Send spans and metrics to the collector of the settings for as long as the context lasts."""
    base = settings.endpoint.rstrip("/").removesuffix("/v1/traces")
    resource = Resource.create({"service.name": "bubbles", "service.version": __version__})
    traces = TracerProvider(resource=resource, id_generator=MessageTraceIds())
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{base}/v1/traces")))
    exporters = [OTLPMetricExporter(endpoint=f"{base}/v1/metrics")] if settings.metrics else []
    meters = MeterProvider([PeriodicExportingMetricReader(each) for each in exporters], resource=resource)
    try:
        yield Telemetry(Instruments(traces, meters, has_content=settings.content, mask=mask), server=server)
    finally:
        await asyncio.gather(asyncio.to_thread(traces.shutdown), asyncio.to_thread(meters.shutdown))


@contextmanager
def _current_agent(name: str) -> Iterator[None]:
    """Name the agent of the spans that begin in this context."""
    token = otel_context.attach(otel_context.set_value(AGENT_NAME, name))
    try:
        yield
    finally:
        otel_context.detach(token)
