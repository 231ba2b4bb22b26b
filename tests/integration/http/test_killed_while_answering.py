"""Messages of a process that is killed before their answers, each answered once."""

import asyncio
import random
from collections import Counter

import httpx
import pytest

from tests.browser.bot_process import BotProcess
from tests.browser.slow_model import SlowModel

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

WORDS = ["Once ", "there ", "was ", "a ", "bot."]
MESSAGES = 12
KILLS = 3


async def wait_for_messages(bot, condition, *, seconds=30.0):
    """Wait until the messages of the room meet a condition, and return them."""
    async with asyncio.timeout(seconds), httpx.AsyncClient(base_url=bot.address) as client:
        while True:
            found = (await client.get("/api/chat/sessions/lobby/messages")).json()
            if condition(found):
                return found
            await asyncio.sleep(0.1)


def count_answers(messages):
    """Count the answers of the bot to each message."""
    return Counter(each["reply_to"] for each in messages if each["role"] == "assistant")


def is_answered(messages):
    return {each["id"] for each in messages if each["role"] == "user"} <= count_answers(messages).keys()


async def test_answer_interrupted_by_a_restart_is_written_again(tmp_path, open_tab):
    async with SlowModel(WORDS, pause_seconds=0.3) as model:
        settings = {
            "BUBBLES_MODEL__BASE_URL": model.base_url,
            "BUBBLES_MODEL__STREAM": "true",
            "BUBBLES_MODEL__FUNCTION_CALLING": "native",
        }
        with BotProcess(tmp_path, **settings) as bot:
            async with open_tab(bot.address, "Ada") as ada:
                await ada.say("@Bubbles tell me a story")
                await ada.wait_for("message")
            bot.kill()
            await asyncio.to_thread(bot.start)
            async with open_tab(bot.address, "Ada") as ada:
                done = await ada.wait_for("done", seconds=30)
                await ada.say("@Bubbles tell me a story")  # as the page repeats unconfirmed messages
                messages = await wait_for_messages(bot, is_answered)

    assert done["data"]["text"] == "".join(WORDS)
    assert [each["content"] for each in messages] == ["@Bubbles tell me a story", "".join(WORDS)]


async def test_kills_while_messages_arrive_lose_and_repeat_nothing(tmp_path, open_tab):
    chance = random.Random(7)
    confirmed = set()
    with BotProcess(tmp_path, BUBBLES_ROUTER__MESSAGES_PER_MINUTE="1000") as bot:
        for kill in range(KILLS):
            async with open_tab(bot.address, "Ada") as ada:
                for number in range(MESSAGES):
                    await ada.say(f"remind me in 3 hours to do thing {kill}-{number}", f"m{kill}-{number}")
                count = chance.randrange(1, MESSAGES)
                while len(confirmed) < kill * MESSAGES + count:
                    frame = await ada.wait_for(
                        "message_new",
                        where=lambda data: (
                            data["message"]["client_id"] and data["message"]["client_id"] not in confirmed
                        ),
                    )
                    confirmed.add(frame["data"]["message"]["client_id"])
                await asyncio.sleep(chance.random() * 0.1)
                bot.kill()
            await asyncio.to_thread(bot.start)
            # The page repeats unconfirmed messages.
            async with open_tab(bot.address, "Ada") as ada:
                for number in range(MESSAGES):
                    await ada.say(f"remind me in 3 hours to do thing {kill}-{number}", f"m{kill}-{number}")
                    confirmed.add(f"m{kill}-{number}")
                messages = await wait_for_messages(
                    bot, lambda found, expected=(kill + 1) * MESSAGES: is_answered(found) and len(found) >= 2 * expected
                )
        async with httpx.AsyncClient(base_url=bot.address) as client:
            reminders = (await client.get("/api/reminders?session_id=lobby")).json()["reminders"]

    assert set(count_answers(messages).values()) == {1}
    assert len(count_answers(messages)) == KILLS * MESSAGES
    assert Counter(each["text"] for each in reminders) == Counter(
        f"do thing {kill}-{number}" for kill in range(KILLS) for number in range(MESSAGES)
    )
