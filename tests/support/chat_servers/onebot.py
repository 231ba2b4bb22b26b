"""A QQ client that speaks OneBot v11: it dials the bot, lets the bot dial it, or posts events over HTTP.

async with OneBotClient(token="secret") as client:
    await client.dial("ws://127.0.0.1:8080/onebot/v11/ws")       # reverse WebSocket
    client.url, client.socket_url                                 # HTTP actions, forward WebSocket
    client.post_to = "http://127.0.0.1:8080/onebot/v11/"          # HTTP events

Source: https://github.com/botuniverse/onebot-11
"""

import asyncio
import hashlib
import hmac
import itertools
import json
from contextlib import suppress

from aiohttp import ClientConnectionError, ClientSession, ClientWebSocketResponse, WSMsgType, web

from tests.support.chat_servers import onebot_forms as forms
from tests.support.chat_servers.loopback import (
    JsonObject,
    LoopbackServer,
    SentMessage,
    Trouble,
    answer,
    body_of,
    troubled,
)

_SENDING = ("send_msg", "send_group_msg", "send_private_msg")

Socket = web.WebSocketResponse | ClientWebSocketResponse


class OneBotClient(LoopbackServer):
    """One QQ account. `say` sends a message of a person, `sent` has those of the bot.

    All three modes need `token`; `secret` signs events sent over HTTP. Events wait while no bot is connected.
    """

    def __init__(self, *, token: str = "", secret: str = "") -> None:
        super().__init__()
        self.token = token
        self.secret = secret
        self.post_to = ""
        self.names: dict[str, str] = {}
        self.calls: list[tuple[str, JsonObject]] = []
        self._ids = itertools.count(1)
        self._queued_events: list[JsonObject] = []
        self._lines: list[Socket] = []
        self._session: ClientSession | None = None
        self._reading: set[asyncio.Task[None]] = set()

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the forward WebSocket at the root, and one path for every action."""
        for path in ("/", "/event", "/event/"):
            router.add_get(path, self._forward)
        router.add_route("*", "/{action}", self._act_over_http)

    def calls_of(self, action: str) -> list[JsonObject]:
        """Return the arguments of calls of `action`, in order."""
        return [params for name, params in self.calls if name == action]

    async def dial(self, url: str) -> None:
        """Connect to the bot's WebSocket server."""
        if self._session is None:
            self._session = ClientSession()
        headers = {"X-Self-ID": forms.SELF, "X-Client-Role": "Universal"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        line = await self._session.ws_connect(url, headers=headers)
        task = asyncio.get_running_loop().create_task(self._serve(line))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def hang_up(self) -> None:
        """Break every WebSocket in both directions."""
        for line in list(self._lines):
            if isinstance(line, ClientWebSocketResponse):
                await line.close(code=1006)
        await self.disconnect()
        self._lines.clear()

    async def close(self) -> None:
        """Break the connections and refuse new ones until `open`."""
        await self.hang_up()
        await super().close()

    async def __aexit__(self, *raised: object) -> None:
        """Break the connections and stop."""
        await self.hang_up()
        for task in list(self._reading):
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        if self._session is not None:
            await self._session.close()
        await super().__aexit__(None, None, None)

    def clear_records(self) -> None:
        """Clear the recorded messages and requests."""
        super().clear_records()
        self.calls.clear()

    async def say(
        self, message: object, *, group: str | None = "100", sender: str = "7", name: str = "", role: str = "member"
    ) -> JsonObject:
        """Send `message` (a text with CQ codes, or segments); without `group` in a private chat."""
        event = forms.message(next(self._ids), message, group=group, sender=sender, name=name, role=role)
        await self.event(event)
        return event

    async def react(self, message_id: str, emoji_id: str, *, sender: str = "7", is_added: bool = True) -> None:
        """Add or remove a reaction in the group, by the number of the emoji, in the form of NapCat."""
        await self.event(forms.reacted(message_id, emoji_id, sender=sender, is_added=is_added))

    async def withdraw(self, message_id: str, *, sender: str = "7") -> None:
        """Delete a message of the group."""
        await self.event(forms.recalled(message_id, sender=sender))

    async def event(self, event: JsonObject) -> None:
        """Send `event` to the bot."""
        if self.post_to:
            await self._post(event)
            return
        self._queued_events.append(event)
        await self._send_queued_events()

    async def _send_queued_events(self) -> None:
        for line in [line for line in self._lines if not line.closed][:1]:
            while self._queued_events:
                try:
                    await line.send_json(self._queued_events[0])
                except (ConnectionError, ClientConnectionError):
                    return
                self._queued_events.pop(0)

    async def _post(self, event: JsonObject) -> None:
        body = json.dumps(event, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", "X-Self-ID": forms.SELF}
        if self.secret:
            headers["X-Signature"] = "sha1=" + hmac.new(self.secret.encode(), body, hashlib.sha1).hexdigest()
        if self._session is None:
            self._session = ClientSession()
        async with self._session.post(self.post_to, data=body, headers=headers) as response:
            response.raise_for_status()

    async def _forward(self, request: web.Request) -> web.StreamResponse:
        if refusal := self._refusal(request):
            return refusal
        line = await self.socket(request)
        await self._serve(line)
        return line

    async def _serve(self, line: Socket) -> None:
        self._lines.append(line)
        with suppress(ConnectionError, ClientConnectionError):
            await line.send_json(forms.connected())
            await self._send_queued_events()
            async for frame in line:
                if frame.type == WSMsgType.TEXT:
                    await self._act_over_socket(line, json.loads(frame.data))
        if line in self._lines:
            self._lines.remove(line)

    async def _act_over_socket(self, line: Socket, request: JsonObject) -> None:
        params = request.get("params")
        trouble = self._next_trouble_of(str(request["action"]))
        reply: JsonObject = {}
        if trouble is None or trouble.is_taken:
            reply = await self._act(str(request["action"]), params if isinstance(params, dict) else {})
        if trouble is not None and trouble.is_cut:
            await self.hang_up()
            return
        await line.send_json({**(trouble.body if trouble else reply), "echo": request.get("echo")})

    async def _act_over_http(self, request: web.Request) -> web.Response:
        if refusal := self._refusal(request):
            return refusal
        action = request.match_info["action"]
        trouble = self._next_trouble_of(action)
        reply: JsonObject = {}
        if trouble is None or trouble.is_taken:
            reply = await self._act(action, await body_of(request))
        if trouble is not None:
            return troubled(request, trouble)
        return answer(reply, status=404 if reply["retcode"] == forms.UNKNOWN_ACTION else 200)

    def _next_trouble_of(self, action: str) -> Trouble | None:
        return self.next_trouble() if action in _SENDING else None

    async def _act(self, action: str, params: JsonObject) -> JsonObject:
        self.calls.append((action, params))
        if action in _SENDING:
            sent_id = next(self._ids)
            where = "group_id" if params.get("message_type", "group") == "group" and "group_id" in params else "user_id"
            if str(params[where]) in self.closed_to_bot:
                return forms.failed(120)
            text = forms.visible_text(params["message"])
            files = forms.pictures(params["message"])
            await self.sent.add(
                SentMessage(chat=str(params[where]), text=text, body=params, id=str(sent_id), files=files)
            )
            return forms.done({"message_id": sent_id})
        if action == "get_group_member_info":
            person = str(params["user_id"])
            found = {"user_id": params["user_id"], "nickname": self.names.get(person, f"Person {person}"), "card": ""}
            return forms.done(found) if person in forms.MEMBERS else forms.failed(100)
        if action == "get_login_info":
            return forms.done({"user_id": int(forms.SELF), "nickname": "Bubbles"})
        if action in {"get_status", "delete_msg", "set_msg_emoji_like"}:
            return forms.done({"online": True, "good": True})
        return forms.failed(forms.UNKNOWN_ACTION)

    def _refusal(self, request: web.Request) -> web.Response | None:
        """Return 401 without a token and 403 with a wrong one, as in the standard."""
        if not self.token:
            return None
        given = request.headers.get("Authorization", "").removeprefix("Bearer ") or request.query.get("access_token")
        if not given:
            return answer({}, status=401)
        return None if given == self.token else answer({}, status=403)
