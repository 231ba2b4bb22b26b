"""Receive Telegram's updates by a webhook instead of long polling."""

import hmac
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from aiohttp import web

PATH = "/telegram"

_SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of the header


class WebhookListener:
    """Listens for updates that carry the secret, and hands their JSON to `take`; others are refused with 403.

    Telegram is answered when `take` has returned: what it raises makes Telegram deliver the update again.
    """

    def __init__(self, take: Callable[[bytes], Awaitable[None]], *, secret: str, host: str, port: int) -> None:
        self._take = take
        self._secret = secret.encode()
        self._host = host
        self._port = port
        self._resources = AsyncExitStack()

    async def __aenter__(self) -> int:
        """Listen, and return the port."""
        app = web.Application(client_max_size=4 * 1024**2)
        app.router.add_post(PATH, self._handle)
        runner = web.AppRunner(app, shutdown_timeout=1.0, access_log=None)
        await runner.setup()
        self._resources.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, self._host, self._port).start()
        return int(runner.addresses[0][1])

    async def __aexit__(self, *raised: object) -> None:
        """Stop listening."""
        await self._resources.aclose()

    async def _handle(self, request: web.Request) -> web.Response:
        given = request.headers.get(_SECRET_HEADER, "").encode()
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=403)
        await self._take(await request.read())
        return web.Response()
