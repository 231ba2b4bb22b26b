"""Connect to a Slack workspace: receive by Socket Mode or signed requests, send by the Web API."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from loguru import logger
from msgspec.structs import replace
from pydantic import ValidationError

from bot.config.platform_catalog import SlackSettings
from bot.platforms.base import Capabilities, OutgoingMessage
from bot.platforms.base import Command as OfferedCommand
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts, ends_connection
from bot.platforms.kit.commands import MENU
from bot.platforms.kit.connection import Connection
from bot.platforms.kit.pieces import send_in_order
from bot.platforms.slack import requests, wire
from bot.platforms.slack.calls import WebApi, web_client
from bot.platforms.slack.events import Command, Interaction, Message, ReactionChange
from bot.platforms.slack.listeners import HttpListener, SocketListener
from function_calls.language import messages
from services.kernel.chat import ChatAddress, Incoming
from services.kernel.clock import Clock

# The SDK tolerates as many unanswered pings.
_PINGS_UNTIL_STALE: Final = 4
_WHO_AM_I: Final = "auth.test"
_QUIET_HTTP: Final = timedelta(minutes=10)


class SlackPlatform(NetworkPlatform):
    """An app in a Slack workspace."""

    name = wire.NAME
    capabilities = Capabilities(
        max_length=requests.MAX_LENGTH,
        choices=True,
        private_replies=True,
        files=True,
        max_file_kilobytes=requests.MAX_FILE_KILOBYTES,
        seconds_between_edits=1.5,
    )

    def __init__(
        self,
        settings: SlackSettings,
        clock: Clock,
        bot_name: str,
        *,
        ping_seconds: float = 5.0,
        quiet_http: timedelta = _QUIET_HTTP,
    ) -> None:
        self.receiver: SocketListener | HttpListener
        if settings.mode == "socket":
            limit = timedelta(seconds=_PINGS_UNTIL_STALE * ping_seconds)
            connection = Connection(wire.NAME, clock, stale_after=limit)
            token = settings.app_token.get_secret_value()
            self.receiver = SocketListener(
                self._take, app_token=token, api_url=settings.api_url, ping_seconds=ping_seconds
            )
        else:
            connection = Connection(wire.NAME, clock, stale_after=quiet_http, probe=self._probe)
            secret = settings.signing_secret.get_secret_value()
            self.receiver = HttpListener(
                self._take, signing_secret=secret, host=settings.http_host, port=settings.http_port
            )
        super().__init__(clock, bot_name, connection)
        self._api = WebApi(web_client(settings.bot_token.get_secret_value(), settings.api_url), clock)
        self._me = wire.Account(user_id="", bot_id="", bot_name=bot_name)
        self._workspace = ""
        self._commands: Sequence[OfferedCommand] = MENU

    def set_commands(self, commands: Sequence[OfferedCommand]) -> None:
        """Accept `commands` by their names; the manifest of the app determines which of them Slack shows."""
        self._commands = commands

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its files after its text, and return the id of its first piece.

        A private message names its files in the text, as everybody would see a file.
        """
        if message.private_to is not None and message.files:
            names = [f"📎 {file.name}" for file in message.files]
            message = replace(message, text="\n".join([message.text, *names]), files=())
        method = "chat.postMessage" if message.private_to is None else "chat.postEphemeral"
        texts = [partial(self._post, method, body) for body in requests.messages(address, message)]
        files = [partial(self._api.upload, address, file) for file in message.files]
        return await send_in_order([*texts, *files], self._clock)

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit the message `message_id` to `message`."""
        await self._api.ask("chat.update", requests.edit_body(address, message_id, message))

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a channel."""
        async for member in self._api.members(address.chat_id):
            if member == person_id:
                return True
        return False

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return the web address of a message; None before the workspace is known."""
        if not self._workspace:
            return None
        return f"{self._workspace.rstrip('/')}/archives/{address.chat_id}/p{message_id.replace('.', '')}"

    async def _post(self, method: str, body: Mapping[str, object]) -> str | None:
        sent = await self._api.ask(method, body)
        stamp = sent.get("ts") or sent.get("message_ts")
        return None if stamp is None else str(stamp)

    async def _session(self) -> None:
        with ends_connection(messages.Message("connection.check_slack")):
            me = await self._api.ask(_WHO_AM_I, {})
        self._me = wire.Account(
            user_id=str(me.get("user_id", "")), bot_id=str(me.get("bot_id", "")), bot_name=self._bot_name
        )
        self._workspace = str(me.get("url", ""))
        await self.receiver.serve(self._connection.note_received)

    async def _probe(self) -> None:
        """Check that Slack accepts the token; it does not report whether it reaches the bot's address."""
        await self._api.ask(_WHO_AM_I, {})
        self._connection.note_received()

    async def _take(self, kind: str, payload: Mapping[str, object]) -> None:
        self._connection.note_received()
        try:
            incoming = await self._read(kind, payload)
        except ValidationError as error:
            logger.bind(platform=wire.NAME).error("could not parse an event: {}", error)
            return
        await self._deliver(incoming)

    async def _read(self, kind: str, payload: Mapping[str, object]) -> Incoming | None:
        if kind == "events_api":
            event = payload.get("event", {})
            if isinstance(event, Mapping) and event.get("type") in {wire.ADDED, wire.REMOVED}:
                change = ReactionChange.model_validate(event)
                return wire.to_reaction(change, self._me, await self._api.people({change.user}))
            message = Message.model_validate(event)
            return wire.to_incoming(message, self._me, await self._api.people(wire.users_in(message)))
        if kind == "slash_commands":
            command = Command.model_validate(payload)
            offered = {f"/{each.name}" for each in self._commands}
            return wire.to_command(command, await self._api.people({command.user_id}), self._clock.now(), offered)
        if kind == "interactive":
            interaction = Interaction.model_validate(payload)
            users = {interaction.user.id} if interaction.user else set()
            return wire.to_pressed(interaction, await self._api.people(users), self._clock.now())
        return None


def create(parts: PlatformParts) -> SlackPlatform:
    """Return the platform of the settings."""
    mode = parts.group(wire.NAME, SlackSettings).mode
    other = "app_token" if mode == "socket" else "signing_secret"
    settings = parts.group(wire.NAME, SlackSettings, "bot_token", other, hint=f"slack_{mode}")
    return SlackPlatform(settings, parts.clock, parts.bot_name)
