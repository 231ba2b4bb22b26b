"""Run the long connection of Feishu's SDK in the bot's event loop, so that it can be stopped."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, urlparse

import websockets
from lark_oapi.ws import client as sdk
from lark_oapi.ws.exception import ClientException, ServerException

from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood
from function_calls.language.messages import Message
from services.kernel.background_tasks import run_beside

Take = Callable[[bytes], Awaitable[None]]

_SYSTEM_BUSY = 1000040343  # too many connections of this app: one of them will go


class _EventBuffer:
    """Event handler of the SDK, which calls it with each event and does not await it."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def _do_without_validation(self, payload: bytes) -> None:
        self.waiting.append(payload)


class LongConnection(sdk.Client):  # type: ignore[misc]  # the SDK has no types
    """Reads, joins and acknowledges frames with the SDK; an event is acknowledged when it has been recorded.

    The `start` of the SDK owns an event loop, blocks it, and cannot be stopped.
    """

    def __init__(self, take: Take, *, app_id: str, app_secret: str, domain: str) -> None:
        self._buffer = _EventBuffer()
        super().__init__(app_id, app_secret, event_handler=self._buffer, domain=domain)
        self._take = take
        self._conn: websockets.ClientConnection | None = None

    async def serve(self, on_frame: Callable[[], None]) -> None:
        """Connect, and handle events in their order until the connection ends.

        Raises:
            ConnectionEnded: it ended, or could not be made.
            ConnectionRefusedForGood: Feishu does not know the app or its secret.
        """
        url = await self._address()
        self._service_id = parse_qs(urlparse(url).query)["service_id"][0]
        try:
            async with websockets.connect(url, proxy=None) as line:
                self._conn = line
                on_frame()
                async with run_beside(self._ping(), "feishu ping"):
                    async for frame in line:
                        on_frame()
                        await self._handle_message(frame)
        except websockets.WebSocketException as error:
            raise ConnectionEnded(str(error)) from error
        finally:
            self._conn = None

    async def ping(self) -> None:
        """Send a ping, which is answered by a frame.

        Raises:
            ConnectionEnded: there is no connection, or it broke.
        """
        if self._conn is None:
            raise ConnectionEnded(Message("connection.missing", {"name": "Feishu"}))
        try:
            await self._write_message(sdk._new_ping_frame(int(self._service_id)).SerializeToString())  # noqa: SLF001 - the SDK has no other way to a ping
        except websockets.WebSocketException as error:
            raise ConnectionEnded(str(error)) from error

    async def _address(self) -> str:
        try:
            return str(await asyncio.to_thread(self._get_conn_url))
        except ClientException as error:
            if error.code == _SYSTEM_BUSY:
                raise ConnectionEnded(str(error)) from error
            raise ConnectionRefusedForGood(Message("connection.feishu_app", {"reason": str(error)})) from error
        except ServerException as error:
            raise ConnectionEnded(str(error)) from error

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(self._ping_interval)
            await self.ping()

    async def _write_message(self, data: bytes) -> None:
        """Send the acknowledgement of an event after the event has been received."""
        while self._buffer.waiting:
            await self._take(self._buffer.waiting.pop(0))
        await super()._write_message(data)
