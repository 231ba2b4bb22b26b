"""Imports of iCalendar files from other calendars, and errors by line."""

from datetime import datetime

import pytest

from services.recurrence.schedule import rule_text
from services.reminders.exchange.ics_read import import_ics
from services.reminders.exchange.model import ImportRefused

pytest.importorskip("icalendar")

OFFICE_ZONE = """BEGIN:VTIMEZONE
TZID:My Office
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE"""


def file_of(*components: str) -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *components, "END:VCALENDAR", ""]).replace("\r\n", "\n")


def event(*lines: str, uid: str = "1", kind: str = "VEVENT") -> str:
    return "\n".join([f"BEGIN:{kind}", f"UID:{uid}", "SUMMARY:tea", *lines, f"END:{kind}"])


@pytest.fixture
def read(defaults, now):
    def run(*components: str):
        return import_ics(file_of(*components), defaults=defaults, now=now).reminders

    return run


@pytest.fixture
def one(read):
    def run(*lines: str, kind: str = "VEVENT"):
        [found] = read(event(*lines, kind=kind))
        return found.schedule.start.isoformat(timespec="minutes"), found.schedule.zone, rule_text(found.schedule)

    return run


@pytest.fixture
def import_problems(defaults, now):
    def run(text: str):
        with pytest.raises(ImportRefused) as refusal:
            import_ics(text, defaults=defaults, now=now)
        return [str(problem) for problem in refusal.value.problems]

    return run


def test_zone_of_another_file_with_the_same_name_is_not_used(read):
    def start_with(offset: str) -> str:
        zone = ["BEGIN:VTIMEZONE", "TZID:Ship", "BEGIN:STANDARD", "DTSTART:19700101T000000"]
        zone += [f"TZOFFSETFROM:{offset}", f"TZOFFSETTO:{offset}", "END:STANDARD", "END:VTIMEZONE"]
        [found] = read("\n".join(zone), event("DTSTART;TZID=Ship:20270105T120000"))
        return found.schedule.start.isoformat(timespec="minutes")

    assert (start_with("+0100"), start_with("+0500")) == ("2027-01-05T12:00", "2027-01-05T08:00")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["DTSTART;TZID=Asia/Tokyo:20270105T090000"], ("2027-01-05T09:00", "Asia/Tokyo", "")),
        (["DTSTART:20270105T090000"], ("2027-01-05T09:00", "Europe/Berlin", "")),
        (["DTSTART:20270105T090000Z"], ("2027-01-05T10:00", "Europe/Berlin", "")),
        (["DTSTART:20270105T090000Z", "RRULE:FREQ=DAILY"], ("2027-01-05T09:00", "UTC", "FREQ=DAILY")),
        (["DTSTART;VALUE=DATE:20270105"], ("2027-01-05T09:00", "Europe/Berlin", "")),
        (["DTSTART;TZID=Tokyo Standard Time:20270105T090000"], ("2027-01-05T09:00", "Asia/Tokyo", "")),
        (
            ["DTSTART:20270105T090000", "RRULE:FREQ=WEEKLY;BYDAY=TU;WKST=MO"],
            ("2027-01-05T09:00", "Europe/Berlin", "FREQ=WEEKLY;BYDAY=TU"),
        ),
        (
            [
                "DTSTART:20270105T090000",
                "RRULE:FREQ=DAILY",
                "EXDATE:20270107T090000,20270106T090000",
                "EXDATE:20270108T080000Z",
            ],
            ("2027-01-05T09:00", "Europe/Berlin", "FREQ=DAILY;EXDATE=20270106T090000,20270107T090000,20270108T090000"),
        ),
        (
            ["DTSTART;VALUE=DATE:20270105", "RRULE:FREQ=DAILY", "EXDATE;VALUE=DATE:20270107"],
            ("2027-01-05T09:00", "Europe/Berlin", "FREQ=DAILY;EXDATE=20270107"),
        ),
    ],
)
def test_times_are_read(one, lines, expected):
    assert one(*lines) == expected


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        (["DTSTART:20270105T090000", "TRIGGER:-PT15M"], "2027-01-05T08:45"),
        (["DTSTART:20270105T090000", "TRIGGER;VALUE=DATE-TIME:20270105T070000Z"], "2027-01-05T08:00"),
        (["DTSTART:20270105T090000", "TRIGGER;RELATED=END:-PT15M"], "2027-01-05T09:00"),
        (["DTSTART;VALUE=DATE:20270105", "TRIGGER:-PT15H"], "2027-01-04T09:00"),
        (["DTSTART;VALUE=DATE:20270105", "TRIGGER:PT10H"], "2027-01-05T10:00"),
        (["DTSTART:20270105T090000", "RRULE:FREQ=WEEKLY;BYDAY=TU", "TRIGGER:-PT15M"], "2027-01-05T08:45"),
        (["DTSTART:20270105T000500", "RRULE:FREQ=WEEKLY;BYDAY=TU", "TRIGGER:-PT15M"], "2027-01-05T00:05"),
        (["DTSTART:20270105T090000", "RRULE:FREQ=DAILY;BYHOUR=9", "TRIGGER:-PT15M"], "2027-01-05T09:00"),
    ],
)
def test_first_alarm_gives_the_time_if_the_rule_allows_it(one, lines, start):
    *outside, trigger = lines

    assert one(*outside, "BEGIN:VALARM", trigger, "END:VALARM")[0] == start


def test_due_time_of_a_to_do_is_imported(one):
    assert one("DTSTART:20270101T090000", "DUE:20270105T180000", kind="VTODO")[0] == "2027-01-05T18:00"


@pytest.mark.parametrize("status", ["CANCELLED", "COMPLETED"])
def test_past_event_is_not_imported(defaults, now, status):
    found = import_ics(file_of(event("DTSTART:20270101T090000", f"STATUS:{status}")), defaults=defaults, now=now)

    assert (found.reminders, found.over) == ((), ("1",))


def test_a_yearly_date_of_the_chinese_calendar_is_lunar(one):
    rule = "RRULE:RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15;COUNT=3"

    assert one("DTSTART:20270915T090000", rule)[2] == "LUNAR 8-15;COUNT=3"


def test_a_zone_of_the_file_that_equals_the_bots_is_the_bots(read):
    [found] = read(OFFICE_ZONE, event("DTSTART;TZID=My Office:20270105T090000", "RRULE:FREQ=DAILY"))

    assert found.schedule.zone == "Europe/Berlin"


def test_moved_occurrence_is_its_own_reminder(read):
    master = event("DTSTART:20270105T090000", "RRULE:FREQ=DAILY")
    moved = event("RECURRENCE-ID:20270107T090000", "DTSTART:20270107T150000")

    daily, once = read(moved, master)[::-1]

    assert str(daily.schedule.rule) == "FREQ=DAILY;EXDATE=20270107T090000"
    assert (once.uid, once.schedule.start) == ("1#20270107T090000", datetime.fromisoformat("2027-01-07T15:00"))


def test_further_dates_are_separate_reminders(read):
    found = read(event("DTSTART:20270105T090000", "RDATE:20270109T090000,20270112T090000"))

    assert [(each.uid, each.schedule.start.day) for each in found] == [
        ("1", 5),
        ("1#20270109T090000", 9),
        ("1#20270112T090000", 12),
    ]


def test_event_without_uid_is_recognised_when_imported_again(read):
    text = event("DTSTART:20270105T090000", uid="")

    assert read(text)[0].uid == read(text)[0].uid != ""


def test_lines_that_were_folded_or_have_a_byte_order_mark_are_read(defaults, now):
    text = "\ufeff" + file_of(event("DTSTART:2027010\n 5T090000", "DESCRIPTION:BEGIN\n :VEVENT"))

    assert len(import_ics(text, defaults=defaults, now=now).reminders) == 1


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["DTSTART:tomorrow"], "tomorrow"),
        ([], "there is no DTSTART"),
        (["DTSTART:20270105T090000", "DTSTART:20270106T090000"], "there are several DTSTART"),
        (["DTSTART;TZID=Mars/Base:20270105T090000"], "there is no time zone 'Mars/Base'"),
        (["DTSTART:20270105T090000", "RRULE:FREQ=SECONDLY"], "more often than every minute"),
        (["DTSTART:20270105T090000", "RRULE:FREQ=DAILY;BYEASTER=3"], "is not supported"),
        (["DTSTART:20270105T090000", "RRULE:FREQ=DAILY;COUNT=99999999"], "is not supported"),
        (["DTSTART:20270105T090000", "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY"], "there are several RRULE"),
        (["DTSTART:20270105T090000", "RRULE:RSCALE=HEBREW;FREQ=YEARLY"], "CHINESE"),
        (["DTSTART:20270105T090000", "RECURRENCE-ID;RANGE=THISANDFUTURE:20270107T090000"], "RANGE"),
        (["DTSTART:20270105T090000", "BEGIN:VALARM", "TRIGGER:soon", "END:VALARM"], "soon"),
        (["DTSTART:00010105T090000"], "out of range"),
        (["DTSTART:20270105T090000", "RDATE:" + ",".join(["20270105T090000"] * 301)], "more than 300 dates"),
        (["DTSTART:20270105T090000", "X-BUBBLES-REMINDER:{}"], "uid: Field required"),
        (["DTSTART:20270105T090000", "X-BUBBLES-REMINDER:{"], "Invalid JSON"),
    ],
)
def test_a_fault_names_line_uid_and_reason(import_problems, lines, reason):
    good = event("DTSTART:20270105T090000", uid="good")

    [problem] = import_problems(file_of(good, event(*lines, uid="bad")))

    assert problem.startswith("line 8 (bad): ")
    assert reason in problem


def test_faults_are_reported_in_the_order_of_the_file(import_problems):
    problems = import_problems(file_of(*(event("DTSTART:x", uid=str(number)) for number in range(5))))

    assert [problem.split(":")[0] for problem in problems] == [f"line {3 + 5 * each} ({each})" for each in range(5)]


def test_duplicate_uid_is_reported(import_problems):
    again = event("DTSTART:20270105T090000")

    assert import_problems(file_of(again, again)) == ["line 8 (1): has the same UID as the component at line 3"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hello", "line 1: not an iCalendar file: it must begin with BEGIN:VCALENDAR"),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n", "line 3: END:VCALENDAR without its BEGIN"),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n", "line 2: BEGIN:VEVENT without its END"),
        ("END:VCALENDAR", "line 1: not an iCalendar file: it must begin with BEGIN:VCALENDAR"),
        (file_of("BEGIN:VEVENT\nEND:VEVENT\n" * 10_001), "the file: has more than 10000 components"),
        ("BEGIN:A\n" * 5000, "line 9: components are nested too deeply"),
    ],
)
def test_a_file_that_is_no_calendar_is_refused_at_its_line(import_problems, text, problem):
    assert import_problems(text) == [problem]


def test_an_empty_calendar_has_no_reminders(read):
    assert read() == ()


def test_at_most_a_hundred_faults_are_reported(import_problems):
    assert len(import_problems(file_of(*["BEGIN:VEVENT\nEND:VEVENT"] * 9_000))) == 100
