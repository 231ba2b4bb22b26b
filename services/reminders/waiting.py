"""Waiting for an event or for time to pass, by the injected clock."""

import asyncio

from services.clock import Clock


async def wait_or_nap(event: asyncio.Event, clock: Clock, seconds: float) -> None:
    """Return when `event` is set or after `seconds`, whichever comes first."""
    if event.is_set() or seconds <= 0:
        await asyncio.sleep(0)
        return
    waits = (asyncio.ensure_future(event.wait()), asyncio.ensure_future(clock.nap(seconds)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
