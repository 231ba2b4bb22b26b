"""Messages without an answer from an earlier run, which are answered or reported."""

from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, RouterSettings, Settings
from bot.inbound.recovery import Recovery
from bot.observability.watchdog import Watchdog
from bot.testing.clocks import StandingClock
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from bot.testing.turns import HOME, NOW, make_message
from services.history.service import HistoryService
from services.kernel.errors import StorageBusy
from services.kernel.state import MemoryStateStore
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.people.state import SqlStateStore
from tests.unit.bot.observability.test_watchdog import leave_blocked_message

ADDRESS = replace(HOME, platform="fake")
ASKED = make_message("bubbles, what is the time?")


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path / 'bot.db'}"


async def keep(database, *messages):
    """Store messages as a killed process leaves them: in the history and nowhere else."""
    async with Database(database) as opened:
        history = HistoryService(SqlMessageStore(opened))
        for message in messages:
            await history.record(replace(message, address=ADDRESS))


@asynccontextmanager
async def start_bot(database, *answers, after=timedelta(seconds=5), watchdog=None, **router):
    """Start the bot again, and yield its platform once all unanswered messages are handled."""
    clock = StandingClock(NOW + after)
    platform = FakePlatform(clock)
    settings = Settings(
        bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), router=RouterSettings(**router)
    )
    async with build_app(
        settings,
        platforms=[platform],
        interpreter=ScriptedInterpreter([*answers], is_strict=False),
        clock=clock,
        database=Database(database),
        watchdog=watchdog,
    ) as app:
        await app.connections.drain()
        yield platform


async def test_received_message_without_an_answer_is_answered_once(database):
    await keep(database, ASKED)

    async with start_bot(database, "It is noon.") as first:
        pass
    async with start_bot(database, "It is noon.") as second:
        pass

    assert [(message.text, message.reply_to) for _, message in first.sent] == [("It is noon.", "m1")]
    assert second.sent == []


async def test_answered_message_is_not_answered_again(database):
    async with start_bot(database, "It is noon.") as platform:
        await platform.say("bubbles, what is the time?", message_id="m1")

    async with start_bot(database, "It is noon.") as again:
        pass

    assert again.sent == []


async def test_message_with_silence_as_answer_is_not_answered_again(database):
    async with start_bot(database) as platform:
        await platform.say("lovely weather today", message_id="m1")

    async with start_bot(database, "Indeed.") as again:
        pass

    assert again.sent == []


async def test_message_tried_before_gets_only_a_notice(database):
    await keep(database, ASKED)
    async with Database(database) as opened:  # the run that tried has been killed too
        await SqlStateStore(opened, StandingClock(NOW)).set("taken_up:fake:home#m1", value=True, keep=timedelta(days=1))

    async with start_bot(database, "It is noon.", after=timedelta(seconds=9)) as again:
        pass

    assert "interrupted" in again.texts[0]


async def test_unaddressed_message_tried_before_gets_a_notice_too(database):
    await keep(database, replace(ASKED, text="remind me at 5 to cook", is_addressed=False))
    async with Database(database) as opened:
        await SqlStateStore(opened, StandingClock(NOW)).set("taken_up:fake:home#m1", value=True, keep=timedelta(days=1))

    async with start_bot(database, "It is noon.", after=timedelta(seconds=9)) as again:
        pass

    assert "interrupted" in again.texts[0]


async def test_small_talk_leads_to_no_notice_after_any_number_of_starts(database):
    await keep(database, replace(ASKED, text="lovely weather today", is_addressed=False))

    for _ in range(3):
        async with start_bot(database) as platform:
            pass
        assert platform.sent == []


@pytest.mark.parametrize("is_addressed", [True, False])
@pytest.mark.parametrize("after", [timedelta(seconds=5), timedelta(hours=1)])
async def test_message_that_blocked_the_last_run_is_not_read_and_its_sender_notified(
    database, tmp_path, is_addressed, after
):
    await keep(database, replace(ASKED, is_addressed=is_addressed))
    leave_blocked_message(tmp_path, ("fake:home", "m1"))

    async with (
        Watchdog(tmp_path, 0) as watchdog,
        start_bot(database, "It is noon.", after=after, watchdog=watchdog) as run,
    ):
        pass
    async with Watchdog(tmp_path, 0) as watchdog, start_bot(database, "It is noon.", watchdog=watchdog) as again:
        pass

    [(_, message)] = run.sent
    assert message.text.startswith("I could not read your message from 02:00")
    assert (message.reply_to, message.choices, again.sent) == ("m1", (), [])


async def test_message_that_blocked_the_last_run_is_not_read_when_delivered_again(database, tmp_path):
    leave_blocked_message(tmp_path, ("fake:home", "m1"))
    async with Watchdog(tmp_path, 0) as watchdog, start_bot(database, "It is noon.", watchdog=watchdog) as run:
        await run.say("bubbles, what is the time?", message_id="m1")
        await run.say("bubbles, what is the time?", message_id="m1")
        await run.say("bubbles, and now?", message_id="m2")

    assert [text[:21] for text in run.texts] == ["I could not read your", "It is noon."]


async def test_sender_of_an_old_message_is_asked_to_repeat_it_with_a_button(database):
    await keep(database, replace(ASKED, text="bubbles，现在几点？"))

    async with start_bot(database, "It is noon.", after=timedelta(hours=1)) as platform:
        pass

    [(_, message)] = platform.sent
    assert message.reply_to == "m1"
    assert "中断" in message.text
    assert [choice.says for choice in message.choices] == ["bubbles，现在几点？"]


@pytest.mark.parametrize(
    ("message", "after", "router"),
    [
        (replace(ASKED, is_addressed=False), timedelta(hours=1), {}),
        (ASKED, timedelta(days=2), {}),
        (ASKED, timedelta(hours=1), {"allowed_chats": ("fake:elsewhere",)}),
        (ASKED, timedelta(seconds=5), {"allowed_chats": ("fake:elsewhere",)}),
    ],
    ids=["not addressed", "of the day before", "old, from a chat that is not served", "from a chat that is not served"],
)
async def test_no_notice_is_sent_for_messages_without_a_waiting_person(database, message, after, router):
    await keep(database, message)

    async with start_bot(database, "It is noon.", after=after, **router) as platform:
        pass

    assert platform.sent == []


async def test_new_message_is_not_taken_for_an_old_one(database):
    async with start_bot(database, "It is noon.", "It is one.") as platform:
        await platform.say("bubbles, what is the time?", message_id="m1")

    assert platform.texts == ["It is noon."]


class LockedStateStore(MemoryStateStore):
    """A store whose first question fails, as a locked database does."""

    is_locked = True

    async def get(self, key):
        if self.is_locked:
            self.is_locked = False
            raise StorageBusy("database is locked")
        return await super().get(key)


async def test_failed_message_does_not_stop_the_next_ones():
    clock, handled = StandingClock(NOW), []
    pending = [replace(ASKED, id=each) for each in ("m1", "m2")]
    recovery = Recovery(pending=pending, outbox=None, state=LockedStateStore(clock), clock=clock, language="en")

    async def handle(message):
        handled.append(message.id)

    await recovery.resume(ASKED.address.platform, handle, None)

    assert handled == ["m2"]
