"""A whole bot with OpenAPI tool servers from its settings."""

import json
from contextlib import AsyncExitStack

import httpx
import pytest
from pydantic import SecretStr

from bot.app.application import build_app
from bot.app.inspection import inspect_bot
from bot.cli.doctor.tools import examine_tools
from bot.config.settings import BotSettings, LogSettings, Settings, ToolServerSettings
from bot.http.app import build_guarded_app
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import ToolCall
from function_calls.tools.permission import Viewer
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.storage.database import Database
from tests.support.http_bot import http_bot
from tests.support.tool_servers.library_server import KEY, library_server
from tests.support.tool_servers.time_server import time_server

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

ANN = Viewer(person=Person(id="ann", name="ann"), chat=ChatAddress(platform="fake", chat_id="home"))


def make_settings(*connections):
    return Settings(
        bot=BotSettings(timezone="UTC"),
        log=LogSettings(to_file=False),
        tool_servers=ToolServerSettings(connections=SecretStr(json.dumps(connections))),
    )


async def converse(options, script, *texts):
    """Send Ann's messages to a bot; return its answers, her tools and the tool catalog."""
    platform = FakePlatform(clock=SystemClock())
    interpreter = ScriptedInterpreter(script, is_strict=False)
    async with build_app(options, platforms=[platform], interpreter=interpreter, database=Database("sqlite://")) as app:
        for text in texts:
            await platform.say(text, sender="ann")
        return platform.texts, await app.tools.list_tools(ANN), app.tools


async def test_tools_of_two_servers_are_offered_beside_local_ones(serve):
    async with serve(time_server(SystemClock())) as times, serve(library_server()) as library:
        _, tool_names, _ = await converse(
            make_settings({"url": times, "name": "time"}, {"url": library, "name": "library"}), []
        )

    labels = {each.spec.name: each.source.label for each in tool_names}
    assert labels["convert_time_convert_time_post"] == "time"
    assert labels["put_book"] == "library"
    assert labels["reminder_set"] == "local"


async def test_change_is_made_after_a_confirmation(serve):
    book = {"shelf": "a", "number": 7, "title": "Tea", "author": {"name": "Lu Yu"}}
    script = [[ToolCall(id="1", name="put_book", arguments=book)], "It is on the shelf."]

    async with serve(library_server()) as library:
        connection = {"url": f"{library}/openapi.json", "name": "library", "key": KEY}
        texts, _, _ = await converse(make_settings(connection), script, "Bubbles, put Tea on shelf a", "yes")

    assert "put_book" in texts[0]
    assert len(texts) >= 2


async def test_unreachable_server_is_reported_and_the_others_are_used(serve):
    async with serve(time_server(SystemClock())) as times:
        options = make_settings({"url": times, "name": "time"}, {"url": "http://127.0.0.1:9", "name": "gone"})
        _, tool_names, tools = await converse(options, [])

    health = {source.label: source.health() for source in tools.sources}
    assert health["time"].is_ok
    assert not health["gone"].is_ok
    assert any(each.source.label == "time" for each in tool_names)


async def test_tools_of_a_private_server_are_hidden_and_uncallable(serve):
    script = [[ToolCall(id="1", name="list_time_zones_list_time_zones_get", arguments={})], "No such thing."]

    async with serve(time_server(SystemClock())) as times:
        private = {"url": times, "name": "time", "access_control": {"read": {"user_ids": ["fake:bob"]}}}
        texts, tool_names, _ = await converse(make_settings(private), script, "Bubbles, list the time zones")

    assert not [each for each in tool_names if each.source.label == "time"]
    assert "Europe/Berlin" not in "".join(texts)


async def test_doctor_reports_health_tools_and_name_clashes_of_servers(serve):
    async with serve(time_server(SystemClock())) as one, serve(time_server(SystemClock())) as two:
        servers = [{"url": one, "name": "time"}, {"url": two, "name": "clock"}]
        inspection = await inspect_bot(
            make_settings(*servers, {"url": "http://127.0.0.1:9", "name": "gone"}), SystemClock()
        )

    states = {finding.about_in("en"): finding.state_in("en") for finding in examine_tools(inspection)}
    assert states["OpenAPI server time"] == "answers, tools: 7"
    assert "cannot be reached" in states["OpenAPI server gone"]
    assert "time keeps it, beside clock_" in states["tool names"]
    assert "clock_convert_time_convert_time_post" in [spec.name for spec in inspection.specs]


async def test_tool_of_a_server_is_switched_off_and_on_in_a_chat(serve):
    name = "get_current_utc_get_current_utc_time_get"
    call = [ToolCall(id="1", name=name, arguments={})]
    script = [call, "It is off.", call, "It is on."]
    async with serve(time_server(SystemClock())) as times:
        options = make_settings({"url": times, "name": "time"}).model_copy(
            update={"bot": BotSettings(timezone="UTC", owners=("fake:ann",))}
        )
        platform = FakePlatform(clock=SystemClock())
        interpreter = ScriptedInterpreter(script, is_strict=False)
        async with build_app(
            options, platforms=[platform], interpreter=interpreter, database=Database("sqlite://")
        ) as app:
            await platform.say(f"/tools off {name}", sender="ann")
            on = {spec.name for spec in await app.calls.list_specs(ANN)}
            disabled = [each.spec.name for each in await app.tools.list_tools(ANN) if each.spec.name not in on]
            await platform.say("Bubbles, what time is it?", sender="ann")
            await platform.say(f"/tools on {name}", sender="ann")
            await platform.say("Bubbles, and now?", sender="ann")

    results = [turn.steps[0].results[0].ok for turn in interpreter.turns if turn.steps]
    assert name in platform.texts[0]
    assert disabled == [name]
    assert results == [False, True]


async def test_api_shows_source_and_health_of_each_tool(serve):
    async with AsyncExitStack() as running:
        times = await running.enter_async_context(serve(time_server(SystemClock())))
        servers = ToolServerSettings(connections=SecretStr(json.dumps([{"url": times, "name": "time"}])))
        async with http_bot(tool_servers=servers) as context:
            transport = httpx.ASGITransport(app=build_guarded_app(context))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
                before = await list_sources(client)
                await running.aclose()
                await client.post("/api/tools/sources/time/refresh")
                after = await list_sources(client)

    assert before["reminder_set"] == ("built-in", True)
    assert before["convert_time_convert_time_post"] == ("time", True)
    assert after["convert_time_convert_time_post"] == ("time", False)


async def list_sources(client):
    """Return source and health of each tool by its name."""
    tools = (await client.get("/api/tools")).json()["tools"]
    return {tool["name"]: (tool["source"], tool["health"]["is_ok"]) for tool in tools}
