"""How the tests of a platform wait, and what they leave out."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from bot.testing.platform_rig import Heard, NotOnThisPlatform, PlatformRig


@contextmanager
def where_there_is_such_a_thing() -> Iterator[None]:
    """Skip the test where the platform cannot do what is asked in the context."""
    try:
        yield
    except NotOnThisPlatform:
        pytest.skip("the platform has no such thing")


async def heard_at_last(rig: PlatformRig) -> Sequence[Heard]:
    """What the bot has said, as soon as there is something."""
    while not (heard := await rig.heard()):  # noqa: ASYNC110 - a server tells nobody
        await asyncio.sleep(0.1)
    return heard


async def heard_up_to(rig: PlatformRig, words: int) -> Sequence[Heard]:
    """The messages of the bot, until they have as many words or no more come."""
    heard = await rig.heard()
    while sum(len(each.text.split()) for each in heard) < words:
        more = await rig.heard(len(heard) + 1)
        if len(more) == len(heard):
            break
        heard = more
    return heard
