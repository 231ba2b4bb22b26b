"""Exported iCalendar files are imported unchanged, and other calendars compute the same times."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from services.kernel.chat import Person
from services.recurrence.fires import next_fires
from services.recurrence.rules import stored_rule
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.exchange.ics_read import ImportDefaults, import_ics
from services.reminders.exchange.ics_schedule import ics_times
from services.reminders.exchange.ics_write import export_ics, feed_ics
from services.reminders.exchange.model import PortableReminder
from services.reminders.model import ReminderAction, ReminderState

icalendar = pytest.importorskip("icalendar")
pytest.importorskip("holidays")

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ELSEWHERE = ImportDefaults(creator=Person(id="x", name="X"), zone="Asia/Tokyo", language="en")
RULES = [
    "",
    "FREQ=DAILY;INTERVAL=2",
    "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD",
    "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20291231",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=BACKWARD",
    "FREQ=MINUTELY;INTERVAL=90",
    "FREQ=HOURLY;INTERVAL=5;COUNT=40",
    "FREQ=HOURLY;BYHOUR=9,10;BYDAY=MO",
    "FREQ=DAILY;BYHOUR=8,18;BYMINUTE=30;COUNT=9;EXDATE=20261225,20261227T083000",
]
LISTED = [
    "WORKDAYS;REGION=CN;BYHOUR=9",
    "LUNAR 8-15",
    "LUNAR *-1,*-15;EXDATE=20270108",
    "FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=BACKWARD",
    "FREQ=DAILY;BYHOUR=20;BYMINUTE=0;NAG=10;NAGS=12;NAGAFTER=20261120T190000Z",
]


def round_trip(reminder, now=NOW, defaults=ELSEWHERE):
    return import_ics(export_ics([reminder], chat="console:home", now=now), defaults=defaults, now=now).reminders


@pytest.mark.parametrize("rule", [*RULES, *LISTED])
@pytest.mark.parametrize("state", [ReminderState.ACTIVE, ReminderState.PAUSED])
def test_all_fields_of_a_reminder_are_imported(make, rule, state):
    reminder = make(rule, state=state)

    assert round_trip(reminder) == (reminder,)


def test_digest_is_imported_as_a_digest(make):
    reminder = make("FREQ=WEEKLY;BYDAY=MO", action=ReminderAction.SUMMARY)

    assert round_trip(reminder) == (reminder,)


def test_a_digest_that_was_moved_in_a_calendar_is_still_one(make):
    text = export_ics([make("FREQ=WEEKLY;BYDAY=TH", action=ReminderAction.SUMMARY)], chat="console:home", now=NOW)

    moved = import_ics(text.replace("T093000", "T170000"), defaults=ELSEWHERE, now=NOW).reminders[0]

    assert (moved.action, moved.schedule.start.hour) == (ReminderAction.SUMMARY, 17)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Europe/Berlin"])
def test_second_of_two_equal_wall_times_is_imported(make, zone):
    start = datetime(2027, 10, 31, 2, 30, 0, 123, fold=1)
    reminder = make(schedule=Schedule(start=start, zone="Europe/Berlin"))

    [found] = round_trip(reminder, defaults=replace(ELSEWHERE, zone=zone))

    assert (found, found.schedule.start.fold) == (reminder, 1)


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "RESTDAYS;REGION=GB", "FREQ=DAILY;EXDATE=20271031"])
def test_rule_in_a_repeated_hour_is_imported(make, rule):
    reminder = make(rule, start="2027-10-31T02:30:00")

    assert round_trip(reminder) == (reminder,)


def test_paused_reminder_without_future_occurrences_is_imported(make):
    reminder = make("LUNAR 1-1;UNTIL=20260101", state=ReminderState.PAUSED)

    assert round_trip(reminder) == (reminder,)


@settings(max_examples=60, deadline=None)
@given(
    st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=80),
    st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20),
    st.sampled_from([*RULES, *LISTED[:2]]),
    st.sampled_from(["Europe/Berlin", "Asia/Shanghai", "America/New_York", "Asia/Kolkata", "UTC"]),
    st.datetimes(min_value=datetime.fromisoformat("2020-01-01"), max_value=datetime.fromisoformat("2030-12-31")),
)
@example("C:\\New\\n", "Ann", "", "Europe/Berlin", datetime.fromisoformat("2026-12-01"))
def test_any_text_rule_and_zone_is_imported_unchanged(content, name, rule, zone, start):
    reminder = PortableReminder(
        uid="any@test",
        content=content,
        creator=Person(id=name, name=name),
        targets=(Person(id=name, name=name),),
        schedule=read_schedule(start, zone, rule),
        language="en",
        is_private=False,
        state=ReminderState.ACTIVE,
        created_at=NOW,
    )

    assert round_trip(reminder) == (reminder,)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule])
def test_dateutil_reads_the_exported_rule_as_we_do(make, rule):
    schedule = make(rule).schedule
    times = ics_times(schedule, NOW)
    walls = rrulestr(times.rule, dtstart=times.start, cache=False)
    excepted = set(times.exceptions)

    fires = next_fires(schedule, times.start - timedelta(seconds=1), 30)

    independent = []
    for moment in walls:
        if moment not in excepted:
            independent.append(moment.astimezone(UTC))
        if len(independent) == len(fires):
            break
    assert independent == [fire.astimezone(UTC) for fire in fires]
    assert len(fires) >= 6


@pytest.mark.parametrize("rule", LISTED)
def test_rule_without_an_rrule_form_is_exported_date_by_date(make, rule):
    schedule = make(rule).schedule
    times = ics_times(schedule, NOW)

    assert times.rule == ""
    assert (times.start, *times.dates) == next_fires(schedule, NOW, len(times.dates) + 1)
    assert len(times.dates) >= 8


def test_reminder_with_an_unreadable_rule_is_exported_with_its_start(make):
    schedule = replace(make().schedule, rule=stored_rule("FREQ=SOMEDAY"))

    assert ics_times(schedule, NOW) == ics_times(make().schedule, NOW)


@pytest.mark.parametrize("rule", ["", "FREQ=DAILY", "FREQ=DAILY;COUNT=1;NAG=10;NAGS=6"])
def test_reminder_in_an_unknown_zone_does_not_prevent_a_calendar(make, rule):
    odd = make(rule)
    odd = replace(odd, uid="odd", schedule=replace(odd.schedule, zone="Mars/Base"))

    calendar = icalendar.Calendar.from_ical(feed_ics([odd, make()], chat="console:home", now=NOW))

    assert len(calendar.walk("VEVENT")) == 2


def test_a_file_is_valid_for_the_library_and_has_its_zones(make):
    calendar = icalendar.Calendar.from_ical(export_ics([make(), make("FREQ=DAILY")], chat="console:home", now=NOW))

    assert [component.errors for component in calendar.walk()] == [[]] * len(calendar.walk())
    assert [str(zone["TZID"]) for zone in calendar.walk("VTIMEZONE")] == ["Europe/Berlin"]
    assert [alarm["TRIGGER"].dt for alarm in calendar.walk("VALARM")] == [timedelta(0)] * 2


def edit_file(reminder, old: str, new: str):
    text = export_ics([reminder], chat="console:home", now=NOW)
    assert old in text
    [found] = import_ics(text.replace(old, new), defaults=ELSEWHERE, now=NOW).reminders
    return found


def test_event_moved_in_a_calendar_is_imported_at_its_new_time(make):
    found = edit_file(
        make(content="tea"), "DTSTART;TZID=Europe/Berlin:20261224T093000", "DTSTART;TZID=Europe/Berlin:20261226T100000"
    )

    assert found.schedule.start == datetime.fromisoformat("2026-12-26T10:00")
    assert found.creator.name == "Ann"


def test_event_renamed_in_a_calendar_is_imported_with_its_new_name(make):
    assert edit_file(make(content="tea"), "SUMMARY:tea", "SUMMARY:coffee").content == "coffee"


def test_rule_changed_in_a_calendar_is_imported(make):
    found = edit_file(make("FREQ=DAILY", content="tea"), "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY")

    assert str(found.schedule.rule) == "FREQ=WEEKLY"


def test_a_lunar_event_given_another_date_is_no_longer_lunar(make):
    found = edit_file(
        make("LUNAR 8-15", content="tea"), "DTSTART;TZID=Europe/Berlin:20270915", "DTSTART;TZID=Europe/Berlin:20270916"
    )

    assert found.schedule.rule is None


def test_feed_has_neither_records_nor_paused_reminders(make):
    reminder = make(content="tea", creator=Person(id="secret-id", name="Ann"))
    text = feed_ics([reminder, make(content="hidden", state=ReminderState.PAUSED)], chat="console:home", now=NOW)

    assert "SUMMARY:tea" in text
    assert "secret-id" not in text
    assert "hidden" not in text


def test_an_exported_gap_time_is_moved_when_it_is_due(make):
    reminder = make("FREQ=DAILY", start="2027-03-28T02:30:00")

    assert round_trip(reminder) == (reminder,)
    assert ics_times(reminder.schedule, NOW).start.replace(tzinfo=None).hour == 2
    assert ZoneInfo("Europe/Berlin") is ics_times(reminder.schedule, NOW).start.tzinfo
