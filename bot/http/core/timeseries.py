"""Compute time series for the metrics screen from the call log."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.http.core.bodies import Answer
from bot.http.core.context import HttpContext
from bot.platforms.web.frames import format_instant
from services.storage.records.activity import Timed

_MAX_SAMPLES = 240


class Sample(Answer):
    """The metrics of a part of a period; durations are in milliseconds, null if there were none."""

    at: str
    messages: int
    tool_calls: int
    tool_p50_ms: float | None
    tool_p95_ms: float | None
    late_p99_ms: float | None
    sockets: int
    queue: int


def percentile(values: Sequence[float], fraction: float) -> float | None:
    """Return the percentile `fraction` (0 to 1) of `values`; None if there are none."""
    if not values:
        return None
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, round(fraction * (len(ordered) - 1)))], 1)


async def samples(context: HttpContext, minutes: int) -> list[Sample]:
    """Return the metrics of the last `minutes`, in at most 240 parts of whole minutes."""
    now = context.clock.now()
    step = timedelta(minutes=-(-minutes // _MAX_SAMPLES))
    parts = -(-timedelta(minutes=minutes) // step)
    start = now.replace(second=0, microsecond=0) - step * (parts - 1)
    messages = Counter((at - start) // step for at in await context.activity.message_times(start))
    calls = _group_by_step(await context.activity.call_times(start), start, step)
    late = _group_by_step(await context.activity.lateness(start), start, step)
    return [
        Sample(
            at=format_instant(start + step * part),
            messages=messages[part],
            tool_calls=len(calls[part]),
            tool_p50_ms=percentile(calls[part], 0.5),
            tool_p95_ms=percentile(calls[part], 0.95),
            late_p99_ms=percentile(late[part], 0.99),
            sockets=context.gauges.sockets_until(start + step * (part + 1)),
            queue=context.gauges.queue_between(start + step * part, start + step * (part + 1)),
        )
        for part in range(parts)
    ]


async def last_second(context: HttpContext) -> Sample:
    """Return the metrics of the last second."""
    now = context.clock.now()
    start = now - timedelta(seconds=1)
    calls = [each.milliseconds for each in await context.activity.call_times(start)]
    late = [each.milliseconds for each in await context.activity.lateness(start)]
    return Sample(
        at=format_instant(now),
        messages=len(await context.activity.message_times(start)),
        tool_calls=len(calls),
        tool_p50_ms=percentile(calls, 0.5),
        tool_p95_ms=percentile(calls, 0.95),
        late_p99_ms=percentile(late, 0.99),
        sockets=context.gauges.sockets,
        queue=context.gauges.queue_since(start),
    )


def _group_by_step(timed: Sequence[Timed], start: datetime, step: timedelta) -> dict[int, list[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    for each in timed:
        found[(each.at - start) // step].append(each.milliseconds)
    return found
