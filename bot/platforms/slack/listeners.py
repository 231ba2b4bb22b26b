"""Receive Slack's events by Socket Mode or by signed HTTP requests.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import parse_qsl

from aiohttp import ClientError, web
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from bot.config.platform_catalog import EVENTS_PATH
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood, listen
from bot.platforms.slack.calls import web_client
from function_calls.language.messages import Message

# The SDK tries the same address again without end, although its ticket soon expires.
_PINGS_UNTIL_CONNECTED: Final = 12
_ADDRESS: Final = re.compile(r"wss?://[^\s'\"]+")
_LOG: Final = logging.getLogger("slack_sdk.socket_mode.bubbles")
_SEEN_IN_CHANNEL = {"response_type": "in_channel"}

Take = Callable[[str, Mapping[str, object]], Awaitable[None]]
"""Takes the kind of a payload in Socket Mode (`events_api`, `slash_commands`, `interactive`), and the payload."""


def _hide_addresses(record: logging.LogRecord) -> bool:
    """Remove the addresses of Socket Mode, whose tickets open the connection, and the traceback, which repeats them."""
    record.msg, record.args, record.exc_info = _ADDRESS.sub("wss://…", record.getMessage()), (), None
    return True


_LOG.addFilter(_hide_addresses)


class SocketListener:
    """Receives by Socket Mode. An envelope is acknowledged once it is recorded; Slack repeats the others."""

    def __init__(self, take: Take, *, app_token: str, api_url: str, ping_seconds: float = 5.0) -> None:
        self._take = take
        self._app_token = app_token
        self._api_url = api_url
        self._ping_seconds = ping_seconds

    async def serve(self, is_open: Callable[[], None]) -> None:
        """Connect and receive until the connection ends; `is_open` is called whenever the connection proves to be open.

        Raises:
            ConnectionEnded: it ended, or could not be made.
            ConnectionRefusedForGood: Slack does not know the token, or Socket Mode is off.
        """
        arrived: asyncio.Queue[SocketModeRequest] = asyncio.Queue()

        async def arrive(_: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
            arrived.put_nowait(request)

        client = SocketModeClient(
            self._app_token,
            logger=_LOG,
            web_client=web_client(self._app_token, self._api_url),
            auto_reconnect_enabled=False,
            ping_interval=self._ping_seconds,
        )
        client.socket_mode_request_listeners.append(arrive)
        close: Callable[[], Awaitable[None]] = client.close  # the SDK leaves it without types
        try:
            await self._connect(client)
            is_open()
            await self._work(client, arrived, is_open)
        except SlackApiError as error:
            raise _reason(error) from error
        except ClientError as error:
            raise ConnectionEnded(str(error)) from error
        finally:
            await close()

    async def _connect(self, client: SocketModeClient) -> None:
        try:
            async with asyncio.timeout(_PINGS_UNTIL_CONNECTED * self._ping_seconds):
                await client.connect_to_new_endpoint()
        except TimeoutError as error:
            raise ConnectionEnded(Message("connection.missing", {"name": "Slack"})) from error

    async def _work(
        self, client: SocketModeClient, arrived: "asyncio.Queue[SocketModeRequest]", on_activity: Callable[[], None]
    ) -> None:
        """Handle the envelopes in their order, one at a time, and check the connection in between."""
        answered = client.last_ping_pong_time
        while True:
            try:
                async with asyncio.timeout(self._ping_seconds / 5):
                    request = await arrived.get()
            except TimeoutError:
                if client.current_session is None or client.current_session.closed:
                    raise ConnectionEnded(Message("connection.closed_by", {"name": "Slack"})) from None
                if client.last_ping_pong_time != answered:
                    answered = client.last_ping_pong_time
                    on_activity()
                continue
            on_activity()
            await self._take(request.type, request.payload)
            answer = _SEEN_IN_CHANNEL if request.type == "slash_commands" else None
            await client.send_socket_mode_response(SocketModeResponse(request.envelope_id, payload=answer))


class HttpListener:
    """Receives signed requests; unsigned ones, and those older than five minutes, are refused."""

    def __init__(self, take: Take, *, signing_secret: str, host: str, port: int) -> None:
        self._take = take
        self._verifier = SignatureVerifier(signing_secret)
        self._host = host
        self._port = port
        self.port = 0

    async def serve(self, is_open: Callable[[], None]) -> None:
        """Listen until cancelled."""
        async with listen(
            lambda router: router.add_post(EVENTS_PATH, self._handle), self._host, self._port
        ) as self.port:
            is_open()
            await asyncio.Event().wait()

    async def _handle(self, request: web.Request) -> web.Response:
        raw = await request.read()
        if not self._is_signed(raw, request):
            return web.Response(status=401)
        kind, payload = _read(raw, is_json=request.content_type == "application/json")
        if payload.get("type") == "url_verification":
            return web.json_response({"challenge": payload.get("challenge")})
        await self._take(kind, payload)
        return web.json_response(_SEEN_IN_CHANNEL) if kind == "slash_commands" else web.Response()

    def _is_signed(self, raw: bytes, request: web.Request) -> bool:
        try:
            return self._verifier.is_valid_request(raw, dict(request.headers))
        except (TypeError, ValueError):  # the time is no number, the body or the signature no text
            return False


def _read(raw: bytes, *, is_json: bool) -> tuple[str, Mapping[str, object]]:
    """Return the kind and the payload of a request, as in Socket Mode."""
    if is_json:
        return "events_api", json.loads(raw)
    fields = dict(parse_qsl(raw.decode()))
    return ("interactive", json.loads(fields["payload"])) if "payload" in fields else ("slash_commands", fields)


def _reason(error: SlackApiError) -> Exception:
    reason = str(error.response.get("error", error))
    if reason in {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "not_allowed_token_type"}:
        return ConnectionRefusedForGood(Message("connection.slack_token"))
    if reason in {"missing_scope", "forbidden_socket_mode", "socket_mode_not_enabled"}:
        return ConnectionRefusedForGood(Message("connection.slack_socket_mode", {"reason": reason}))
    return ConnectionEnded(reason)
