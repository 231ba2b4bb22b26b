"""Adapter for the public suites of time expressions: `python score.py benchmarks/time_adapter.py --lang en`.

Times of the suites have no zone and are local to the speaker; UTC is used for that zone. The suites label "5pm PST" as
17:00, in the zone that is named, so the answer is converted to that zone.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from services.time_expressions import DateOrder, Reading
from services.time_expressions import parse as read_time
from services.time_expressions.resolve.zones import zone_of


def parse(text: str, ref: datetime, lang: str, order: str | None = None) -> dict[str, str] | None:
    """Return the start and the rule of the best reading, with recurrences below a minute, which reminders refuse."""
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
        answer["rrule"] = _format_rule(reading, ref)
    return answer


def _format_rule(reading: Reading, ref: datetime) -> str:
    """Return the rule, with DTSTART if it starts after tomorrow; a default hour that has passed moves it by a day."""
    first = reading.start.replace(tzinfo=None)
    if first.date() <= ref.date() + timedelta(days=1):
        return str(reading.rrule)
    return f"DTSTART={first:%Y%m%d};{reading.rrule}"
