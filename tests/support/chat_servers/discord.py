"""Discord on loopback: the gateway with its sessions, and the REST endpoints that a bot uses.

async with DiscordServer() as server:
    with server.redirect_client():                # discord.py has its addresses in its classes
        await client.start(server.token)

Source: https://discord.com/developers/docs/events/gateway
"""

import asyncio
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from aiohttp import ClientConnectionError, WSMsgType, web

from tests.support.chat_servers import discord_forms as forms
from tests.support.chat_servers.loopback import (
    JsonObject,
    LoopbackServer,
    SentMessage,
    answer,
    body_of,
    troubled,
    uploaded,
)

_MAX_LENGTH = 2000
_KEPT_EVENTS = 1000


class DiscordServer(LoopbackServer):
    """One guild with one channel. `say` sends a message of a person, `sent` has those of the bot.

    A client that resumes the session gets the events that it missed. A second message with the same enforced nonce is
    dropped and answered with the first. `refuses_intents` closes with 4014, as for an application whose privileged
    intents are off. With `refuses_commands` no slash command is valid.
    """

    def __init__(self, *, refuses_intents: bool = False, flags: int = forms.MESSAGE_CONTENT) -> None:
        super().__init__()
        self.token = "loopback"
        self.refuses_intents = refuses_intents
        self.refuses_commands = False
        self.flags = flags
        self.permissions = forms.EVERYTHING
        self.exceptions: list[JsonObject] = []
        self.heartbeat_milliseconds = 41_250
        self.calls: list[tuple[str, str, JsonObject]] = []
        self.sessions = 0
        self.resumed = 0
        self._ids = itertools.count(1000)
        self._events: list[JsonObject] = []
        self._sequence = 0
        self._nonces: dict[str, JsonObject] = {}
        self._has_client = asyncio.Event()

    @contextmanager
    def redirect_client(self) -> Iterator[None]:
        """Point discord.py at this server within the context."""
        import yarl
        from discord.gateway import DiscordWebSocket
        from discord.http import Route

        before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
        Route.BASE = f"{self.url}/api/v10"
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"{self.socket_url}/gateway")
        try:
            yield
        finally:
            Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the gateway, and every REST path."""
        router.add_get("/gateway{rest:.*}", self._gateway)
        router.add_route("*", "/api/v10/{path:.*}", self._answer_request)

    def calls_of(self, method: str, ending: str) -> list[JsonObject]:
        """Return the bodies of `method` requests whose path has this ending, in order."""
        return [body for verb, path, body in self.calls if verb == method and path.endswith(ending)]

    def clear_records(self) -> None:
        """Clear the recorded messages and requests."""
        super().clear_records()
        self.calls.clear()

    async def say(
        self,
        text: str,
        *,
        channel: str = forms.CHANNEL,
        sender: str = "7",
        name: str = "",
        is_bot: bool = False,
        more: JsonObject | None = None,
    ) -> JsonObject:
        """Send `text` as a person; `more` are further fields of the message."""
        message = forms.message(str(next(self._ids)), text, channel=channel, sender=sender, name=name, is_bot=is_bot)
        message |= more or {}
        await self.event("MESSAGE_CREATE", message)
        return message

    async def command(self, name: str, options: list[JsonObject], *, sender: str = "7") -> None:
        """Use a slash command."""
        data: JsonObject = {"id": "1", "name": name, "type": 1, "options": options}
        await self.event("INTERACTION_CREATE", forms.interaction(str(next(self._ids)), 2, data, forms.user(sender)))

    async def press(self, custom_id: str, *, message_id: str, sender: str = "7", name: str = "") -> None:
        """Press the button `custom_id` under a message of the bot."""
        under = {**forms.message(message_id, "pressed", sender=forms.BOT_ID), "author": forms.BOT}
        pressed: JsonObject = {"custom_id": custom_id, "component_type": 2}
        event = forms.interaction(str(next(self._ids)), 3, pressed, forms.user(sender, name=name))
        await self.event("INTERACTION_CREATE", {**event, "message": under})

    async def react(
        self, message_id: str, emoji: str, *, sender: str = "7", name: str = "", is_added: bool = True
    ) -> None:
        """Add or remove a reaction to a message of the channel."""
        change = forms.reacted(message_id, emoji, forms.user(sender, name=name), is_added=is_added)
        await self.event("MESSAGE_REACTION_ADD" if is_added else "MESSAGE_REACTION_REMOVE", change)

    async def event(self, kind: str, data: JsonObject) -> None:
        """Send an event to the bot."""
        self._sequence += 1
        self._events.append({"op": 0, "t": kind, "s": self._sequence, "d": data})
        del self._events[:-_KEPT_EVENTS]
        for socket in list(self.sockets):
            with suppress(ConnectionError, ClientConnectionError):
                await socket.send_json(self._events[-1])

    async def wait_for_client(self) -> None:
        """Wait until a bot is connected to the gateway."""
        await self._has_client.wait()

    async def invalidate(self) -> None:
        """End the session, so that the next connection cannot resume it."""
        self._events.clear()
        self._sequence = 0
        await self.disconnect()

    async def disconnect(self) -> None:
        """Break every connection without a close frame."""
        self._has_client.clear()
        await super().disconnect()

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        with suppress(ConnectionError, ClientConnectionError):
            await socket.send_json({"op": 10, "d": {"heartbeat_interval": self.heartbeat_milliseconds}})
            async for frame in socket:
                if frame.type == WSMsgType.TEXT:
                    await self._hear(socket, json.loads(frame.data))
        self.sockets.discard(socket)
        return socket

    async def _hear(self, socket: web.WebSocketResponse, frame: JsonObject) -> None:
        data = frame.get("d")
        if frame["op"] == 1:
            await socket.send_json({"op": 11})
        elif frame["op"] == 2 and isinstance(data, dict):
            await self._identify(socket, data)
        elif frame["op"] == 6 and isinstance(data, dict):
            await self._resume(socket, int(data["seq"] or 0))

    async def _identify(self, socket: web.WebSocketResponse, data: JsonObject) -> None:
        if data["token"] != self.token:
            await socket.close(code=4004, message=b"Authentication failed.")
        elif self.refuses_intents:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
        else:
            self.sessions += 1
            missed = self._events
            self._events = []
            self._sequence = 0
            self.sockets.add(socket)
            self._has_client.set()
            await self.event("READY", forms.ready(f"{self.socket_url}/gateway", self.flags))
            await self.event("GUILD_CREATE", forms.guild())
            if self.sessions == 1:  # events before the first session; a later one starts with new events
                for event in missed:
                    await self.event(str(event["t"]), dict(event["d"]))  # type: ignore[call-overload]  # an object

    async def _resume(self, socket: web.WebSocketResponse, seen: int) -> None:
        if seen > self._sequence or not self._events or int(str(self._events[0]["s"])) > seen + 1:
            await socket.send_json({"op": 9, "d": False})
            return
        self.resumed += 1
        missed = [event for event in self._events if int(str(event["s"])) > seen]
        self.sockets.add(socket)
        self._has_client.set()
        for event in missed:
            await socket.send_json(event)
        await self.event("RESUMED", {})

    async def _answer_request(self, request: web.Request) -> web.Response:
        path, body = request.match_info["path"], await body_of(request) if request.can_read_body else {}
        files = uploaded(body)
        if "payload_json" in body:
            body = json.loads(str(body["payload_json"]))
        self.calls.append((request.method, path, body))
        is_callback = path.startswith(("interactions/", "webhooks/"))
        if not is_callback and request.headers.get("Authorization") != f"Bot {self.token}":
            return answer({"message": "401: Unauthorized", "code": 0}, status=401)
        is_sending = request.method == "POST" and path.endswith("/messages")
        trouble = self.next_trouble() if is_sending else None
        reply = answer({})
        if trouble is None or trouble.is_taken:
            reply = await self._take(path, body, files) if is_sending else self._look_up(request, body)
        return troubled(request, trouble) if trouble else reply

    def _look_up(self, request: web.Request, body: JsonObject) -> web.Response:
        path = request.match_info["path"]
        known: dict[str, object] = {
            "users/@me": forms.BOT,
            "gateway": {"url": f"{self.socket_url}/gateway"},
            "gateway/bot": forms.gateway_for_bots(f"{self.socket_url}/gateway"),
            "oauth2/applications/@me": forms.application(self.flags),
            "users/@me/guilds": [{"id": forms.GUILD, "name": "team", "permissions": str(self.permissions)}],
            f"channels/{forms.CHANNEL}": forms.channel(),
            f"guilds/{forms.GUILD}/channels": [{**forms.channel(), "permission_overwrites": self.exceptions}],
        }
        if path in known:
            return answer(known[path])
        if path.startswith(f"guilds/{forms.GUILD}/members/"):
            person = path.rsplit("/", 1)[1]
            found = {**forms.member(), "user": forms.user(person)}
            unknown = answer({"message": "Unknown Member", "code": 10007}, status=404)
            return answer(found) if person in forms.MEMBERS else unknown
        if request.method == "PUT" and path.endswith("/commands"):
            refusal = answer({"message": "Invalid Form Body", "code": 50035}, status=400)
            return refusal if self.refuses_commands else answer([])
        if request.method == "PATCH" and "/messages/" in path:
            self.sent.change(path.rsplit("/", 1)[1], str(body.get("content")))
            return answer({**forms.message(path.rsplit("/", 1)[1], str(body.get("content"))), "author": forms.BOT})
        return web.Response(status=204)

    async def _take(self, path: str, body: JsonObject, files: tuple[str, ...]) -> web.Response:
        if path.split("/")[1] in self.closed_to_bot:
            return answer({"message": "Missing Access", "code": 50001}, status=403)
        text, nonce = str(body.get("content", "")), str(body.get("nonce", ""))
        if not text.strip() and not files:
            return answer({"message": "Cannot send an empty message", "code": 50006}, status=400)
        if len(text) > _MAX_LENGTH:
            return answer({"message": "Invalid Form Body", "code": 50035}, status=400)
        if body.get("enforce_nonce") and nonce in self._nonces:
            return answer(self._nonces[nonce])
        channel = path.split("/")[1]
        sent = {**forms.message(str(next(self._ids)), text, channel=channel), "author": forms.BOT, "nonce": nonce}
        self._nonces[nonce] = sent
        await self.sent.add(SentMessage(chat=channel, text=text, body=body, id=str(sent["id"]), files=files))
        return answer(sent)
