"""The file with the tokens of a sign-in at an MCP server."""

import pytest
from mcp.shared.auth import OAuthToken

from bot.tools.servers.mcp.oauth import TokenFile


async def test_tokens_survive_a_failed_write(tmp_path, monkeypatch):
    path = tmp_path / "notes.json"
    await TokenFile(path).set_tokens(OAuthToken(access_token="first"))

    def fail(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr("bot.tools.servers.mcp.oauth._Stored.model_dump_json", fail)
    with pytest.raises(OSError, match="no space"):
        await TokenFile(path).set_tokens(OAuthToken(access_token="second"))

    assert (await TokenFile(path).get_tokens()).access_token == "first"
