"""Undo of the change of a button or a reply, or of the last one."""

from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NOW
from bot.testing.platform import FakePlatform
from services.storage.database import Database

SET_ALL = "Bubbles, remind me tomorrow at 5pm to {what}"


class Chat:
    """A group with a bot, its buttons, and the reminders that ann has."""

    def __init__(self, clock, platform, app):
        self.clock = clock
        self.platform = platform
        self.app = app

    async def say(self, text, **fields):
        count = len(self.platform.texts)
        await self.platform.say(text, **fields)
        return "\n".join(self.platform.texts[count:])

    async def press(self, number, label, *, sender="ann"):
        """Press the button of the bot's message with this number; return what the bot says to that."""
        choices = self.platform.sent[number][1].choices
        (says,) = [each.says for each in choices if label in each.label]
        return await self.say(says, sender=sender, reply_to=self.platform.sent_ids[number])

    async def list_reminders(self):
        return await self.say("Bubbles, list reminders")


@pytest.fixture
def group():
    @asynccontextmanager
    async def open_group():
        clock = StandingClock(NOW)
        platform = FakePlatform(clock)
        settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
        async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")) as app:
            yield Chat(clock, platform, app)

    return open_group


async def test_undo_reverts_only_the_change_of_its_button(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say(SET_ALL.format(what="BBB"))
        answer = await chat.press(0, "Undo")
        left = await chat.list_reminders()

    assert "AAA" in answer
    assert "AAA" not in left
    assert "BBB" in left


async def test_second_press_says_that_the_change_was_undone(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say(SET_ALL.format(what="BBB"))
        await chat.press(1, "Undo")
        again = await chat.press(1, "Undo")
        left = await chat.list_reminders()

    assert again == "That has already been undone."
    assert "AAA" in left


async def test_button_of_another_person_is_answered_and_changes_nothing(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say(SET_ALL.format(what="BBB"), sender="bob")
        answer = await chat.press(0, "Undo", sender="bob")
        left = await chat.list_reminders()

    assert answer == "That is somebody else's change; only the person who made it can undo it."
    assert "AAA" in left
    assert "BBB" in left


async def test_press_is_answered_in_the_language_of_the_person(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say("你好呀各位", sender="bob")
        answer = await chat.press(0, "Undo", sender="bob")

    assert answer == "这是别人的改动，只有做改动的人才能撤销。"


async def test_an_old_button_does_not_revert_later_changes_of_the_same_reminder(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say("Bubbles, make it 6pm")
        await chat.say("Bubbles, make it 7pm")
        answer = await chat.press(1, "Undo")
        left = await chat.list_reminders()

    assert answer.startswith("It has been changed again since then.")
    assert "19:00" in left


async def test_an_undo_that_replies_to_a_confirmation_reverts_that_change(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say(SET_ALL.format(what="BBB"))
        await chat.say("undo", reply_to=chat.platform.sent_ids[0])
        left = await chat.list_reminders()

    assert "AAA" not in left
    assert "BBB" in left


async def test_undo_as_a_reply_to_anothers_confirmation_reverts_nothing(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"), sender="bob")
        await chat.say(SET_ALL.format(what="BBB"))
        await chat.say("undo", reply_to=chat.platform.sent_ids[0])
        left = await chat.list_reminders()

    assert "AAA" in left
    assert "BBB" in left


async def test_typed_undo_names_the_reverted_change(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say("thanks bubbles 👍")
        answer = await chat.say("undo")

    assert "AAA" in answer
    assert "Do you mean" not in answer


@pytest.mark.parametrize("request_text", ["xd 1", "hmm strange that one"])
async def test_undo_asks_after_a_request_that_was_ignored(group, request_text):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        ignored = await chat.say(request_text)
        question = await chat.say("undo")
        left = await chat.list_reminders()

    assert ignored == ""
    assert question.startswith("Do you mean this change: “✅ Set")
    assert "AAA" in question
    assert "AAA" in left


async def test_undo_asks_after_a_request_that_was_not_understood(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        await chat.say("Bubbles, xd one")
        question = await chat.say("undo")
        await chat.say("yes")
        left = await chat.list_reminders()

    assert question.startswith("Do you mean this change:")
    assert "AAA" not in left


async def test_undo_after_talk_between_people_needs_no_question(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        other = await chat.platform.say("did you set it?", sender="bob")
        await chat.say("I did", reply_to=other.id)
        answer = await chat.say("undo")

    assert "Do you mean" not in answer


async def test_typed_undo_asks_about_an_older_change(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        chat.clock.set(NOW + timedelta(minutes=11))
        question = await chat.say("undo")
        taken_back = await chat.press(-1, "Yes")
        left = await chat.list_reminders()

    assert question.startswith("Do you mean this change:")
    assert "AAA" in taken_back
    assert "AAA" not in left


async def test_a_button_reverts_its_change_after_hours(group):
    async with group() as chat:
        await chat.say(SET_ALL.format(what="AAA"))
        chat.clock.set(NOW + timedelta(hours=5))
        await chat.press(0, "Undo")
        left = await chat.list_reminders()

    assert "AAA" not in left
