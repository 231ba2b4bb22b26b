"""An MCP server of a bakery on `fastmcp` that runs its tools as tasks, run by tests as a process over stdio."""

import asyncio
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from fastmcp import Context, FastMCP
from fastmcp.dependencies import Progress
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

TASK = TaskConfig(mode="required", poll_interval=timedelta(seconds=0.2))
SIZES = {
    "type": "object",
    "properties": {"size": {"type": "string", "title": "Size", "enum": ["small", "large"]}},
    "required": ["size"],
}

server = FastMCP("bakery")
server.add_extension(TasksExtension(url="memory://"))
file = Path(sys.argv[1])


def mark_stopped() -> None:
    """Create the file by which tests detect a stopped tool."""
    file.touch()


@dataclass
class Bread:
    """A loaf."""

    kind: str
    grams: int


@server.tool(task=TASK)
async def get_bread(kind: str, progress: Progress = Progress()) -> Bread:  # noqa: B008 - how fastmcp injects
    """Bake a loaf."""
    await progress.set_message("kneading")
    await asyncio.sleep(1)
    await progress.set_message("baking")
    await asyncio.sleep(1)
    return Bread(kind=kind, grams=500)


@server.tool(task=TASK)
async def get_stone() -> str:
    """Bake without an end."""
    try:
        await asyncio.Event().wait()
    finally:
        mark_stopped()
    return ""


@server.tool(task=TASK)
async def get_cake(ctx: Context) -> str | InputRequiredResult:
    """Bake a cake of the person's size."""
    if ctx.input_responses is None:
        request = ElicitRequest(params=ElicitRequestFormParams(message="Which size?", requested_schema=SIZES))
        return InputRequiredResult(input_requests={"size": request})
    return f"a {ctx.input_responses['size'].content['size']} cake"


@server.tool(task=TASK)
async def get_ash() -> str:
    """Fail."""
    raise ValueError("the oven is too hot")


if __name__ == "__main__":
    server.run(show_banner=False)
