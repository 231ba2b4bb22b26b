"""Slack on loopback: the Web API, Socket Mode with acknowledgements, and signed requests over HTTP.

async with SlackServer() as server:
    client = AsyncWebClient(token=server.bot_token, base_url=server.api_url)

Source: https://docs.slack.dev/apis/
"""

import hashlib
import hmac
import itertools
import json
import time
from contextlib import suppress
from urllib.parse import urlencode

from aiohttp import ClientConnectionError, ClientSession, WSMsgType, web

from tests.support.chat_servers.loopback import JsonObject, LoopbackServer, SentMessage, answer, body_of, troubled

_MAX_LENGTH = 40_000
_SENDING = ("chat.postMessage", "chat.postEphemeral")


class SlackServer(LoopbackServer):
    """One workspace. `say` sends a message of a person, `sent` has those of the bot.

    An envelope that is not acknowledged is sent again over the next connection, as by Slack. With `post_to`, requests
    are posted there instead and signed with `signing_secret`. Without `answers_pings` a ping is followed by another
    frame and no pong, so that only the client's own pings detect a dead connection. `expired_links` is the number of
    the next addresses of Socket Mode that are refused.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bot_token = "xoxb-loopback"
        self.app_token = "xapp-loopback"
        self.signing_secret = "loopback"
        self.post_to = ""
        self.calls: list[tuple[str, JsonObject]] = []
        self.statuses: list[int] = []
        self.names: dict[str, str] = {}
        self.scopes = _SCOPES
        self.answers_pings = True
        self.expired_links = 0
        self.members = ["UBOT", "U7", "U8", "U9"]
        self.members_per_page = 1000
        self._uploads: dict[str, bytes] = {}
        self._count = itertools.count(1)
        self._unacknowledged: dict[str, JsonObject] = {}

    @property
    def api_url(self) -> str:
        """Return the base address for Web API clients."""
        return f"{self.url}/api/"

    @property
    def waits_for(self) -> int:
        """Return the number of envelopes that are not acknowledged."""
        return len(self._unacknowledged)

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the Web API, the WebSocket of Socket Mode, and the address for answers to commands."""
        router.add_route("*", "/api/{method}", self._call)
        router.add_get("/link", self._link)
        router.add_post("/respond", self._respond)
        router.add_post("/upload/{file_id}", self._upload)

    def calls_of(self, method: str) -> list[JsonObject]:
        """Return the arguments of calls of `method`, in order."""
        return [body for name, body in self.calls if name == method]

    def clear_records(self) -> None:
        """Clear the recorded messages and requests."""
        super().clear_records()
        self.calls.clear()

    async def say(
        self, text: str, *, channel: str = "C1", sender: str = "U7", more: JsonObject | None = None
    ) -> JsonObject:
        """Send `text` as a person; `more` are further fields of the event."""
        kind = "im" if channel.startswith("D") else "channel"
        stamp = f"{int(time.time())}.{next(self._count):06d}"
        event: JsonObject = {
            "type": "message",
            "channel": channel,
            "channel_type": kind,
            "user": sender,
            "text": text,
            "ts": stamp,
            "event_ts": stamp,
            "team": "T1",
            **(more or {}),
        }
        await self.event(event)
        return event

    async def event(self, event: JsonObject) -> None:
        """Send `event` to the bot."""
        payload = {
            "type": "event_callback",
            "token": "loopback",
            "team_id": "T1",
            "api_app_id": "A1",
            "event": event,
            "event_id": f"Ev{next(self._count)}",
            "event_time": 1_795_168_800,
            "authorizations": [{"team_id": "T1", "user_id": "UBOT", "is_bot": True}],
        }
        await self._send_event("events_api", payload)

    async def command(self, command: str, text: str, *, channel: str = "C1", sender: str = "U7") -> None:
        """Use a slash command."""
        payload: JsonObject = {
            "command": command,
            "text": text,
            "channel_id": channel,
            "channel_name": "team",
            "user_id": sender,
            "user_name": f"person {sender}",
            "team_id": "T1",
            "api_app_id": "A1",
            "trigger_id": f"{next(self._count)}.1.a",
            "response_url": f"{self.url}/respond",
        }
        await self._send_event("slash_commands", payload)

    async def press(self, value: str, *, stamp: str, channel: str = "C1", sender: str = "U7") -> None:
        """Press the button with `value` under a message of the bot."""
        payload: JsonObject = {
            "type": "block_actions",
            "team": {"id": "T1"},
            "api_app_id": "A1",
            "user": {"id": sender, "username": f"person {sender}"},
            "channel": {"id": channel, "name": "team"},
            "message": {"ts": stamp, "type": "message", "user": "UBOT", "text": ""},
            "actions": [
                {"type": "button", "action_id": "say-0", "value": value, "action_ts": f"1795168900.{next(self._count)}"}
            ],
            "trigger_id": f"{next(self._count)}.1.a",
            "response_url": f"{self.url}/respond",
        }
        await self._send_event("interactive", payload)

    async def react(self, stamp: str, name: str, *, sender: str = "U7", is_added: bool = True) -> None:
        """Add or remove the reaction `name` to a message of the channel."""
        kind, item = "reaction_added" if is_added else "reaction_removed", {"type": "message", "channel": "C1"}
        event: JsonObject = {"type": kind, "user": sender, "reaction": name, "item_user": "UBOT", "event_ts": "1.1"}
        await self.event({**event, "item": {**item, "ts": stamp}})

    async def _send_event(self, kind: str, payload: JsonObject) -> None:
        if self.post_to:
            await self._post(kind, payload)
            return
        envelope_id = f"envelope-{next(self._count)}"
        envelope: JsonObject = {
            "type": kind,
            "envelope_id": envelope_id,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        }
        self._unacknowledged[envelope_id] = envelope
        for socket in list(self.sockets):
            with suppress(ConnectionError, ClientConnectionError):
                await socket.send_json(envelope)
                break

    async def _post(self, kind: str, payload: JsonObject) -> None:
        if kind == "events_api":
            body, content = json.dumps(payload), "application/json"
        else:
            fields = {"payload": json.dumps(payload)} if kind == "interactive" else payload
            body, content = urlencode(fields), "application/x-www-form-urlencoded"
        stamp = str(int(time.time()))
        signed = hmac.new(self.signing_secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": content,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={signed}",
        }
        async with ClientSession() as client, client.post(self.post_to, data=body, headers=headers) as response:
            self.statuses.append(response.status)

    def _new_link(self) -> str:
        is_expired = self.expired_links > 0
        self.expired_links -= is_expired
        return f"{self.socket_url}/link{'?ticket=expired' if is_expired else ''}"

    async def _link(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("ticket") == "expired":
            return web.Response(status=408)
        socket = await self.socket(request, answers_pings=False)
        missed = list(self._unacknowledged.values())  # what comes from now on is told by itself
        with suppress(ConnectionError, ClientConnectionError):
            await socket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}})
            for envelope in missed:
                await socket.send_json(envelope)
            async for frame in socket:
                if frame.type == WSMsgType.TEXT and frame.data.startswith("{"):
                    self._unacknowledged.pop(str(json.loads(frame.data).get("envelope_id")), None)
                elif frame.type == WSMsgType.PING and self.answers_pings:
                    await socket.pong(frame.data)
                elif frame.type == WSMsgType.PING:
                    await socket.send_json({"type": "news"})
        self.sockets.discard(socket)
        return socket

    async def _call(self, request: web.Request) -> web.Response:
        method, body = request.match_info["method"], await body_of(request)
        self.calls.append((method, body))
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        expected = self.app_token if method == "apps.connections.open" else self.bot_token
        if token != expected:
            return answer({"ok": False, "error": "invalid_auth"})
        trouble = self.next_trouble() if method in _SENDING else None
        reply: JsonObject = {}
        if trouble is None or trouble.is_taken:
            reply = await self._reply(method, body)
        return troubled(request, trouble) if trouble else answer(reply, headers={"x-oauth-scopes": self.scopes})

    async def _reply(self, method: str, body: JsonObject) -> JsonObject:
        if method in _SENDING:
            return await self._take(body)
        if method == "chat.update":
            self.sent.change(str(body.get("ts")), _visible_text(str(body.get("text", ""))), body)
        if method == "files.completeUploadExternal":
            return await self._complete_upload(body)
        file_id = f"F{next(self._count)}"
        known: dict[str, JsonObject] = {
            "files.getUploadURLExternal": {"upload_url": f"{self.url}/upload/{file_id}", "file_id": file_id},
            "conversations.members": self._page_of_members(body),
            "auth.test": {"user_id": "UBOT", "bot_id": "BBOT", "team_id": "T1", "user": "bubbles", "url": self.url},
            "apps.connections.open": {"url": self._new_link() if method == "apps.connections.open" else ""},
            "users.info": {
                "user": {"id": body.get("user"), "is_admin": body.get("user") == "U9", **self._profile(body)}
            },
            "chat.getPermalink": {"permalink": f"{self.url}/archives/{body.get('channel')}/p{body.get('message_ts')}"},
            "chat.update": {"ts": body.get("ts"), "channel": body.get("channel")},
        }
        if method not in known:
            return {"ok": False, "error": "unknown_method"}
        return {"ok": True, **known[method]}

    def _profile(self, body: JsonObject) -> JsonObject:
        name = self.names.get(str(body.get("user")), f"Person {body.get('user')}")
        return {"name": name.lower(), "real_name": name, "is_bot": False, "profile": {"display_name": name}}

    async def _take(self, body: JsonObject) -> JsonObject:
        text = str(body.get("text", ""))
        if body["channel"] in self.closed_to_bot:
            return {"ok": False, "error": "not_in_channel"}
        if not text:
            return {"ok": False, "error": "no_text"}
        if len(text) > _MAX_LENGTH:
            return {"ok": False, "error": "msg_too_long"}
        stamp = f"{int(time.time())}.{next(self._count):06d}"
        await self.sent.add(SentMessage(chat=str(body["channel"]), text=_visible_text(text), body=body, id=stamp))
        return {"ok": True, "channel": body["channel"], "ts": stamp, "message": {"text": text}}

    def _page_of_members(self, body: JsonObject) -> JsonObject:
        begin = int(str(body.get("cursor") or 0))
        end = begin + self.members_per_page
        cursor = str(end) if end < len(self.members) else ""
        return {"members": self.members[begin:end], "response_metadata": {"next_cursor": cursor}}

    async def _upload(self, request: web.Request) -> web.Response:
        self._uploads[request.match_info["file_id"]] = await request.read()
        return web.Response(text="OK")

    async def _complete_upload(self, body: JsonObject) -> JsonObject:
        given = body.get("files")
        files = json.loads(given) if isinstance(given, str) else []
        if not all(file["id"] in self._uploads for file in files):
            return {"ok": False, "error": "file_not_found"}
        names = tuple(file["title"] for file in files)
        await self.sent.add(SentMessage(chat=str(body["channel_id"]), text="", body=body, files=names))
        return {"ok": True, "files": files}

    async def _respond(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        await self.sent.add(SentMessage(chat="respond", text=str(body.get("text", "")), body=body))
        return answer({"ok": True})


_SCOPES = "chat:write,channels:history,groups:history,im:history,users:read,commands"


def _visible_text(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
