"""Imports of files into chats, which are complete or refused."""

from datetime import UTC, datetime, timedelta

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.recurrence.schedule import read_schedule
from services.reminders.exchange.json_form import export_json, import_json
from services.reminders.exchange.model import MAX_BYTES, ImportRefused
from services.reminders.exchange.transfer import Form, export_chat, form_of
from services.reminders.model import NewReminder, ReminderLimits, ReminderState
from services.reminders.records import ValidatedReminder
from services.storage.reminders.store import SqlReminderStore

pytest.importorskip("icalendar")

OTHER = ChatAddress(platform="console", chat_id="other")
FORMS = [Form.JSON, Form.ICS]


@pytest.fixture
def import_reminders(importer, home, defaults, now):
    async def run(*reminders, chat=home, source="console:home"):
        text = export_json(reminders, chat=source, now=now)
        return await importer.import_file(text.encode(), chat, defaults)

    return run


@pytest.fixture
def native(database, home, now):
    """Set a reminder like a person."""

    async def run(rule: str = "", key: str = "m1"):
        schedule = read_schedule(datetime.fromisoformat("2026-12-24T09:30"), "Europe/Berlin", rule)
        new = NewReminder(
            request_key=key,
            address=home,
            creator=Person(id="ann", name="Ann"),
            content="tea",
            schedule=schedule,
            language="en",
        )
        draft = ValidatedReminder(reminder=new, first_fire=datetime(2026, 12, 24, 8, 30, tzinfo=UTC))
        return await SqlReminderStore(database).add(draft, now + timedelta(microseconds=5), ReminderLimits())

    return run


@pytest.mark.parametrize("form", FORMS)
async def test_chat_imported_into_another_database_is_unchanged(
    import_reminders, store, home, make, now, form, defaults, importer
):
    reminders = (
        make(uid="a"),
        make("FREQ=DAILY;COUNT=9", uid="b", thread_id=None, is_private=False),
        make("FREQ=WEEKLY", uid="c", state=ReminderState.PAUSED),
    )
    await import_reminders(*reminders)
    export = await export_chat(store, home, form, now)

    report = await importer.import_file(export.encode(), OTHER, defaults)
    back = await export_chat(store, OTHER, Form.JSON, now)

    assert report.added == 3
    without_thread = {each.uid: make_threadless(each) for each in reminders}
    assert {each.uid: each for each in import_json(back).reminders} == without_thread


def make_threadless(reminder):
    from msgspec.structs import replace

    return replace(reminder, thread_id=None)


@pytest.mark.parametrize("form", FORMS)
async def test_file_imported_twice_is_stored_once(store, home, make, import_reminders, importer, defaults, now, form):
    await import_reminders(make(uid="a"), make(uid="b"))

    report = await importer.import_file((await export_chat(store, home, form, now)).encode(), home, defaults)

    assert (report.added, report.known) == (0, 2)


@pytest.mark.parametrize("form", FORMS)
async def test_reminder_of_the_chat_is_recognised_in_its_export(native, store, home, importer, defaults, now, form):
    await native()

    report = await importer.import_file((await export_chat(store, home, form, now)).encode(), home, defaults)

    assert (report.added, report.known) == (0, 1)


async def test_deleted_reminder_is_imported_from_its_export_with_the_same_uid(
    native, database, store, home, importer, defaults, now
):
    row = await native()
    export = await export_chat(store, home, Form.JSON, now)
    await end(database, row.key, now)

    for _ in range(2):
        report = await importer.import_file(export.encode(), home, defaults)
        assert (report.added, report.known) == (1, 0)
        await end(database, (await store.in_chat(home.key, 5))[0].key, now)
    await importer.import_file(export.encode(), home, defaults)

    assert import_json(await export_chat(store, home, Form.JSON, now)).reminders == import_json(export).reminders


async def end(database, key, now):
    from services.reminders.transitions import cancel

    reminders = SqlReminderStore(database)
    await reminders.change([cancel(await reminders.get(key))], now)


async def test_imported_reminder_is_scheduled_for_its_next_occurrence(import_reminders, store, home, make):
    await import_reminders(
        make("FREQ=DAILY", uid="a", start="2020-01-01T09:30:00"), make(uid="b", state=ReminderState.PAUSED)
    )

    [daily, paused] = await store.in_chat(home.key, 5)

    assert daily.next_fire_at == datetime(2026, 11, 22, 8, 30, tzinfo=UTC)
    assert (paused.state, paused.next_fire_at) == (ReminderState.PAUSED, None)


async def test_expired_reminder_is_reported_and_the_rest_is_imported(import_reminders, make):
    report = await import_reminders(
        make(uid="past", start="2020-01-01T09:00:00"), make("FREQ=DAILY;UNTIL=20260101", uid="ended"), make(uid="new")
    )

    assert (report.added, report.over) == (1, ("past", "ended"))


async def test_thread_is_kept_only_in_its_own_chat(import_reminders, store, home, make):
    await import_reminders(make(uid="a", thread_id="t1"), source="console:home")
    await import_reminders(make(uid="b", thread_id="t1"), source="console:elsewhere")

    assert [row.address.thread_id for row in await store.in_chat(home.key, 5)] == ["t1", None]


async def test_one_fault_prevents_the_import(import_reminders, store, home, make):
    with pytest.raises(ImportRefused) as refusal:
        await import_reminders(make(uid="good"), make(uid="long", content="x" * 2001), make(uid="blank", content=" "))

    assert [str(each) for each in refusal.value.problems] == [
        "reminder 2 (long): the text is longer than 2000 characters",
        "reminder 3 (blank): there is no text",
    ]
    assert await store.in_chat(home.key, 5) == ()


async def test_duplicate_uid_prevents_the_import(import_reminders, make):
    with pytest.raises(ImportRefused, match=r"reminder 2 \(a\): this UID comes twice"):
        await import_reminders(make(uid="a"), make(uid="a"))


async def test_import_over_the_limit_of_a_chat_is_refused_completely(import_reminders, store, home, make):
    await import_reminders(*(make(uid=f"a{number}") for number in range(30)))

    with pytest.raises(RequestRefused) as refusal:
        await import_reminders(*(make(uid=f"b{number}") for number in range(11)))

    assert (refusal.value.code, refusal.value.fields) == ("too_many_reminders", {"limit": 40})
    assert len(await store.in_chat(home.key, 99)) == 30


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"x" * (MAX_BYTES + 1), "the file: larger than 5 MB"),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:\xff\xfe\n", "line 3: not UTF-8 text"),
        (b"\x00\x01\x02", "line 1: not an iCalendar file: it must begin with BEGIN:VCALENDAR"),
        (b"", None),
    ],
)
async def test_hostile_bytes_are_reported_as_one_error(importer, home, defaults, data, problem):
    if problem is None:
        assert (await importer.import_file(data, home, defaults)).added == 0
        return
    with pytest.raises(ImportRefused) as refusal:
        await importer.import_file(data, home, defaults)

    assert [str(each) for each in refusal.value.problems] == [problem]


@pytest.mark.parametrize(
    ("data", "form"), [(b' \n{"format"', Form.JSON), (b"\xef\xbb\xbf{", Form.JSON), (b"BEGIN:VCALENDAR", Form.ICS)]
)
def test_format_of_a_file_is_detected_from_its_beginning(data, form):
    assert form_of(data) is form
