"""Contract of platforms, run with the console."""

import asyncio
import io
import os
import re
import sys
from datetime import UTC, datetime

import pytest

from bot.config.settings import Settings
from bot.platforms.base import OutgoingMessage
from bot.platforms.console import ConsolePlatform, create
from bot.platforms.kit.adapter import PlatformParts
from bot.testing.clocks import StandingClock
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import NotSupported, PlatformRig, VisibleMessage
from services.kernel.chat import ChatAddress


class ConsoleRig(PlatformRig):
    """A console that reads from a pipe and prints into a list."""

    def __init__(self, stdin, typed):
        super().__init__()
        self._typed = typed
        self._printed = []
        self.chat = ChatAddress(platform="console", chat_id="home")
        clock = StandingClock(datetime(2026, 11, 20, 10, tzinfo=UTC))
        self.platform = ConsolePlatform(clock=clock, bot_name="Bubbles", stdin=stdin, write=self._printed.append)

    async def ready(self):
        await asyncio.sleep(0)

    async def say(self, text, *, sender="ann", reply_to=None):
        if reply_to is not None:
            raise NotSupported
        line = text.format(bot="@Bubbles", ben="@ben")
        os.write(self._typed, f"{sender}: {line}\n".encode())
        return (await self.messages(len(self.received) + 1))[-1].id

    async def bot_messages(self, count=1):
        messages = []
        for number, block in enumerate(self._printed):
            text = re.sub("^  ", "", block.removeprefix("Bubbles: "), flags=re.MULTILINE)
            mentioned = tuple(name for name in ("ann", "ben") if f"@{name}" in text)
            messages.append(VisibleMessage(id=str(number), text=text, mentioned=mentioned))
        return messages


async def test_console_output_has_no_terminal_control_characters():
    printed = []
    clock = StandingClock(datetime(2026, 11, 20, 10, tzinfo=UTC))
    console = ConsolePlatform(clock=clock, bot_name="Bubbles", write=printed.append)
    home = ChatAddress(platform="console", chat_id="home")
    await console.send(home, OutgoingMessage(text="⏰ 喝茶\x1b]0;owned\x07 👨‍👩‍👧\u202eevil\n\tsecond"))

    assert printed == ["Bubbles: ⏰ 喝茶]0;owned 👨‍👩‍👧evil\n  \tsecond"]


@pytest.mark.parametrize(
    ("terminal", "words"), [("zh_CN.UTF-8", "以小安的身份说话"), ("en_US.UTF-8", "speak as ann")], ids=["zh", "en"]
)
async def test_help_is_in_the_language_of_the_terminal(monkeypatch, capsys, terminal, words):
    monkeypatch.setenv("LC_ALL", terminal)
    monkeypatch.setattr(sys, "stdin", io.StringIO("/help\n"))
    clock = StandingClock(datetime(2026, 11, 20, 10, tzinfo=UTC))
    await create(PlatformParts(settings=Settings(), clock=clock)).run(refuse_message)
    printed = capsys.readouterr().out

    assert words in printed
    assert "Bubbles" in printed


async def refuse_message(_):
    raise AssertionError("a command is no message")


async def test_line_of_a_pipe_is_read_after_the_answer_to_the_line_before():
    clock = StandingClock(datetime(2026, 11, 20, 10, tzinfo=UTC))
    console = ConsolePlatform(clock=clock, bot_name="Bubbles", stdin=io.StringIO("ann: one\nann: two\n"))
    log = []

    async def answer(text):
        await asyncio.sleep(0.01)
        log.append(f"answer to {text}")

    async def receive(message):
        log.append(message.text)
        return asyncio.create_task(answer(message.text))

    await console.run(receive)

    assert log == ["one", "answer to one", "two", "answer to two"]


class TestConsole(PlatformContract):
    @pytest.fixture
    async def rig(self):
        readable, typed = os.pipe()
        with os.fdopen(readable, encoding="utf-8") as stdin:
            rig = ConsoleRig(stdin, typed)
            async with rig.connected():
                yield rig
            os.close(typed)
            await asyncio.sleep(0.01)  # the reading thread sees the end before the pipe is closed

    async def test_known_speaker_is_mentioned_by_name(self, rig):
        await rig.say("hello", sender="阿明")
        await rig.say("周日晚上提醒@阿明浇花，别提醒@小安", sender="ann")

        assert [person.name for person in rig.received[-1].mentions] == ["阿明"]
