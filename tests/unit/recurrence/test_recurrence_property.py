"""The function `next_after`, compared with dateutil from the first day on the wall clock."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.recurrence.fires import next_after
from services.recurrence.schedule import Schedule, read_schedule

ZONES = sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc", "SystemV")))
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
WALLS = st.datetimes(min_value=datetime.fromisoformat("2005-01-01"), max_value=datetime.fromisoformat("2034-12-31"))
INTERVALS = st.sampled_from([1, 1, 1, 2, 3, 5])


def join_some(values) -> st.SearchStrategy[str]:
    lists = st.lists(st.sampled_from(values), min_size=1, max_size=4, unique=True)
    return lists.map(lambda found: ",".join(str(each) for each in found))


MONTH_DAYS = [1, 13, 28, 29, 30, 31, -1, -2]
NTH = st.tuples(st.sampled_from([1, 2, 4, 5, -1]), st.sampled_from(DAYS)).map(lambda pair: f"{pair[0]}{pair[1]}")
BODIES = st.one_of(
    st.just("FREQ=DAILY"),
    st.just("FREQ=WEEKLY"),
    st.just("FREQ=MONTHLY"),
    st.just("FREQ=YEARLY"),
    join_some(DAYS).map(lambda days: f"FREQ=WEEKLY;BYDAY={days}"),
    join_some(DAYS).map(lambda days: f"FREQ=DAILY;BYDAY={days}"),
    join_some([1, 2, 6, 12]).map(lambda months: f"FREQ=DAILY;BYMONTH={months}"),
    join_some(MONTH_DAYS).map(lambda days: f"FREQ=MONTHLY;BYMONTHDAY={days}"),
    join_some(MONTH_DAYS).map(lambda days: f"FREQ=YEARLY;BYMONTH=3,11;BYMONTHDAY={days}"),
    NTH.map(lambda day: f"FREQ=MONTHLY;BYDAY={day}"),
    NTH.map(lambda day: f"FREQ=YEARLY;BYDAY={day}"),
    NTH.map(lambda day: f"FREQ=YEARLY;BYMONTH=5,10;BYDAY={day}"),
    join_some([1, 2, 6, 12]).map(lambda months: f"FREQ=WEEKLY;BYDAY=TU,SA;BYMONTH={months}"),
    join_some(MONTH_DAYS).map(lambda days: f"FREQ=DAILY;BYMONTHDAY={days}"),
    join_some(DAYS).map(lambda days: f"FREQ=MONTHLY;BYDAY={days};BYMONTHDAY=1,13,-1"),
    join_some(DAYS).map(lambda days: f"FREQ=MONTHLY;BYDAY={days};BYSETPOS=-1"),
    join_some([1, 60, 200, 366, -1]).map(lambda days: f"FREQ=YEARLY;BYYEARDAY={days}"),
    join_some(DAYS).map(lambda days: f"FREQ=WEEKLY;WKST=SU;BYDAY={days}"),
    join_some([2, 9, 23]).map(lambda hours: f"FREQ=HOURLY;BYHOUR={hours}"),
    join_some(DAYS).map(lambda days: f"FREQ=MINUTELY;BYHOUR=2,3;BYDAY={days}"),
)
CLOCKS = st.sampled_from(["", "", ";BYHOUR=0,2,23;BYMINUTE=30", ";BYHOUR=2;BYMINUTE=0,10,45"])


@st.composite
def rules(draw) -> str:
    interval, body, clock = draw(INTERVALS), draw(BODIES), draw(CLOCKS)
    is_sub_daily = body.startswith(("FREQ=HOURLY", "FREQ=MINUTELY"))
    step = {"FREQ=M": interval * 20, "FREQ=H": 1}.get(body[:6], interval) if is_sub_daily else interval
    return f"{body};INTERVAL={step}" + ("" if is_sub_daily else clock)


def reference(schedule: Schedule, count: int) -> list[datetime]:
    """Return the instants by brute force: every wall time resolved, ordered and unique."""
    zone = ZoneInfo(schedule.zone)
    walls = islice(rrulestr(str(schedule.rule), dtstart=schedule.start), count + 12)
    found = [wall.replace(tzinfo=zone, fold=0).astimezone(UTC) for wall in walls]
    return sorted(set(found))[: count if len(found) > count else None]


@st.composite
def schedules(draw) -> Schedule:
    start = draw(WALLS).replace(second=0, microsecond=0)
    return read_schedule(start, draw(st.sampled_from(ZONES)), draw(rules()))


@settings(max_examples=100, deadline=None)
@given(schedules())
def test_successive_fires_equal_the_reference(schedule: Schedule):
    expected = reference(schedule, 12)
    assume(len(expected) > 2 and expected[-1] - expected[0] < timedelta(days=3600))

    found, moment = [], expected[0] - timedelta(seconds=1)
    for _ in expected:
        moment = next_after(schedule, moment)
        found.append(moment)

    assert found == expected


@settings(max_examples=100, deadline=None)
@given(schedules(), st.integers(min_value=20, max_value=60), st.floats(min_value=0, max_value=1, width=32))
def test_next_fire_after_any_instant_equals_the_reference(schedule: Schedule, index: int, share: float):
    expected = reference(schedule, index + 2)
    assume(len(expected) > index + 1)
    earlier, later = expected[index : index + 2]
    assume(later - earlier < timedelta(days=3600))
    moment = earlier + (later - earlier - timedelta(microseconds=1)) * share

    assert next_after(schedule, moment) == later


@settings(max_examples=50, deadline=None)
@given(
    WALLS, st.sampled_from(ZONES), st.integers(min_value=1, max_value=3000), st.integers(min_value=0, max_value=10**8)
)
def test_every_n_minutes_counts_elapsed_time(start: datetime, zone: str, minutes: int, later: int):
    schedule = read_schedule(start, zone, f"FREQ=MINUTELY;INTERVAL={minutes}")
    first = start.replace(tzinfo=ZoneInfo(zone), microsecond=0).astimezone(UTC)
    moment = first + timedelta(seconds=later)

    found = next_after(schedule, moment)

    assert found is not None
    assert timedelta(0) < found - moment <= timedelta(minutes=minutes)
    assert (found - first) % timedelta(minutes=minutes) == timedelta(0)


@settings(max_examples=100, deadline=None)
@given(schedules(), st.integers(min_value=1, max_value=8))
def test_counted_rule_fires_as_often_as_its_count(schedule: Schedule, count: int):
    counted = read_schedule(schedule.start, schedule.zone, f"{schedule.rule};COUNT={count}")
    expected = reference(schedule, count)
    assume(len(expected) == count and expected[-1] - expected[0] < timedelta(days=3600))

    found, moment = [], expected[0] - timedelta(seconds=1)
    while (moment := next_after(counted, moment)) is not None:
        found.append(moment)

    assert found == expected
