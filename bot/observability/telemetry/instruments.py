"""Open spans, measure durations and tokens, and give the trace of a message its id.

Source of names and steps: https://github.com/open-telemetry/semantic-conventions-genai/tree/main/docs/gen-ai
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from opentelemetry.metrics import Histogram, MeterProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from bot import __version__
from bot.observability.telemetry.attributes import Attributes
from services.call_log.model import trace_id
from services.call_log.secret_mask import SecretMask
from services.kernel.chat import ChatMessage
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Usage

_TOKENS: Final = tuple(4**power for power in range(14))
_SECONDS: Final = tuple(0.01 * 2**power for power in range(14))
_RUN_SECONDS: Final = tuple(0.1 * 2**power for power in range(13))

_trace: ContextVar[int | None] = ContextVar("trace_id", default=None)


class MessageTraceIds(RandomIdGenerator):
    """Derives the id of the trace of a message from the message, so that `bubbles explain` can show it."""

    def generate_trace_id(self) -> int:
        """Return the id of the message's trace; a random one outside of a message."""
        return _trace.get() or super().generate_trace_id()

    def is_trace_id_random(self) -> bool:
        """Return False: ids of messages are digests."""
        return False


@contextmanager
def trace_of(message: ChatMessage) -> Iterator[None]:
    """Give a trace that begins in this context the id of the message's trace."""
    token = _trace.set(int(trace_id(message.address, message.id), 16))
    try:
        yield
    finally:
        _trace.reset(token)


class Instruments:
    """The tracer and the histograms. With `has_content` spans may contain texts, with the secrets of `mask` replaced.

    `requests`, `runs` and `calls` measure requests to models, runs of agents and calls of tools, in seconds.
    """

    def __init__(
        self,
        traces: TracerProvider,
        meters: MeterProvider,
        *,
        has_content: bool = False,
        mask: SecretMask | None = None,
    ) -> None:
        self.tracer = traces.get_tracer("bubbles", __version__)
        meter = meters.get_meter("bubbles", __version__)
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )
        self.requests, self.runs, self.calls = (
            meter.create_histogram(name, unit="s", description=about, explicit_bucket_boundaries_advisory=steps)
            for name, about, steps in (
                ("gen_ai.client.operation.duration", "Duration of a request to a model.", _SECONDS),
                ("gen_ai.invoke_agent.duration", "Duration of a run of an agent.", _RUN_SECONDS),
                ("gen_ai.execute_tool.duration", "Duration of a call of a tool.", _SECONDS),
            )
        )
        self._has_content = has_content
        self._mask = mask or SecretMask()

    @contextmanager
    def span(
        self,
        name: str,
        kind: SpanKind,
        attributes: Attributes,
        duration: Histogram | None = None,
        labels: Attributes | None = None,
    ) -> Iterator[Span]:
        """Open a current span and measure it with `labels`; it has the type of an exception, never the text."""
        labels, started = {} if labels is None else labels, time.perf_counter()
        with self.tracer.start_as_current_span(
            name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                code = error.reason if isinstance(error, ModelUnavailable) else type(error).__name__
                labels["error.type"] = code
                mark_failed(span, code)
                raise
            finally:
                if duration is not None:
                    duration.record(time.perf_counter() - started, labels)

    def count_tokens(self, usage: Usage, labels: Attributes) -> None:
        """Count the tokens of a request; a server that reports none does not count as zero."""
        for kind, count in (("input", usage.prompt_tokens), ("output", usage.completion_tokens)):
            if count:
                self._tokens.record(count, {**labels, "gen_ai.token.type": kind})

    def content(self, name: str, text: Callable[[], str]) -> Attributes:
        """Return an attribute with text of people, models or tools; nothing without `has_content`."""
        return {name: self._mask.text(text())} if self._has_content else {}


def mark_failed(span: Span, code: str) -> None:
    """Mark `span` as failed because of `code`."""
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))
