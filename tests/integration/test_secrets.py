"""Secrets of all settings, which appear in no output of a bot."""

import asyncio
import json
import os
import sys
import threading
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from docs.generator.settings import documented, groups, variable

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
ROOT = Path(__file__).parents[2]
CONNECTIONS = "BUBBLES_TOOL_SERVERS__CONNECTIONS"
PAGE_CONNECTIONS = "BUBBLES_TOOL_SERVERS__PAGE_CONNECTIONS"
PLUGIN = '''
import os
from function_calls.registry import tool_function
from services.kernel.errors import ToolFailed

@tool_function(examples=("please break down",), returns="reply")
async def break_down() -> str:
    """Fail with everything that the program knows."""
    raise RuntimeError(f"connection to https://bot:{os.environ['BUBBLES_MODEL__API_KEY']}@host refused")

@tool_function(examples=("please give up",), returns="reply")
async def give_up() -> str:
    """Fail, and say why."""
    raise ToolFailed(f"401 for key {os.environ['BUBBLES_SEARCH__PERPLEXITY_API_KEY']}")
'''
TEXTS = ("please break down", "please give up", "search the web for tea", "remind me in 1 second to stretch", "hello?")
COMMANDS = (
    *("check", "doctor", "tools", "plugins", "explain last", "usage --by person", "backup copy.db"),
    "export --chat web:lobby --person web:ann --out export.jsonl",
)
FROM_FILES = ("BUBBLES_SEARCH__BRAVE_API_KEY", "BUBBLES_PLATFORMS__TELEGRAM__TOKEN")
PAGES = (
    *(
        "settings",
        "settings/changes",
        "health",
        "adapters",
        "metrics?minutes=60",
        "usage",
        "tool-calls?limit=50",
        "turns",
        "messages",
    ),
    "tokens",
)


def make_secrets():
    """Return a secret for every secret setting, by its environment variable."""
    secrets = {}
    for name, group in groups().items():
        for key, field in documented(group):
            if field.annotation is SecretStr:
                secrets[variable(name, key)] = f"Planted{len(secrets):02}" + "q7" * 20
    return secrets


@pytest.fixture
def echo():
    """Serve an API that refuses every request and returns its key in the error, as real ones do."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            requests.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            headers = {name: value for name, value in self.headers.items() if "planted" in value.lower()}
            message = f"Incorrect API key provided: {json.dumps(headers)}"
            body = json.dumps({"error": {"message": message, "code": "invalid_api_key"}}).encode()
            self.send_response(401, "Unauthorized")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer  # noqa: N815 - names of the standard library

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.requests = requests
    yield server
    server.shutdown()
    server.server_close()


def environment_of(folder, address, secrets, log_format):
    """Return the environment of a bot with `address` as its every server, and a password in one of the URLs."""
    connection = {"url": f"{address}/openapi.json", "key": secrets[CONNECTIONS], "name": "refusing"}
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        **secrets,
        CONNECTIONS: json.dumps([connection]),
        PAGE_CONNECTIONS: json.dumps([connection | {"key": secrets[PAGE_CONNECTIONS], "name": "of the page"}]),
        "BUBBLES_MODEL__BASE_URL": f"{address}/v1",
        "BUBBLES_MODEL__MAX_RETRIES": "0",
        "BUBBLES_SEARCH__PERPLEXITY_BASE_URL": f"{address}/p",
        "BUBBLES_SEARCH__ENGINES": "perplexity,searxng",
        "BUBBLES_SEARCH__SEARXNG_URL": address.replace("://", f"://bot:{secrets['password in an address']}@") + "/s",
        "BUBBLES_TELEMETRY__ENDPOINT": f"{address}/v1/traces",
        "BUBBLES_PLATFORMS__ENABLED": ",",
        "BUBBLES_BOT__DATA_DIR": str(folder / "data"),
        "BUBBLES_HTTP__PORT": "0",
        "BUBBLES_LOG__LEVEL": "DEBUG",
        "BUBBLES_LOG__FORMAT": log_format,
    }


@asynccontextmanager
async def run_bot(folder, environment):
    """Run `bubbles run` within the context, with its output in `stdout.txt` and `stderr.txt`; yield its address."""
    with (folder / "stdout.txt").open("wb") as out, (folder / "stderr.txt").open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"), cwd=folder, env=environment, stdout=out, stderr=errors
        )
        try:
            while "http://" not in (output := (folder / "stdout.txt").read_text(encoding="utf-8")):
                assert process.returncode is None, (folder / "stderr.txt").read_text(encoding="utf-8")
                await asyncio.sleep(0.1)
            yield "http://" + output.split("http://")[1].split()[0].rstrip("/"), process
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def collect_answers(client):
    """Return the answers to messages and requests, valid and invalid."""
    answers = []
    for text in TEXTS:
        answers.append(
            await client.post("/api/chat/send", json={"session_id": "lobby", "message": text, "name": "Ann"})
        )
    await asyncio.sleep(2)
    for page in PAGES:
        answers.append(await client.get(f"/api/admin/{page}"))
    answers += [
        await client.get("/metrics"),
        await client.get("/api/chat/sessions/lobby/messages"),
        await client.get("/api/tools"),
        await client.get("/api/tools/sources"),
        await client.get("/api/tools/servers"),
        await client.post("/api/tools/servers/of_the_page/test"),
        await client.post("/api/admin/settings/test", json={"part": "model", "values": {}}),
        await client.post("/api/admin/settings/test", json={"part": "search", "values": {}}),
        await client.post("/api/search", json={"query": "tea"}),
        await client.get("/api/nothing"),
        await client.post("/api/chat/send", content=b"{"),
        await client.get("/api/admin/settings", headers={"Authorization": "Bearer wrong"}),
    ]
    return answers


async def run_command(folder, environment, command):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *command.split()),
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return output


@pytest.mark.parametrize("log_format", ["text", "json"])
async def test_output_of_a_whole_run_contains_no_secret(tmp_path, tmp_path_factory, echo, log_format):
    secrets = make_secrets() | {"password in an address": "PlantedPassword" + "q7" * 10}
    environment = environment_of(tmp_path, f"http://127.0.0.1:{echo.server_port}", secrets, log_format)
    del environment["password in an address"]
    folder = tmp_path_factory.mktemp("secrets")
    for name in FROM_FILES:
        (folder / name).write_text(environment[name], encoding="utf-8")
        environment[name] = f"file:{folder / name}"
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "leaky.py").write_text(PLUGIN, encoding="utf-8")
    outputs = {}
    async with run_bot(tmp_path, environment) as (address, process):
        headers = {"Authorization": f"Bearer {secrets['BUBBLES_HTTP__TOKEN']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            answers = await collect_answers(client)
        outputs |= {f"{n} {answer.request.url.path}": answer.content for n, answer in enumerate(answers)}
        outputs["process list"] = await asyncio.to_thread(Path(f"/proc/{process.pid}/cmdline").read_bytes)
        commands = COMMANDS if log_format == "text" else ()
        outputs |= {f"bubbles {each}": await run_command(tmp_path, environment, each) for each in commands}
    outputs["traces and requests to a model"] = b"".join(echo.requests)
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "plugins"]
    outputs |= {str(path.relative_to(tmp_path)): path.read_bytes() for path in files}

    found = [
        (place, name)
        for place, output in outputs.items()
        for name, secret in secrets.items()
        if secret.encode() in output
    ]
    assert len(secrets) >= 20
    assert not found, "\n".join(map(str, found))
    output = "\n".join(answer.text for answer in answers)
    log = outputs["data/bubbles.log"].decode()
    assert "[secret]" in log  # some secrets reached the log, masked
    assert "break_down" in log
    assert "stretch" in output
    assert [answer.status_code for answer in answers[-3:]] == [404, 422, 401]
    assert {"data/bubbles.db", "stderr.txt"} <= set(outputs)
    if log_format == "text":
        assert b"stretch" in outputs["export.jsonl"]
        assert b"platforms.telegram.token from file" in outputs["bubbles doctor"]
