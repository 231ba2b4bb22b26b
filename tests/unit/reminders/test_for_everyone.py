"""Reminders for everyone: permissions and duplicates."""

import asyncio
from datetime import timedelta

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.reminders.model import EVERYONE, ReminderEdit, ReminderState

pytestmark = pytest.mark.looptime
HOME = ChatAddress(platform="console", chat_id="home")
ANN, BOB = (Person(id=name.lower(), name=name) for name in ("Ann", "Bob"))
ALL = (Person(id=EVERYONE, name="everyone"),)


async def test_repeating_reminder_for_everyone_is_not_snoozed_by_others(desk):
    reminder = await desk.set("tea", rule="FREQ=DAILY;COUNT=1;NAG=10;NAGS=6", targets=ALL)
    async with desk.running():
        await asyncio.sleep(65)
        until = desk.clock.now() + timedelta(hours=1)
        with pytest.raises(RequestRefused) as error:
            await desk.service.snooze(HOME, BOB, reminder.id, until, request_key="again")

    assert error.value.code == "not_your_reminder"


async def test_reminder_for_everyone_is_edited_and_paused_by_others(desk):
    reminder = await desk.set("tea", rule="FREQ=DAILY", targets=ALL)

    edited = await desk.service.edit(HOME, BOB, reminder.id, ReminderEdit(content="green tea"))
    (paused,) = await desk.service.pause(HOME, BOB, reminder.id)
    (resumed,) = await desk.service.resume(HOME, BOB, reminder.id)

    assert edited.content == "green tea"
    assert (paused.state, resumed.state) == (ReminderState.PAUSED, ReminderState.ACTIVE)


async def test_reminder_for_some_people_is_not_edited_by_others(desk):
    reminder = await desk.set("tea", targets=(ANN,))
    with pytest.raises(RequestRefused) as error:
        await desk.service.edit(HOME, BOB, reminder.id, ReminderEdit(content="green tea"))

    assert error.value.code == "not_your_reminder"


async def test_reminder_for_everyone_is_not_deleted_by_others(desk):
    reminder = await desk.set("tea", targets=ALL)
    with pytest.raises(RequestRefused) as error:
        await desk.service.finish(HOME, BOB, reminder.id)

    assert error.value.code == "not_your_reminder"


async def test_completion_for_everyone_is_undone_only_by_its_person(desk, edit_of):
    reminder = await desk.set("tea", rule="FREQ=DAILY;COUNT=1;NAG=10;NAGS=6", targets=ALL)
    await desk.service.finish(HOME, BOB, reminder.id)
    again = edit_of(schedule=reminder.schedule)
    with pytest.raises(RequestRefused):
        await desk.service.revert(HOME, BOB, reminder.id, again)

    assert (await desk.service.revert(HOME, BOB, reminder.id, again, is_undo=True)).next_fires


@pytest.mark.parametrize(
    ("other", "is_twin"),
    [
        ({"targets": ALL, "by": BOB}, True),
        ({"targets": ALL, "content": "Tea"}, True),
        ({"targets": ALL, "content": "coffee"}, False),
        ({"targets": ALL, "seconds": 3600}, False),
        ({"targets": (ANN, BOB)}, False),
        ({"targets": ALL, "address": ChatAddress(platform="console", chat_id="away")}, False),
    ],
)
async def test_duplicate_has_the_same_text_people_and_time(desk, other, is_twin):
    await desk.set(**{"content": "tea", "request_key": "first"} | other)
    reminder = await desk.set("tea", targets=ALL)

    assert (await desk.service.finder.duplicate_of(reminder) is not None) is is_twin
