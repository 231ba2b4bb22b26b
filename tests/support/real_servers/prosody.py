"""A real XMPP server (Prosody) with rooms, and people in them."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element

import slixmpp

from bot.config.platform_catalog import XmppSettings
from bot.platforms.xmpp.client import XmppClient
from tests.support.real_servers.process import HOST, ServerProcess, free_port, program

ROOMS: Final = "rooms.localhost"
HIDING_ROOMS: Final = "hiding.localhost"
"""Where rooms are that show real addresses to their moderators only."""
_CONFIG: Final = """
data_path = "{folder}/data"
pidfile = "{folder}/prosody.pid"
run_as_root = true
log = {{ info = "*console" }}
modules_enabled = {{ "roster", "saslauth", "disco", "ping", "offline", "posix" }}
modules_disabled = {{ "s2s", "tls" }}
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_hashed"
default_iteration_count = 4096
storage = "internal"
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
c2s_direct_tls_ports = {{ }}
s2s_ports = {{ }}
http_interfaces = {{ "127.0.0.1" }}
http_ports = {{ {files_port} }}
https_ports = {{ }}
VirtualHost "localhost"
Component "{rooms}" "muc"
    modules_enabled = {{ "muc_mam" }}
    restrict_room_creation = false
    muc_room_default_persistent = true
    muc_room_default_public_jids = true
Component "{hiding}" "muc"
    restrict_room_creation = false
Component "files.localhost" "http_file_share"
    http_host = "127.0.0.1"
    http_external_url = "http://127.0.0.1:{files_port}/"
    http_file_share_size_limit = 20000
"""


def prosody(folder: Path, people: Sequence[str]) -> ServerProcess:
    """Return a server with accounts for `people` that is not started; skip the test if it is not installed."""
    port = free_port()
    path = folder / "prosody.cfg.lua"
    (folder / "data").mkdir(exist_ok=True)
    config = _CONFIG.format(folder=folder, port=port, files_port=free_port(), rooms=ROOMS, hiding=HIDING_ROOMS)
    path.write_text(config, encoding="utf-8")
    server, control = program("prosody"), program("prosodyctl")
    for name in people:
        command = [control, "--config", str(path), "register", name, "localhost", password_of(name)]
        subprocess.run(command, check=True, capture_output=True)
    return ServerProcess([server, "--config", str(path), "-F"], folder, port)


def password_of(name: str) -> str:
    """Return the password of an account that `prosody` made."""
    return f"{name}-secret"


class XmppPerson:
    """A person in a room. `heard` has the received messages, as XML."""

    def __init__(self, client: XmppClient, nick: str, room: str) -> None:
        self.nick = nick
        self.heard: list[Element] = []
        self._client = client
        self._room = room

    def say(self, text: str | None, *, extra: Element | None = None) -> str:
        """Send a message with `text` and `extra` to the room, and return its id."""
        message = self._client.message_to(self._room, text, is_group=True)
        if extra is not None:
            message.xml.append(extra)
        message.send()
        return str(message["id"])

    def rename(self, nick: str) -> None:
        """Take another nickname in the room."""
        self._client.send_presence(pto=slixmpp.JID(f"{self._room}/{nick}"))

    async def listen(self) -> None:
        """Receive messages until the stream ends."""
        while (received := await self._client.received.get()) is not None:
            self.heard.append(received.stanza)


@asynccontextmanager
async def xmpp_person(port: int, name: str, room: str) -> AsyncIterator[XmppPerson]:
    """Join a person to the room within the context."""
    settings = XmppSettings.model_validate(
        {"jid": f"{name}@localhost", "password": password_of(name), "host": HOST, "port": port, "encrypted": False}
    )
    client = XmppClient(settings)
    await client.enter()
    await client.join(room, name, None)
    person = XmppPerson(client, name, room)
    listening = asyncio.create_task(person.listen(), name=f"{name} listens")
    try:
        yield person
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await client.leave()
