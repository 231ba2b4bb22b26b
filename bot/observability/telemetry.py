"""Write one OpenTelemetry trace per message, with spans for model requests and tool calls.

Names and attributes follow the semantic conventions for generative AI; no text of a message is sent.
Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from bot import __version__
from bot.config.settings import TelemetrySettings
from function_calls.tools.calls import ToolResult
from function_calls.tools.dispatch.events import TOOL_COMPLETE, TOOL_START, Event, EventBus
from services.kernel.chat import ChatMessage
from services.kernel.errors import ConfigError, ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, InstrumentedModel, LanguageModel

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

_MOST_OPEN: Final = 1000
_PROVIDER: Final = "openai"
"""Whose API the model is asked by; the conventions want the best guess where a compatible server stands behind it."""


class Telemetry:
    """Makes the spans. Where a message is handled its span is current, so that all others hang below it."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._tracer = provider.get_tracer("bubbles", __version__)
        self._open: dict[tuple[str, str, str], Span] = {}

    async def __call__(self, message: ChatMessage, call_next: Callable[[ChatMessage], Awaitable[None]]) -> None:
        """Handle `message` inside a span of its own; this is a middleware, the outermost."""
        with self._tracer.start_as_current_span(
            "message",
            attributes={
                "messaging.system": message.address.platform,
                "messaging.destination.name": message.address.key,
                "messaging.message.id": message.id,
                "gen_ai.conversation.id": message.address.key,
            },
        ):
            await call_next(message)

    def model(self, inner: LanguageModel) -> LanguageModel:
        """Wrap `inner` so that each request has a span."""
        return InstrumentedModel(inner, self.complete)

    def listen(self, events: EventBus) -> None:
        """Make a span of every call of a tool."""
        events.subscribe(TOOL_START, self._begin_span)
        events.subscribe(TOOL_COMPLETE, self._end_span)

    async def complete(self, inner: LanguageModel, request: CompletionRequest) -> Completion:
        """Ask `inner` inside a span.

        Raises:
            ModelUnavailable: it gave no usable answer.
        """
        from opentelemetry.trace import SpanKind, Status, StatusCode

        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _PROVIDER,
            "gen_ai.request.model": inner.name,
        }
        with self._tracer.start_as_current_span(
            f"chat {inner.name}", kind=SpanKind.CLIENT, attributes=attributes, record_exception=False
        ) as span:
            try:
                completion = await inner.complete(request)
            except ModelUnavailable as error:
                span.set_attribute("error.type", error.reason)
                span.set_status(Status(StatusCode.ERROR, error.reason))
                raise
            span.set_attributes(
                {
                    "gen_ai.response.model": completion.model,
                    "gen_ai.response.finish_reasons": [completion.finish_reason],
                    "gen_ai.usage.input_tokens": completion.usage.prompt_tokens,
                    "gen_ai.usage.output_tokens": completion.usage.completion_tokens,
                }
            )
            return completion

    def _begin_span(self, event: Event) -> None:
        tool = str(event.data.get("tool", ""))
        span = self._tracer.start_span(
            f"execute_tool {tool}",
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": str(event.data.get("id", "")),
            },
        )
        while len(self._open) >= _MOST_OPEN:  # of calls that were cancelled nobody tells the end
            self._open.pop(next(iter(self._open))).end()
        self._open[_key(event)] = span

    def _end_span(self, event: Event) -> None:
        from opentelemetry.trace import Status, StatusCode

        span = self._open.pop(_key(event), None)
        if span is None:
            return
        result = event.data.get("result")
        if isinstance(result, ToolResult) and not result.ok:
            span.set_attribute("error.type", result.failure)
            span.set_status(Status(StatusCode.ERROR))
        span.end()


@asynccontextmanager
async def telemetry_of(settings: TelemetrySettings) -> AsyncIterator[Telemetry | None]:
    """Send traces to the endpoint of the settings for as long as the context lasts; None where none is set.

    Raises:
        ConfigError: the extra `telemetry` is not installed.
    """
    if not settings.endpoint:
        yield None
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        told = f"traces need {error.name}; install them: pip install .[telemetry]"
        raise ConfigError("settings", "telemetry.endpoint", told) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "bubbles", "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.endpoint)))
    try:
        yield Telemetry(provider)
    finally:
        await asyncio.to_thread(provider.shutdown)


def _key(event: Event) -> tuple[str, str, str]:
    return event.chat, event.message_id, str(event.data.get("id", ""))
