"""`/metrics`, for Prometheus.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/ (the text format, version 0.0.4).
"""

from collections.abc import Iterable, Mapping

from fastapi import APIRouter, Response

from bot import __version__
from bot.http.admin.health import state_of
from bot.http.core.context import Context, HttpContext
from bot.http.security.auth import MetricsViewer
from bot.observability.metrics import Counts, Latencies

_TYPE = "text/plain; version=0.0.4; charset=utf-8"

routes = APIRouter(tags=["health"])


@routes.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {_TYPE: {"schema": {"type": "string"}}}, "description": "Metrics"}},
)
async def metrics(context: Context, _viewer: MetricsViewer) -> Response:
    """Return what this process has done since its start, and how it is now."""
    lines = [*await _now(context), *_counter_lines(context.app.counts), *_duration_lines(context)]
    return Response("\n".join(lines) + "\n", media_type=_TYPE)


async def _now(context: HttpContext) -> list[str]:
    uptime = (context.clock.now() - context.started_at).total_seconds()
    waiting = await context.activity.waiting()
    return [
        *_simple("gauge", "bubbles_info", "The version.", {_labels(version=__version__): 1}),
        *_simple("gauge", "bubbles_uptime_seconds", "Since the start.", {"": uptime}),
        *_simple("gauge", "bubbles_sockets", "Open sockets of the web room.", {"": context.gauges.sockets}),
        *_simple("gauge", "bubbles_deliveries_waiting", "Due, not settled.", {"": waiting}),
        *_simple("gauge", "bubbles_adapter_live", "1 is connected; 0 with its state.", dict(_adapters(context))),
    ]


def _counter_lines(counts: Counts) -> list[str]:
    messages = {_labels(by=who): count for who, count in counts.messages.items()}
    turns = {_labels(route=route, outcome=outcome): count for (route, outcome), count in counts.turns.items()}
    tokens = {_labels(model=model, kind=kind): count for (model, kind), count in counts.tokens.items()}
    cost = {_labels(model=model): spent for model, spent in counts.cost.items()}
    return [
        *_simple("counter", "bubbles_messages_total", "Messages that were kept, by whose they are.", messages),
        *_simple("counter", "bubbles_turns_total", "Messages that were interpreted.", turns),
        *_simple("counter", "bubbles_model_tokens_total", "Tokens that models used.", tokens),
        *_simple("counter", "bubbles_model_cost_total", "Money that models cost.", cost),
    ]


def _duration_lines(context: HttpContext) -> list[str]:
    app = context.app
    calls = {_labels(tool=tool, status=status): took for (tool, status), took in app.counts.calls.items()}
    asked = {_labels(model=model, outcome=how): took for (model, how), took in app.model_latency.by_outcome.items()}
    late = {"": app.counts.lateness}
    return [
        *_histogram("bubbles_tool_call_seconds", "How long calls of tools took.", calls),
        *_histogram("bubbles_model_request_seconds", "How long requests to the model took, with their retries.", asked),
        *_histogram("bubbles_reminder_lateness_seconds", "How late reminders were said.", late),
    ]


def _adapters(context: HttpContext) -> Iterable[tuple[str, float]]:
    """Return the platforms and how they are; `elsewhere` is one that another worker is connected to."""
    for platform in context.app.platforms:
        state = state_of(context.app, platform)
        yield _labels(platform=platform.name, state=state), float(state == "live")


def _simple(kind: str, name: str, about: str, values: Mapping[str, float]) -> list[str]:
    """Return a metric with one number for each of its labels."""
    lines = [f"{name}{_in_braces(labels)} {value:.12g}" for labels, value in values.items()]
    return [*_head(kind, name, about), *lines]


def _histogram(name: str, about: str, values: Mapping[str, Latencies]) -> list[str]:
    """Return a metric that says how many took no longer than each step."""
    lines = _head("histogram", name, about)
    for labels, taken in values.items():
        for step, count in taken.up_to():
            steps = ",".join(filter(None, (labels, _labels(le=step))))
            lines.append(f"{name}_bucket{_in_braces(steps)} {count}")
        lines.append(f"{name}_sum{_in_braces(labels)} {taken.seconds:.12g}")
        lines.append(f"{name}_count{_in_braces(labels)} {sum(taken.counts)}")
    return lines


def _head(kind: str, name: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]


def _in_braces(labels: str) -> str:
    return f"{{{labels}}}" if labels else ""


def _labels(**values: str) -> str:
    return ",".join(f'{name}="{_escape(value)}"' for name, value in values.items())


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
