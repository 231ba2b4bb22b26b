"""A disk that is really full: the bot says so, reads what is there, and goes on by itself when there is room."""

import asyncio
import json
import os
import shutil
import subprocess
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import httpx
import pytest
import websockets

from bot.app import build_app
from bot.settings import BotSettings, LogSettings, Settings
from bot.testing.http_bot import served_bot
from bot.testing.platform import FakePlatform
from services.clock import SystemClock

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
MEGABYTES = 3


@pytest.fixture
def small_disk(tmp_path):
    """A file system of three megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can be mounted by root only")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", disk], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("this machine lets nothing be mounted")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def fill(disk: Path) -> Path:
    """Take all the room that is left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filler


async def heard(socket, kind):
    """What the next frame of a kind tells."""
    async with asyncio.timeout(20):
        while True:
            frame = json.loads(await socket.recv())
            if frame["type"] == kind:
                return frame["data"]


async def test_the_web_room_hears_of_it_too_and_can_look_things_up(small_disk):
    async with served_bot(database=f"sqlite:///{small_disk / 'bubbles.db'}") as (address, _):
        room = address.replace("http", "ws", 1) + "/api/chat/ws?session_id=lobby&name=Ann"
        async with websockets.connect(room) as socket:
            numbers = count()

            async def said(text):
                body = {"text": text, "client_id": f"c{next(numbers)}"}
                await socket.send(json.dumps({"v": 1, "type": "send", "data": body}))
                return (await heard(socket, "done"))["text"]

            await said("remind me tomorrow at 9 to call Lin")
            first = (await asyncio.to_thread(httpx.get, f"{address}/api/chat/sessions/lobby/messages")).json()[0]
            filler = fill(small_disk)
            for number in range(20):
                refused = await said(f"remind me tomorrow at 10 to do thing {number}")
            listed = await said("list my reminders")
            change = {"message_id": first["id"], "text": "remind me " * 1000}
            await socket.send(json.dumps({"v": 1, "type": "edit", "data": change}))
            complaint = await heard(socket, "error")
            filler.unlink()
            mended = await said("remind me tomorrow at 11 to breathe")

    assert "My disk is full" in refused
    assert "call Lin" in listed
    assert (complaint["code"], complaint["message_id"]) == ("disk_full", first["id"])
    assert "✅" in mended


async def until_said(platform, pattern, count):
    async with asyncio.timeout(15):
        while sum(pattern in text for text in platform.texts) < count:  # noqa: ASYNC110 - a list has no event
            await asyncio.sleep(0.05)


async def test_a_full_disk_is_told_reads_work_and_room_mends_it(small_disk):
    clock = SystemClock()
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC", data_dir=small_disk), log=LogSettings(to_file=False))
    async with AsyncExitStack() as resources:
        await resources.enter_async_context(build_app(settings, platforms=[platform], clock=clock))
        await platform.say("remind me in 9 seconds to stretch", is_private=True)
        await platform.say("remind me tomorrow at 9 to call Lin", is_private=True)
        filler = fill(small_disk)
        platform.sent.clear()
        # What was written so far may leave room inside the files; some messages later there is none.
        for number in range(40):
            await platform.say(f"remind me tomorrow at 10 to do thing {number}", is_private=True)
        refused = list(platform.texts)
        platform.sent.clear()
        await platform.say("list my reminders", is_private=True)
        await platform.say("后天上午九点提醒我买票", is_private=True)
        listed, chinese = list(platform.texts)
        filler.unlink()
        await platform.say("remind me tomorrow at 11 to breathe", is_private=True)
        await until_said(platform, "⏰", 1)
        await platform.say("list my reminders", is_private=True)

    assert "My disk is full" in refused[-1]
    assert "call Lin" in listed
    assert "磁盘满了" in chinese
    assert any("✅" in text and "breathe" in text for text in platform.texts)
    assert sum("⏰" in text and "stretch" in text for text in platform.texts) == 1
    assert "breathe" in platform.texts[-1]
    assert "买票" not in platform.texts[-1]
