"""Reminders of a message that is edited or withdrawn."""

import asyncio
import re
from contextlib import asynccontextmanager

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.in_memory import build_in_memory

pytestmark = pytest.mark.looptime

ID = re.compile(r"\[([a-z0-9]{6})\]")


@pytest.fixture
def bot(platform, clock):
    @asynccontextmanager
    async def running(request):
        async with build_in_memory(Settings(bot=BotSettings(timezone="UTC")), platforms=[platform], clock=clock):
            message = await platform.say(request)
            yield message.id

    return running


@pytest.mark.parametrize(
    ("request_text", "edit", "changed", "unchanged"),
    [
        (
            "remind me tomorrow at 5pm to cal mum",
            "remind me tomorrow at 6pm to call mum",
            "✏️ Changed [{id}] to tomorrow at 18:00, in 33 hours: call mum",
            "is set again for tomorrow at 17:00: cal mum",
        ),
        (
            "明天下午五点提醒我打电话给马马",
            "明天下午五点提醒我打电话给妈妈",
            "✏️ 已修改 [{id}]：明天 17:00（32 小时后）：打电话给妈妈",
            "明天 17:00：打电话给马马",
        ),
    ],
)
async def test_an_edited_request_changes_the_reminder_that_it_set(
    bot, platform, request_text, edit, changed, unchanged
):
    async with bot(request_text) as message_id:
        reminder = ID.search(platform.texts[-1])[1]
        await platform.rewrite(message_id, edit)
        answer = platform.texts[-1]
        await platform.say("undo" if unchanged.isascii() else "撤销")

        assert answer.startswith(changed.format(id=reminder))
        assert unchanged in platform.texts[-1]


async def test_edit_that_adds_follow_ups_changes_the_reminder(bot, platform):
    async with bot("remind me tomorrow at 5pm to call mum") as message_id:
        await platform.rewrite(message_id, "remind me tomorrow at 5pm to call mum until it is done")

        assert "every 10 minutes" in platform.texts[-1]


async def test_durations_are_counted_from_the_time_of_the_message(bot, platform):
    async with bot("remind me in 10 minutes to cal mum") as message_id:
        await asyncio.sleep(120)
        await platform.rewrite(message_id, "remind me in 10 minutes to call mum")
        answer = platform.texts[-1]
        await asyncio.sleep(481)

        assert "at 09:10, in 8 minutes: call mum" in answer
        assert platform.texts[-1] == "⏰ @ann call mum"


async def test_time_that_was_past_at_the_edit_is_refused(bot, platform):
    async with bot("remind me at 5pm to call mum") as message_id:
        await asyncio.sleep(7200)
        await platform.rewrite(message_id, "remind me at 9:30 am to call mum")
        await asyncio.sleep(60)

        assert "has already passed" in platform.texts[-1]
        assert "at 17:00 · call mum" in platform.texts[-1]


@pytest.mark.parametrize("edit", ["never mind", "delete all reminders", "remind me tomorrow at 6 to call mum"])
async def test_unclear_edit_keeps_the_reminder_and_says_so(bot, platform, edit):
    async with bot("remind me tomorrow at 5pm to call mum") as message_id:
        await platform.rewrite(message_id, edit)

        assert "unchanged" in platform.texts[-1]
        assert "tomorrow at 17:00 · call mum" in platform.texts[-1]


async def test_remaining_one_of_two_requests_is_not_set_twice(bot, platform):
    async with bot("remind me tomorrow at 5pm to call mum and on Sunday at 3pm to eat") as message_id:
        await platform.rewrite(message_id, "remind me on Sunday at 3pm to eat")

        assert platform.texts[-1].endswith("tomorrow at 17:00 · call mum · ann")
        assert len(platform.texts[-1].splitlines()) == 2


async def test_reminder_changed_since_is_not_changed_by_an_edit(bot, platform):
    async with bot("remind me tomorrow at 5pm to cal mum") as message_id:
        await platform.say("make it 7pm")
        await platform.rewrite(message_id, "remind me tomorrow at 5pm to call mum")

        assert "tomorrow at 19:00 · cal mum" in platform.texts[-1]


@pytest.mark.parametrize("edit", ["remind me tomorrow at 5pm to call mum!", "remind me tomorrow at 17:00 to call mum"])
async def test_edit_with_the_same_request_is_not_answered(bot, platform, edit):
    async with bot("remind me tomorrow at 5pm to call mum") as message_id:
        await platform.rewrite(message_id, edit)

        assert len(platform.texts) == 1


async def test_edit_restores_nothing_that_was_deleted(bot, platform):
    async with bot("remind me tomorrow at 5pm to call mum") as message_id:
        await platform.say("Bubbles, cancel it")
        await platform.say("undo")
        await platform.say("undo")
        count = len(platform.texts)
        await platform.rewrite(message_id, "remind me tomorrow at 6pm to call mum")

        assert len(platform.texts) == count


async def test_a_withdrawn_request_keeps_its_reminder_and_says_so(bot, platform):
    async with bot("明天下午五点提醒我给妈妈打电话") as message_id:
        reminder = ID.search(platform.texts[-1])[1]
        await platform.withdraw(message_id)
        answer = platform.texts[-1]
        await platform.say("提醒列表", is_private=True)

        assert answer.endswith(f"请说：删除 {reminder}")
        assert reminder in platform.texts[-1]


async def test_late_edit_is_not_answered(bot, platform):
    async with bot("remind me tomorrow at 5pm to call mum") as message_id:
        await asyncio.sleep(3600)
        await platform.withdraw(message_id)

        assert len(platform.texts) == 1
