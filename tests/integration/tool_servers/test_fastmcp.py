"""`fastmcp` as a server for our client and as a client of our server (protocol 2026-07-28)."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.toolset import McpToolset
from function_calls import tool_function
from function_calls.tools.confirmation.forms import next_question, with_answer
from services.kernel.chat import SentFile
from tests.support.http_bot import served_bot
from tests.support.tool_servers.mcp_toolsets import running

fastmcp = pytest.importorskip("fastmcp", reason="needs the group servers")
fastmcp_tasks = pytest.importorskip("fastmcp_tasks", reason="needs the group servers")
pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


@asynccontextmanager
async def connect(server, *args):
    """Connect a toolset to one of the servers in this folder."""
    command = (str(Path(__file__).with_name(server)), *args)
    settings = McpServer(name="shop", command=sys.executable, args=command)
    async with running(McpToolset(settings, first_pause=0.1)) as toolset:
        assert toolset.health.is_ok, toolset.health.detail
        yield toolset


@pytest.fixture
async def shop():
    async with connect("fastmcp_shop_server.py") as toolset:
        yield toolset


@pytest.fixture
async def bakery(tmp_path):
    """Connect to a server that runs its tools as tasks and creates the file `stopped` for a stopped one."""
    async with connect("fastmcp_tasks_server.py", str(tmp_path / "stopped")) as toolset:
        yield toolset


async def test_structured_content_of_an_output_schema_is_the_value(shop, context):
    result = await shop.call("get_price", {"cake": "apple"}, context)

    assert result.value == {"cake": "apple", "euros": 12.5}


async def test_image_and_audio_are_files_of_the_answer(shop, context):
    picture = await shop.call("get_picture", {}, context)
    jingle = await shop.call("get_jingle", {}, context)

    assert picture.files == (SentFile(name="image-1.png", media_type="image/png", content=b"\x89PNG shop"),)
    assert [file.content for file in jingle.files] == [b"RIFF jingle"]


async def test_progress_reaches_the_person(shop, context):
    messages = []

    async def progress(text):
        messages.append(text)

    await shop.call("get_count", {}, replace(context, progress=progress))

    assert messages == ["shelf 1 (1/2)", "shelf 2 (2/2)"]


async def test_question_is_returned_as_a_form_and_its_answer_finishes_the_call(shop, context):
    question = await shop.call("order_cake", {}, context)
    form = with_answer(question.form, next_question(question.form), "large")

    done = await shop.call("order_cake", {}, replace(context, form=form))

    assert question.form.requests[0].message == "Which size?"
    assert "order-7: accept {'size': 'large'}" in str(done.value)


async def test_question_during_a_call_is_refused_by_fastmcp_with_a_reason(shop, context):
    result = await shop.call("wrap_cake", {}, context)

    assert not result.ok
    assert "server-initiated requests is unavailable on 2026-07-28 connections" in result.error


async def test_task_is_followed_to_its_structured_content(bakery, context):
    messages = []

    async def progress(text):
        messages.append(text)

    result = await bakery.call("get_bread", {"kind": "rye"}, replace(context, progress=progress))

    assert result.value == {"kind": "rye", "grams": 500}
    assert messages == ["kneading", "baking"]


async def test_tool_that_fails_in_a_task_is_a_failed_call(bakery, context):
    result = await bakery.call("get_ash", {}, context)

    assert not result.ok
    assert "the oven is too hot" in result.error


async def test_question_of_a_task_is_a_form_and_its_answer_finishes_the_task(bakery, context):
    question = await bakery.call("get_cake", {}, context)
    form = with_answer(question.form, next_question(question.form), "large")

    done = await bakery.call("get_cake", {}, replace(context, form=form))

    assert question.form.requests[0].message == "Which size?"
    assert done.text == "a large cake"


async def test_task_of_a_cancelled_call_is_stopped(bakery, context, tmp_path):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await bakery.call("get_stone", {}, context)

    async with asyncio.timeout(20):
        while not (tmp_path / "stopped").exists():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.1)


@tool_function
async def count_pages() -> dict[str, int]:
    """Count the pages, for longer than the time after which a call becomes a task."""
    await asyncio.sleep(6)
    return {"pages": 3}


async def test_client_of_fastmcp_follows_our_task():
    async with served_bot(functions=[count_pages]) as (address, _), fastmcp.Client(f"{address}/mcp") as client:
        task = await fastmcp_tasks.call_tool_task(client, "count_pages", {})
        result = await task.result()

    assert result.structured_content == {"pages": 3}


async def test_client_of_fastmcp_cancels_our_task():
    async with served_bot(functions=[count_pages]) as (address, _), fastmcp.Client(f"{address}/mcp") as client:
        task = await fastmcp_tasks.call_tool_task(client, "count_pages", {})
        await task.cancel()

        assert (await task.wait(state="cancelled", timeout=20)).status == "cancelled"


async def test_client_of_fastmcp_lists_and_calls_our_functions():
    async with served_bot() as (address, _), fastmcp.Client(f"{address}/mcp") as client:
        names = {tool.name for tool in await client.list_tools()}
        result = await client.call_tool("reminder_set", {"type": "once", "time": "in 10 minutes", "content": "tea"})

    assert "reminder_set" in names
    assert not result.is_error


async def test_client_of_fastmcp_asks_its_user_our_question():
    asked = []

    async def answer(message, response_type, params, context):
        asked.append(message)
        return {}

    async with served_bot() as (address, _), fastmcp.Client(f"{address}/mcp", elicitation_handler=answer) as client:
        result = await client.call_tool("forget_me", {})

    assert "forget you" in asked[0]
    assert not result.is_error
