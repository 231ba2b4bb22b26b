"""Actions of people on reminders."""

import asyncio
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.recurrence.rules import stored_rule
from services.recurrence.schedule import Schedule
from services.reminders.model import ReminderLimits, ReminderState
from services.reminders.records import ValidatedReminder

pytestmark = pytest.mark.looptime

HOME = ChatAddress(platform="console", chat_id="home")
WORK = ChatAddress(platform="console", chat_id="work")
ANN = Person(id="ann", name="Ann")
BOB = Person(id="bob", name="Bob")
ADMIN = Person(id="root", name="Root", is_admin=True)
MINUTE = timedelta(minutes=1)


async def contents(desk, chat=HOME, person=ANN) -> list[str]:
    return [each.content for each in await desk.service.list(chat, person)]


async def refusal(work) -> RequestRefused:
    with pytest.raises(RequestRefused) as error:
        await work
    return error.value


async def test_new_reminder_has_its_next_three_occurrences(desk):
    reminder = await desk.set(seconds=60, rule="FREQ=DAILY")

    first = desk.clock.now() + MINUTE
    assert reminder.next_fires == (first, first + timedelta(days=1), first + timedelta(days=2))


async def test_an_id_is_short_and_begins_with_a_letter(desk):
    reminder = await desk.set()

    assert len(reminder.id) == 6
    assert reminder.id[0].isalpha()


async def test_a_past_time_is_refused_with_the_reason(desk):
    error = await refusal(desk.set(seconds=-1))

    assert error.code == "time_in_past"


async def test_reminder_due_before_the_answer_is_sent_at_once(desk):
    async with desk.running():
        reminder = await desk.set(seconds=-2, asked_at=desk.clock.now() - timedelta(seconds=12))
        await asyncio.sleep(1)

    assert reminder.next_fires == ()
    assert desk.courier.texts == ["tea"]


async def test_time_before_its_request_is_refused(desk):
    asked_at = desk.clock.now() - timedelta(seconds=12)

    assert (await refusal(desk.set(seconds=-12, asked_at=asked_at))).code == "time_in_past"


async def test_repeating_reminder_begins_after_now(desk):
    reminder = await desk.set(seconds=-2, rule="FREQ=DAILY", asked_at=desk.clock.now() - timedelta(seconds=12))

    assert reminder.next_fires[0] > desk.clock.now()


async def test_new_time_that_passes_during_the_change_is_sent_at_once(desk, edit_of):
    reminder = await desk.set(seconds=600)
    asked_at = desk.clock.now()
    new = edit_of(schedule=desk.new_reminder(seconds=1).schedule)
    async with desk.running():
        await asyncio.sleep(2)
        await desk.service.edit(HOME, ANN, reminder.id, new, asked_at=asked_at)
        await asyncio.sleep(1)

    assert desk.courier.texts == ["tea"]


async def test_request_delivered_again_is_the_same_reminder(desk):
    first = await desk.set()

    again = await asyncio.gather(*(desk.service.create(desk.new_reminder()) for _ in range(10)))

    assert {each.id for each in again} == {first.id}
    assert len(await contents(desk)) == 1


async def test_request_delivered_again_after_the_fire_is_not_refused(desk):
    new = desk.new_reminder(seconds=1)
    first = await desk.service.create(new)
    await asyncio.sleep(5)

    again = await desk.service.create(new)

    assert again.id == first.id


@pytest.mark.parametrize("content", ["", "   \n"])
async def test_an_empty_content_is_refused(desk, content):
    assert (await refusal(desk.set(content))).code == "content_missing"


async def test_half_a_character_in_a_content_is_replaced(desk):
    assert (await desk.set("tea \ud83c")).content == "tea \ufffd"


async def test_a_content_over_the_limit_is_refused(make_desk):
    desk = make_desk(limits=ReminderLimits(content_length=5))

    error = await refusal(desk.set("123456"))

    assert (error.code, error.fields) == ("content_too_long", {"limit": 5})


async def test_the_list_is_this_chat_s_soonest_first(desk):
    await desk.set("later", seconds=120)
    await desk.set("sooner", seconds=60)
    await desk.service.create(replace(desk.new_reminder("elsewhere"), address=WORK))

    assert await contents(desk) == ["sooner", "later"]
    assert await contents(desk, WORK) == ["elsewhere"]


async def test_reminder_being_sent_is_still_listed(desk):
    desk.courier.hold.clear()
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(2)
        (found,) = await desk.service.list(HOME, ANN)

    assert (found.state, found.next_fires) == (ReminderState.ACTIVE, ())


async def test_sent_reminder_is_not_listed(desk):
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(2)

    assert await contents(desk) == []


async def test_reminder_is_deleted_by_the_prefix_of_its_id(desk):
    reminder = await desk.set()

    (deleted,) = await desk.service.delete(HOME, ANN, reminder.id[:2])

    assert (deleted.id, deleted.state) == (reminder.id, ReminderState.CANCELLED)
    assert await contents(desk) == []


@pytest.mark.parametrize("number", ["2", "#2", "# 2", " 2. "])
async def test_reminder_is_deleted_by_its_number(desk, number):
    await desk.set("later", seconds=120)
    await desk.set("sooner", seconds=60)

    (deleted,) = await desk.service.delete(HOME, ANN, number)

    assert deleted.content == "later"


async def test_number_refers_to_the_latest_list_of_the_person(desk):
    await desk.set("later", seconds=120)
    await desk.service.list(HOME, ANN)
    await desk.set("sooner", seconds=60)

    (of_ann,) = await desk.service.delete(HOME, ANN, "1")

    assert of_ann.content == "later"


async def test_number_of_a_deleted_reminder_is_unknown(desk):
    first = await desk.set("sooner", seconds=60)
    await desk.set("later", seconds=120)
    await desk.service.list(HOME, ANN)
    await desk.service.delete(HOME, ANN, first.id)

    error = await refusal(desk.service.delete(HOME, ANN, "1"))

    assert error.code == "reminder_unknown"


async def test_reminder_is_deleted_by_words(desk):
    await desk.set("buy milk")
    await desk.set("call Ann about tea", seconds=61)

    (deleted,) = await desk.service.delete(HOME, ANN, "Milk")

    assert deleted.content == "buy milk"


async def test_reminder_is_deleted_by_chinese_words(desk):
    await desk.set("喝水")
    await desk.set("交周报", seconds=61)

    (deleted,) = await desk.service.delete(HOME, ANN, "周报")

    assert deleted.content == "交周报"


async def test_reminder_with_an_unreadable_rule_is_listed_and_deleted(desk):
    schedule = Schedule(start=datetime(2026, 11, 21), zone="UTC", rule=stored_rule("FREQ=SOMEDAY"))
    new = desk.new_reminder("odd", schedule=schedule)
    now = desk.clock.now()
    await desk.store.add(ValidatedReminder(reminder=new, first_fire=now + timedelta(days=1)), now, desk.limits)

    found = await desk.service.list(HOME, ANN)
    deleted = await desk.service.delete(HOME, ANN, "odd")

    assert [(each.content, each.next_fires) for each in (*found, *deleted)] == [("odd", ()), ("odd", ())]


async def test_reminders_are_found_by_a_time_although_the_zone_of_one_is_unknown(desk):
    now = desk.clock.now()
    schedule = Schedule(start=datetime(2026, 11, 21), zone="Mars/Base")
    odd = ValidatedReminder(reminder=desk.new_reminder("odd", schedule=schedule), first_fire=now + timedelta(days=1))
    await desk.store.add(odd, now, desk.limits)
    await desk.set("tea", seconds=24 * 3600)

    (deleted,) = await desk.service.delete(HOME, ANN, "tomorrow")

    assert deleted.content == "tea"


async def test_words_that_match_two_need_a_question(desk):
    await desk.set("buy milk")
    await desk.set("drink milk", seconds=61)

    error = await refusal(desk.service.delete(HOME, ANN, "milk"))

    assert error.code == "reminder_ambiguous"
    assert [each.content for each in error.fields["candidates"]] == ["buy milk", "drink milk"]


async def test_unknown_reference_lists_the_existing_reminders(desk):
    await desk.set("tea")

    error = await refusal(desk.service.delete(HOME, ANN, "beer"))

    assert (error.code, error.fields["reference"]) == ("reminder_unknown", "beer")
    assert [each.content for each in error.fields["candidates"]] == ["tea"]


@pytest.mark.parametrize("reference", ["1", "tea"])
async def test_without_reminders_nothing_is_deleted(desk, reference):
    assert (await refusal(desk.service.delete(HOME, ANN, reference))).code == "no_reminders"


async def test_deleting_all_own_reminders_changes_none_of_others(desk):
    await desk.set("tea", by=BOB)

    assert (await refusal(desk.service.delete(HOME, ANN, "all"))).code == "nothing_of_yours"


async def test_another_chat_s_reminder_can_neither_be_seen_nor_deleted(desk):
    reminder = await desk.set()
    await desk.service.create(replace(desk.new_reminder("other"), address=WORK))

    error = await refusal(desk.service.delete(WORK, ANN, reminder.id))

    assert error.code == "reminder_unknown"
    assert await contents(desk) == ["tea"]


async def test_a_stranger_may_not_delete(desk):
    reminder = await desk.set()

    error = await refusal(desk.service.delete(HOME, BOB, reminder.id))

    assert (error.code, error.fields) == ("not_your_reminder", {"id": reminder.id, "owner": "Ann"})


@pytest.mark.parametrize("person", [ANN, BOB, ADMIN])
async def test_creator_target_and_admin_may_delete(desk, person):
    reminder = await desk.set(targets=(BOB,))

    await desk.service.delete(HOME, person, reminder.id)

    assert await contents(desk) == []


@pytest.mark.parametrize("word", ["all", "ALL", "全部"])
async def test_all_refers_to_own_reminders(desk, word):
    await desk.set("a")
    await desk.set("b", seconds=61)
    await desk.set("bob's", by=BOB)

    deleted = await desk.service.delete(HOME, ANN, word)

    assert [each.content for each in deleted] == ["a", "b"]
    assert await contents(desk) == ["bob's"]


async def test_a_deleted_reminder_can_be_restored_and_fires(desk):
    reminder = await desk.set(seconds=10)
    async with desk.running():
        await asyncio.sleep(7)
        await desk.service.delete(HOME, ANN, reminder.id)
        restored = await desk.service.restore(HOME, ANN, reminder.id)
        await asyncio.sleep(5)

    assert restored.next_fires == reminder.next_fires
    assert desk.courier.texts == ["tea"]


async def test_existing_or_foreign_reminder_cannot_be_restored(desk):
    reminder = await desk.set()

    assert (await refusal(desk.service.restore(HOME, ANN, reminder.id))).code == "reminder_unknown"
    assert (await refusal(desk.service.restore(HOME, ANN, "??"))).code == "reminder_unknown"

    await desk.service.delete(HOME, ANN, reminder.id)

    assert (await refusal(desk.service.restore(WORK, ANN, reminder.id))).code == "reminder_unknown"


async def test_expired_reminder_is_not_restored(desk):
    reminder = await desk.set(seconds=10)
    await desk.service.delete(HOME, ANN, reminder.id)
    await asyncio.sleep(20)

    assert (await refusal(desk.service.restore(HOME, ANN, reminder.id))).code == "time_in_past"


async def test_an_edited_time_moves_the_fire(desk, edit_of):
    reminder = await desk.set(seconds=3)
    later = Schedule(start=(desk.clock.now() + MINUTE).replace(tzinfo=None), zone="UTC")
    async with desk.running():
        await asyncio.sleep(2)
        await desk.service.edit(HOME, ANN, reminder.id, edit_of(schedule=later))
        await asyncio.sleep(10)
        early = list(desk.courier.said)
        await asyncio.sleep(60)

    assert (early, desk.courier.texts) == ([], ["tea"])


async def test_edit_to_the_past_is_refused_and_changes_nothing(desk, edit_of):
    reminder = await desk.set(seconds=60)
    past = Schedule(start=(desk.clock.now() - MINUTE).replace(tzinfo=None), zone="UTC")

    error = await refusal(desk.service.edit(HOME, ANN, reminder.id, edit_of(schedule=past)))

    assert error.code == "time_in_past"
    assert (await desk.service.get(HOME, ANN, reminder.id)) == reminder


async def test_simultaneous_edits_of_two_people_both_apply(desk, edit_of):
    reminder = await desk.set(targets=(BOB,))

    await asyncio.gather(
        desk.service.edit(HOME, ANN, reminder.id, edit_of(content="milk")),
        desk.service.edit(HOME, BOB, reminder.id, edit_of(targets=(ANN, BOB))),
    )

    edited = await desk.service.get(HOME, ANN, reminder.id)
    assert (edited.content, edited.targets) == ("milk", (ANN, BOB))


async def test_paused_reminder_is_not_sent_listed_last_and_can_be_resumed(desk):
    reminder = await desk.set("paused", seconds=10, rule="FREQ=HOURLY")
    await desk.set("active", seconds=4000)
    async with desk.running():
        await asyncio.sleep(8)
        (paused,) = await desk.service.pause(HOME, ANN, reminder.id)
        order = await contents(desk)
        await asyncio.sleep(3 * 3600)
        silent = [notice for notice in desk.courier.said if notice.content == "paused"]
        (resumed,) = await desk.service.resume(HOME, ANN, reminder.id)
        await asyncio.sleep(3600)

    assert (paused.state, order, silent) == (ReminderState.PAUSED, ["active", "paused"], [])
    assert resumed.state is ReminderState.ACTIVE
    assert desk.courier.said[-1].missed == 0


async def test_a_new_time_for_a_paused_reminder_leaves_it_paused(desk, edit_of):
    reminder = await desk.set(seconds=10)
    await desk.service.pause(HOME, ANN, reminder.id)
    later = Schedule(start=(desk.clock.now() + MINUTE).replace(tzinfo=None), zone="UTC")

    edited = await desk.service.edit(HOME, ANN, reminder.id, edit_of(schedule=later))

    assert (edited.state, edited.schedule) == (ReminderState.PAUSED, later)


async def test_latest_sent_reminder_is_snoozed(desk):
    await desk.set("tea", seconds=1)
    await desk.set("milk", seconds=2)
    async with desk.running():
        await asyncio.sleep(5)
        until = desk.clock.now() + MINUTE
        snoozed = await desk.service.snooze(HOME, ANN, "", until, request_key="s")
        await asyncio.sleep(61)

    assert (snoozed.content, snoozed.next_fires) == ("milk", (until,))
    assert desk.courier.texts == ["tea", "milk", "milk"]


async def test_reminder_seen_before_the_platform_answers_can_be_snoozed(desk):
    await desk.set(seconds=1)
    desk.courier.hold.clear()
    async with desk.running():
        await asyncio.sleep(1.1)
        until = desk.clock.now() + MINUTE
        snoozed = await desk.service.snooze(HOME, ANN, "", until, request_key="s")

    assert (snoozed.content, snoozed.next_fires) == ("tea", (until,))


async def test_sent_reminder_is_snoozed_by_words(desk):
    await desk.set("tea", seconds=1)
    await desk.set("milk", seconds=2)
    async with desk.running():
        await asyncio.sleep(5)

    snoozed = await desk.service.snooze(HOME, ANN, "tea", desk.clock.now() + MINUTE, request_key="s")

    assert snoozed.content == "tea"


async def test_snoozing_a_future_reminder_moves_it(desk):
    reminder = await desk.set(seconds=10)
    until = desk.clock.now() + timedelta(hours=1)

    moved = await desk.service.snooze(HOME, ANN, "tea", until, request_key="s")

    assert (moved.id, moved.next_fires) == (reminder.id, (until,))


async def test_without_a_sent_reminder_nothing_is_snoozed(desk):
    until = desk.clock.now() + MINUTE

    assert (await refusal(desk.service.snooze(HOME, ANN, "", until, request_key="s"))).code == "no_reminders"


async def test_old_final_occurrences_are_purged(desk):
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(2)
    desk.clock.shift(timedelta(days=31))

    assert await desk.service.worker.purge() == 1
    assert await desk.service.worker.purge() == 0
