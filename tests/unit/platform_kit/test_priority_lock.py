"""The lock with priorities."""

import asyncio

import pytest

from bot.platforms.kit.pace import PriorityLock


@pytest.fixture
def lock():
    return PriorityLock()


async def hold(lock, name, order, *, is_urgent=False, gate=None):
    async with lock.hold(is_urgent=is_urgent):
        order.append(name)
        if gate is not None:
            await gate.wait()


async def test_urgent_holder_goes_before_those_that_have_waited_longer(lock):
    order, gate = [], asyncio.Event()
    tasks = [asyncio.create_task(hold(lock, "first", order, gate=gate))]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(hold(lock, name, order)) for name in ("second", "third")]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(hold(lock, "due", order, is_urgent=True)))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks)

    assert order == ["first", "due", "second", "third"]


async def test_yielding_holder_continues_after_the_urgent_one_before_the_others(lock):
    order = []

    async def long():
        async with lock.hold(is_urgent=False):
            order.append("begin")
            await asyncio.sleep(0.01)
            await lock.yield_to_urgent()
            order.append("end")

    tasks = [asyncio.create_task(long())]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(hold(lock, "other", order)))
    tasks.append(asyncio.create_task(hold(lock, "due", order, is_urgent=True)))
    await asyncio.gather(*tasks)

    assert order == ["begin", "due", "end", "other"]


async def test_cancelled_waiter_leaves_the_lock_to_the_next(lock):
    order, gate = [], asyncio.Event()
    holder = asyncio.create_task(hold(lock, "first", order, gate=gate))
    await asyncio.sleep(0)
    cancelled = asyncio.create_task(hold(lock, "cancelled", order))
    last = asyncio.create_task(hold(lock, "last", order))
    await asyncio.sleep(0)
    gate.set()
    await holder
    cancelled.cancel()
    await asyncio.gather(cancelled, last, return_exceptions=True)

    assert order[-1] == "last"
