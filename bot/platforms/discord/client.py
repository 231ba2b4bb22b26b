"""Run discord.py's client so that it passes on raw gateway events and caches nothing."""

import io
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import discord
from aiohttp import ClientError
from discord.http import Route

from bot.platforms.kit.events import mapping
from services.kernel.chat import SentFile
from services.kernel.errors import DeliveryFailed
from services.kernel.network import parse_retry_after

_MAX_WAIT_SECONDS: Final = 30.0

_TOO_MANY_REQUESTS: Final = 429
_PERMANENT = (discord.Forbidden, discord.NotFound)

OnFrame = Callable[[str], Awaitable[None]]
OnLoss = Callable[[str], None]


class GatewayClient(discord.Client):
    """A connection of discord.py, which resumes its sessions.

    `on_frame` gets every frame of the gateway as text, `on_loss` the reason when the connection is lost and resumed.
    `reads_content` requests the text of messages, which Discord grants only if the owner of the application allows it.
    """

    def __init__(self, on_frame: OnFrame, on_loss: OnLoss, *, reads_content: bool) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.guild_reactions = intents.dm_reactions = True
        intents.message_content = reads_content
        super().__init__(
            intents=intents,
            enable_debug_events=True,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=0.0,  # otherwise a task that waits for guilds outlives the connection
            max_ratelimit_timeout=_MAX_WAIT_SECONDS,
        )
        self._on_frame = on_frame
        self._on_loss = on_loss

    async def on_socket_raw_receive(self, frame: str) -> None:
        """Pass on a frame; discord.py calls this by its name."""
        await self._on_frame(frame)

    async def on_disconnect(self) -> None:
        """Report that the connection is lost; discord.py calls this by its name."""
        self._on_loss("the connection to the gateway broke")

    async def ask(self, method: str, path: str, body: object = None, **ids: str) -> Mapping[str, object]:
        """Make one REST request; discord.py keeps to the rate limits and retries after server errors.

        `ids` fill the braces of `path`; discord.py counts the requests of one path together, whatever the ids.
        """
        content = {} if body is None else {"json": body}
        return await self._ask(Route(method, path, **ids), **content)

    async def post_files(
        self, path: str, body: Mapping[str, object], files: Sequence[SentFile], **ids: str
    ) -> Mapping[str, object]:
        """Make a request as `ask` does, with files beside the body."""
        uploads = [discord.File(io.BytesIO(file.content), filename=file.name) for file in files]
        named = [{"id": number, "filename": upload.filename} for number, upload in enumerate(uploads)]
        form: list[dict[str, object]] = [{"name": "payload_json", "value": json.dumps({**body, "attachments": named})}]
        for number, (file, upload) in enumerate(zip(files, uploads, strict=True)):
            part = {"name": f"files[{number}]", "value": upload.fp, "filename": upload.filename}
            form.append({**part, "content_type": file.media_type})
        return await self._ask(Route("POST", path, **ids), form=form, files=uploads)

    async def is_member(self, channel: discord.abc.GuildChannel, user_id: str) -> bool:
        """Return whether somebody is in the guild and may see the channel."""
        try:
            member = await channel.guild.fetch_member(int(user_id))
        except discord.NotFound:
            return False
        except (discord.DiscordException, ClientError, OSError) as error:
            raise DeliveryFailed(f"discord: {error}") from error
        return channel.permissions_for(member).view_channel

    async def _ask(self, route: Route, **content: Any) -> Mapping[str, object]:
        try:
            answer = await self.http.request(route, **content)
        except discord.RateLimited as error:
            raise DeliveryFailed("discord: rate limit", retry_after=error.retry_after) from error
        except discord.HTTPException as error:
            raise _to_delivery_failed(error) from error
        except (ClientError, OSError, AttributeError) as error:
            # AttributeError: discord.py has no HTTP session before it has logged in.
            is_unsent = isinstance(error, AttributeError) or hasattr(error, "os_error")
            raise DeliveryFailed(f"discord: {error}", is_unknown=not is_unsent) from error
        return mapping(answer)


def _to_delivery_failed(error: discord.HTTPException) -> DeliveryFailed:
    if error.status == _TOO_MANY_REQUESTS:  # from the proxy of Discord, for this whole machine
        wish = parse_retry_after(error.response.headers) or _MAX_WAIT_SECONDS
        return DeliveryFailed(f"discord: {error}", retry_after=wish, is_global=True)
    is_hopeless = isinstance(error, _PERMANENT) or error.status == 400
    return DeliveryFailed(f"discord: {error}", is_permanent=is_hopeless)
