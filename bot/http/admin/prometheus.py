"""`/metrics`, for Prometheus.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/ (the text format, version 0.0.4).
"""

from collections.abc import Iterable, Mapping

from fastapi import APIRouter, Response

from bot import __version__
from bot.http.admin.health import platform_state
from bot.http.core.context import Context, HttpContext
from bot.http.security.auth import MetricsViewer
from bot.observability.metrics import Counts, Latencies, ModelLatency

_TYPE = "text/plain; version=0.0.4; charset=utf-8"

routes = APIRouter(tags=["health"])


@routes.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {_TYPE: {"schema": {"type": "string"}}}, "description": "Metrics"}},
)
async def metrics(context: Context, _viewer: MetricsViewer) -> Response:
    """Return the counters and histograms of this process since its start, and the current gauges."""
    counts = context.app.infrastructure.counts
    lines = [*await _gauge_lines(context), *_counter_lines(counts), *_duration_lines(context.app.model_latency, counts)]
    return Response("\n".join(lines) + "\n", media_type=_TYPE)


async def _gauge_lines(context: HttpContext) -> list[str]:
    uptime = (context.clock.now() - context.started_at).total_seconds()
    waiting = await context.activity.count_waiting()
    return [
        *_number_lines("gauge", "bubbles_info", "The version.", {_labels(version=__version__): 1}),
        *_number_lines("gauge", "bubbles_uptime_seconds", "Since the start.", {"": uptime}),
        *_number_lines("gauge", "bubbles_sockets", "Open sockets of the web room.", {"": context.gauges.sockets}),
        *_number_lines("gauge", "bubbles_deliveries_waiting", "Due, not settled.", {"": waiting}),
        *_number_lines(
            "gauge", "bubbles_adapter_live", "1 is connected; 0 with its state.", dict(_platform_states(context))
        ),
    ]


def _counter_lines(counts: Counts) -> list[str]:
    messages = {_labels(by=author): count for author, count in counts.messages.items()}
    turns = {_labels(route=route, outcome=outcome): count for (route, outcome), count in counts.turns.items()}
    tokens = {_labels(model=model, kind=kind): count for (model, kind), count in counts.tokens.items()}
    cost = {_labels(model=model): spent for model, spent in counts.cost.items()}
    return [
        *_number_lines("counter", "bubbles_messages_total", "Recorded messages, by author.", messages),
        *_number_lines("counter", "bubbles_turns_total", "Interpreted messages.", turns),
        *_number_lines("counter", "bubbles_model_tokens_total", "Tokens that models used.", tokens),
        *_number_lines("counter", "bubbles_model_cost_total", "Money that models cost.", cost),
    ]


def _duration_lines(latency: ModelLatency, counts: Counts) -> list[str]:
    calls = {_labels(tool=tool, status=status): each for (tool, status), each in counts.calls.items()}
    requests = {_labels(model=model, outcome=outcome): each for (model, outcome), each in latency.by_outcome.items()}
    lateness = {"": counts.lateness}
    return [
        *_histogram_lines("bubbles_tool_call_seconds", "How long calls of tools took.", calls),
        *_histogram_lines(
            "bubbles_model_request_seconds", "How long requests to the model took, with their retries.", requests
        ),
        *_histogram_lines("bubbles_reminder_lateness_seconds", "How late reminders were sent.", lateness),
    ]


def _platform_states(context: HttpContext) -> Iterable[tuple[str, float]]:
    """Yield the labels of each platform, with 1 if it is live."""
    for platform in context.app.platforms:
        state = platform_state(context.app, platform)
        yield _labels(platform=platform.name, state=state), float(state == "live")


def _number_lines(kind: str, name: str, about: str, values: Mapping[str, float]) -> list[str]:
    """Return the lines of a metric with one number for each set of labels."""
    lines = [f"{name}{_in_braces(labels)} {value:.12g}" for labels, value in values.items()]
    return [*_head(kind, name, about), *lines]


def _histogram_lines(name: str, about: str, values: Mapping[str, Latencies]) -> list[str]:
    """Return the lines of a histogram of durations for each set of labels."""
    lines = _head("histogram", name, about)
    for labels, latencies in values.items():
        for step, count in latencies.up_to():
            steps = ",".join(filter(None, (labels, _labels(le=step))))
            lines.append(f"{name}_bucket{_in_braces(steps)} {count}")
        lines.append(f"{name}_sum{_in_braces(labels)} {latencies.seconds:.12g}")
        lines.append(f"{name}_count{_in_braces(labels)} {sum(latencies.counts)}")
    return lines


def _head(kind: str, name: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]


def _in_braces(labels: str) -> str:
    return f"{{{labels}}}" if labels else ""


def _labels(**values: str) -> str:
    return ",".join(f'{name}="{_escape(value)}"' for name, value in values.items())


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
