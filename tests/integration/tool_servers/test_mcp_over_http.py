"""The MCP client of the bot over streamable HTTP, with a server of the official SDK in another process."""

import asyncio
import signal
import socket
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.toolset import McpToolset
from function_calls.tools.permission import Viewer
from tests.integration.tool_servers.mcp_notes_server import TOKEN
from tests.support.tool_servers.mcp_toolsets import running as running_toolset

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

SERVER = Path(__file__).with_name("mcp_notes_server.py")


class NotesServer:
    """The process of the server, which uses the same port after a restart."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.port = found.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._process = None

    async def start(self):
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(SERVER),
            str(self.port),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                except OSError:
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    return

    async def kill(self):
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
        await self._process.wait()


@pytest.fixture
async def notes():
    running = NotesServer()
    await running.start()
    yield running
    await running.kill()


@pytest.fixture
async def toolset(notes):
    server = McpServer(name="notes", url=notes.url, headers={"Authorization": SecretStr(TOKEN)})
    async with running_toolset(McpToolset(server, first_pause=0.1)) as toolset:
        assert toolset.health.is_ok, toolset.health.detail
        yield toolset


async def wait_until(condition, seconds=30):
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.02)


async def test_tools_a_resource_and_a_prompt_are_used_with_the_token(toolset, context):
    names = [spec.name for spec in await toolset.list_specs(Viewer.of(context.message))]
    visitor = await toolset.call("get_visitor", {}, context)
    note = await toolset.call("read_resource", {"uri": "notes://today"}, context)
    prompt = await toolset.call("prompt_greet", {"name": "Lin"}, context)

    assert names == ["get_visitor", "get_count", "get_nothing", "get_more", "prompt_greet", "read_resource"]
    assert visitor.value == {"result": "known"}
    assert (note.value, prompt.value) == ("a walk", "Say hello to Lin.")


async def test_progress_is_reported_and_cancelled_call_is_cancelled_on_the_server(toolset, context, tmp_path):
    messages = []

    async def progress(text):
        messages.append(text)

    await toolset.call("get_count", {"steps": 2}, replace(context, progress=progress))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await toolset.call("get_nothing", {"file": str(tmp_path / "end")}, context)

    async def is_cancelled():
        return (tmp_path / "end").exists()

    await wait_until(is_cancelled)
    assert messages == ["step 1 (1/2)", "step 2 (2/2)"]


async def test_tool_added_later_is_offered_after_the_notification(toolset, context):
    await toolset.call("get_more", {}, context)

    async def is_listed():
        return "get_extra" in [spec.name for spec in await toolset.list_specs(Viewer.of(context.message))]

    await wait_until(is_listed)

    assert (await toolset.call("get_extra", {}, context)).ok


async def test_killed_server_is_unavailable_until_its_restart(notes, toolset, context):
    async def is_offered():
        return bool(await toolset.list_specs(Viewer.of(context.message)))

    async def is_gone():
        return not await is_offered()

    await notes.kill()
    await wait_until(is_gone)
    meanwhile = await toolset.call("get_visitor", {}, context)
    health = toolset.health
    await notes.start()
    await wait_until(is_offered)

    assert not meanwhile.ok
    assert not health.is_ok
    assert (await toolset.call("get_visitor", {}, context)).ok
