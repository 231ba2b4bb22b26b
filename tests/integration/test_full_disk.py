"""A full disk: errors, reads, and recovery."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import httpx
import pytest
import websockets

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.http.core import context as readiness
from bot.testing.platform import FakePlatform
from services.kernel.clock import SystemClock
from tests.support.http_bot import served_bot

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
MEGABYTES = 3
ROOT = Path(__file__).parents[2]


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


async def test_web_room_is_told_of_a_full_disk_and_can_search(small_disk):
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


async def test_full_disk_is_reported_reads_work_and_free_space_recovers(small_disk):
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


async def test_readiness_and_uploads_say_that_the_disk_is_full_and_recover(small_disk, monkeypatch):
    monkeypatch.setattr(readiness, "_CACHE_SECONDS", 0.0)
    url = f"sqlite:///{small_disk / 'bubbles.db'}"
    async with (
        served_bot(database=url, files=small_disk / "files") as (address, _),
        httpx.AsyncClient(base_url=address) as client,
    ):

        async def statuses():
            upload = await client.post(
                "/api/chat/sessions/lobby/files", params={"filename": "a.txt"}, content=b"x" * 100_000
            )
            ready = await client.get("/health/ready")
            return (upload.status_code, upload.json().get("code")), (ready.status_code, ready.json()["reason"])

        before = await statuses()
        filler = fill(small_disk)
        full = await statuses()
        filler.unlink()
        after = await statuses()

    assert before == after == ((201, None), (200, None))
    assert full == ((503, "disk_full"), (503, "disk_full"))


def run_for_a_while(folder, seconds, how):
    """Return the standard error of `bubbles run`, which the signal `how` ends some seconds after its start."""
    config = folder.parent / "config.toml"
    config.write_text("[http]\nport = 0\nopen_page = false\n[platforms]\nenabled = []\n", encoding="utf-8")
    bot = subprocess.Popen(
        [sys.executable, "-m", "bot", "run", "--config", config],
        env={**os.environ, "PYTHONPATH": str(ROOT), "BUBBLES_BOT__DATA_DIR": str(folder / "data")},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in bot.stdout:
        if "http://" in line:
            break
    try:
        bot.wait(seconds)
    except subprocess.TimeoutExpired:
        bot.send_signal(how)
    return bot.communicate(timeout=30)[1]


def test_restart_on_a_full_disk_writes_no_traceback(small_disk):
    run_for_a_while(small_disk, 2, signal.SIGKILL)
    os.truncate(small_disk / "data" / "bubbles.log", 0)  # its page has no room left for a line either
    fill(small_disk)
    said = run_for_a_while(small_disk, 4, signal.SIGTERM)

    assert "bubbles.log cannot be written" in said
    assert "Traceback" not in said
    assert len(said) < 10_000
