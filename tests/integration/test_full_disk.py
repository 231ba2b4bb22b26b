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
    """Mount a file system of three megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can be mounted by root only")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", disk], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("this machine allows no mounts")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def fill_disk(disk: Path) -> Path:
    """Fill all free space, and return the file."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filler


async def receive_frame(socket, kind):
    """Return the data of the next frame of a kind."""
    async with asyncio.timeout(20):
        while True:
            frame = json.loads(await socket.recv())
            if frame["type"] == kind:
                return frame["data"]


async def test_full_disk_is_reported_in_a_web_room_and_reminders_are_listed(small_disk):
    async with served_bot(database=f"sqlite:///{small_disk / 'bubbles.db'}") as (address, _):
        room = address.replace("http", "ws", 1) + "/api/chat/ws?session_id=lobby&name=Ann"
        async with websockets.connect(room) as socket:
            numbers = count()

            async def say(text):
                body = {"text": text, "client_id": f"c{next(numbers)}"}
                await socket.send(json.dumps({"v": 1, "type": "send", "data": body}))
                return (await receive_frame(socket, "done"))["text"]

            await say("remind me tomorrow at 9 to call Lin")
            first = (await asyncio.to_thread(httpx.get, f"{address}/api/chat/sessions/lobby/messages")).json()[0]
            filler = fill_disk(small_disk)
            for number in range(20):
                refusal = await say(f"remind me tomorrow at 10 to do thing {number}")
            listing = await say("list my reminders")
            change = {"message_id": first["id"], "text": "remind me " * 1000}
            await socket.send(json.dumps({"v": 1, "type": "edit", "data": change}))
            complaint = await receive_frame(socket, "error")
            filler.unlink()
            accepted = await say("remind me tomorrow at 11 to breathe")

    assert "My disk is full" in refusal
    assert "call Lin" in listing
    assert (complaint["code"], complaint["message_id"]) == ("disk_full", first["id"])
    assert "✅" in accepted


async def wait_for_texts(platform, pattern, count):
    async with asyncio.timeout(15):
        while sum(pattern in text for text in platform.texts) < count:  # noqa: ASYNC110 - a list has no event
            await asyncio.sleep(0.05)


async def test_bot_reads_on_a_full_disk_and_recovers_with_free_space(small_disk):
    clock = SystemClock()
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC", data_dir=small_disk), log=LogSettings(to_file=False))
    async with AsyncExitStack() as resources:
        await resources.enter_async_context(build_app(settings, platforms=[platform], clock=clock))
        await platform.say("remind me in 9 seconds to stretch", is_private=True)
        await platform.say("remind me tomorrow at 9 to call Lin", is_private=True)
        filler = fill_disk(small_disk)
        platform.sent.clear()
        # The files may have free pages, which the first messages fill.
        for number in range(40):
            await platform.say(f"remind me tomorrow at 10 to do thing {number}", is_private=True)
        refusals = list(platform.texts)
        platform.sent.clear()
        await platform.say("list my reminders", is_private=True)
        await platform.say("后天上午九点提醒我买票", is_private=True)
        english, chinese = list(platform.texts)
        filler.unlink()
        await platform.say("remind me tomorrow at 11 to breathe", is_private=True)
        await wait_for_texts(platform, "⏰", 1)
        await platform.say("list my reminders", is_private=True)

    assert "My disk is full" in refusals[-1]
    assert "call Lin" in english
    assert "磁盘满了" in chinese
    assert any("✅" in text and "breathe" in text for text in platform.texts)
    assert sum("⏰" in text and "stretch" in text for text in platform.texts) == 1
    assert "breathe" in platform.texts[-1]
    assert "买票" not in platform.texts[-1]


async def test_full_disk_fails_readiness_and_uploads_until_space_is_free(small_disk, monkeypatch):
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
        filler = fill_disk(small_disk)
        full = await statuses()
        filler.unlink()
        after = await statuses()

    assert before == after == ((201, None), (200, None))
    assert full == ((503, "disk_full"), (503, "disk_full"))


def run_bot(folder, seconds, end_signal):
    """Run `bubbles run`, end it by `end_signal` some seconds after its start, and return its standard error."""
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
        bot.send_signal(end_signal)
    return bot.communicate(timeout=30)[1]


def test_restart_on_a_full_disk_writes_no_traceback(small_disk):
    run_bot(small_disk, 2, signal.SIGKILL)
    os.truncate(small_disk / "data" / "bubbles.log", 0)  # so that its page has no room for a line either
    fill_disk(small_disk)
    errors = run_bot(small_disk, 4, signal.SIGTERM)

    assert "bubbles.log cannot be written" in errors
    assert "Traceback" not in errors
    assert len(errors) < 10_000
