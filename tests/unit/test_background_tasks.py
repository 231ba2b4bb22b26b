"""Background tasks: failures, cancellation and results."""

import asyncio

import pytest
from loguru import logger

from services.kernel.background_tasks import run_beside, run_until
from services.kernel.errors import DeliveryFailed


async def fail(error):
    raise error


@pytest.mark.parametrize(("error", "lines"), [(KeyError("tea"), 1), (DeliveryFailed("away"), 0)])
async def test_unexpected_failure_beside_a_context_is_logged(error, lines):
    logged = []
    sink = logger.add(lambda line: logged.append(str(line)), level="ERROR", filter="services.kernel")
    async with run_beside(fail(error), "work"):
        await asyncio.sleep(0)
    logger.remove(sink)

    assert len(logged) == lines


async def test_work_is_cancelled_if_the_end_is_reached_first():
    work = asyncio.Event()

    async def run():
        try:
            await asyncio.sleep(60)
        finally:
            work.set()

    assert not await run_until(run(), asyncio.sleep(0), "work")
    assert work.is_set()


async def test_exception_of_the_work_is_raised():
    with pytest.raises(KeyError):
        await run_until(fail(KeyError("tea")), asyncio.sleep(60), "work")
