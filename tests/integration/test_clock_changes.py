"""Daily reminders across every clock change of every IANA zone from 2005 to 2035."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest

from services.recurrence.fires import next_after
from services.recurrence.schedule import Schedule, read_schedule

pytestmark = pytest.mark.integration

BEGIN, END = datetime(2005, 1, 1, tzinfo=UTC), datetime(2036, 1, 1, tzinfo=UTC)
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
DAYS = [BEGIN + DAY * number for number in range((END - BEGIN).days + 1)]
AREAS = ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"]


def offset_changes(zone: ZoneInfo) -> list[tuple[datetime, timedelta, timedelta]]:
    """Return the first instant of each new offset, with the offsets before and after."""
    offsets = [day.astimezone(zone).utcoffset() for day in DAYS]
    found = []
    for (low, before), (high, after) in pairwise(zip(DAYS, offsets, strict=True)):
        if before != after:
            while high - low > MINUTE:
                middle = low + (high - low) // 2
                low, high = (middle, high) if middle.astimezone(zone).utcoffset() == before else (low, middle)
            found.append((high.replace(second=0, microsecond=0), before, after))
    return found


def expected_fires(first: datetime, zone: ZoneInfo, days: int) -> list[datetime]:
    """Return daily instants: the first of two equal wall times, a skipped one moved forward, equal instants once."""
    walls = [first + DAY * number for number in range(days)]
    return sorted({wall.replace(tzinfo=zone, fold=0).astimezone(UTC) for wall in walls})


def fires_between(schedule: Schedule, moment: datetime, last: datetime) -> list[datetime]:
    found = []
    while (fire := next_after(schedule, moment)) is not None and fire.astimezone(UTC) <= last:
        found.append(fire.astimezone(UTC))
        moment = fire
    return found


@pytest.mark.parametrize("area", AREAS)
def test_daily_reminder_fires_once_a_day_across_clock_changes(area):
    seen = set()
    checked = 0
    for name in sorted(zone for zone in available_timezones() if zone.startswith(f"{area}/")):
        zone = ZoneInfo(name)
        found = offset_changes(zone)
        if (key := tuple(found)) in seen:
            continue  # another name of the same zone
        seen.add(key)
        for instant, before, after in found:
            for wall in {instant + before, instant + (before + after) / 2, instant + after}:
                start = wall.replace(tzinfo=None, second=0, microsecond=0) - 2 * DAY
                expected = expected_fires(start, zone, 5)
                schedule = read_schedule(start, name, "FREQ=DAILY")

                fires = fires_between(schedule, expected[0] - MINUTE, expected[-1])

                assert fires == expected, (name, instant, wall)
                checked += 1
    assert checked
