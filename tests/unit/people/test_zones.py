"""The time zone of a person, else of the chat, else of the bot."""

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.testing.clocks import FixedClock
from function_calls.tools.session_state import MemoryScopeStore
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.people.zones import ZoneService

HOME, WORK = (ChatAddress(platform="fake", chat_id=name) for name in ("home", "work"))
ANN, BOB = Person(id="ann", name="Ann"), Person(id="bob", name="Bob")
NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def book():
    return MemoryScopeStore()


@pytest.fixture
def zones(book):
    return ZoneService(book, FixedClock(NOW), default=ZoneInfo("Europe/Berlin"))


async def test_default_zone_is_the_bots(zones):
    assert (await zones.zone_of(HOME, ANN)).key == "Europe/Berlin"


async def test_a_person_has_their_zone_in_every_chat_of_the_platform(zones):
    await zones.set_for_person(HOME, ANN, "New York")

    assert (await zones.zone_of(WORK, ANN)).key == "America/New_York"
    assert (await zones.zone_of(WORK, BOB)).key == "Europe/Berlin"


async def test_zone_of_a_chat_holds_for_people_without_their_own(zones):
    await zones.set_for_person(HOME, ANN, "New York")
    await zones.set_for_chat(HOME, "东京")

    assert (await zones.zone_of(HOME, ANN)).key == "America/New_York"
    assert (await zones.zone_of(HOME, BOB)).key == "Asia/Tokyo"
    assert (await zones.zone_of(WORK, BOB)).key == "Europe/Berlin"


async def test_removed_zone_falls_back_to_the_chats(zones):
    await zones.set_for_chat(HOME, "Tokyo")
    await zones.set_for_person(HOME, ANN, "Paris")
    await zones.forget(HOME, ANN)

    assert (await zones.zone_of(HOME, ANN)).key == "Asia/Tokyo"
    assert await zones.own(HOME, ANN) == ""


async def test_change_of_another_process_is_seen_after_a_minute(book):
    clock = FixedClock(NOW)
    here = ZoneService(book, clock, default=ZoneInfo("UTC"))
    await here.zone_of(HOME, ANN)
    await ZoneService(book, clock, default=ZoneInfo("UTC")).set_for_person(HOME, ANN, "Paris")
    clock.set(NOW + timedelta(minutes=1))

    assert (await here.zone_of(HOME, ANN)).key == "Europe/Paris"


async def test_change_of_another_process_is_seen_after_the_clock_was_set_back(book):
    clock = FixedClock(NOW)
    here = ZoneService(book, clock, default=ZoneInfo("UTC"))
    await here.zone_of(HOME, ANN)
    await ZoneService(book, clock, default=ZoneInfo("UTC")).set_for_person(HOME, ANN, "Paris")
    clock.set(NOW - timedelta(days=1))

    assert (await here.zone_of(HOME, ANN)).key == "Europe/Paris"


async def test_zone_that_was_read_before_a_change_is_not_cached(book):
    class Slow(MemoryScopeStore):
        async def load(self, scopes):
            found = await book.load(scopes)
            await asyncio.sleep(0)
            return found

        commit = book.commit

    zones = ZoneService(Slow(), FixedClock(NOW), default=ZoneInfo("UTC"))
    earlier = asyncio.create_task(zones.zone_of(HOME, ANN))
    await asyncio.sleep(0)
    await zones.set_for_chat(HOME, "Tokyo")
    await earlier

    assert (await zones.zone_of(HOME, ANN)).key == "Asia/Tokyo"


async def test_unknown_zone_is_refused_and_changes_nothing(zones):
    with pytest.raises(RequestRefused, match="zone_unknown"):
        await zones.set_for_person(HOME, ANN, "Atlantis")

    assert (await zones.zone_of(HOME, ANN)).key == "Europe/Berlin"


async def test_zone_of_a_device_is_that_of_a_person_without_one(zones):
    await zones.suggest_for_person(HOME, ANN, "Europe/Madrid")

    assert (await zones.zone_of(WORK, ANN)).key == "Europe/Madrid"
    assert (await zones.zone_of(HOME, BOB)).key == "Europe/Berlin"


async def test_zone_of_a_device_does_not_replace_the_one_that_is_set(zones):
    await zones.set_for_person(HOME, ANN, "New York")
    await zones.suggest_for_person(HOME, ANN, "Europe/Madrid")

    assert (await zones.zone_of(HOME, ANN)).key == "America/New_York"


@pytest.mark.parametrize("name", ["", "Mars/Base", "Madrid", "../etc/passwd", "/etc/localtime", "\0", "Europe"])
async def test_zone_of_a_device_that_the_zone_data_lacks_is_ignored(zones, name):
    await zones.suggest_for_person(HOME, ANN, name)

    assert await zones.own(HOME, ANN) == ""
