"""Receive by DingTalk's Stream mode, send by session webhooks or the API."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from urllib.parse import quote_plus

import websockets
from dingtalk_stream import AckMessage, CallbackHandler, CallbackMessage, ChatbotMessage, Credential
from dingtalk_stream import DingTalkStreamClient as SdkClient

from bot.config.platform_catalog import DingTalkSettings
from bot.platforms.base import Capabilities, OutgoingMessage
from bot.platforms.dingtalk import requests
from bot.platforms.dingtalk.api import DingTalkApi
from bot.platforms.dingtalk.wire import NAME, Event, address_of, to_message
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts, ends_connection
from bot.platforms.kit.connection import Connection, ConnectionEnded
from bot.platforms.kit.events import instant, parse_event
from bot.platforms.kit.pieces import pieces, send_in_order
from function_calls.language.messages import Message
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, SentFile
from services.kernel.clock import Clock

Take = Callable[[Mapping[str, object]], Awaitable[None]]

TOPIC: str = ChatbotMessage.TOPIC

_log = logging.getLogger("dingtalk_stream")

_STALE_AFTER: Final = timedelta(minutes=1)
_MARGIN = timedelta(minutes=1)
_REMEMBERED_SESSIONS = 10_000


class _Handler(CallbackHandler):  # type: ignore[misc]  # the SDK has no types
    """Passes messages on; the SDK acknowledges a message when that is done."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self._take = take

    async def process(self, message: CallbackMessage) -> tuple[int, str]:
        await self._take(message.data)
        return AckMessage.STATUS_OK, "OK"


class StreamClient(SdkClient):  # type: ignore[misc]  # the SDK has no types
    """Reads and acknowledges frames with the SDK, over a connection of the caller.

    The `start` of the SDK blocks the event loop, and treats a cancellation as a network failure.
    """

    def __init__(self, take: Take) -> None:
        super().__init__(Credential("", ""), _log)
        self.register_callback_handler(TOPIC, _Handler(take))

    async def serve(self, endpoint: str, ticket: str, is_open: Callable[[], None]) -> None:
        """Handle frames in their order until the connection ends.

        Raises:
            ConnectionEnded: DingTalk ended it, or it broke.
        """
        try:
            async with websockets.connect(f"{endpoint}?ticket={quote_plus(ticket)}", proxy=None) as line:
                self.websocket = line
                is_open()
                async for raw in line:
                    is_open()
                    if await self.route_message(json.loads(raw)) == SdkClient.TAG_DISCONNECT:
                        raise ConnectionEnded(Message("connection.moved", {"name": "DingTalk"}), retry_after=0.0)
        except websockets.WebSocketException as error:
            raise ConnectionEnded(str(error)) from error

    async def ping(self) -> None:
        """Ping the gateway and wait for its answer.

        Raises:
            ConnectionEnded: there is no connection, or it broke.
        """
        if self.websocket is None:
            raise ConnectionEnded(Message("connection.missing", {"name": "DingTalk"}))
        try:
            await (await self.websocket.ping())
        except websockets.WebSocketException as error:
            raise ConnectionEnded(str(error)) from error


class DingTalkPlatform(NetworkPlatform):
    """A robot in DingTalk."""

    name = NAME
    capabilities = Capabilities(
        max_length=requests.MAX_LENGTH, files=True, max_file_kilobytes=requests.MAX_FILE_KILOBYTES
    )

    def __init__(
        self, settings: DingTalkSettings, clock: Clock, bot_name: str, *, stale_after: timedelta = _STALE_AFTER
    ) -> None:
        super().__init__(clock, bot_name, Connection(NAME, clock, stale_after=stale_after, probe=self._probe))
        self._robot_code = settings.robot_code or settings.client_id
        self._api = DingTalkApi(settings, clock)
        self._socket: StreamClient | None = None
        self._sessions: BoundedDict[str, tuple[str, datetime]] = BoundedDict(_REMEMBERED_SESSIONS)

    async def _close(self) -> None:
        await self._api.close()

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its files after its text; DingTalk gives an id only in chats that were quiet for a while."""
        parts = pieces(message.text, requests.MAX_LENGTH, people=message.mentions)
        texts = [partial(self._send_text, address, message, part) for part in parts]
        shared = [partial(self._send_file, address, file) for file in message.files]
        return await send_in_order([*texts, *shared], self._clock)

    async def _send_text(self, address: ChatAddress, message: OutgoingMessage, part: str) -> str | None:
        webhook, ends_at = self._sessions.get(address.chat_id, ("", self._clock.now()))
        if webhook and self._clock.now() < ends_at - _MARGIN:
            await self._api.post_to(webhook, requests.session_body(message, part))
            return None
        return await self._post(*requests.api_request(address, message, part, self._robot_code))

    async def _send_file(self, address: ChatAddress, file: SentFile) -> str | None:
        """Send a file through the API, as session webhooks accept only text."""
        taken = requests.pack_unsupported(file)
        media_id = await self._api.upload(taken, "image" if requests.is_picture(taken) else "file")
        return await self._post(*requests.file_request(address, taken, media_id, self._robot_code))

    async def _post(self, path: str, body: Mapping[str, object]) -> str | None:
        answer = await self._api.post(path, body)
        return str(answer["processQueryKey"]) if "processQueryKey" in answer else None

    async def _session(self) -> None:
        with ends_connection(Message("connection.check_dingtalk")):
            endpoint, ticket = await self._api.open_connection([TOPIC])
        self._socket = StreamClient(self._take)
        await self._socket.serve(endpoint, ticket, self._connection.note_received)

    async def _probe(self) -> None:
        if self._socket is not None:
            await self._socket.ping()
            self._connection.note_received()

    async def _take(self, raw: Mapping[str, object]) -> None:
        event = parse_event(Event, raw, NAME)
        if event is None:
            return
        if event.session_webhook:
            ends_at = instant(event.session_ends_at, per_second=1000)
            self._sessions[address_of(event).chat_id] = (event.session_webhook, ends_at)
        await self._deliver(to_message(event, self._bot_name))


def create(parts: PlatformParts) -> DingTalkPlatform:
    """Return the platform of the settings."""
    settings = parts.group(NAME, DingTalkSettings, "client_id", "client_secret", hint="console_shows")
    return DingTalkPlatform(settings, parts.clock, parts.bot_name)
