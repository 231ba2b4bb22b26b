"""Answers to the bot in a group, and confirmations of deletions."""

from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NOW
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import Interpretation, ToolCall
from services.storage.database import Database

NOTHING_OPEN = "Nothing here is waiting for your answer. “list my reminders” shows what is set."


class Chat:
    def __init__(self, clock, platform):
        self.clock = clock
        self.platform = platform

    async def say(self, text, sender="ann", **fields):
        count = len(self.platform.texts)
        await self.platform.say(text, sender=sender, **fields)
        return "\n".join(self.platform.texts[count:])

    async def reply(self, text, number=-1, sender="ann"):
        return await self.say(text, sender, reply_to=self.platform.sent_ids[number])


@pytest.fixture
def group():
    @asynccontextmanager
    async def open_group(interpreter=None):
        clock = StandingClock(NOW)
        platform = FakePlatform(clock)
        async with build_app(
            Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False)),
            platforms=[platform],
            interpreter=interpreter,
            clock=clock,
            database=Database("sqlite://"),
        ):
            yield Chat(clock, platform)

    return open_group


@pytest.mark.parametrize("yes", ["yes", "yes, delete", "好"])
async def test_yes_to_another_person_confirms_nothing(group, yes):
    async with group() as chat:
        await chat.say("Bubbles, forget me")
        await chat.say("pub later?", "bob")

        assert await chat.say(yes) == ""


@pytest.mark.parametrize(
    "words", ["yes, forget me", "Yes, delete everything!", "delete everything", "确认删除", "是的，删除"]
)
async def test_deletion_is_confirmed_by_words_that_name_it(group, words):
    async with group() as chat:
        question = await chat.say("Bubbles, forget me")
        answer = await chat.say(words)

    assert "Say “yes, forget me” or no" in question
    assert "🧽" in answer


@pytest.mark.parametrize("yes", ["yes", "ok", "好", "👍"])
async def test_a_bare_yes_to_a_deletion_asks_for_the_words(group, yes):
    async with group() as chat:
        await chat.say("Bubbles, forget me")
        answer = await chat.say(yes)
        button = chat.platform.sent[-1][1].choices[0].says
        done = await chat.reply(button)

    assert "🧽" not in answer
    assert button in answer
    assert "🧽" in done


async def test_button_confirms_a_deletion_after_messages_of_others(group):
    async with group() as chat:
        await chat.say("Bubbles, forget me")
        button = chat.platform.sent[-1][1].choices[0].says
        await chat.say("pub later?", "bob")

        assert "🧽" in await chat.reply(button)


async def test_button_of_a_question_to_another_person_is_answered(group):
    async with group() as chat:
        await chat.say("Bubbles, forget me")
        answer = await chat.reply(chat.platform.sent[-1][1].choices[0].says, sender="bob")

    assert answer == "I asked ann that; the answer has to come from ann."


async def test_a_used_or_expired_button_is_answered_politely(group):
    async with group() as chat:
        await chat.say("Bubbles, forget me")
        await chat.reply("no")
        used = await chat.reply("yes, forget me", 0)
        await chat.say("Bubbles, forget me")
        chat.clock.set(NOW + timedelta(minutes=11))
        expired = await chat.reply("yes, forget me")

    closed = "That question is closed, so your answer changed nothing. Ask me again if you still want it."
    assert (used, expired) == (closed, closed)


ANSWERED = "That question has already been answered."
CLOSED = "That question is closed, so your answer changed nothing. Ask me again if you still want it."


@pytest.mark.parametrize("is_private", [False, True])
@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (["at 8pm"], ANSWERED),
        (["2"], ANSWERED),
        (["Bubbles, list my reminders"], CLOSED),
        (["Bubbles, remind me at 17:00 to sing"], CLOSED),
        (["Bubbles, remind me tomorrow at 6 to pack"], CLOSED),
        (["nice weather, isn't it"], CLOSED),
    ],
)
async def test_button_of_an_answered_question_about_a_time_changes_nothing(group, is_private, later, expected):
    async with group() as chat:
        await chat.say("Bubbles, remind me tomorrow at 6 to call mum", is_private=is_private)
        question = chat.platform.sent_ids[-1]
        for text in later:
            await chat.say(text, is_private=is_private)
        before = await chat.say("Bubbles, list all", is_private=is_private)
        pressed = await chat.say("1", is_private=is_private, reply_to=question)
        again = await chat.say("1", is_private=is_private, reply_to=question)
        after = await chat.say("Bubbles, list all", is_private=is_private)

    assert (pressed, again) == (expected, expected)
    assert before == after


async def test_a_button_of_an_expired_question_about_a_time_is_answered(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me tomorrow at 6 to call mum")
        chat.clock.set(NOW + timedelta(minutes=11))

        assert await chat.reply("1") == CLOSED


async def test_a_settled_question_is_answered_in_the_language_of_the_person(group):
    async with group() as chat:
        await chat.say("Bubbles，提醒我明天6点交报告")
        question = chat.platform.sent_ids[-1]
        await chat.say("晚上", reply_to=question)

        assert await chat.say("1", reply_to=question) == "这个问题已经回答过了。"


async def test_message_in_two_languages_is_answered_in_that_of_the_chat(group):
    async with group() as chat:
        await chat.say("mañana hay que sacar la basura, ¿quién puede?", "bob")

        assert (await chat.say("Bubbles, avísame a las 23:50: call Marta")).startswith("✅ Programado")


async def test_question_about_a_time_is_not_answered_by_others(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me tomorrow at 6 to call mum")
        of_bob = await chat.reply("2", sender="bob")
        of_ann = await chat.reply("2", 0)

    assert of_bob == "I asked ann that; the answer has to come from ann."
    assert "tomorrow at 18:00" in of_ann


async def test_a_button_does_not_answer_a_later_question_in_a_private_chat(group):
    async with group() as chat:
        await chat.say("remind me tomorrow at 6 to call mum", is_private=True)
        question = chat.platform.sent_ids[-1]
        await chat.say("remind me tomorrow at 6 to pack", is_private=True)
        pressed = await chat.say("2", is_private=True, reply_to=question)
        answered = await chat.say("2", is_private=True)

    assert pressed == CLOSED
    assert "tomorrow at 18:00" in answered


async def test_a_button_of_an_older_question_does_not_answer_the_latest(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me every Friday at 15:00 to report")
        await chat.say("Bubbles, forget me")
        await chat.say("Bubbles, forget me")
        answer = await chat.reply("yes, forget me", 1)

    assert answer.startswith("That question is closed")


async def test_a_number_answers_only_the_person_asked_and_only_until_others_write(group):
    async with group() as chat:
        question = await chat.say("Bubbles, remind me tomorrow at 6 to call mum")
        of_bob = await chat.say("2", "bob")
        of_ann = await chat.say("2")
        replied = await chat.reply("2")

    assert "1. tomorrow at 06:00" in question
    assert (of_bob, of_ann) == ("", "")
    assert "tomorrow at 18:00" in replied


async def test_a_number_answers_when_the_bot_is_called_by_name(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me tomorrow at 6 to call mum")
        await chat.say("how is she?", "bob")

        assert "tomorrow at 18:00" in await chat.say("bubbles, 2")


async def test_time_does_not_answer_another_persons_question(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me to call mum")
        await chat.say("when do we meet?", "bob")

        assert await chat.say("20:00") == ""
        assert "20:00" in await chat.reply("20:00")


async def test_follow_up_after_messages_of_others_moves_no_reminder(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me tomorrow at 9 to pack", "bob")
        await chat.say("tomorrow at 9 then")
        silent = await chat.say("make it 8", "bob")
        moved = await chat.say("Bubbles, make it 8", "bob")

    assert silent == ""
    assert "08:00" in moved


async def test_a_follow_up_right_after_the_change_moves_it(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me tomorrow at 9 to pack", "bob")

        assert "08:00" in await chat.say("make it 8", "bob")


async def test_opted_out_person_writing_in_between_counts(group):
    async with group() as chat:
        await chat.say("Bubbles, don't keep my messages", "bob")
        await chat.say("Bubbles, remind me tomorrow at 6 to call mum")
        await chat.say("2 or 3 of us?", "bob")

        assert await chat.say("2") == ""


async def test_model_moves_no_unnamed_reminder_after_messages_of_others(group):
    setting = ToolCall(
        id="1", name="reminder_set", arguments={"type": "once", "time": "tomorrow at 9", "content": "pack"}
    )
    moving = ToolCall(id="2", name="reminder_update", arguments={"time": "08:00"})
    async with group(ScriptedInterpreter([[setting], "", [moving], [moving]])) as chat:
        await chat.say("Bubbles, remind me tomorrow at 9 to pack", "bob")
        await chat.say("tomorrow at 9 then")
        silent = await chat.say("make it 8", "bob")
        moved = await chat.say("Bubbles, make it 8", "bob")

    assert silent == ""
    assert "08:00" in moved


async def test_in_a_private_chat_an_answer_needs_no_reply(group):
    async with group() as chat:
        await chat.say("remind me tomorrow at 6 to call mum", is_private=True, chat="ann")

        assert "tomorrow at 18:00" in await chat.say("2", is_private=True, chat="ann")


@pytest.mark.parametrize("text", ["2", "yes", "20:00", "好的"])
async def test_bare_answer_to_another_person_reaches_no_model(group, text):
    model = ScriptedInterpreter([Interpretation(answer="as you like")])
    async with group(model) as chat:
        await chat.say("two tickets or three, at eight?", "bob")
        seen = len(model.turns)
        await chat.say(text)

    assert len(model.turns) == seen


async def test_the_buttons_about_leftover_words_are_for_the_person_asked_alone(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me 3 times tomorrow to email Joe")
        choices = chat.platform.sent[-1][1].choices
        of_bob = await chat.reply(choices[0].says, sender="bob")
        of_ann = await chat.reply(choices[0].says, 0)

    assert {each.for_people for each in choices} == {("ann",)}
    assert all(each.expires_at is not None for each in choices)
    assert of_bob == "I asked ann that; the answer has to come from ann."
    assert "✅ Set" in of_ann


@pytest.mark.parametrize(
    "next_request",
    ["Bubbles, remind me tomorrow at 9:00 to pack", "Bubbles, list my reminders", "Bubbles, remind me to call mum"],
)
async def test_a_new_request_drops_the_question_about_leftover_words(group, next_request):
    async with group() as chat:
        await chat.say("Bubbles, remind me 3 times tomorrow to email Joe")
        await chat.say(next_request)
        answer = await chat.say("Bubbles, yes")
        listing = await chat.say("Bubbles, list my reminders")

    assert "email Joe" not in answer + listing


async def test_new_request_drops_the_question_about_times(group):
    async with group() as chat:
        await chat.say("Bubbles, remind me every day at 9:00 to water plants")
        question = await chat.say("Bubbles, not on Sunday")
        await chat.say("Bubbles, remind me tomorrow at 10:00 to pack")
        answer = await chat.say("Bubbles, 1")

    assert "1. " in question
    assert "Left out" not in answer
