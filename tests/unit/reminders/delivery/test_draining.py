"""Draining of running sends when the bot stops, in simulated time."""

import asyncio

import pytest

from services.reminders.records import DeliveryState

pytestmark = pytest.mark.looptime


async def drain_while(desk, name):
    """Drain while the ledger call `name` waits until draining has waited for it."""
    do, asked, answered = getattr(desk.store, name), asyncio.Event(), asyncio.Event()

    async def slow(*arguments):
        asked.set()
        await answered.wait()
        return await do(*arguments)

    setattr(desk.store, name, slow)
    async with desk.running():
        await asked.wait()
        draining = asyncio.create_task(desk.service.worker.drain())
        await asyncio.sleep(5)
        assert not draining.done()
        answered.set()
        await draining


async def test_draining_finishes_running_sends_and_begins_none(desk):
    desk.courier.hold.clear()
    await desk.set("begun", seconds=1)
    await desk.set("later", seconds=3)
    async with desk.running():
        await asyncio.sleep(2)
        draining = asyncio.create_task(desk.service.worker.drain())
        await asyncio.sleep(5)
        assert not draining.done()
        desk.courier.hold.set()
        await draining

    assert desk.courier.texts == ["begun"]
    assert await desk.states() == [DeliveryState.SENT, DeliveryState.LEASED]


async def test_draining_waits_without_a_busy_loop_for_a_claim_that_is_due(desk):
    desk.courier.hold.clear()
    await desk.set("begun", seconds=1)
    await desk.set("later", seconds=60)
    async with desk.running():
        await asyncio.sleep(2)
        draining = asyncio.create_task(desk.service.worker.drain())
        await asyncio.sleep(90)  # in simulated time, which does not pass in a busy loop
        desk.courier.hold.set()
        await draining

    assert desk.courier.texts == ["begun"]


async def test_draining_waits_for_sends_being_begun_in_the_ledger(desk):
    await desk.set(seconds=1)
    await drain_while(desk, "begin")

    assert desk.courier.texts == ["tea"]
    assert await desk.states() == [DeliveryState.SENT]


async def test_draining_waits_until_sends_are_recorded(desk):
    await desk.set(seconds=1)
    await drain_while(desk, "settle")

    assert await desk.states() == [DeliveryState.SENT]
