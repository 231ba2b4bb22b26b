"""Messages that block the event loop, after which the process ends and the sender is notified."""

import asyncio
import signal
import textwrap

import httpx
import pytest

from tests.browser.bot_process import BotProcess

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

BLOCKING_PLUGIN = textwrap.dedent(
    """
    import asyncio
    from pathlib import Path

    from function_calls.registry import tool_function


    @tool_function(returns="reply", examples=("stand still",))
    async def stand_still() -> str:
        "Let nothing else run."
        with Path("calls.txt").open("a") as calls:
            calls.write("called\\n")
        await asyncio.sleep(1)
        while True:
            pass
    """
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "stuck.py").write_text(BLOCKING_PLUGIN, encoding="utf-8")
    return tmp_path


async def say(client, text, client_id):
    """Send a message to the lobby; return the answer, or None if the bot ends or is blocked."""
    body = {"session_id": "lobby", "message": text, "client_id": client_id, "name": "Ada"}
    try:
        return (await client.post("/api/chat/send", json={**body, "stream": False})).json()
    except httpx.HTTPError:
        return None


async def block_loop(bot, folder):
    """Block the event loop by one message of the room while another waits for its turn."""
    async with httpx.AsyncClient(base_url=bot.address, timeout=2) as client:
        first = asyncio.create_task(say(client, "stand still", "m1"))
        for _ in range(500):
            if (folder / "calls.txt").exists():
                break
            await asyncio.sleep(0.02)
        assert await say(client, "list my reminders", "m2") is None
        assert await first is None


async def retry_until_answered(bot, text, client_id, seconds=30.0):
    """Send a message again until it is answered, and return the answer."""
    async with asyncio.timeout(seconds), httpx.AsyncClient(base_url=bot.address, timeout=10) as client:
        while True:
            answer = await say(client, text, client_id)
            if answer is not None and answer.get("code") != "not_answered":
                return answer
            await asyncio.sleep(0.2)


async def test_message_that_blocked_the_loop_is_not_read_again_after_a_kill(folder):
    with BotProcess(folder, BUBBLES_BOT__STALL_SECONDS="600") as bot:
        await block_loop(bot, folder)
        await asyncio.sleep(2)
        bot.kill()
        await asyncio.to_thread(bot.start)
        answer = await retry_until_answered(bot, "stand still", "m1")
        queued = await retry_until_answered(bot, "list my reminders", "m2")
        bot.kill()
        await asyncio.to_thread(bot.start)
        second_answer = await retry_until_answered(bot, "stand still", "m1")

    assert answer["is_new"] is False
    assert answer["reply"]["text"].startswith("I could not read your message from ")
    assert second_answer["reply"]["text"] == answer["reply"]["text"]
    assert "reminder" in queued["reply"]["text"]
    assert (folder / "calls.txt").read_text() == "called\n"


async def test_process_with_a_blocked_loop_prints_its_stacks_and_ends(folder):
    with BotProcess(folder, BUBBLES_BOT__STALL_SECONDS="4") as bot:
        await block_loop(bot, folder)
        code, printed = await asyncio.to_thread(bot.wait_for_end, 60)
        await asyncio.to_thread(bot.start)
        answer = await retry_until_answered(bot, "stand still", "m1")

    assert code == -signal.SIGABRT
    assert "the event loop stood still for 4 s" in printed
    assert "in stand_still" in printed
    assert answer["reply"]["text"].startswith("I could not read your message from ")


async def test_sigterm_ends_a_process_with_a_blocked_loop(folder):
    with BotProcess(folder, BUBBLES_BOT__STALL_SECONDS="600") as bot:
        await block_loop(bot, folder)
        bot.terminate()
        code, _ = await asyncio.to_thread(bot.wait_for_end, 30)

    assert code == -signal.SIGABRT


async def test_sigterm_ends_a_running_process_with_status_0(folder):
    with BotProcess(folder) as bot:
        async with httpx.AsyncClient(base_url=bot.address, timeout=10) as client:
            assert (await say(client, "list my reminders", "m1"))["reply"] is not None
        bot.terminate()
        code, _ = await asyncio.to_thread(bot.wait_for_end, 40)

    assert (code, list(folder.glob("reading-*"))) == (0, [])
