"""Connections in the form of Open WebUI, to servers on loopback, through the HTTP API of a bot."""

import json
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse
from pydantic import SecretStr

from bot.config.settings import ToolServerSettings
from bot.testing.models import ScriptedInterpreter
from function_calls.tools.calls import ToolCall
from tests.integration.tool_servers.test_mcp_over_http import NotesServer
from tests.support.http_bot import served_bot, with_token

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

KEY = "k3y/with+signs=="
HEADER = "h34der-value"
OPERATOR = {"Authorization": "Bearer 0perator-t0ken-here"}


def library_app():
    """Return a server that sends back the headers of requests."""
    app = FastAPI(title=f"Library of {HEADER}")

    @app.get("/books", operation_id="list_books", description=f"Lists the books. {HEADER}")
    async def list_books() -> list[str]:
        return ["Emma"]

    @app.delete("/books", operation_id="delete_books")
    async def delete_books() -> str:
        return "deleted"

    @app.get("/echo", operation_id="get_echo")
    async def get_echo(request: Request) -> dict[str, object]:
        return {"headers": dict(request.headers), HEADER: "as a key", "quoted": str(httpx.QueryParams({"k": KEY}))}

    @app.get("/fault", operation_id="get_fault")
    async def get_fault(request: Request) -> dict[str, object]:
        raise RuntimeError(request.headers["authorization"])

    @app.exception_handler(RuntimeError)
    async def fail(request: Request, error: RuntimeError) -> object:
        return PlainTextResponse(f"refused: {error}", status_code=418)

    return app


def make_entry(url, **more):
    """Return an entry with every field of the form."""
    entry = {
        "type": "openapi",
        "url": url,
        "spec_type": "url",
        "spec": "",
        "path": "openapi.json",
        "auth_type": "bearer",
        "forward_cookies": False,
        "headers": None,
        "key": "",
        "config": {"enable": True, "function_name_filter_list": "", "access_control": None},
        "info": {"id": "lib", "name": "lib", "description": ""},
    }
    config = {**entry["config"], **more.pop("config", {})}
    return {**entry, **more, "config": config}


@asynccontextmanager
async def connect_bot(*entries, **more):
    """Serve a bot with these connections; yield its client."""
    settings = ToolServerSettings(connections=SecretStr(json.dumps(entries)))
    http = with_token("0perator-t0ken-here")
    async with (
        served_bot(tool_servers=settings, http=http, **more) as (address, context),
        httpx.AsyncClient(base_url=address, timeout=30, headers=OPERATOR) as client,
    ):
        client.context = context
        yield client


async def list_offered(client, headers=None):
    body = (await client.get("/api/tools/", headers=headers)).json()
    return {each["name"] for each in body} & {"list_books", "delete_books", "get_echo", "get_fault"}


async def member_headers(client, name="Ann"):
    _, secret = await client.context.tokens.issue(name, "member")
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize(
    ("names", "left"),
    [
        ("", {"list_books", "delete_books", "get_echo", "get_fault"}),
        ("list_books", {"list_books"}),
        (["list_books", "get_echo"], {"list_books", "get_echo"}),
        ("_books, !delete_books", {"list_books"}),
        ("!delete_books,!get_fault", {"list_books", "get_echo"}),
    ],
)
async def test_function_name_filter_list_restricts_offers_and_calls(serve, names, left):
    async with (
        serve(library_app()) as url,
        connect_bot(make_entry(url, config={"function_name_filter_list": names})) as client,
    ):
        found = await list_offered(client)
        called = await client.post("/api/tools/delete_books/invoke", json={})

    assert found == left
    assert (called.status_code == 200) is ("delete_books" in left)


async def test_empty_access_grants_admit_only_admins(serve):
    async with serve(library_app()) as url, connect_bot(make_entry(url, config={"access_grants": []})) as client:
        ann = await member_headers(client)
        for_admin, for_ann = await list_offered(client), await list_offered(client, ann)
        by_admin = await client.post("/api/tools/list_books/invoke", json={})
        by_ann = await client.post("/api/tools/list_books/invoke", json={}, headers=ann)

    assert (bool(for_admin), for_ann) == (True, set())
    assert (by_admin.json()["result"], by_ann.status_code) == (["Emma"], 404)


async def test_access_grant_admits_its_person(serve):
    grants = [{"principal_type": "user", "principal_id": "web:ann", "permission": "read"}]
    async with serve(library_app()) as url, connect_bot(make_entry(url, config={"access_grants": grants})) as client:
        ann = await list_offered(client, await member_headers(client))
        eve = await list_offered(client, await member_headers(client, "Eve"))

    assert (bool(ann), eve) == (True, set())


@pytest.mark.parametrize("is_text", [True, False])
async def test_document_in_the_entry_is_used_without_fetching(serve, is_text):
    app = library_app()
    document = app.openapi()
    app.openapi_url = None
    served = FastAPI(openapi_url=None)
    served.mount("/", app)
    spec = json.dumps(document) if is_text else document
    async with serve(served) as url, connect_bot(make_entry(url, spec_type="json", spec=spec)) as client:
        called = await client.post("/api/tools/list_books/invoke", json={})
        refreshed = await client.post("/api/tools/sources/lib/refresh")

    assert called.json()["result"] == ["Emma"]
    assert refreshed.status_code == 200


async def test_refused_entry_is_named_and_the_others_are_used(serve):
    async with serve(library_app()) as url:
        refused_entry = make_entry(url, auth_type="session", info={"id": "s", "name": "sessions", "description": ""})
        async with connect_bot(refused_entry, make_entry(url)) as client:
            found = await list_offered(client)
            sources = {each["label"]: each for each in (await client.get("/api/tools/sources")).json()["sources"]}
            spanish = (await client.get("/api/tools/sources", headers={"Accept-Language": "es"})).json()["sources"]

    assert "list_books" in found
    assert sources["lib"]["is_ok"]
    assert not sources["sessions"]["is_ok"]
    assert "auth_type session" in sources["sessions"]["detail"]
    assert any(each["detail"].startswith("no se usa: ") for each in spanish)


async def test_secrets_echoed_by_a_server_are_masked_everywhere(serve):
    script = [
        [ToolCall(id="1", name="get_echo", arguments={})],
        [ToolCall(id="2", name="get_fault", arguments={})],
        "Done.",
    ]
    interpreter = ScriptedInterpreter(script)
    body = {"session_id": "lobby", "message": "Bubbles, what comes?", "name": "Ann"}
    async with (
        serve(library_app()) as url,
        connect_bot(make_entry(url, key=KEY, headers={"X-Own": HEADER}), interpreter=interpreter) as client,
    ):
        answers = {
            "invoke": await client.post("/api/tools/get_echo/invoke", json={}),
            "fault": await client.post("/api/tools/get_fault/invoke", json={}),
            "server": await client.post("/tools/get_echo"),
            "list": await client.get("/api/tools/"),
            "document": await client.get("/tools/openapi.json"),
            "sources": await client.get("/api/tools/sources"),
            "reply": await client.post("/api/chat/send", json=body, headers={"Accept": "application/json"}),
        }
        stored = await client.get("/api/chat/sessions/lobby/messages")

    results = [result for step in interpreter.turns[-1].steps for result in step.results]
    prompts = json.dumps([[each.value, each.text, each.error] for each in results])
    texts = {name: answer.text for name, answer in answers.items()} | {"prompt": prompts, "stored": stored.text}
    assert "[secret]" in texts["invoke"]
    assert "[secret]" in prompts
    for name, text in texts.items():
        for secret in (KEY, HEADER, "k3y%2Fwith%2Bsigns%3D%3D"):
            assert secret not in text, name


async def test_entry_of_type_mcp_is_used_with_its_key_and_filter(mcp_notes):
    entry = make_entry(
        mcp_notes.url,
        type="mcp",
        path="",
        key="notes-token",
        config={"function_name_filter_list": "get_visitor"},
    )
    async with connect_bot(entry) as client:
        sources = {each["label"]: each for each in (await client.get("/api/tools/sources")).json()["sources"]}
        called = await client.post("/api/tools/get_visitor/invoke", json={})
        other = await client.post("/api/tools/get_count/invoke", json={})

    assert (sources["lib"]["kind"], sources["lib"]["tools"]) == ("mcp", ["get_visitor"])
    assert (called.json()["result"], other.status_code) == ({"result": "known"}, 404)


async def test_confirmed_call_is_part_of_the_answer_to_the_confirmation(serve):
    interpreter = ScriptedInterpreter([[ToolCall(id="1", name="delete_books", arguments={})], "Gone."], is_strict=False)
    body = {"session_id": "lobby", "name": "Ann"}
    async with serve(library_app()) as url, connect_bot(make_entry(url), interpreter=interpreter) as client:
        await client.post("/api/chat/send", json={**body, "message": "Bubbles, delete the books"})
        stream = (await client.post("/api/chat/send", json={**body, "message": "yes", "stream": True})).text
        history = (await client.get("/api/chat/sessions/lobby/messages")).json()

    events = [line.removeprefix("event: ") for line in stream.splitlines() if line.startswith("event: ")]
    done = json.loads(stream.rpartition("event: done\ndata: ")[2])
    [request, question, agreed, answer] = history
    assert [each for each in events if each != "message"] == ["start", "tool_start", "tool_complete", "done"]
    assert [(each["name"], each["status"]) for each in done["message"]["tool_calls"]] == [("delete_books", "ok")]
    assert [(each["name"], each["status"]) for each in answer["tool_calls"]] == [("delete_books", "success")]
    assert question["tool_calls"][0]["status"] == "denied"
    assert (request["tool_calls"], agreed["tool_calls"]) == ([], [])


@pytest.fixture
async def mcp_notes():
    running = NotesServer()
    await running.start()
    yield running
    await running.kill()
