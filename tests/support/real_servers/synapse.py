"""A real Matrix homeserver (Synapse from its wheel), without federation and rate limits, and its people."""

import base64
import hashlib
import hmac
import importlib.util
import json
import secrets
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from tests.support.real_servers.process import HOST, ServerProcess, free_port

_SECRET: Final = "only-for-tests"
_FREELY: Final = {"per_second": 10_000, "burst_count": 10_000}


def synapse(folder: Path) -> ServerProcess:
    """Return a homeserver named `localhost` that is not started; skip the test if Synapse is not installed."""
    if importlib.util.find_spec("synapse") is None:
        pytest.skip("needs Synapse (pip install matrix-synapse)")
    port = free_port()
    config = folder / "homeserver.yaml"
    config.write_text(json.dumps(_configuration(folder, port)), encoding="utf-8")  # JSON is YAML
    # Synapse would make the key itself, in a process that takes as long to start as the server.
    seed = base64.b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    (folder / "signing.key").write_text(f"ed25519 a_test {seed}\n", encoding="utf-8")
    command = [sys.executable, "-m", "synapse.app.homeserver", "-c", str(config)]
    return ServerProcess(command, folder, port, patience=90)


def _configuration(folder: Path, port: int) -> Mapping[str, object]:
    listener = {"port": port, "bind_addresses": [HOST], "type": "http", "resources": [{"names": ["client"]}]}
    return {
        "server_name": "localhost",
        "listeners": [listener],
        "pid_file": str(folder / "homeserver.pid"),
        "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
        "media_store_path": str(folder / "media"),
        "signing_key_path": str(folder / "signing.key"),
        "registration_shared_secret": _SECRET,
        "macaroon_secret_key": _SECRET,
        "form_secret": _SECRET,
        "report_stats": False,
        "bcrypt_rounds": 4,
        "trusted_key_servers": [],
        "federation_domain_whitelist": [],
        "presence": {"enabled": False},
        "caches": {"sync_response_cache_duration": "0s"},
        "rc_message": _FREELY,
        "rc_login": {"address": _FREELY, "account": _FREELY, "failed_attempts": _FREELY},
        "rc_joins": {"local": _FREELY},
        "rc_invites": {"per_room": _FREELY, "per_user": _FREELY},
        "rc_room_creation": _FREELY,
    }


class MatrixPerson:
    """A person with an account on the server at `address`, who uses its API.

    The methods block: inside an event loop, call them by `asyncio.to_thread`.
    """

    def __init__(self, port: int, name: str) -> None:
        self.name = name
        self.user_id = f"@{name}:localhost"
        self.password = f"{name}-secret"
        self.token = ""
        self.device = ""
        self.address = f"http://{HOST}:{port}"

    def register(self, *, is_admin: bool = False) -> None:
        """Create the account, and log in; an admin may set rate limits of others."""
        nonce = self.call("GET", "/_synapse/admin/v1/register")["nonce"]
        role = "admin" if is_admin else "notadmin"
        proof = f"{nonce}\0{self.name}\0{self.password}\0{role}".encode()
        mac = hmac.new(_SECRET.encode(), proof, hashlib.sha1).hexdigest()
        account = {"nonce": nonce, "username": self.name, "password": self.password, "admin": is_admin, "mac": mac}
        made = self.call("POST", "/_synapse/admin/v1/register", account)
        self.token, self.device = made["access_token"], made["device_id"]

    def create_room(self, *, name: str, invite: tuple[str, ...] = ()) -> str:
        """Create a room and return its id."""
        created = self.client("POST", "createRoom", {"name": name, "invite": list(invite), "preset": "private_chat"})
        return str(created["room_id"])

    def join(self, room_id: str) -> None:
        """Accept an invitation."""
        self.client("POST", f"rooms/{quote(room_id)}/join", {})

    def members(self, room_id: str) -> set[str]:
        """Return the members of the room."""
        return set(self.client("GET", f"rooms/{quote(room_id)}/joined_members")["joined"])

    def send(self, room_id: str, content: Mapping[str, object], *, kind: str = "m.room.message") -> str:
        """Send an event and return its id."""
        path = f"rooms/{quote(room_id)}/send/{kind}/{uuid.uuid4().hex}"
        return str(self.client("PUT", path, content)["event_id"])

    def redact(self, room_id: str, event_id: str) -> None:
        """Redact an event."""
        self.client("PUT", f"rooms/{quote(room_id)}/redact/{quote(event_id)}/{uuid.uuid4().hex}", {})

    def events(self, room_id: str) -> list[dict[str, Any]]:
        """Return the last events of the room, oldest first, as a client sees them."""
        found = self.client("GET", f"rooms/{quote(room_id)}/messages?dir=b&limit=1000")["chunk"]
        return list(reversed(found))

    def limit(self, user_id: str, *, per_second: int | None) -> None:
        """As an admin, limit the messages of a person, with bursts of one; None removes the limit."""
        path = f"/_synapse/admin/v1/users/{quote(user_id)}/override_ratelimit"
        if per_second is None:
            self.call("DELETE", path)
        else:
            self.call("POST", path, {"messages_per_second": per_second, "burst_count": 1})

    def client(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Call the client-server API."""
        return self.call(method, f"/_matrix/client/v3/{path}", body)

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Call the server.

        Raises:
            RuntimeError: it refused.
        """
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urlopen(request, timeout=30) as answer:
                loaded: dict[str, Any] = json.load(answer)
                return loaded
        except HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from error
