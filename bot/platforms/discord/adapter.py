"""Connect to Discord: receive by the gateway, send by REST."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

import aiohttp
import discord
from loguru import logger
from pydantic import ValidationError

from bot.config.platform_catalog import DiscordSettings
from bot.platforms.base import Capabilities, Command, OutgoingMessage
from bot.platforms.discord import requests, wire
from bot.platforms.discord.client import GatewayClient
from bot.platforms.discord.events import Deleted, Dispatch, Guild, Interaction, Message, ReactionChange, Ready
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts
from bot.platforms.kit.commands import MENU
from bot.platforms.kit.connection import Connection, ConnectionEnded, ConnectionRefusedForGood
from bot.platforms.kit.pieces import send_in_order
from function_calls.language import messages
from services.kernel.chat import ChatAddress, Incoming, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

# Discord answers a heartbeat every 41 seconds; discord.py waits for a minute, and then resumes the session.
_STALE_AFTER: Final = timedelta(seconds=50)
# A new session misses the events in between, so reconnecting is the last resort.
_RECONNECT_AFTER: Final = timedelta(minutes=5)
_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = f"{_MESSAGES}/{{message_id}}"
_DELETIONS = ("MESSAGE_DELETE", "MESSAGE_DELETE_BULK")
_MESSAGE_EVENTS = ("MESSAGE_CREATE", "MESSAGE_UPDATE", *_DELETIONS, "INTERACTION_CREATE")
_REACTION_EVENTS = ("MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE")
_GUILD_EVENTS = ("READY", "GUILD_CREATE", "GUILD_DELETE")
_EVENTS = tuple(f'"{event}"' for event in (*_MESSAGE_EVENTS, *_REACTION_EVENTS, *_GUILD_EVENTS))


class DiscordPlatform(NetworkPlatform):
    """A bot application on Discord."""

    name = wire.NAME
    capabilities = Capabilities(
        replies=True,
        max_length=requests.MAX_LENGTH,
        takes_idempotency_key=True,
        choices=True,
        files=True,
        max_file_kilobytes=requests.MAX_FILE_KILOBYTES,
        seconds_between_edits=1.5,
    )

    def __init__(
        self, settings: DiscordSettings, clock: Clock, bot_name: str, *, stale_after: timedelta = _STALE_AFTER
    ) -> None:
        super().__init__(
            clock, bot_name, Connection(wire.NAME, clock, stale_after=stale_after, reconnect_after=_RECONNECT_AFTER)
        )
        self._settings = settings
        self.reads_content = True
        self._client: GatewayClient | None = None
        self._guilds: set[str] = set()
        self._commands: Sequence[Command] = MENU

    def set_commands(self, commands: Sequence[Command]) -> None:
        """Make slash commands of `commands`."""
        self._commands = commands

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its files with its last piece, and return the id of its first."""
        channel, bodies = requests.channel_of(address), requests.messages(message)
        sendings = [partial(self._post, channel, body) for body in bodies[:-1]]
        sendings += [partial(self._post, channel, body, message.files[: requests.MAX_FILES]) for body in bodies[-1:]]
        return await send_in_order(sendings, self._clock)

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit the message `message_id` to `message`."""
        ids = {"channel_id": requests.channel_of(address), "message_id": message_id}
        await self._require_client().ask("PATCH", _MESSAGE, requests.edit_body(message), **ids)

    async def typing(self, address: ChatAddress) -> None:
        """Show that an answer is being written, for ten seconds."""
        try:
            channel = requests.channel_of(address)
            await self._require_client().ask("POST", "/channels/{channel_id}/typing", channel_id=channel)
        except DeliveryFailed as failure:
            logger.bind(chat=str(address)).debug("could not show typing: {}", failure)

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in the guild and may see the channel."""
        client = self._require_client()
        channel = client.get_channel(int(address.chat_id))
        if not isinstance(channel, discord.abc.GuildChannel) or not person_id.isdecimal():
            return None
        return await client.is_member(channel, person_id)

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return the web address of a message; None where the guild is not known."""
        channel = self._client.get_channel(int(address.chat_id)) if self._client else None
        if not isinstance(channel, discord.abc.GuildChannel):
            return None
        return f"https://discord.com/channels/{channel.guild.id}/{requests.channel_of(address)}/{message_id}"

    def _require_client(self) -> GatewayClient:
        if self._client is None:
            raise DeliveryFailed("discord: not connected")
        return self._client

    async def _post(self, channel: str, body: Mapping[str, object], files: Sequence[SentFile] = ()) -> str | None:
        if files:
            sent = await self._require_client().post_files(_MESSAGES, body, files, channel_id=channel)
        else:
            sent = await self._require_client().ask("POST", _MESSAGES, body, channel_id=channel)
        return str(sent["id"]) if "id" in sent else None

    async def _session(self) -> None:
        """Log in and stay connected; discord.py reconnects by itself and resumes the events in between."""
        client = GatewayClient(self._take_frame, self._connection.note_interrupted, reads_content=self.reads_content)
        try:
            async with client:
                await client.login(self._settings.token.get_secret_value())
                self._client = client
                if self._settings.slash_commands:
                    await self._register_commands(client)
                await client.connect(reconnect=True)
        except discord.LoginFailure as error:
            raise ConnectionRefusedForGood(messages.Message("connection.discord_token")) from error
        except discord.PrivilegedIntentsRequired as error:
            self.reads_content = False
            logger.bind(platform=wire.NAME).warning(
                "Message Content Intent is off: the bot reads only private chats, its mentions and slash commands. "
                "To change it, open the application at discord.com/developers, page Bot, and switch the intent on"
            )
            raise ConnectionEnded(messages.Message("connection.discord_intent"), retry_after=0.0) from error
        except (discord.DiscordException, aiohttp.ClientError, DeliveryFailed) as error:
            raise ConnectionEnded(str(error)) from error
        finally:
            self._client = None

    async def _register_commands(self, client: GatewayClient) -> None:
        """Register the slash commands; where Discord refuses one, such as a plugin's, messages are read anyway."""
        path, own_id = "/applications/{application_id}/commands", str(client.application_id)
        try:
            await client.ask("PUT", path, requests.commands(self._commands), application_id=own_id)
        except DeliveryFailed as failure:
            if not failure.is_permanent:
                raise
            logger.bind(platform=wire.NAME).warning("Discord refused the slash commands: {}", failure)

    async def _take_frame(self, frame: str) -> None:
        self._connection.note_received()
        if not any(event in frame for event in _EVENTS):
            return
        try:
            dispatch = Dispatch.model_validate_json(frame)
            await self._take(dispatch)
        except ValidationError as error:
            logger.bind(platform=wire.NAME).error("could not parse an event: {}", error)

    async def _take(self, dispatch: Dispatch) -> None:
        incoming: Incoming | None = None
        if dispatch.t in _GUILD_EVENTS:
            await self._note_guild(dispatch)
        elif dispatch.t == "INTERACTION_CREATE":
            await self._interact(Interaction.model_validate(dispatch.d))
        elif dispatch.t in _REACTION_EVENTS:
            change = ReactionChange.model_validate(dispatch.d)
            place, is_added = self._thread(change.channel_id), dispatch.t == "MESSAGE_REACTION_ADD"
            incoming = wire.to_reaction(change, self._me, place, is_added=is_added)
        elif dispatch.t == "MESSAGE_CREATE":
            message = Message.model_validate(dispatch.d)
            incoming = wire.to_message(message, self._me, self._bot_name, self._place_of(message))
        elif dispatch.t == "MESSAGE_UPDATE":
            message = Message.model_validate(dispatch.d)
            incoming = wire.to_edited(message, self._me, self._bot_name, self._place_of(message))
        elif dispatch.t in _DELETIONS:
            deleted = Deleted.model_validate(dispatch.d)
            place, now = self._thread(deleted.channel_id), self._clock.now()
            for withdrawn in wire.to_withdrawn(deleted, place, now):
                await self._deliver(withdrawn)
        await self._deliver(incoming)

    async def _note_guild(self, dispatch: Dispatch) -> None:
        """Track the guilds of the bot, and deliver `BotAdded` for a new one.

        Source: https://discord.com/developers/docs/events/gateway-events#guild-create.
        """
        if dispatch.t == "READY":
            self._guilds = {guild.id for guild in Ready.model_validate(dispatch.d).guilds}
            return
        guild = Guild.model_validate(dispatch.d)
        if dispatch.t == "GUILD_DELETE" and not guild.unavailable:
            self._guilds.discard(guild.id)
        elif dispatch.t == "GUILD_CREATE" and guild.id not in self._guilds:
            self._guilds.add(guild.id)
            await self._deliver(wire.to_added(guild))

    async def _interact(self, interaction: Interaction) -> None:
        """Record the message, then acknowledge the interaction within three seconds."""
        await self._deliver(wire.to_interaction(interaction, self._thread(interaction.channel_id)))
        answer = requests.acknowledgement(interaction.type, wire.interaction_text(interaction))
        try:
            ids = {"webhook_id": interaction.id, "webhook_token": interaction.token}
            path = "/interactions/{webhook_id}/{webhook_token}/callback"
            await self._require_client().ask("POST", path, answer, **ids)
        except DeliveryFailed as failure:
            logger.bind(platform=wire.NAME).debug("could not acknowledge an interaction: {}", failure)

    @property
    def _me(self) -> str:
        user = self._client.user if self._client else None
        return str(user.id) if user else ""

    def _thread(self, channel_id: str) -> wire.Place:
        channel = self._client.get_channel(int(channel_id)) if self._client else None
        return wire.Place(parent_id=str(channel.parent_id) if isinstance(channel, discord.Thread) else None)

    def _place_of(self, message: Message) -> wire.Place:
        """Return the place of a message, as far as the roles and threads of the guild are known."""
        guild = self._client.get_guild(int(message.guild_id)) if self._client and message.guild_id else None
        place = self._thread(message.channel_id)
        if guild is None or message.author is None:
            return place
        rights = {str(role.id): role.permissions.value for role in guild.roles}
        is_admin = wire.may_manage(message.member, rights, str(guild.owner_id), message.author.id)
        return wire.Place(parent_id=place.parent_id, is_admin=is_admin)


def create(parts: PlatformParts) -> DiscordPlatform:
    """Return the platform of the settings."""
    settings = parts.group(wire.NAME, DiscordSettings, "token", hint="discord_token")
    return DiscordPlatform(settings, parts.clock, parts.bot_name)
