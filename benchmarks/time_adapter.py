"""Adapter for the public time-expression suites: `python score.py benchmarks/time_adapter.py --lang en`.

Rows are naive and in the speaker's zone, so UTC stands in for it. "5pm PST" is labelled 17:00 there, by the clock of
the place that is named, so answers are told by it too.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from services.time_expressions import DateOrder, Reading
from services.time_expressions import parse as read_time
from services.time_expressions.resolve.zones import zone_of


def parse(text: str, ref: datetime, lang: str, order: str | None = None) -> dict[str, str] | None:
    """Answer in the scorer's terms; `shortest_period` lets the suites' recurrences below a minute through."""
    found = read_time(
        text,
        ref.replace(tzinfo=UTC),
        language=lang,
        order=DateOrder(order) if order else None,
        shortest_period=timedelta(seconds=1),
    )
    reading = found.best
    if reading is None:
        return None
    start = reading.start.astimezone(zone_of(reading.zone)) if reading.zone else reading.start
    answer = {"start": start.replace(tzinfo=None).isoformat()}
    if reading.rrule:
        answer["rrule"] = _with_start(reading, ref)
    return answer


def _with_start(reading: Reading, ref: datetime) -> str:
    """Add DTSTART where words moved the first fire; a default hour already gone today does not count as such."""
    first = reading.start.replace(tzinfo=None)
    if first.date() <= ref.date() + timedelta(days=1):
        return str(reading.rrule)
    return f"DTSTART={first:%Y%m%d};{reading.rrule}"
