"""Connect to a OneBot client by forward WebSocket, reverse WebSocket or HTTP.

Source: https://github.com/botuniverse/onebot-11/tree/master/communication
"""

import asyncio
import hashlib
import hmac
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from aiohttp import ClientError, ClientSession, ClientTimeout, ClientWebSocketResponse, WSMsgType, web

from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood, PendingAnswers
from bot.platforms.kit.events import Form, mapping
from function_calls.language.messages import Message
from services.kernel.errors import DeliveryFailed

_ANSWER_SECONDS = 20.0

SOCKET_PATHS = ("/onebot/v11/ws", "/onebot/v11/ws/")
POST_PATHS = ("/onebot/v11", "/onebot/v11/")

_HEARTBEAT_SECONDS = 30.0
_REFUSED = (401, 403)

Take = Callable[[Mapping[str, object]], Awaitable[None]]
Socket = web.WebSocketResponse | ClientWebSocketResponse


class Answer(Form):
    """The answer to an action. Source: https://github.com/botuniverse/onebot-11/blob/master/api/README.md."""

    status: Literal["ok", "async", "failed"] = "failed"
    retcode: int = -1
    data: object = None
    echo: object = None
    message: str | None = ""
    wording: str | None = ""

    @property
    def reason(self) -> str:
        """Return why it failed, as far as the client says."""
        return self.wording or self.message or f"retcode {self.retcode}"


class _SocketLink:
    """Base of both WebSocket links: events and answers come over one connection."""

    def __init__(self, take: Take, token: str) -> None:
        self._take = take
        self._token = token
        self._numbers = itertools.count(1)
        self._pending: PendingAnswers[Answer] = PendingAnswers()
        self._socket: Socket | None = None

    async def call(self, action: str, params: Mapping[str, object]) -> Answer:
        """Ask over the socket."""
        socket = self._socket
        if socket is None or socket.closed:
            raise DeliveryFailed("onebot: no client is connected")

        echo = f"bubbles-{next(self._numbers)}"
        async with self._pending.expect(echo, _ANSWER_SECONDS, f"onebot: no answer to {action}") as answer:
            try:
                await socket.send_json({"action": action, "params": dict(params), "echo": echo})
            except (ConnectionError, ClientError) as error:
                raise DeliveryFailed(f"onebot: {error}", is_unknown=True) from error
            return await answer

    async def _serve(self, socket: Socket) -> None:
        self._socket = socket
        try:
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    await self._read(json.loads(frame.data))
        finally:
            self._socket = None
            self._pending.lose_all("onebot: the connection broke")
        raise ConnectionEnded(Message("connection.closed_by", {"name": "OneBot"}))

    async def _read(self, frame: Mapping[str, object]) -> None:
        if "post_type" in frame:
            await self._take(frame)
        else:
            answer = Answer.model_validate(frame)
            self._pending.resolve(str(answer.echo), answer)


class ForwardLink(_SocketLink):
    """Connects to the WebSocket server of the client."""

    def __init__(self, take: Take, *, url: str, token: str) -> None:
        super().__init__(take, token)
        self._url = url

    async def session(self) -> None:
        """Connect, and serve the socket."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            async with (
                ClientSession() as client,
                client.ws_connect(self._url, headers=headers, heartbeat=_HEARTBEAT_SECONDS) as socket,
            ):
                await self._serve(socket)
        except ClientError as error:
            if getattr(error, "status", None) in _REFUSED:
                raise ConnectionRefusedForGood(Message("connection.onebot_token")) from error
            raise ConnectionEnded(str(error)) from error


class ReverseLink(_SocketLink):
    """Accepts the WebSocket connection of the client; a newer one replaces an older one."""

    def __init__(self, take: Take, *, token: str) -> None:
        super().__init__(take, token)
        self._arrived: asyncio.Queue[tuple[web.WebSocketResponse, asyncio.Event]] = asyncio.Queue()

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the route at which the client connects."""
        for path in SOCKET_PATHS:
            router.add_get(path, self._accept)

    async def session(self) -> None:
        """Wait for a client, and serve its socket."""
        socket, is_over = await self._arrived.get()
        try:
            await self._serve(socket)
        finally:
            is_over.set()

    async def _accept(self, request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        refusal = _refusal(request, given or request.query.get("access_token", ""), self._token)
        if refusal is not None:
            return refusal
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS)
        await socket.prepare(request)
        is_over = asyncio.Event()
        if self._socket is not None:
            await self._socket.close()
        await self._arrived.put((socket, is_over))
        await is_over.wait()
        return socket


class HttpLink:
    """Receives events as HTTP requests, and posts actions to the client."""

    def __init__(self, take: Take, *, url: str, token: str, secret: str) -> None:
        self._take = take
        self._url = url.rstrip("/")
        self._token = token
        self._secret = secret.encode()

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the route at which the client posts."""
        for path in POST_PATHS:
            router.add_post(path, self._handle)

    async def session(self) -> None:
        """Check that the client answers; its events arrive by themselves."""
        try:
            answer = await self.call("get_login_info", {})
        except DeliveryFailed as failure:
            raise ConnectionEnded(str(failure)) from failure
        await self._take({"post_type": "meta_event", "self_id": _self_id(answer)})
        await asyncio.Event().wait()

    async def call(self, action: str, params: Mapping[str, object]) -> Answer:
        """Post one action."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            async with (
                ClientSession(timeout=ClientTimeout(total=20)) as client,
                client.post(f"{self._url}/{action}", json=dict(params), headers=headers) as response,
            ):
                if response.status in _REFUSED:
                    raise DeliveryFailed("the OneBot client refuses the access token", is_permanent=True)
                return Answer.model_validate(await response.json(content_type=None))
        except (ClientError, TimeoutError, ValueError) as error:
            is_sent = not hasattr(error, "os_error")  # only a connection that was never made has the system's error
            raise DeliveryFailed(f"onebot: {error}", is_unknown=is_sent) from error

    async def _handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        expected = "sha1=" + hmac.new(self._secret, body, hashlib.sha1).hexdigest() if self._secret else ""
        refusal = _refusal(request, request.headers.get("X-Signature", ""), expected)
        if refusal is not None:
            return refusal
        await self._take(json.loads(body))
        return web.Response(status=204)


def _refusal(request: web.Request, given: str, expected: str) -> web.Response | None:
    """Return the response to a request without the `expected` proof; None where it has it or none is expected.

    Without an expected proof, requests of web pages, which have an `Origin`, are refused: any page may send them here.
    """
    if expected:
        is_client = hmac.compare_digest(given.encode(), expected.encode())
        return None if is_client else web.Response(status=403 if given else 401)
    return web.Response(status=403) if "Origin" in request.headers else None


def _self_id(answer: Answer) -> int:
    number = mapping(answer.data).get("user_id")
    return number if isinstance(number, int) else 0
