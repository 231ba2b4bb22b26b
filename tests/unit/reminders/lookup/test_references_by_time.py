"""References to reminders by time, text or person. It is Friday 20 November 2026, 10:00 in Berlin."""

from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import msgspec
import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.recurrence.rules import parse_rule
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import find_reminder, match_reminders
from services.reminders.model import Reminder, ReminderState
from services.time_expressions import DateOrder, TimeReader, parse_all

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=BERLIN)

find = partial(find_reminder, now=NOW, times=parse_all)


def reminder(content: str, due: str, *, age: int = 10) -> Reminder:
    """Return a reminder of `content`, set `age` minutes ago."""
    at = datetime.fromisoformat(due)
    return Reminder(
        id=f"id{content[:3]}",
        address=ChatAddress(platform="console", chat_id="home"),
        creator=Person(id="ann", name="ann"),
        targets=(),
        content=content,
        schedule=Schedule(start=at, zone="Europe/Berlin"),
        language="en",
        state=ReminderState.ACTIVE,
        next_fires=(at.replace(tzinfo=BERLIN),),
        created_at=NOW - timedelta(minutes=age),
    )


def repeat_by(single: Reminder, rule: str) -> Schedule:
    """Return the schedule of `single` with a rule."""
    return msgspec.structs.replace(single.schedule, rule=parse_rule(rule))


TEA = reminder("tea", "2026-11-20 17:00", age=30)
PILLS = reminder("pills", "2026-11-21 08:00", age=20)
REPORT = reminder("report", "2026-11-21 15:00", age=5)
PLANTS = reminder("plants", "2026-11-25 17:30", age=15)
HERE = (TEA, PILLS, REPORT, PLANTS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("5pm", TEA),
        ("the 5 o'clock one", TEA),
        ("the 3 o'clock one", REPORT),
        ("the 8 o'clock one", PILLS),
        ("today's", TEA),
        ("下午五点", TEA),
        ("tomorrow morning", PILLS),
        ("明天早上", PILLS),
        ("明天早上的", PILLS),
        ("tomorrow afternoon", REPORT),
        ("3pm report", REPORT),
        ("next week", PLANTS),
        ("下周三", PLANTS),
        ("last", REPORT),
        ("最后一个", REPORT),
        ("next", TEA),
    ],
)
def test_reminder_is_referred_to_by_its_time(words: str, expected: Reminder) -> None:
    assert find(words, HERE, ()) is expected


@pytest.mark.parametrize("words", ["6pm", "tomorrow at 5pm", "today at 3pm", "3pm tea", "next month"])
def test_other_time_matches_no_reminder(words: str) -> None:
    with pytest.raises(RequestRefused, match="reminder_unknown"):
        find(words, HERE, ())


def test_two_matching_reminders_need_a_question() -> None:
    with pytest.raises(RequestRefused) as error:
        find("tomorrow", HERE, ())

    assert error.value.fields["candidates"] == (PILLS, REPORT)


def test_last_reminder_is_the_last_line_of_the_latest_list() -> None:
    assert find("last", HERE, [each.id for each in HERE]) is PLANTS


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", HERE),
        ("today", (TEA,)),
        ("this week", (TEA, PILLS, REPORT)),
        ("下周", (PLANTS,)),
        ("this weekend", (PILLS, REPORT)),
        ("report", (REPORT,)),
        ("in december", ()),
    ],
)
def test_list_is_filtered_by_words(words: str, expected: tuple[Reminder, ...]) -> None:
    assert match_reminders(words, HERE, NOW, parse_all) == expected


@pytest.mark.parametrize(("order", "expected"), [(DateOrder.MDY, []), (DateOrder.DMY, ["plants"])])
def test_numeric_date_is_read_in_the_order_of_the_settings(order: DateOrder, expected: list[str]) -> None:
    here = (reminder("plants", "2026-12-11 17:30"), reminder("tea", "2026-11-20 17:00"))

    found = match_reminders("11/12", here, NOW, TimeReader(order=order).parse_all)

    assert [each.content for each in found] == expected


@pytest.mark.parametrize(("name", "is_meant"), [("还书", True), ("取书", False), ("书", True)])
def test_chinese_reference_matches_separated_characters(name: str, is_meant: bool) -> None:
    books = reminder("把书还给图书馆", "2026-11-20 18:00")

    if is_meant:
        assert find(name, (*HERE, books), ()) == books
    else:
        with pytest.raises(RequestRefused):
            find(name, (*HERE, books), ())


def for_people(content: str, *names: str) -> Reminder:
    people = tuple(Person(id=name.casefold(), name=name) for name in names)
    return msgspec.structs.replace(reminder(content, "2026-11-20 17:00"), targets=people, id=f"for{content[:3]}")


def test_name_of_a_person_matches_only_their_reminders() -> None:
    both, own = for_people("swim", "@Gordon", "Mia"), for_people("print", "@Gordon")

    assert find("Gordon's", (TEA, both, own), ()) is own
    assert find("mia", (TEA, both, own), ()) is both


def test_words_of_a_reminder_precede_the_name_of_a_person() -> None:
    call, own = reminder("call Gordon", "2026-11-20 18:00"), for_people("print", "Gordon")

    assert find("gordon", (call, own), ()) is call


def test_the_name_of_a_person_with_several_reminders_is_asked_about() -> None:
    with pytest.raises(RequestRefused) as error:
        find("Gordon", (for_people("swim", "Gordon"), for_people("print", "Gordon")), ())

    assert error.value.code == "reminder_ambiguous"


def repeat_daily(each: Reminder) -> Reminder:
    schedule = Schedule(start=each.schedule.start, zone=each.schedule.zone, rule=parse_rule("FREQ=DAILY"))
    return msgspec.structs.replace(each, schedule=schedule)


def test_snoozed_reminder_is_matched_by_its_repetition() -> None:
    daily = repeat_daily(reminder("water", "2026-11-21 09:00", age=60))
    again, later = reminder("water", "2026-11-20 10:20"), reminder("water", "2026-11-27 10:20")

    assert find("water", (again, daily), ()) is daily
    with pytest.raises(RequestRefused):
        find("water", (daily, later), ())


HOURLY = msgspec.structs.replace(TEA, id="hourly", schedule=repeat_by(TEA, "FREQ=HOURLY"))
DAILY = msgspec.structs.replace(PILLS, id="daily", schedule=repeat_by(PILLS, "FREQ=DAILY"))
MONDAYS = msgspec.structs.replace(REPORT, id="mondays", schedule=repeat_by(REPORT, "FREQ=WEEKLY;BYDAY=MO"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [("hourly", HOURLY), ("the daily one", DAILY), ("weekly", MONDAYS), ("每小时那个", HOURLY), ("每天", DAILY)],
)
def test_reminder_is_referred_to_by_its_repetition(words: str, expected: Reminder) -> None:
    assert find(words, (HOURLY, DAILY, MONDAYS, PLANTS), ()) is expected


def test_other_repetition_matches_no_reminder() -> None:
    with pytest.raises(RequestRefused, match="reminder_unknown"):
        find("monthly", (HOURLY, DAILY, MONDAYS, PLANTS), ())
