"""Write a span for each run of an agent and each call of a tool, from the events at its start and end."""

import json
from contextvars import Token
from typing import Final

from msgspec import Struct
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.metrics import Histogram
from opentelemetry.trace import Span, set_span_in_context

from bot.observability.metrics import MAX_TOOLS, OTHER
from bot.observability.telemetry.attributes import (
    AGENT_NAME,
    PROVIDER,
    Attributes,
    assistant_message,
    current_agent,
    user_message,
)
from bot.observability.telemetry.instruments import Instruments, mark_failed
from function_calls.model_calls.transcript import result_text
from function_calls.tools.calls import ToolResult
from function_calls.tools.dispatch.events import (
    AGENT_COMPLETE,
    AGENT_START,
    TOOL_COMPLETE,
    TOOL_START,
    Event,
    EventBus,
)

_OPEN: Final = "bubbles.open_span"
"""The key of the latest span of an event in an OpenTelemetry context."""


class _OpenSpan(Struct, kw_only=True):
    """A span that an event opened inside `above`; `token` restores the span that was current before."""

    span: Span
    event_id: str
    above: "_OpenSpan | None"
    token: Token[Context] | None = None


class EventSpans:
    """Writes the spans. A span is current until its end event, which the same task publishes.

    A run or a call whose events are published on several buses has one span.
    """

    def __init__(self, instruments: Instruments) -> None:
        self._instruments = instruments
        self._tools: set[str] = set()

    def listen(self, events: EventBus) -> None:
        """Write the spans of the events published on `events`."""
        events.subscribe(AGENT_START, self._begin_run)
        events.subscribe(AGENT_COMPLETE, self._end_run)
        events.subscribe(TOOL_START, self._begin_call)
        events.subscribe(TOOL_COMPLETE, self._end_call)

    def _begin_run(self, event: Event) -> None:
        agent, request = str(event.data["agent"]), str(event.data["request"])
        attributes: Attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": PROVIDER,
            AGENT_NAME: agent,
            "gen_ai.conversation.id": event.chat,
            **self._instruments.content("gen_ai.input.messages", lambda: user_message(request)),
        }
        self._begin(event, f"invoke_agent {agent}", attributes, agent)

    def _end_run(self, event: Event) -> None:
        error, answer = str(event.data["error"]), str(event.data["answer"])
        content = self._instruments.content("gen_ai.output.messages", lambda: assistant_message(answer))
        if self._end(event, error, content if answer else {}):
            self._measure(self._instruments.runs, event, {AGENT_NAME: str(event.data["agent"])}, error)

    def _begin_call(self, event: Event) -> None:
        tool, arguments = str(event.data["tool"]), event.data["args"]
        attributes: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": str(event.data["id"]),
            "gen_ai.conversation.id": event.chat,
            **current_agent(),
            **self._instruments.content(
                "gen_ai.tool.call.arguments", lambda: json.dumps(arguments, ensure_ascii=False, default=str)
            ),
        }
        self._begin(event, f"execute_tool {tool}", attributes)

    def _end_call(self, event: Event) -> None:
        result, content, error = event.data["result"], Attributes(), ""
        if isinstance(result, ToolResult):
            error = "" if result.ok else result.failure
            content = self._instruments.content("gen_ai.tool.call.result", lambda: result_text(result))
        if self._end(event, error, content):
            labels: Attributes = {"gen_ai.tool.name": self._label(str(event.data["tool"])), **current_agent()}
            self._measure(self._instruments.calls, event, labels, error)

    def _begin(self, event: Event, name: str, attributes: Attributes, agent: str = "") -> None:
        above, event_id = _latest(), str(event.data["id"])
        if above is not None and above.event_id == event_id:
            return
        span = self._instruments.tracer.start_span(name, attributes=attributes)
        opened = _OpenSpan(span=span, event_id=event_id, above=above)
        scope = otel_context.set_value(_OPEN, opened, set_span_in_context(span))
        if agent:
            scope = otel_context.set_value(AGENT_NAME, agent, scope)
        opened.token = otel_context.attach(scope)

    @staticmethod
    def _end(event: Event, error: str, attributes: Attributes) -> bool:
        """End the span; return False if it has ended already."""
        opened, cancelled, event_id = _latest(), list[_OpenSpan](), str(event.data["id"])
        while opened is not None and opened.event_id != event_id:
            cancelled.append(opened)  # the end of a call that was cancelled is not published
            opened = opened.above
        if opened is None or opened.token is None:
            return False
        for each in cancelled:
            mark_failed(each.span, "CancelledError")
            each.span.end()
        opened.span.set_attributes(attributes)
        if error:
            mark_failed(opened.span, error)
        opened.span.end()
        otel_context.detach(opened.token)
        return True

    @staticmethod
    def _measure(duration: Histogram, event: Event, labels: Attributes, error: str) -> None:
        milliseconds = event.data["duration_ms"]
        if isinstance(milliseconds, float):
            duration.record(milliseconds / 1000, {**labels, **({"error.type": error} if error else {})})

    def _label(self, tool: str) -> str:
        """Return the label of a tool for a metric; their number is limited, as a model may invent names."""
        if len(self._tools) < MAX_TOOLS:
            self._tools.add(tool)
        return tool if tool in self._tools else OTHER


def _latest() -> _OpenSpan | None:
    opened = otel_context.get_value(_OPEN)
    return opened if isinstance(opened, _OpenSpan) else None
