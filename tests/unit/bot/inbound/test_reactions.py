"""Thumbs up under reminders, by which people join and leave."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from bot.config.settings import BotSettings, RouterSettings, Settings
from bot.inbound.reactions import is_join_request
from bot.testing.in_memory import build_in_memory

pytestmark = pytest.mark.looptime
MINUTE = 60


def running(platform, clock, **settings):
    return build_in_memory(Settings(bot=BotSettings(timezone="UTC"), **settings), platforms=[platform], clock=clock)


@asynccontextmanager
async def set_reminder(platform, clock):
    """Set a reminder of Ann in ten minutes, and yield the id of the bot's confirmation."""
    async with running(platform, clock):
        await platform.say("Bubbles, remind me to water the plants in 10 minutes", sender="ann")
        yield platform.sent_ids[-1]


async def test_a_thumb_up_under_the_confirmation_joins(platform, clock):
    async with set_reminder(platform, clock) as question_id:
        await platform.put_emoji(question_id, "👍", sender="bob")
        await asyncio.sleep(11 * MINUTE)

    assert "Added you" in platform.texts[1]
    assert {person.id for person in platform.sent[-1][1].mentions} == {"ann", "bob"}


async def test_the_answer_to_a_thumb_names_its_person_under_the_confirmation(platform, clock):
    async with set_reminder(platform, clock) as question_id:
        await platform.put_emoji(question_id, "👍", sender="bob")

    answer = platform.sent[-1][1]
    assert (answer.reply_to, [person.id for person in answer.mentions]) == (question_id, ["bob"])


async def test_thumbs_up_in_a_thread_is_answered_there_if_the_platform_names_only_the_chat(platform, clock):
    async with running(platform, clock):
        await platform.say("Bubbles, remind me to water the plants in 10 minutes", sender="ann", thread="garden")
        await platform.put_emoji(platform.sent_ids[-1], "👍", sender="bob")

    address, answer = platform.sent[-1]
    assert address.thread_id == "garden"
    assert [person.id for person in answer.mentions] == ["bob"]


async def test_person_leaves_by_removing_the_thumbs_up(platform, clock):
    async with set_reminder(platform, clock) as question_id:
        await platform.put_emoji(question_id, "➕", sender="bob")
        await platform.put_emoji(question_id, "➕", sender="bob", is_added=False)
        await asyncio.sleep(11 * MINUTE)

    assert [person.id for person in platform.sent[-1][1].mentions] == ["ann"]


async def test_thumbs_up_on_a_sent_repeating_reminder_joins_the_next(platform, clock):
    async with running(platform, clock):
        await platform.say("Bubbles, remind me every 10 minutes to stretch", sender="ann")
        await asyncio.sleep(10.1 * MINUTE)
        await platform.put_emoji(platform.sent_ids[-1], "👍", sender="bob")
        await asyncio.sleep(10 * MINUTE)

    assert {person.id for person in platform.sent[-1][1].mentions} == {"ann", "bob"}


async def test_reminder_joined_by_a_thumbs_up_can_be_undone(platform, clock):
    async with set_reminder(platform, clock) as question_id:
        await platform.put_emoji(question_id, "👍", sender="bob")
        await platform.say("Bubbles, undo", sender="bob")
        await asyncio.sleep(11 * MINUTE)

    assert [person.id for person in platform.sent[-1][1].mentions] == ["ann"]


@pytest.mark.parametrize(
    ("emoji", "sender"), [("👍", "ann"), ("🎉", "bob")], ids=["the owner's thumb", "another emoji"]
)
async def test_reaction_without_a_request_is_not_answered(platform, clock, emoji, sender):
    async with set_reminder(platform, clock) as question_id:
        await platform.put_emoji(question_id, emoji, sender=sender)

    assert len(platform.texts) == 1


async def test_thumbs_among_people_are_not_answered(platform, clock):
    async with set_reminder(platform, clock):
        lunch = await platform.say("lunch at noon?", sender="ann")
        await platform.put_emoji(lunch.id, "👍", sender="bob")

    assert len(platform.texts) == 1


async def test_thumbs_up_in_another_chat_joins_nothing(platform, clock):
    async with set_reminder(platform, clock) as question_id:
        await platform.put_emoji(question_id, "👍", sender="bob", chat="elsewhere")

    assert len(platform.texts) == 1


async def test_thumbs_up_in_a_chat_that_is_not_served_joins_nothing(platform, clock):
    async with running(platform, clock, router=RouterSettings(allowed_chats=["fake:work"])):
        await platform.say("Bubbles, remind me to water the plants in 10 minutes", chat="work")
        await platform.put_emoji(platform.sent_ids[-1], "👍", sender="bob", chat="home")

    assert len(platform.texts) == 1


async def test_a_reaction_in_chinese_company_is_answered_in_chinese(platform, clock):
    async with running(platform, clock):
        await platform.say("Bubbles，十分钟后提醒我浇花", sender="小安")
        await platform.say("好的", sender="小博")
        await platform.put_emoji(platform.sent_ids[0], "👍", sender="小博")

    assert "算你一个" in platform.texts[-1]


@pytest.mark.parametrize("emoji", ["👍", "👍🏽", "➕", "✋🏻", "🙋‍♀️", "🙋🏿‍♂️", ":+1:", "THUMBSUP"])
def test_thumbs_up_of_every_skin_tone_joins(emoji):
    assert is_join_request(emoji)


@pytest.mark.parametrize("emoji", ["👎", "❤️", "", "😂", "➖"])
def test_other_reactions_do_not_join(emoji):
    assert not is_join_request(emoji)
