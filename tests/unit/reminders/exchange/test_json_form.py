"""Reminders as JSON: complete imports, and errors by reminder."""

import json
from datetime import date, timedelta

import pytest

from services.kernel.chat import Person
from services.reminders.exchange.json_form import export_json, import_json
from services.reminders.exchange.model import ImportRefused
from services.reminders.model import ReminderState

HEAD = '{"format": "bubbles-reminders", "version": 1, "reminders": '
GOOD = {
    "uid": "1",
    "content": "tea",
    "creator": {"id": "ann", "name": "Ann"},
    "start": "2027-01-05T09:00:00",
    "zone": "Europe/Berlin",
    "language": "en",
    "created_at": "2026-11-20T08:00:00Z",
}


def import_problems(text: str) -> list[str]:
    with pytest.raises(ImportRefused) as refusal:
        import_json(text)
    return [str(problem) for problem in refusal.value.problems]


def test_all_fields_are_imported(make, now):
    reminders = (
        make(uid="a", content='line\r\n "二" \u2028 😀'),
        make("FREQ=DAILY;COUNT=3", uid="b", state=ReminderState.PAUSED, thread_id=None, targets=()),
    )

    found = import_json(export_json(reminders, chat="console:家", now=now))

    assert (found.reminders, found.chat) == (reminders, "console:家")


def test_reminder_is_imported_with_many_people_long_names_and_a_long_rule(make, now):
    days = ",".join(f"{date(2027, 1, 1) + timedelta(days=number):%Y%m%d}" for number in range(3_000))
    people = tuple(Person(id=f"{number}{'x' * 600}", name="x" * 600) for number in range(1_001))
    reminder = make(f"FREQ=DAILY;EXDATE={days}", targets=people)

    assert import_json(export_json([reminder], chat="console:home", now=now)).reminders == (reminder,)


def test_each_reminder_has_its_own_line(make, now):
    text = export_json([make(uid="a"), make(uid="b")], chat="console:home", now=now)

    assert [line[:10] for line in text.splitlines()[1:3]] == ['{"uid":"a"', '{"uid":"b"']


def test_export_without_reminders_is_a_valid_file(now):
    assert import_json(export_json([], chat="console:home", now=now)).reminders == ()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"content": ""}, "content: String should have at least 1 character"),
        ({"content": "a\ud800"}, "Invalid JSON"),
        ({"content": "a\x00"}, "characters that cannot be stored"),
        ({"content": 5}, "content: Input should be a valid string"),
        ({"zone": "Mars/Base"}, "there is no time zone 'Mars/Base'"),
        ({"zone": "../../etc/passwd"}, "there is no time zone"),
        ({"rule": "FREQ=SECONDLY"}, "more often than every minute"),
        ({"rule": "every day"}, "is not supported"),
        ({"rule": "WORKDAYS;REGION=XX"}, "region"),
        ({"start": "2027-13-05T09:00:00"}, "start: "),
        ({"start": "2027-01-05T09:00:00Z"}, "start: "),
        ({"start": "0001-01-01T00:00:00"}, "out of range"),
        ({"created_at": "2026-11-20T08:00:00"}, "created_at: "),
        ({"state": "cancelled"}, "state: "),
        ({"extra": 1}, "extra: Extra inputs are not permitted"),
        ({"creator": {}}, "creator.id: Field required"),
        ({"is_private": "yes"}, "is_private: "),
    ],
)
def test_a_fault_names_the_reminder_and_the_reason(changed, reason):
    pytest.importorskip("holidays")

    [problem] = import_problems(HEAD + json.dumps([{**GOOD, "uid": "0"}, {**GOOD, **changed}]) + "}")

    assert problem.startswith("reminder 2 (1): ")
    assert reason in problem


def test_a_fault_does_not_repeat_the_text_of_the_reminder():
    [problem] = import_problems(HEAD + json.dumps([{**GOOD, "content": "secret", "fold": 7}]) + "}")

    assert "secret" not in problem


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1: not JSON"),
        ('{"format": "bubbles-reminders",\n"version": 1,\n"reminders": [}', "line 3: not JSON"),
        ("[]", "the file: not an export of reminders"),
        ('{"format": "other", "version": 1, "reminders": []}', "the file: not an export of reminders: format"),
        (
            '{"format": "bubbles-reminders", "version": 2, "reminders": []}',
            "the file: not an export of reminders: version",
        ),
        (HEAD + "[" * 100_000, "the file: not JSON that can be read"),
        (HEAD + "[" * 400 + "]" * 400 + "}", "the file: not an export of reminders: reminders.0"),
        (HEAD + "[" + "9" * 10_000 + "]}", "the file: not JSON that can be read"),
        (HEAD + "[null, NaN]}", "reminder 1: "),
    ],
)
def test_a_file_that_is_no_export_is_refused_at_its_place(text, place):
    assert import_problems(text)[0].startswith(place)


def test_at_most_a_hundred_faults_are_collected():
    assert len(import_problems(HEAD + json.dumps([1] * 5000) + "}")) == 100
