"""Read the examples of the pages on external tools with the code that they are for."""

import json
import re
import shlex
import tomllib
from pathlib import Path

from pydantic import SecretStr

from bot.config.settings import Settings, ToolServerSettings
from bot.tools.servers.connections import read_connections
from bot.tools.servers.mcp.servers import read_mcp_servers
from function_calls.toolsets.stored.source import read_source

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "external-tools.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to" / "use-the-bot-from-other-programs.md").read_text(encoding="utf-8")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_settings_are_ours():
    for block in blocks(PAGE, "toml"):
        Settings.model_validate(tomllib.loads(block))


def test_the_connections_are_read():
    _, assignment = shlex.split(blocks(PAGE, "sh")[0])

    [connection] = read_connections(ToolServerSettings(connections=SecretStr(assignment.partition("=")[2]))).openapi

    assert connection.url == "http://my-tool:8000/openapi.json"


def test_the_mcp_files_are_read(tmp_path):
    file = tmp_path / "mcp.json"
    names = []
    for block in (*blocks(PAGE, "json"), *blocks(HOW_TO, "json")):
        file.write_text(block, encoding="utf-8")
        names += [server.name for server in read_mcp_servers(str(file))]

    assert names == ["time", "notes", "bubbles"]


def test_the_stored_tool_is_read():
    [source] = blocks(PAGE, "python")

    assert [function.name for function in read_source(source).functions] == ["roll_dice"]
    assert json.dumps(read_source(source).valves)


def test_every_key_of_a_connection_is_explained():
    from bot.tools.servers.connections import ToolServerConnection

    missing = [name for name in ToolServerConnection.model_fields if f"`{name}`" not in PAGE and name != "enabled"]

    assert missing == []
