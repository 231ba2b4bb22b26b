"""Feishu (Lark) on loopback: the long connection with its protobuf frames, tokens, sending and replying.

Source: https://open.feishu.cn/document/server-docs/im-v1/message/create
"""

import itertools
import json
import time
from contextlib import suppress

from aiohttp import ClientConnectionError, WSMsgType, web

from tests.support.chat_servers.feishu_forms import CONTROL, card_text, frame_of, read_frame, sender_of, visible_text
from tests.support.chat_servers.loopback import (
    JsonObject,
    LoopbackServer,
    SentMessage,
    answer,
    body_of,
    troubled,
    uploaded,
)

_SCOPES = (
    "im:message:send_as_bot",
    "im:message.group_msg",
    "im:message.p2p_msg:readonly",
    "im:resource",
    "im:chat.members:read",
)


class FeishuServer(LoopbackServer):
    """One tenant with one app. `say` sends a message of a person, `sent` has those of the bot.

    An event that is not acknowledged is sent again over the next connection. A second message with the same `uuid`
    is dropped and answered with the first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.app_id = "cli_loopback"
        self.app_secret = "loopback"
        self.calls: list[tuple[str, JsonObject]] = []
        self.names: dict[str, str] = {}
        self.has_bot = True
        self.scopes: list[JsonObject] = [{"scope_name": name, "grant_status": 1} for name in _SCOPES]
        self._ids = itertools.count(1)
        self._unacknowledged: dict[str, bytes] = {}
        self._sent: dict[str, JsonObject] = {}
        self.members = ["ou_7", "ou_8", "ou_ann", "ou_ben"]
        self.members_per_page = 100
        self._uploads: dict[str, str] = {}

    @property
    def waits_for(self) -> int:
        """Return the number of events that are not acknowledged."""
        return len(self._unacknowledged)

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the long connection, the token, the bot, and the endpoints for messages."""
        router.add_post("/callback/ws/endpoint", self._endpoint)
        router.add_get("/connect", self._connect)
        router.add_post("/open-apis/auth/v3/tenant_access_token/internal", self._token)
        router.add_get("/open-apis/bot/v3/info", self._bot)
        router.add_get("/open-apis/application/v6/scopes", self._list_scopes)
        router.add_get("/open-apis/contact/v3/users/{open_id}", self._person)
        router.add_post("/open-apis/im/v1/messages", self._create)
        router.add_post("/open-apis/im/v1/messages/{message_id}/reply", self._reply)
        router.add_get("/open-apis/im/v1/messages/{message_id}", self._look_up)
        router.add_put("/open-apis/im/v1/messages/{message_id}", self._edit)
        router.add_post("/open-apis/im/v1/{kind:images|files}", self._upload)
        router.add_get("/open-apis/im/v1/chats/{chat_id}/members", self._members)

    def clear_records(self) -> None:
        """Clear the recorded messages and requests."""
        super().clear_records()
        self.calls.clear()
        self._sent.clear()

    async def say(
        self,
        text: str,
        *,
        chat: str = "oc_1",
        sender: str = "ou_7",
        is_private: bool = False,
        more: JsonObject | None = None,
    ) -> JsonObject:
        """Send `text` as a person; `more` are further fields of the message."""
        number = next(self._ids)
        message: JsonObject = {
            "message_id": f"om_{number}",
            "create_time": str(int(time.time() * 1000)),
            "chat_id": chat,
            "chat_type": "p2p" if is_private else "group",
            "message_type": "text",
            "content": json.dumps({"text": text}, ensure_ascii=False),
            **(more or {}),
        }
        await self._send_event(
            f"event{number}", "im.message.receive_v1", {"sender": sender_of(sender), "message": message}
        )
        return message

    async def withdraw(self, message_id: str, *, chat: str = "oc_1") -> None:
        """Delete a message."""
        stamp = str(int(time.time() * 1000))
        event: JsonObject = {
            "message_id": message_id,
            "chat_id": chat,
            "recall_time": stamp,
            "recall_type": "message_owner",
        }
        await self._send_event(f"event{next(self._ids)}", "im.message.recalled_v1", event)

    async def react(self, message_id: str, emoji_type: str, *, sender: str = "ou_7", is_added: bool = True) -> None:
        """Add or remove a reaction, by the name of the emoji."""
        kind = "created" if is_added else "deleted"
        event: JsonObject = {
            "message_id": message_id,
            "reaction_type": {"emoji_type": emoji_type},
            "operator_type": "user",
            "user_id": {"open_id": sender, "union_id": f"on_{sender}"},
            "action_time": str(int(time.time() * 1000)),
        }
        await self._send_event(f"event{next(self._ids)}", f"im.message.reaction.{kind}_v1", event)

    async def press(self, value: JsonObject, *, message_id: str, chat: str = "oc_1", sender: str = "ou_7") -> None:
        """Press the button with `value` of a card."""
        event: JsonObject = {
            "operator": {"open_id": sender, "union_id": f"on_{sender}", "tenant_key": "t"},
            "token": "c-1",
            "action": {"value": value, "tag": "button", "timezone": "Asia/Shanghai"},
            "host": "im_message",
            "context": {"open_message_id": message_id, "open_chat_id": chat},
        }
        await self._send_event(f"event{next(self._ids)}", "card.action.trigger", event)

    async def _send_event(self, event_id: str, kind: str, event: JsonObject) -> None:
        header = {"event_id": event_id, "event_type": kind, "app_id": self.app_id, "tenant_key": "t", "token": ""}
        payload = json.dumps({"schema": "2.0", "header": header, "event": event}, ensure_ascii=False).encode()
        frame = frame_of(
            {"type": "event", "message_id": event_id, "trace_id": event_id, "sum": "1", "seq": "0"}, payload
        )
        self._unacknowledged[event_id] = frame
        for socket in list(self.sockets):
            with suppress(ConnectionError, ClientConnectionError):
                await socket.send_bytes(frame)
                break

    async def _endpoint(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        self.calls.append(("endpoint", body))
        if body.get("AppSecret") != self.app_secret:
            return answer({"code": 514, "msg": "app_secret is wrong"})
        config = {"ReconnectCount": -1, "ReconnectInterval": 120, "ReconnectNonce": 30, "PingInterval": 120}
        url = f"{self.socket_url}/connect?device_id=1&service_id=2"
        return answer({"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": config}})

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        socket = await self.socket(request)
        with suppress(ConnectionError, ClientConnectionError):
            for frame in list(self._unacknowledged.values()):
                await socket.send_bytes(frame)
            async for received in socket:
                if received.type == WSMsgType.BINARY and read_frame(received.data).method == CONTROL:
                    await socket.send_bytes(frame_of({"type": "pong"}, b"", method=CONTROL))
                elif received.type == WSMsgType.BINARY:
                    self._acknowledge(received.data)
        self.sockets.discard(socket)
        return socket

    def _acknowledge(self, raw: bytes) -> None:
        frame = read_frame(raw)
        headers = {header.key: header.value for header in frame.headers}
        if json.loads(frame.payload).get("code") == 200:
            self._unacknowledged.pop(headers["message_id"], None)

    async def _token(self, request: web.Request) -> web.Response:
        if (await body_of(request)).get("app_secret") != self.app_secret:
            return answer({"code": 10014, "msg": "app secret invalid"})
        return answer({"code": 0, "msg": "ok", "tenant_access_token": "t-loopback", "expire": 7200})

    async def _bot(self, request: web.Request) -> web.Response:
        del request
        if not self.has_bot:
            return answer({"code": 11205, "msg": "app do not have bot"})
        return answer({"code": 0, "msg": "ok", "bot": {"open_id": "ou_bot", "app_name": "Bubbles"}})

    async def _list_scopes(self, request: web.Request) -> web.Response:
        del request
        return answer({"code": 0, "msg": "success", "data": {"scopes": self.scopes}})

    async def _person(self, request: web.Request) -> web.Response:
        open_id = request.match_info["open_id"]
        user = {"open_id": open_id, "name": self.names.get(open_id, f"Person {open_id}")}
        return answer({"code": 0, "msg": "ok", "data": {"user": user}})

    async def _create(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        return await self._take(request, str(body["receive_id"]), body)

    async def _reply(self, request: web.Request) -> web.Response:
        return await self._take(request, f"reply:{request.match_info['message_id']}", await body_of(request))

    async def _take(self, request: web.Request, chat: str, body: JsonObject) -> web.Response:
        if chat in self.closed_to_bot:
            return answer({"code": 230002, "msg": "The bot can not be outside the group."}, status=400)
        trouble = self.next_trouble()
        reply: JsonObject = {}
        if trouble is None or trouble.is_taken:
            reply = await self._record(chat, body)
        return troubled(request, trouble) if trouble else answer(reply)

    async def _record(self, chat: str, body: JsonObject) -> JsonObject:
        key = str(body.get("uuid") or next(self._ids))
        if key not in self._sent:
            message_id = f"om_{next(self._ids)}"
            self._sent[key] = {"code": 0, "msg": "ok", "data": {"message_id": message_id, "chat_id": chat}}
            content = json.loads(str(body["content"]))
            names = [self._uploads[key] for kind, key in content.items() if kind in {"image_key", "file_key"}]
            text = card_text(content) if body["msg_type"] == "interactive" else "" if names else visible_text(content)
            await self.sent.add(SentMessage(chat=chat, text=text, body=body, id=message_id, files=tuple(names)))
        return self._sent[key]

    async def _look_up(self, request: web.Request) -> web.Response:
        message_id = request.match_info["message_id"]
        message = next((entry for entry in self.sent.entries if entry.id == message_id), None)
        chat = "oc_1" if message is None or message.chat.startswith("reply:") else message.chat
        return answer({"code": 0, "msg": "ok", "data": {"items": [{"message_id": message_id, "chat_id": chat}]}})

    async def _edit(self, request: web.Request) -> web.Response:
        body, message_id = await body_of(request), request.match_info["message_id"]
        if body.get("msg_type") != "post":
            return answer({"code": 230001, "msg": "only text and post can be edited"}, status=400)
        self.sent.change(message_id, visible_text(json.loads(str(body["content"]))), body)
        return answer({"code": 0, "msg": "ok", "data": {"message_id": message_id}})

    async def _upload(self, request: web.Request) -> web.Response:
        kind, [name] = request.match_info["kind"].removesuffix("s"), uploaded(await body_of(request))
        key = f"{kind}_{next(self._ids)}"
        self._uploads[key] = name
        return answer({"code": 0, "msg": "ok", "data": {f"{kind}_key": key}})

    async def _members(self, request: web.Request) -> web.Response:
        begin = int(request.query.get("page_token", "0"))
        end = begin + self.members_per_page
        items = [{"member_id": each, "member_id_type": "open_id"} for each in self.members[begin:end]]
        page = {"items": items, "has_more": end < len(self.members), "page_token": str(end)}
        return answer({"code": 0, "msg": "ok", "data": page})
