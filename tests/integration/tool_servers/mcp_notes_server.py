"""An MCP server of notes on the official SDK, run by tests as a process: `mcp_notes_server.py PORT`."""

import asyncio
import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from starlette.requests import Request

TOKEN = "Bearer notes-token"

server = MCPServer("notes")


def write_note(file: str, text: str) -> None:
    """Write a text into a file."""
    Path(file).write_text(text, encoding="utf-8")


@server.tool()
def get_visitor(ctx: Context) -> str:
    """Return "known" if the request has the token."""
    request = ctx.request_context.request
    assert isinstance(request, Request)
    return "known" if request.headers.get("authorization") == TOKEN else "unknown"


@server.tool()
async def get_count(ctx: Context, steps: int = 2) -> str:
    """Count and report the progress."""
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps, f"step {step}")
    return "counted"


@server.tool()
async def get_nothing(file: str) -> str:
    """Wait without an end; write "cancelled" to the file when the call is cancelled."""
    try:
        await asyncio.Event().wait()
    finally:
        write_note(file, "cancelled")
    return ""


@server.tool()
async def get_more(ctx: Context) -> str:
    """Add a tool."""
    server.add_tool(lambda: "extra", name="get_extra", description="Extra.")
    await ctx.notify_tools_changed()
    return "done"


@server.resource("notes://today")
def today() -> str:
    """Return the plan of today."""
    return "a walk"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Say hello to {name}."


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
