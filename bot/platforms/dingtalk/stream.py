"""Run the stream connection of DingTalk's SDK so that it can be stopped and does not block the event loop."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote_plus

import websockets
from dingtalk_stream import AckMessage, CallbackHandler, CallbackMessage, ChatbotMessage, Credential
from dingtalk_stream import DingTalkStreamClient as SdkClient

from bot.platforms.kit.connection import ConnectionEnded

Take = Callable[[Mapping[str, object]], Awaitable[None]]

TOPIC: str = ChatbotMessage.TOPIC

_log = logging.getLogger("dingtalk_stream")


class _Handler(CallbackHandler):  # type: ignore[misc]  # the SDK has no types
    """Hands in what the robot is told; the SDK acknowledges it when that is done."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self._take = take

    async def process(self, message: CallbackMessage) -> tuple[int, str]:
        await self._take(message.data)
        return AckMessage.STATUS_OK, "OK"


class StreamClient(SdkClient):  # type: ignore[misc]  # the SDK has no types
    """The SDK's reading and acknowledging of frames, over a line that belongs to the caller.

    Its own `start` asks for the line with a blocking request, and takes a cancellation for a broken network.
    """

    def __init__(self, take: Take) -> None:
        super().__init__(Credential("", ""), _log)
        self.register_callback_handler(TOPIC, _Handler(take))

    async def serve(self, endpoint: str, ticket: str, is_open: Callable[[], None]) -> None:
        """Take in frames in their order until the line ends.

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
                        raise ConnectionEnded("DingTalk moves the connection", retry_after=0.0)
        except websockets.WebSocketException as error:
            raise ConnectionEnded(str(error)) from error

    async def answers(self) -> None:
        """Return when the gateway has answered a ping.

        Raises:
            ConnectionEnded: there is no line, or it broke.
        """
        if self.websocket is None:
            raise ConnectionEnded("no line to DingTalk")
        try:
            await (await self.websocket.ping())
        except websockets.WebSocketException as error:
            raise ConnectionEnded(str(error)) from error
