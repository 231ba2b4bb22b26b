"""Published MCP servers of the package index, over stdio."""

import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.toolset import McpToolset
from function_calls.tools.permission import Viewer
from tests.support.tool_servers.mcp_toolsets import running

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

BIN = Path(sys.executable).parent


@pytest.fixture
async def connect():
    async with AsyncExitStack() as toolsets:

        async def make(name, command, *args):
            toolset = McpToolset(McpServer(name=name, command=str(BIN / command), args=args), first_pause=0.1)
            await toolsets.enter_async_context(running(toolset))
            assert toolset.health.is_ok, toolset.health.detail
            return toolset

        yield make


async def test_published_time_server_returns_and_converts_times(connect, context):
    toolset = await connect("time", "mcp-server-time", "--local-timezone", "Asia/Shanghai")

    specs = {spec.name: spec for spec in await toolset.list_specs(Viewer.of(context.message))}
    now = await toolset.call("get_current_time", {"timezone": "Asia/Tokyo"}, context)
    converted = await toolset.call(
        "convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}, context
    )

    assert set(specs) == {"get_current_time", "convert_time"}
    assert not any(spec.confirm for spec in specs.values())
    assert "Asia/Tokyo" in str(now.value)
    assert "21:00" in str(converted.value)


async def test_argument_refused_by_the_server_is_a_failed_call(connect, context):
    toolset = await connect("time", "mcp-server-time")

    result = await toolset.call("get_current_time", {"timezone": "Moon/Base"}, context)

    assert not result.ok
    assert "Moon/Base" in result.error or "timezone" in result.error.lower()


async def test_published_git_server_is_read_and_needs_a_confirmation_to_write(connect, context, tmp_path):
    def git(*args):
        subprocess.run(["git", "-C", tmp_path, *args], check=True, capture_output=True)

    git("init", "-q")
    git("config", "user.email", "ann@example.org")
    git("config", "user.name", "ann")
    (tmp_path / "tea.txt").write_text("green\n")
    git("add", "tea.txt")
    git("commit", "-q", "-m", "Add tea")
    toolset = await connect("git", "mcp-server-git", "--repository", str(tmp_path))

    specs = {spec.name: spec for spec in await toolset.list_specs(Viewer.of(context.message))}
    log = await toolset.call("git_log", {"repo_path": str(tmp_path), "max_count": 1}, context)
    (tmp_path / "tea.txt").write_text("black\n")
    status = await toolset.call("git_status", {"repo_path": str(tmp_path)}, context)

    assert "Add tea" in str(log.value)
    assert "tea.txt" in str(status.value)
    assert specs["git_commit"].confirm
    assert not specs["git_log"].confirm
