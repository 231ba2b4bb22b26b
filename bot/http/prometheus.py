"""`/metrics`, for Prometheus.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/ (the text format, version 0.0.4).
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from bot import __version__
from bot.http.auth import needs
from bot.http.connection_states import state_of
from bot.http.context import Context, HttpContext
from bot.http.figures import percentile
from bot.model_latency import ModelLatency
from services.storage.activity import Timed

_PERIOD = timedelta(minutes=5)
_TYPE = "text/plain; version=0.0.4; charset=utf-8"

routes = APIRouter(tags=["health"])


@routes.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {_TYPE: {"schema": {"type": "string"}}}, "description": "Metrics"}},
)
async def metrics(context: Context, viewer: Annotated[object, Depends(needs("metrics"))]) -> Response:
    """Gauges of the last five minutes and of this moment, and how long the model took since the start."""
    del viewer
    return Response("\n".join(await _lines(context)) + "\n", media_type=_TYPE)


async def _lines(context: HttpContext) -> list[str]:
    since = context.clock.now() - _PERIOD
    calls, late = await context.activity.call_times(since), await context.activity.lateness(since)
    messages = await context.activity.message_times(since)
    used = await context.activity.usage(since)
    uptime = (context.clock.now() - context.started_at).total_seconds()
    return [
        *_gauge("bubbles_info", "The version.", [(f'version="{__version__}"', 1)]),
        *_gauge("bubbles_uptime_seconds", "Since the start.", [("", uptime)]),
        *_gauge("bubbles_sockets", "Open sockets of the web room.", [("", context.gauges.sockets)]),
        *_gauge("bubbles_messages_5m", "Messages of all chats in five minutes.", [("", len(messages))]),
        *_gauge("bubbles_tool_calls_5m", "Tool calls in five minutes.", _by_tool(calls)),
        *_gauge("bubbles_tool_seconds_5m", "How long tool calls took in five minutes.", _quantiles(calls)),
        *_gauge("bubbles_turns_5m", "Messages interpreted in five minutes.", [("", sum(each.turns for each in used))]),
        *_gauge("bubbles_model_tokens_5m", "Tokens used in five minutes.", [("", sum(each.tokens for each in used))]),
        *_gauge("bubbles_model_cost_5m", "Money spent in five minutes.", [("", sum(each.cost for each in used))]),
        *_model_seconds(context.app.model_latency),
        *_gauge("bubbles_deliveries_waiting", "Due, not settled.", [("", await context.activity.waiting())]),
        *_gauge("bubbles_adapter_live", "1 is connected; 0 with its state.", _adapters(context)),
        *_gauge("bubbles_reminder_lateness_seconds_5m", "How late reminders were said.", _quantiles(late)),
    ]


def _adapters(context: HttpContext) -> list[tuple[str, float]]:
    """The platforms and how they are; `elsewhere` is one that another worker is connected to."""
    found: list[tuple[str, float]] = []
    for platform in context.app.platforms:
        state = state_of(context.app, platform)
        found.append((f'platform="{_escaped(platform.name)}",state="{state}"', float(state == "live")))
    return found


def _gauge(name: str, about: str, values: Sequence[tuple[str, float]]) -> list[str]:
    lines = [f"{name}{{{labels}}} {value:g}" if labels else f"{name} {value:g}" for labels, value in values]
    return [f"# HELP {name} {about}", f"# TYPE {name} gauge", *lines]


def _model_seconds(latency: ModelLatency) -> list[str]:
    """A histogram since the start, of this process alone; a request counts with its retries."""
    name = "bubbles_model_request_seconds"
    lines = [f"# HELP {name} How long requests to the model took.", f"# TYPE {name} histogram"]
    for (model, outcome), taken in latency.by_outcome.items():
        labels = f'model="{_escaped(model)}",outcome="{_escaped(outcome)}"'
        lines += [f'{name}_bucket{{{labels},le="{step}"}} {count}' for step, count in taken.up_to()]
        lines += [f"{name}_sum{{{labels}}} {taken.seconds:g}", f"{name}_count{{{labels}}} {sum(taken.counts)}"]
    return lines


def _by_tool(calls: Sequence[Timed]) -> list[tuple[str, float]]:
    counts: dict[str, int] = {}
    for call in calls:
        labels = f'tool="{_escaped(call.name)}",ok="{str(call.is_ok).lower()}"'
        counts[labels] = counts.get(labels, 0) + 1
    return list(counts.items())


def _quantiles(timed: Sequence[Timed]) -> list[tuple[str, float]]:
    values = [each.milliseconds for each in timed]
    found = [(part, percentile(values, part)) for part in (0.5, 0.95, 0.99)]
    return [(f'quantile="{part}"', value / 1000) for part, value in found if value is not None]


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
