"""Verification of a real ledger, complete and with missing rows."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from services.kernel.chat import ChatAddress, Person
from services.recurrence.schedule import read_schedule
from services.reminders.audit.verification import Result, verify
from services.reminders.model import NewReminder
from services.reminders.records import DeliveryState, ValidatedReminder
from services.storage.database import Database
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from tests.support.stores.reminders import add_many, make_outcome

SET_AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
DUE = SET_AT + timedelta(hours=1)
LATER = SET_AT + timedelta(days=1)


@pytest.fixture
async def database():
    async with Database("sqlite://") as opened:
        store = SqlReminderStore(opened)
        schedule = read_schedule(DUE.replace(tzinfo=None), "UTC", "FREQ=HOURLY;COUNT=2")
        new = NewReminder(
            request_key="1",
            address=ChatAddress(platform="console", chat_id="home"),
            creator=Person(id="ann", name="Ann"),
            content="tea",
            schedule=schedule,
            language="en",
        )
        await add_many(store, [ValidatedReminder(reminder=new, first_fire=DUE)], SET_AT)
        for hour in range(2):
            await say(store, DUE + timedelta(hours=hour))
        yield opened


async def say(store, at):
    claim = await store.claim("me", at, at, 10)
    ids = [lease.notice.delivery_id for lease in claim.leases]
    await store.begin("me", ids)
    await store.settle([make_outcome(lease, DeliveryState.SENT, at) for lease in claim.leases])


async def test_complete_ledger_is_verified(database):
    found = await verify(SqlReminderAudit(database), SET_AT, LATER, LATER)

    assert (found.is_proved, found.reminders, dict(found.counts)) == (True, 1, {Result.DELIVERED: 2})


async def test_a_ledger_with_a_row_gone_is_not_proved(database):
    await database.run(lambda connection: connection.execute(sa.text("DELETE FROM delivery WHERE id = 1")) and None)

    found = await verify(SqlReminderAudit(database), SET_AT, LATER, LATER)

    assert [(each.due_at, each.result) for each in found.wrong] == [(DUE, Result.LOST)]


async def test_occurrences_of_an_edited_reminder_are_judged_by_the_new_schedule(database):
    await database.run(
        lambda connection: (
            connection.execute(sa.text("UPDATE reminder SET version = 2, start_local = '2026-11-20T11:00:00'"))
            and connection.execute(sa.text("UPDATE delivery SET version = 2 WHERE id = 2"))
            and None
        )
    )

    found = await verify(SqlReminderAudit(database), SET_AT, DUE + timedelta(hours=1), LATER)

    assert (found.is_proved, dict(found.counts)) == (True, {Result.DELIVERED: 2})
