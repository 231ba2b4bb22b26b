"""Random requests from the OpenAPI document, with declared answers only."""

import asyncio
import sys
from pathlib import Path

import httpx
import pytest

from bot.config.settings import ToolServerSettings
from tests.support.http_bot import served_bot

pytestmark = pytest.mark.integration

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


async def test_random_requests_get_only_declared_answers(tmp_path):
    options = ["--phases", "examples,fuzzing", "--max-examples", "3", "--seed", "1", "--workers", "1", "--no-color"]
    # Python tools are stored and read too; none of the random ones can be called.
    tools = ToolServerSettings(python_tools=True)
    async with served_bot(files=tmp_path, tool_servers=tools) as (address, _):
        document = f"{address}/api/openapi.json"
        process = await asyncio.create_subprocess_exec(
            SCHEMATHESIS, "run", document, "--checks", CHECKS, *options, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()

    assert process.returncode == 0, output.decode()[-4000:]


async def test_every_route_has_a_description_and_its_errors():
    async with served_bot() as (address, _), httpx.AsyncClient(base_url=address) as client:
        document = (await client.get("/api/openapi.json")).json()
    routes = [
        route for path, methods in document["paths"].items() if path.startswith("/api/") for route in methods.values()
    ]

    assert all(route.get("description") for route in routes)
    assert all({"401", "403", "422", "429"} <= set(route["responses"]) for route in routes)
