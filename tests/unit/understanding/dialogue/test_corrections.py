"""Corrections of a time in the same message. It is Wednesday 4 March 2026, 10:00."""

import pytest

from tests.unit.understanding.conftest import Say


@pytest.mark.parametrize(
    ("text", "time", "content"),
    [
        ("remind me at 5, no, at 6 to call mum", "2026-03-04 18:00", "call mum"),
        ("remind me in 5 minutes, sorry, in 10 minutes to stretch", "2026-03-04 10:10", "stretch"),
        ("remind me at 5 to call mum, no wait, at 6", "2026-03-04 18:00", "call mum"),
        ("remind me at 5 to call mum, no, remind me at 6 to call dad", "2026-03-04 18:00", "call dad"),
        ("下午五点，不，下午六点提醒我开会", "2026-03-04 18:00", "开会"),
        ("十分钟后提醒我喝水，不对，二十分钟后", "2026-03-04 10:20", "喝水"),
    ],
)
def test_last_mentioned_time_counts(say: Say, text: str, time: str, content: str) -> None:
    (call,) = say(text).calls

    assert (call.arguments["time"], call.arguments["content"]) == (time, content)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("remind me tomorrow at 5 to call mum, no, at 4", "2026-03-05 16:00"),
        ("remind me tomorrow at 5 to call mum, make it 4", "2026-03-05 16:00"),
        ("明天下午五点提醒我开会，不对，四点", "2026-03-05 16:00"),
    ],
)
def test_corrected_clock_time_keeps_the_day(say: Say, text: str, time: str) -> None:
    (call,) = say(text).calls

    assert call.arguments["time"] == time


def test_corrected_clock_time_keeps_the_repetition(say: Say) -> None:
    (call,) = say("remind me every day at 5, no, at 4 to call mum").calls

    assert call.arguments == {"type": "daily", "time": "16:00", "content": "call mum"}


def test_no_in_the_content_corrects_nothing(say: Say) -> None:
    (call,) = say("remind me at 5 to buy sugar, no sweets").calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-04 17:00", "buy sugar, no sweets")
