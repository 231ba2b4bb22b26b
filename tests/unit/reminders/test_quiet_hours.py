"""Quiet hours on the wall clock, and delayed reminders."""

import asyncio
from datetime import UTC, datetime, time, timedelta

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.reminders.quiet_hours import QuietHours, QuietService, quiet_keys, quiet_until

NIGHT = QuietHours(starts=time(22), ends=time(7), zone="UTC")
NOON = QuietHours(starts=time(12), ends=time(13, 30), zone="Asia/Shanghai")
HOME = ChatAddress(platform="console", chat_id="home")
ANN, BOB = Person(id="ann", name="Ann"), Person(id="bob", name="Bob")
SOON = QuietHours(starts=time(9), ends=time(10), zone="UTC")  # the desk's day begins at nine


def parse_utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "moment", "end"),
    [
        (NIGHT, "2026-11-20T21:59", None),
        (NIGHT, "2026-11-20T22:00", "2026-11-21T07:00"),
        (NIGHT, "2026-11-21T06:59", "2026-11-21T07:00"),
        (NIGHT, "2026-11-21T07:00", None),
        (NOON, "2026-11-20T04:00", "2026-11-20T05:30"),
        (NOON, "2026-11-20T05:30", None),
        (NOON, "2026-11-20T03:59", None),
    ],
)
def test_quiet_hours_end_on_the_wall_clock(hours: QuietHours, moment: str, end: str | None):
    assert hours.end_of(parse_utc(moment)) == (None if end is None else parse_utc(end))


def test_quiet_hours_with_a_clock_change_end_at_their_wall_time():
    berlin = QuietHours(starts=time(22), ends=time(7), zone="Europe/Berlin")

    assert berlin.end_of(parse_utc("2026-03-28T22:00")) == parse_utc("2026-03-29T05:00")


def test_quiet_hours_within_a_repeated_hour_end_after_the_moment():
    london = QuietHours(starts=time(0), ends=time(1, 30), zone="Europe/London")
    until_then = QuietHours(starts=time(0, 30), ends=time(1, 20), zone="UTC")
    moment = parse_utc("2026-10-25T01:10")  # 01:10 in London for the second time

    assert london.end_of(moment) == parse_utc("2026-10-25T01:30")
    assert quiet_until([london, until_then], moment) == parse_utc("2026-10-25T01:30")


def test_quiet_hours_with_equal_times_are_empty():
    never = QuietHours(starts=time(8), ends=time(8), zone="UTC")

    assert never.end_of(parse_utc("2026-11-20T08:00")) is None


def test_consecutive_quiet_hours_end_with_the_last():
    morning = QuietHours(starts=time(6), ends=time(9), zone="UTC")

    assert quiet_until([NIGHT, morning], parse_utc("2026-11-20T23:00")) == parse_utc("2026-11-21T09:00")


def test_quiet_hours_without_a_gap_do_not_delay_forever():
    day = QuietHours(starts=time(7), ends=time(22), zone="UTC")

    assert quiet_until([NIGHT, day], parse_utc("2026-11-20T23:00")) < parse_utc("2026-11-24T00:00")


def test_quiet_hours_of_a_person_hold_for_reminders_to_them_only():
    assert quiet_keys(HOME, ANN, ()) == ("chat:console:home", "person:console:ann")
    assert quiet_keys(HOME, ANN, (BOB,)) == ("chat:console:home", "person:console:bob")
    assert quiet_keys(HOME, ANN, (ANN, BOB)) == ("chat:console:home",)
    assert quiet_keys(HOME, ANN, (Person(id="@all", name="all"),)) == ("chat:console:home",)


async def test_hours_in_an_unknown_zone_are_refused(desk):
    with pytest.raises(RequestRefused, match="zone_unknown"):
        await desk.service.quiet.set_for_chat(HOME, QuietHours(starts=time(1), ends=time(2), zone="Mars/Base"))


@pytest.mark.looptime
async def test_occurrence_in_quiet_hours_waits_for_their_end(desk):
    await desk.service.quiet.set_for_chat(HOME, SOON)
    await desk.set(seconds=60)
    async with desk.running():
        await asyncio.sleep(3590)
        early = list(desk.courier.said)
        await asyncio.sleep(11)

    (notice,) = desk.courier.said
    assert early == []
    assert notice.was_held
    assert desk.courier.message_time[0].time() == time(10)


@pytest.mark.looptime
async def test_urgent_reminder_does_not_wait(desk):
    await desk.service.quiet.set_for_person(HOME, ANN, SOON)
    await desk.set("fire", seconds=60, is_urgent=True)
    await desk.set("tea", seconds=60)
    async with desk.running():
        await asyncio.sleep(120)

    assert desk.courier.texts == ["fire"]


@pytest.mark.looptime
async def test_missed_occurrence_waits_for_the_end_of_quiet_hours_too(desk):
    await desk.service.quiet.set_for_chat(HOME, SOON)
    await desk.set(seconds=-0.5, rule="FREQ=DAILY")
    await desk.set("tea", seconds=60)
    await asyncio.sleep(1800)
    async with desk.running():
        await asyncio.sleep(60)

    assert desk.courier.said == []


@pytest.mark.looptime
async def test_retry_waits_for_quiet_hours_unless_its_outcome_is_unknown(desk):
    await desk.set("tea", seconds=60)
    (lease,) = (await desk.store.claim("other", desk.clock.now(), desk.clock.now() + timedelta(minutes=2), 9)).leases
    await desk.service.quiet.set_for_chat(HOME, SOON)
    await desk.store.free("other")
    async with desk.running():
        await asyncio.sleep(300)
        held = list(desk.courier.said)
        await asyncio.sleep(3600)

    assert held == []
    assert desk.courier.said[0].idempotency_key == lease.notice.idempotency_key


@pytest.mark.looptime
async def test_repeats_in_quiet_hours_are_one_message_with_a_count(desk):
    await desk.service.quiet.set_for_chat(HOME, SOON)
    await desk.set(seconds=60, rule="FREQ=MINUTELY;INTERVAL=20")
    async with desk.running():
        await asyncio.sleep(3601)

    (notice,) = desk.courier.said
    assert (notice.missed, notice.was_held) == (2, True)


@pytest.mark.looptime
async def test_quiet_hours_of_a_chat_can_be_removed(desk):
    await desk.service.quiet.set_for_chat(HOME, SOON)
    await desk.service.quiet.set_for_chat(HOME, None)
    await desk.set(seconds=60)
    async with desk.running():
        await asyncio.sleep(61)

    assert await desk.service.quiet.of_chat(HOME) is None
    assert desk.courier.texts == ["tea"]


@pytest.mark.parametrize(("is_urgent", "is_held"), [(False, True), (True, False)])
async def test_end_of_quiet_hours_is_predicted(desk, is_urgent, is_held):
    await desk.service.quiet.set_for_person(HOME, ANN, SOON)
    reminder = await desk.set("tea", by=ANN, is_urgent=is_urgent)

    assert (await desk.service.quiet.held_until(reminder) is not None) is is_held


async def test_quiet_hours_of_the_bot_hold_for_chats_without_their_own(desk):
    reminder = await desk.set("tea", targets=(ANN, BOB))
    quiet = QuietService(desk.store, SOON)

    before = await quiet.held_until(reminder)
    await quiet.set_for_chat(HOME, QuietHours(starts=time(8), ends=time(8), zone="UTC"))

    assert (before is None, await quiet.held_until(reminder)) == (False, None)
