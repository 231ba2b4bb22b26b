"""Participation in reminders: completion, joining, leaving, and pauses of all of them."""

import asyncio
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.recurrence.rules import stored_rule
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.audit.verification import AuditedReminder, Result, verify_reminder
from services.reminders.model import EVERYONE, ReminderState
from services.reminders.records import ValidatedReminder

pytestmark = pytest.mark.looptime
HOME = ChatAddress(platform="console", chat_id="home")
ANN, BOB, CAT = (Person(id=name.lower(), name=name) for name in ("Ann", "Bob", "Cat"))
TEN = "FREQ=DAILY;COUNT=1;NAG=10;NAGS=6"
DAILY = "FREQ=DAILY;NAG=10;NAGS=6"
HOUR = 3600


async def test_reminder_until_done_is_repeated_until_it_is_done(desk):
    await desk.set("pills", rule=TEN)
    async with desk.running():
        await asyncio.sleep(25 * 60)
        done = await desk.service.finish(
            HOME, ANN, (await desk.service.recent_deliveries.latest_unfinished(HOME, ANN)).id
        )
        await asyncio.sleep(3 * HOUR)

    assert desk.courier.texts == ["pills"] * 3
    assert done.state is ReminderState.DONE


async def test_repeats_of_a_reminder_are_limited(desk):
    await desk.set("pills", rule=TEN)
    async with desk.running():
        await asyncio.sleep(5 * HOUR)

    pauses = [notice.repeats_every for notice in desk.courier.said]
    assert pauses == [timedelta(minutes=10)] * 6 + [None]


async def test_done_daily_reminder_fires_the_next_day(desk):
    await desk.set("pills", rule=DAILY)
    async with desk.running():
        await asyncio.sleep(65)
        await desk.service.finish(HOME, ANN, (await desk.service.recent_deliveries.latest_unfinished(HOME, ANN)).id)
        await asyncio.sleep(12 * HOUR)
        today = len(desk.courier.said)
        await asyncio.sleep(12 * HOUR)

    assert (today, len(desk.courier.said)) == (1, 2)


async def test_single_reminder_may_be_done_before_its_time(desk):
    reminder = await desk.set(seconds=HOUR)
    async with desk.running():
        await desk.service.finish(HOME, ANN, reminder.id)
        await asyncio.sleep(2 * HOUR)

    assert desk.courier.said == []


async def test_done_without_a_waiting_reminder_changes_nothing(desk):
    await desk.set("tea", rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(65)

        with pytest.raises(RequestRefused, match="nothing_to_finish"):
            await desk.service.recent_deliveries.latest_unfinished(HOME, ANN)


async def test_completion_by_another_person_does_not_end_the_own_reminder(desk):
    await desk.set("pills", rule=TEN)
    async with desk.running():
        await asyncio.sleep(65)

        with pytest.raises(RequestRefused, match="nothing_to_finish"):
            await desk.service.recent_deliveries.latest_unfinished(HOME, BOB)


async def test_completion_can_be_undone(desk, edit_of):
    reminder = await desk.set("pills", rule=TEN)
    async with desk.running():
        await asyncio.sleep(65)
        await desk.service.finish(HOME, ANN, (await desk.service.recent_deliveries.latest_unfinished(HOME, ANN)).id)
        again = await desk.service.revert(HOME, ANN, reminder.id, edit_of(schedule=reminder.schedule))
        await asyncio.sleep(10 * 60)

    assert again.state is ReminderState.ACTIVE
    assert len(desk.courier.said) == 2


async def test_completed_occurrence_is_not_lost_for_verification(desk):
    reminder = await desk.set("pills", rule=TEN)
    async with desk.running():
        await asyncio.sleep(65)
        await desk.service.finish(HOME, ANN, (await desk.service.recent_deliveries.latest_unfinished(HOME, ANN)).id)
        await asyncio.sleep(2 * HOUR)
    row = await desk.store.by_request("pills-60-" + TEN)
    now = desk.clock.now()
    audited = AuditedReminder(
        id=reminder.id, schedule=row.schedule, state=row.state, created_at=row.created_at, changed_at=row.created_at
    )

    found = verify_reminder(audited, await desk.store.deliveries(row.created_at, now), row.created_at, now, now)

    assert {finding.result for finding in found} <= {Result.DELIVERED, Result.SKIPPED}


async def test_snoozed_reminder_is_repeated_after_the_snooze(desk):
    await desk.set("pills", rule=TEN)
    async with desk.running():
        await asyncio.sleep(65)
        await desk.service.snooze(HOME, ANN, "", desk.clock.now() + timedelta(hours=2), request_key="s1")
        await asyncio.sleep(2 * HOUR - 60)
        meanwhile = len(desk.courier.said)
        await asyncio.sleep(60 + 15 * 60)

    assert (meanwhile, len(desk.courier.said)) == (1, 3)


async def test_reminder_is_found_by_the_message_it_was_sent_in(desk):
    reminder = await desk.set()
    async with desk.running():
        await asyncio.sleep(65)

    assert [each.id for each in await desk.service.recent_deliveries.in_message(HOME, "m1")] == [reminder.id]


async def test_joining_person_is_reminded_as_well(desk):
    reminder = await desk.set()
    async with desk.running():
        joined = await desk.service.join(HOME, BOB, reminder.id)
        await desk.service.join(HOME, BOB, reminder.id)
        await asyncio.sleep(65)

    both = (ANN, replace(BOB, has_joined=True))
    assert joined.targets == both
    assert desk.courier.said[0].targets == both


async def test_person_who_left_is_not_reminded_and_others_are(desk):
    reminder = await desk.set(targets=(ANN, BOB))
    async with desk.running():
        await desk.service.leave(HOME, BOB, reminder.id)
        await asyncio.sleep(65)

    assert desk.courier.said[0].targets == (ANN,)


@pytest.mark.parametrize(
    ("targets", "code"), [((), "for_you_alone"), ((Person(id=EVERYONE, name="all"),), "for_everyone")]
)
async def test_last_target_and_target_everyone_cannot_be_removed(desk, targets, code):
    reminder = await desk.set(targets=targets)

    with pytest.raises(RequestRefused, match=code):
        await desk.service.leave(HOME, ANN, reminder.id)


async def test_person_may_leave_a_reminder_for_everyone(desk):
    reminder = await desk.set(targets=(Person(id=EVERYONE, name="all"),))

    left = await desk.service.leave(HOME, BOB, reminder.id, (ANN, CAT))

    assert left.targets == (ANN, CAT)


async def test_leaving_without_being_a_target_changes_nothing(desk):
    reminder = await desk.set()

    assert (await desk.service.leave(HOME, CAT, reminder.id)).targets == ()


async def test_only_own_reminders_are_paused_and_resumed_together(desk):
    mine = [await desk.set(str(number), seconds=HOUR) for number in range(3)]
    other = await desk.set("bob's", seconds=HOUR, by=BOB)

    paused = await desk.service.pause(HOME, ANN, "all")
    left_active = await desk.service.get(HOME, ANN, other.id)
    resumed = await desk.service.resume(HOME, ANN, "all")

    assert {each.id for each in paused} == {each.id for each in mine} == {each.id for each in resumed}
    assert left_active.state is ReminderState.ACTIVE


async def test_expired_reminders_stay_paused_when_all_are_resumed(desk):
    await desk.set("passed", seconds=60)
    await desk.set("daily", rule="FREQ=DAILY")
    await desk.service.pause(HOME, ANN, "all")
    await asyncio.sleep(HOUR)

    assert [each.content for each in await desk.service.resume(HOME, ANN, "all")] == ["daily"]


async def test_reminder_with_an_unreadable_rule_stays_paused_when_all_are_resumed(desk):
    now = desk.clock.now()
    schedule = Schedule(start=datetime(2026, 11, 21), zone="UTC", rule=stored_rule("FREQ=SOMEDAY"))
    odd = ValidatedReminder(reminder=desk.new_reminder("odd", schedule=schedule), first_fire=now + timedelta(days=1))
    await desk.store.add(odd, now, desk.limits)
    await desk.set("daily", rule="FREQ=DAILY")
    await desk.service.pause(HOME, ANN, "all")

    assert [each.content for each in await desk.service.resume(HOME, ANN, "all")] == ["daily"]


async def test_reminder_that_would_never_fire_again_is_not_moved_to_a_new_zone(desk):
    for content, rule in (("ends today", "FREQ=DAILY;UNTIL=20261121T045959Z"), ("daily", "FREQ=DAILY")):
        schedule = read_schedule(datetime(2026, 11, 19, 18), "America/New_York", rule)
        await desk.service.create(desk.new_reminder(content, schedule=schedule))

    moved = await desk.service.move_to_zone(HOME, ANN, "Asia/Tokyo")

    assert [each.content for each in moved] == ["daily"]


async def test_recurring_reminders_keep_their_clock_time_in_a_new_zone(desk):
    once = await desk.set("once", seconds=HOUR)
    daily = await desk.set("daily", rule="FREQ=DAILY")

    (moved,) = await desk.service.move_to_zone(HOME, ANN, "Asia/Tokyo")

    assert (moved.id, moved.schedule.zone, moved.schedule.start) == (daily.id, "Asia/Tokyo", daily.schedule.start)
    assert (await desk.service.get(HOME, ANN, once.id)).schedule.zone == "UTC"
