"""discord.py's client, told to hand on the gateway's events as they come and to keep nothing of them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import discord
from aiohttp import ClientError
from discord.http import Route

from services.errors import DeliveryFailed

_LONGEST_PATIENCE_SECONDS: Final = 30.0

_HOPELESS = (discord.Forbidden, discord.NotFound)

Hear = Callable[[str], Awaitable[None]]


class GatewayClient(discord.Client):
    """A connection of discord.py; it resumes its sessions by itself.

    `hear` gets every frame of the gateway as text; `reads_content` asks for what people write, which Discord grants
    only to applications whose owner has switched it on.
    """

    def __init__(self, hear: Hear, *, reads_content: bool) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.message_content = reads_content
        super().__init__(
            intents=intents,
            enable_debug_events=True,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=0.0,  # what waits for more guilds outlives the connection otherwise
            max_ratelimit_timeout=_LONGEST_PATIENCE_SECONDS,
        )
        self._hear = hear

    async def on_socket_raw_receive(self, frame: str) -> None:
        """Hand on a frame; discord.py calls this by its name."""
        await self._hear(frame)

    async def ask(self, method: str, path: str, body: object = None, **ids: str) -> Mapping[str, object]:
        """Make one REST request; discord.py keeps to the rate limits and tries again what is worth it.

        `ids` fill the braces of `path`; discord.py counts the requests of one path together, whatever the ids.

        Raises:
            DeliveryFailed: Discord did not take it.
        """
        try:
            route = Route(method, path, **ids)
            answer = await (self.http.request(route) if body is None else self.http.request(route, json=body))
        except discord.RateLimited as error:
            raise DeliveryFailed("discord: rate limit", retry_after=error.retry_after) from error
        except discord.HTTPException as error:
            is_hopeless = isinstance(error, _HOPELESS) or error.status == 400
            raise DeliveryFailed(f"discord: {error}", is_permanent=is_hopeless) from error
        except (ClientError, OSError, AttributeError) as error:
            # AttributeError: discord.py has no HTTP session before it has logged in.
            raise DeliveryFailed(f"discord: {error}", is_unknown=not _is_unsent(error)) from error
        return answer if isinstance(answer, dict) else {}


def _is_unsent(error: Exception) -> bool:
    return isinstance(error, AttributeError) or hasattr(error, "os_error")
