"""Two bots on one PostgreSQL database, of which one is connected to the platform."""

import asyncio
import os
import re
import shutil
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic

import httpx
import pytest

from tests.support.log_lines import whole_lines
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
ROOT = Path(__file__).parents[2]
PLUGIN = Path(__file__).with_name("shared_platform.py")
TAKEOVER_SECONDS = 15


class Bots:
    """Processes of `bubbles run`, each with its own data folder."""

    def __init__(self, folder: Path, url: str, resources: AsyncExitStack) -> None:
        self.folder = folder
        self._url = url
        self._resources = resources
        (folder / "plugins").mkdir()
        shutil.copy(PLUGIN, folder / "plugins" / "shared_platform.py")
        (folder / "inbox.txt").touch()

    async def start(self, label: str) -> tuple[asyncio.subprocess.Process, str]:
        """Start a process; return it with the address of its page."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "SHARED_FOLDER": str(self.folder),
            "SHARED_LABEL": label,
            "BUBBLES_STORAGE__URL": self._url,
            "BUBBLES_PLATFORMS__ENABLED": ",",
            "BUBBLES_BOT__DATA_DIR": str(self.folder / label),
            "BUBBLES_BOT__TIMEZONE": "UTC",
            "BUBBLES_HTTP__PORT": "0",
            "BUBBLES_HTTP__OPEN_PAGE": "false",
        }
        with (self.folder / f"{label}.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "bot", "run"),
                cwd=self.folder,
                env=environment,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        self._resources.push_async_callback(self.kill, process)
        assert process.stdout is not None
        address = None
        while address is None:
            line = (await process.stdout.readline()).decode()
            assert line, (self.folder / f"{label}.log").read_text(encoding="utf-8")[-2000:]
            address = re.search(r"http://\S+", line)
        return process, address[0].rstrip("/")

    async def kill(self, process: asyncio.subprocess.Process) -> None:
        """Kill a process with SIGKILL."""
        if process.returncode is None:
            process.kill()
        await process.wait()

    def write(self, number: int, text: str) -> None:
        """Send a message on the platform."""
        with (self.folder / "inbox.txt").open("a", encoding="utf-8") as file:
            file.write(f"m{number} {text}\n")

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file."""
        return whole_lines(self.folder / name)

    async def wait_for_lines(self, name: str, pattern: str, *, times: int = 1, within: float) -> float:
        """Wait until a file has `times` lines with a pattern; return the seconds that it took."""
        started = monotonic()
        while sum(re.search(pattern, line) is not None for line in self.lines(name)) < times:
            assert monotonic() < started + within, f"no {pattern} in {name} within {within} s: {self.lines(name)}"
            await asyncio.sleep(0.05)
        return monotonic() - started


async def ask_in_lobby(address: str, text: str) -> None:
    """Send a message to the lobby of a worker, and wait for the answer."""
    async with httpx.AsyncClient(timeout=60) as client:
        await client.post(f"{address}/api/chat/send", json={"message": text, "session_id": "lobby", "name": "Ann"})


async def wait_for_lobby_answers(address: str) -> list[str]:
    """Wait for messages of the bot other than reminders in the lobby, as a worker shows it, and return them."""
    async with httpx.AsyncClient() as client, asyncio.timeout(20):
        while True:
            messages = (await client.get(f"{address}/api/chat/sessions/lobby/messages")).json()
            found = [
                each["content"] for each in messages if each["role"] == "assistant" and "⏰" not in each["content"]
            ]
            if found:
                return found
            await asyncio.sleep(0.2)


@pytest.fixture
async def bots(tmp_path, postgres_url):
    async with AsyncExitStack() as resources:
        yield Bots(tmp_path, postgres_url, resources)


async def test_second_worker_takes_over_when_the_connected_one_is_killed(bots):
    first, there = await bots.start("first")
    await bots.wait_for_lines("connected.txt", "first", within=10)
    _, address = await bots.start("second")
    bots.write(1, "remind me in 3 seconds to stretch")
    await bots.wait_for_lines("sent.txt", "first ✅", within=10)
    await bots.wait_for_lines("sent.txt", "first ⏰ .*stretch", within=10)
    async with httpx.AsyncClient() as client:
        response = await client.post(
            f"{address}/api/reminders?session_id=lobby&name=Ann", json={"text": "remind me in 2 seconds to look up"}
        )
    connections = bots.lines("connected.txt")
    bots.write(2, "remind me in 4 seconds to drink tea")
    await bots.wait_for_lines("sent.txt", "first ✅ .*tea", within=10)
    bots.write(3, "count the stars")
    await bots.wait_for_lines("calls.txt", "first", within=10)
    asking = asyncio.create_task(ask_in_lobby(there, "count the stars"))
    await bots.wait_for_lines("calls.txt", "first", times=2, within=10)
    await bots.kill(first)

    took = await bots.wait_for_lines("connected.txt", "second", within=TAKEOVER_SECONDS)
    bots.write(4, "list my reminders")
    await bots.wait_for_lines("sent.txt", "second .*a thousand stars", within=15)
    await bots.wait_for_lines("sent.txt", "second (?!.*stars)", within=15)
    await bots.wait_for_lines("sent.txt", "second ⏰ .*drink tea", within=20)
    answers = await wait_for_lobby_answers(address)
    await asyncio.gather(asking, return_exceptions=True)

    assert connections == ["first connected"]
    assert took <= TAKEOVER_SECONDS
    assert response.is_success
    assert "reminder sent" in (bots.folder / "second.log").read_text(encoding="utf-8")
    assert len([line for line in bots.lines("sent.txt") if "⏰" in line and "tea" in line]) == 1
    assert bots.lines("calls.txt") == ["first called", "first called", "second called", "second called"]
    assert answers == ["a thousand stars"]


async def test_frozen_worker_sends_nothing_and_takes_over_when_the_other_stops(bots):
    first, _ = await bots.start("first")
    await bots.wait_for_lines("connected.txt", "first", within=10)
    second, _ = await bots.start("second")
    bots.write(0, "count the stars")
    await bots.wait_for_lines("calls.txt", "first", within=10)
    first.send_signal(signal.SIGSTOP)
    bots.write(1, "remind me tomorrow to stretch")  # waits in the file for the frozen worker
    await bots.wait_for_lines("connected.txt", "second", within=TAKEOVER_SECONDS)
    await bots.wait_for_lines("sent.txt", "second .*a thousand stars", within=10)
    (bots.folder / "continue.txt").touch()
    bots.write(2, "remind me tomorrow to look up")
    await bots.wait_for_lines("sent.txt", "second ✅ .*look up", within=10)

    first.send_signal(signal.SIGCONT)
    await bots.wait_for_lines("first.log", "lost lease for files; disconnecting", within=10)
    await bots.wait_for_lines("first.log", "turn is owned by another worker", within=10)
    bots.write(3, "remind me tomorrow to drink tea")
    await bots.wait_for_lines("sent.txt", "✅ .*drink tea", within=10)
    sent = bots.lines("sent.txt")
    second.terminate()
    await second.wait()
    took = await bots.wait_for_lines("connected.txt", "first", times=2, within=TAKEOVER_SECONDS)

    assert {line.split()[0] for line in sent} == {"second"}
    assert len(sent) == len({line.split("✅")[-1] for line in sent})
    assert bots.lines("connected.txt") == ["first connected", "second connected", "first connected"]
    assert second.returncode == 0
    assert took < on_this_machine(5)
