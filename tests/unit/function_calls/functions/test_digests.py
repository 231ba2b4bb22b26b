"""Summaries that a scheduled reminder posts."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from function_calls.functions.summary.digests import Digests
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.reminders.model import DueNotice, ReminderAction
from services.summary.model import SummaryMethod
from services.summary.service import SummaryService
from tests.support.stores.messages import MemoryMessageStore

DUE = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
HOME = ChatAddress(platform="fake", chat_id="home")


class StuckSummarizer:
    method = SummaryMethod.MODEL

    async def bullets(self, messages, *, language, count, on_progress=None):
        await asyncio.Event().wait()


@pytest.fixture
async def history():
    history = HistoryService(MemoryMessageStore())
    for number, (hours, text) in enumerate(
        [(30, "The boiler leaks."), (3, "The printer is broken."), (-1, "Good night.")]
    ):
        ann, at = Person(id="ann", name="Ann"), DUE - timedelta(hours=hours)
        await history.record(ChatMessage(id=str(number), address=HOME, sender=ann, text=text, sent_at=at))
    return history


def notice(language="en", *, hours=24.0):
    return DueNotice(
        delivery_id=1,
        idempotency_key="a-1",
        reminder_id="a",
        address=HOME,
        creator=Person(id="ann", name="Ann"),
        targets=(),
        content="summary",
        language=language,
        due_at=DUE,
        missed=0,
        is_recurring=True,
        attempt=1,
        action=ReminderAction.SUMMARY,
        covers_since=DUE - timedelta(hours=hours),
    )


def digests_of(history, summarizer=None):
    quick = SummaryService(history)
    summaries = SummaryService(history, summarizer=summarizer)
    clock, patience = FixedClock(DUE + timedelta(hours=2)), timedelta(milliseconds=50)
    return Digests(summaries, quick, clock, lambda chat, message_id: None, patience=patience)


async def test_digest_covers_the_time_since_the_one_before(history):
    text = await digests_of(history)(notice())

    assert text.startswith("📝 Summary of 1 message from Ann")
    assert "printer" in text


async def test_message_at_the_time_of_a_digest_is_in_the_next_one(history):
    ann = Person(id="ann", name="Ann")
    await history.record(ChatMessage(id="due", address=HOME, sender=ann, text="The tap drips.", sent_at=DUE))
    following = replace(notice(), due_at=DUE + timedelta(days=1), covers_since=DUE)

    assert ["tap" in await digests_of(history)(each) for each in (notice(), following)] == [False, True]


async def test_digest_covers_the_interval_of_its_rule(history):
    assert "boiler" in await digests_of(history)(notice(hours=24 * 7))


@pytest.mark.parametrize(("language", "expected"), [("en", "Nothing new"), ("zh", "没有新消息")])
async def test_empty_digest_says_so(history, language, expected):
    assert expected in await digests_of(history)(notice(language, hours=1))


async def test_digest_does_not_wait_for_a_hanging_model(history):
    assert "printer" in await digests_of(history, StuckSummarizer())(notice())
