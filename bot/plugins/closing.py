"""Close the resources of a plugin, last first, each with a timeout; one failure does not stop the others."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from loguru import logger

from function_calls.tools.dispatch.hooks import maybe_await

Close = Callable[[], Awaitable[object] | object]

_SECONDS: Final = 5.0  # for each; a stop must come to its end


async def all_closed(plugin: str, opened: list[Close]) -> None:
    """Empty `opened` from its end and call what was in it; what fails or takes too long is logged."""
    while opened:
        close = opened.pop()
        try:
            async with asyncio.timeout(_SECONDS):
                await maybe_await(close())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin is anybody's code; the others must be closed too
            logger.opt(exception=error).error("plugin {} could not close a resource", plugin)
