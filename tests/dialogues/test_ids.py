"""Ids of reminders are made of letters and figures, and are never taken for words."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.testing.dialogues import Dialogue, Step
from bot.testing.in_memory import play
from services.reminders.model import row_key

LIKE_A_TIME = "x9h89x"


def said(text: str, *, speaker: str, expected: str) -> Step:
    return Step(
        speaker=speaker,
        text=text,
        wait_seconds=0,
        expected=(expected,),
        calls=(),
        said="",
        chat=speaker,
        is_private=True,
        is_admin=False,
        replies_to=0,
    )


@pytest.mark.looptime
async def test_an_id_that_looks_like_an_hour_is_no_time():
    rows = row_key(LIKE_A_TIME)
    assert rows is not None
    people = [f"person{number}" for number in range(rows)]
    steps = [said("remind me every day at 8am to take pills", speaker=each, expected="✅ Set […] …") for each in people]
    last = said("i don't need them, delete that", speaker=people[-1], expected=f"🗑 Deleted [{LIKE_A_TIME}]: …")

    await play(
        Dialogue(
            path=Path("ids"),
            title="An id that looks like an hour",
            start=datetime(2026, 3, 10, 10, 20, tzinfo=ZoneInfo("Europe/London")),
            zone="Europe/London",
            steps=(*steps, last),
        )
    )
