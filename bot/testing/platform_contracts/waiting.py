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
    """Return what the bot has said, as soon as there is something."""
    while not (heard := await rig.heard()):  # noqa: ASYNC110 - a server tells nobody
        await asyncio.sleep(0.1)
    return heard


async def heard_up_to(rig: PlatformRig, words: int) -> Sequence[Heard]:
    """Return the messages of the bot as soon as they have `words` words, or as they are when nothing more comes.

    What comes may be another message, or more text in one that is there: a draft becomes the answer by an edit.
    """
    texts: list[str] | None = None
    heard = await rig.heard()
    while texts != (texts := [each.text for each in heard]) and _count_words(texts) < words:
        heard = await rig.heard(len(heard) + 1)
    return heard


def _count_words(texts: Sequence[str]) -> int:
    """Count the words of all texts; the mark at the end of a draft is none."""
    return sum(len(text.replace("…", " ").split()) for text in texts)
