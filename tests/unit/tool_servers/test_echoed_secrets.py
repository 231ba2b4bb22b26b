"""Secrets sent back by a tool server, in several forms."""

import base64

import pytest

from bot.testing.turns import make_tool
from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.credentials import Credentials
from bot.tools.servers.echoed_secrets import MASK, EchoedSecretMask
from bot.tools.servers.mcp.servers import McpServer

KEY = "k3y/with+signs"


@pytest.mark.parametrize(
    "echo",
    [KEY, f"Bearer {KEY}", "k3y%2Fwith%2Bsigns", base64.b64encode(KEY.encode()).decode()],
    ids=["plain", "bearer", "quoted", "base64"],
)
def test_every_form_of_a_secret_is_masked_in_texts_keys_and_lists(echo):
    masked = EchoedSecretMask([f"Bearer {KEY}"]).value({"a": [f"x {echo} y"], echo: 1})

    assert echo not in str(masked)
    assert MASK in masked["a"][0]
    assert masked["a"][0].endswith(" y")


def test_a_short_value_is_no_secret():
    assert EchoedSecretMask(["en"]).value({"text": "then"}) == {"text": "then"}


def test_tool_with_a_secret_in_its_name_is_dropped():
    assert EchoedSecretMask(["k3yw"]).spec(make_tool("get_k3yw")) is None


def test_headers_and_variables_that_hold_no_secret_stay_readable():
    headers = {"Accept": "application/json", "X-Key": "h34der"}
    connection = ToolServerConnection(url="http://a:1", headers=headers, username="ann", password="p4ssword")
    server = McpServer(name="t", command="t", env={"TZ": "Asia/Shanghai", "API_KEY": "k3yk3y", "DB": "pg://a:b@c/d"})

    secret_mask = Credentials(connection, client=None).secret_mask
    pair = base64.b64encode(b"ann:p4ssword").decode()

    assert secret_mask.text(f"application/json h34der {pair}") == f"application/json {MASK} {MASK}"
    assert server.secret_mask().text("Asia/Shanghai k3yk3y pg://a:b@c/d") == f"Asia/Shanghai {MASK} {MASK}"
    assert "Asia/Shanghai" in server.secrets
