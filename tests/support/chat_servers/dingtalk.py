"""DingTalk on loopback: the gateway of Stream mode with acknowledgements, tokens, sending by session or by API.

Source: https://open.dingtalk.com/document/orgapp/the-robot-sends-a-group-message
"""

import itertools
import json
import time
from contextlib import suppress

from aiohttp import ClientConnectionError, WSMsgType, web

from tests.support.chat_servers.loopback import (
    JsonObject,
    LoopbackServer,
    SentMessage,
    answer,
    body_of,
    troubled,
    uploaded,
)

_TOPIC = "/v1.0/im/bot/messages/get"


class DingTalkServer(LoopbackServer):
    """One organisation with one robot. `say` sends a message to the robot, `sent` has its messages.

    `denies` is DingTalk's reason why the robot may not send, or empty. A frame that is not acknowledged is sent again
    over the next connection, as by DingTalk.
    """

    def __init__(self) -> None:
        super().__init__()
        self.client_id = "ding-loopback"
        self.client_secret = "loopback"
        self.calls: list[tuple[str, JsonObject]] = []
        self.tokens = 0
        self.denies = ""
        self._uploads: dict[str, str] = {}
        self._ids = itertools.count(1)
        self._tickets: set[str] = set()
        self._unacknowledged: dict[str, JsonObject] = {}

    @property
    def waits_for(self) -> int:
        """Return the number of frames that are not acknowledged."""
        return len(self._unacknowledged)

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the gateway, the token, and the endpoints for messages."""
        router.add_post("/v1.0/gateway/connections/open", self._open_connection)
        router.add_get("/connect", self._connect)
        router.add_post("/v1.0/oauth2/accessToken", self._token)
        router.add_post("/v1.0/robot/groupMessages/send", self._send_to_group)
        router.add_post("/v1.0/robot/oToMessages/batchSend", self._send_to_person)
        router.add_post("/v1.0/robot/messageFiles/download", self._download)
        router.add_post("/media/upload", self._upload)
        router.add_post("/robot/sendBySession", self._send_by_session)

    def clear_records(self) -> None:
        """Clear the recorded messages and requests."""
        super().clear_records()
        self.calls.clear()

    async def say(
        self,
        text: str,
        *,
        conversation: str = "cid1",
        sender: str = "staff7",
        is_private: bool = False,
        session_ends_at: float | None = None,
        more: JsonObject | None = None,
    ) -> JsonObject:
        """Send `text` to the robot, in a group with a mention; `more` are further fields.

        It may be answered by its session until `session_ends_at` (Unix seconds; in an hour and a half by default).
        """
        number = next(self._ids)
        event: JsonObject = {
            "msgId": f"msg{number}",
            "msgtype": "text",
            "text": {"content": f" {text}"},
            "conversationId": conversation,
            "conversationType": "1" if is_private else "2",
            "conversationTitle": "team",
            "senderId": f"$:LWCP_v1:${sender}",
            "senderStaffId": sender,
            "senderNick": f"Person {sender}",
            "isAdmin": sender == "staff9",
            "chatbotUserId": "$:LWCP_v1:$robot",
            "robotCode": self.client_id,
            "isInAtList": True,
            "atUsers": [{"dingtalkId": "$:LWCP_v1:$robot"}],
            "createAt": int(time.time() * 1000),
            "sessionWebhook": f"{self.url}/robot/sendBySession?session={conversation}",
            "sessionWebhookExpiredTime": int((session_ends_at or time.time() + 5400) * 1000),
            **(more or {}),
        }
        await self._send_event(f"frame{number}", event)
        return event

    async def _send_event(self, frame_id: str, event: JsonObject) -> None:
        headers = {"topic": _TOPIC, "messageId": frame_id, "contentType": "application/json", "time": "1795168800000"}
        frame: JsonObject = {
            "specVersion": "1.0",
            "type": "CALLBACK",
            "headers": headers,
            "data": json.dumps(event, ensure_ascii=False),
        }
        self._unacknowledged[frame_id] = frame
        for socket in list(self.sockets):
            with suppress(ConnectionError, ClientConnectionError):
                await socket.send_json(frame)
                break

    async def _open_connection(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        self.calls.append(("open", body))
        if (body.get("clientId"), body.get("clientSecret")) != (self.client_id, self.client_secret):
            return answer({"code": "authFailed", "message": "AuthFailed"}, status=401)
        ticket = f"ticket{next(self._ids)}"
        self._tickets.add(ticket)
        return answer({"endpoint": f"{self.socket_url}/connect", "ticket": ticket})

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("ticket") not in self._tickets:
            return answer({}, status=401)
        self._tickets.discard(request.query["ticket"])
        socket = await self.socket(request)
        with suppress(ConnectionError, ClientConnectionError):
            for frame in list(self._unacknowledged.values()):
                await socket.send_json(frame)
            async for received in socket:
                if received.type == WSMsgType.TEXT:
                    self._acknowledge(json.loads(received.data))
        self.sockets.discard(socket)
        return socket

    def _acknowledge(self, frame: JsonObject) -> None:
        headers = frame.get("headers")
        if frame.get("code") == 200 and isinstance(headers, dict):
            self._unacknowledged.pop(str(headers.get("messageId")), None)

    async def _token(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        if body.get("appSecret") != self.client_secret:
            return answer({"code": "invalidClientIdOrSecret", "message": "no"}, status=400)
        self.tokens += 1
        return answer({"accessToken": f"token{self.tokens}", "expireIn": 7200})

    async def _send_to_group(self, request: web.Request) -> web.Response:
        return await self._send(request, "openConversationId")

    async def _send_to_person(self, request: web.Request) -> web.Response:
        return await self._send(request, "userIds")

    async def _send(self, request: web.Request, where: str) -> web.Response:
        body = await body_of(request)
        if request.headers.get("x-acs-dingtalk-access-token") != f"token{self.tokens}":
            return answer({"code": "InvalidAuthentication", "message": "no"}, status=401)
        parameters, chat = json.loads(str(body["msgParam"])), body[where]
        media_id = parameters.get("photoURL", parameters.get("mediaId"))
        message = SentMessage(
            chat=str(chat[0] if isinstance(chat, list) else chat),
            text=parameters.get("content", ""),
            body=body,
            files=() if media_id is None else (self._uploads[media_id],),
        )
        return await self._take(request, message)

    async def _upload(self, request: web.Request) -> web.Response:
        if request.query.get("access_token") != f"token{self.tokens}":
            return answer({"errcode": 40014, "errmsg": "不合法的access_token"})
        [name] = uploaded(await body_of(request))
        media_id = f"@media{next(self._ids)}"
        self._uploads[media_id] = name
        return answer({"errcode": 0, "errmsg": "ok", "media_id": media_id, "type": request.query["type"]})

    async def _download(self, request: web.Request) -> web.Response:
        del request  # there are no files
        if not self.denies:
            return answer({"code": "invalidParameter.downloadCode", "message": "no"}, status=400)
        detail = {"requiredScopes": ["qyapi_robot_sendmsg"]}
        code = f"Forbidden.AccessDenied.{self.denies}"
        return answer({"code": code, "message": "no", "accessdenieddetail": detail}, status=403)

    async def _send_by_session(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        content = body[str(body["msgtype"])]
        text = content.get("text", content.get("content", "")) if isinstance(content, dict) else ""
        return await self._take(request, SentMessage(chat=request.query["session"], text=str(text), body=body))

    async def _take(self, request: web.Request, message: SentMessage) -> web.Response:
        if message.chat in self.closed_to_bot:
            return answer({"code": "robot.notInConversation", "message": "no"}, status=400)
        trouble = self.next_trouble()
        if trouble is None or trouble.is_taken:
            await self.sent.add(message)
        key = f"key{next(self._ids)}"
        return troubled(request, trouble) if trouble else answer({"errcode": 0, "processQueryKey": key})
