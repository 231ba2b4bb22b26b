"""Serve the HTTP application in the bot's event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.config.field_errors import SettingInvalid
from bot.config.settings import HttpSettings
from bot.http.app import build_guarded_app
from bot.http.core.context import HttpContext
from bot.http.rooms.events import follow_bot
from bot.http.rooms.shared import share_rooms
from bot.http.security.networks import check_bind_policy, page_address
from bot.http.server.connection_limits import ConnectionLimits, limited_protocol

_MAX_FRAME_SIZE: Final = 16_000_000
"""Bytes: a result of 5 MB from a page, its characters escaped (`\\u00e4`). The socket limits other frames further."""
_BACKLOG: Final = 512
_STOP_SECONDS: Final = 3
_ACCEPT_SECONDS: Final = 0.05


class Server(uvicorn.Server):
    """Uvicorn without signal handlers, which the bot has itself."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Set `is_listening` when connections are accepted."""
        await super().startup(sockets)
        self.is_listening.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections, since the bot may start again in this process."""
        asyncio.get_running_loop().call_later(_ACCEPT_SECONDS, self._close_accepted)
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.close()

    def _close_accepted(self) -> None:
        """Close the connections that were accepted while Uvicorn closed the others."""
        for connection in list(self.server_state.connections):
            if isinstance(connection, H11Protocol):
                connection.shutdown()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the bot."""
        yield


def open_listener(settings: HttpSettings) -> socket.socket:
    """Open a socket that listens at the address of the settings.

    Raises:
        ConfigError: the address cannot be used, for example because the port is taken.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]  # asyncio and Python say the address once more
        place = {"host": settings.host, "port": settings.port}
        raise SettingInvalid("settings", "http.port", "no_port", why=reason, **place) from error


@asynccontextmanager
async def serve(context: HttpContext, listener: socket.socket | None = None) -> AsyncIterator[str]:
    """Serve on `listener` or at the address of the settings while the context is open; yield the page's address.

    Raises:
        ConfigError: other machines would reach the server without a strong token, or it cannot listen.
    """
    settings = context.settings.http
    check_bind_policy(settings)
    with listener or open_listener(settings) as open_socket, follow_bot(context):
        address = page_address(settings.host, open_socket.getsockname()[1])
        context.room.base_url = address
        server = Server(_config(build_guarded_app(context), ConnectionLimits.of(settings)))
        async with share_rooms(context):
            task = asyncio.create_task(server.serve(sockets=[open_socket]), name="http server")
            task.add_done_callback(lambda _: server.is_listening.set())  # wake this task if the start fails
            try:
                await server.is_listening.wait()
                if not task.done():
                    yield address
            finally:
                server.should_exit = True
                await task


def _config(app: ASGIApp, limits: ConnectionLimits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=limited_protocol(limits),  # type: ignore[arg-type]  # a factory works like a class
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=_MAX_FRAME_SIZE,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        ws_per_message_deflate=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_STOP_SECONDS,
        server_header=False,
    )
