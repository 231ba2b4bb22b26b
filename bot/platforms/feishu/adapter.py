"""Connect to Feishu or Lark: receive by the long connection, send by the open API."""

import asyncio
from collections import deque
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from loguru import logger
from msgspec.structs import replace

from bot.config.platform_catalog import FeishuSettings
from bot.platforms.base import Capabilities, OutgoingMessage
from bot.platforms.feishu import requests
from bot.platforms.feishu.api import FeishuApi
from bot.platforms.feishu.wire import (
    NAME,
    PRESSED,
    REACTED,
    UNREACTED,
    Account,
    Event,
    actor,
    to_incoming,
    to_pressed,
    to_reaction,
)
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts, ends_connection
from bot.platforms.kit.connection import Connection
from bot.platforms.kit.events import mapping, mappings, parse_event
from bot.platforms.kit.pieces import send_in_order
from function_calls.language.messages import Message
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, ChatMessage, Incoming
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

if TYPE_CHECKING:
    from bot.platforms.feishu.long_connection import LongConnection

_STALE_AFTER: Final = timedelta(minutes=2)
_REMEMBERED_MESSAGES = 1000
_REMEMBERED_CHATS = 10_000
_REMEMBERED_PEOPLE = 10_000
_MAX_EDITS = 20
_PAGE = 100


class FeishuPlatform(NetworkPlatform):
    """An app with a bot in Feishu or Lark."""

    name = NAME

    def __init__(
        self, settings: FeishuSettings, clock: Clock, bot_name: str, *, stale_after: timedelta = _STALE_AFTER
    ) -> None:
        self.capabilities = Capabilities(
            replies=True,
            max_length=requests.MAX_LENGTH,
            takes_idempotency_key=True,
            choices=settings.buttons,
            max_edits=_MAX_EDITS,
            files=True,
            max_file_kilobytes=requests.MAX_FILE_KILOBYTES,
        )
        super().__init__(clock, bot_name, Connection(NAME, clock, stale_after=stale_after, probe=self._probe))
        self._settings = settings
        self._me = Account(open_id="", bot_name=bot_name)
        self._api = FeishuApi(settings, clock)
        self._connection_client: LongConnection | None = None
        self._own_messages: deque[str] = deque(maxlen=_REMEMBERED_MESSAGES)
        self._private_chats: deque[str] = deque(maxlen=_REMEMBERED_CHATS)
        self._names: BoundedDict[str, str] = BoundedDict(_REMEMBERED_PEOPLE)

    async def _close(self) -> None:
        await self._api.close()

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its files after its text, and return the id of its first piece."""
        try:
            return await self._send(address, message)
        except DeliveryFailed as failure:
            if message.reply_to is None or not failure.is_permanent:
                raise
        # The message that is replied to may be deleted.
        return await self._send(address, replace(message, reply_to=None))

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit the post `message_id` to `message`; its buttons follow, since a post cannot become a card."""
        await self._api.ask("PUT", f"/open-apis/im/v1/messages/{message_id}", requests.edit_body(message))
        if message.choices and self.capabilities.choices:
            await self._post(*requests.buttons_under(address, message_id, message))

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a group; private chats have no members on Feishu."""
        base = f"/open-apis/im/v1/chats/{address.chat_id}/members?member_id_type=open_id&page_size={_PAGE}"
        token = ""
        while True:
            answer = await self._api.ask("GET", f"{base}&page_token={token}" if token else base)
            page = mapping(answer.get("data"))
            if any(member.get("member_id") == person_id for member in mappings(page.get("items"))):
                return True
            if not page.get("has_more"):
                return False
            token = str(page.get("page_token", ""))

    async def _send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        shown = message if self.capabilities.choices else replace(message, choices=())
        texts = [partial(self._post, path, body) for path, body in requests.messages(address, shown)]
        files = [partial(self._send_file, address, message, number) for number in range(len(message.files))]
        return await send_in_order([*texts, *files], self._clock)

    async def _send_file(self, address: ChatAddress, message: OutgoingMessage, number: int) -> str | None:
        file = message.files[number]
        if requests.is_picture(file):
            uploaded = await self._api.upload("/open-apis/im/v1/images", {"image_type": "message"}, "image", file)
        else:
            fields = {"file_type": "stream", "file_name": file.name}
            uploaded = await self._api.upload("/open-apis/im/v1/files", fields, "file", file)
        key = str(uploaded.get("image_key") or uploaded.get("file_key") or "")
        return await self._post(*requests.file_request(address, message, key, number))

    async def _post(self, path: str, body: Mapping[str, object]) -> str | None:
        data = mapping((await self._api.ask("POST", path, body)).get("data"))
        if "message_id" not in data:
            return None
        sent = str(data["message_id"])
        self._own_messages.append(sent)
        return sent

    async def _session(self) -> None:
        await self._fetch_account()
        settings = self._settings
        client_type = await asyncio.to_thread(_import_client)  # the SDK takes seconds to import
        self._connection_client = client_type(
            self._take,
            app_id=settings.app_id,
            app_secret=settings.app_secret.get_secret_value(),
            domain=settings.domain,
        )
        await self._connection_client.serve(self._connection.note_received)

    async def _probe(self) -> None:
        if self._connection_client is not None:
            await self._connection_client.ping()

    async def _fetch_account(self) -> None:
        """Fetch the open id of the bot, by which it is mentioned."""
        with ends_connection(Message("connection.check_feishu")):
            answer = await self._api.ask("GET", "/open-apis/bot/v3/info")
        self._me = replace(self._me, open_id=str(mapping(answer.get("bot")).get("open_id", "")))

    async def _take(self, payload: bytes) -> None:
        event = parse_event(Event, payload, NAME)
        if event is not None:
            await self._fetch_name(actor(event.event))
            await self._deliver(await self._read(event))

    async def _read(self, event: Event) -> Incoming | None:
        kind = event.header.event_type
        if kind == PRESSED:
            return to_pressed(event, self._names, self._private_chats, self._clock.now())
        if kind in {REACTED, UNREACTED}:
            return to_reaction(event, await self._chat_of(event.event.message_id), self._names)
        incoming = to_incoming(event, self._me, self._names, self._own_messages)
        if isinstance(incoming, ChatMessage) and incoming.is_private:
            chat_id = incoming.address.chat_id
            if chat_id not in self._private_chats:
                self._private_chats.append(chat_id)
        return incoming

    async def _chat_of(self, message_id: str) -> str:
        """Return the chat of a message, which a reaction lacks; empty where Feishu refuses."""
        try:
            answer = await self._api.ask("GET", f"/open-apis/im/v1/messages/{message_id}")
        except DeliveryFailed as failure:
            logger.bind(platform=NAME).warning("ignored a reaction, its message could not be fetched: {}", failure)
            return ""
        found = mappings(mapping(answer.get("data")).get("items"))
        return str(found[0].get("chat_id", "")) if found else ""

    async def _fetch_name(self, open_id: str) -> None:
        """Fetch the name of a person once; without the permission the id serves as the name."""
        if not open_id or open_id in self._names:
            return
        self._names[open_id] = open_id
        try:
            answer = await self._api.ask("GET", f"/open-apis/contact/v3/users/{open_id}?user_id_type=open_id")
        except DeliveryFailed as failure:
            logger.bind(platform=NAME).debug("could not fetch the name of a person: {}", failure)
            return
        user = mapping(mapping(answer.get("data")).get("user"))
        self._names[open_id] = str(user.get("name") or open_id)


def _import_client() -> "type[LongConnection]":
    """Import the SDK, in a thread, and close the event loop that it creates there."""
    from lark_oapi.ws import client

    if not client.loop.is_running():
        client.loop.close()
        asyncio.set_event_loop(None)
    from bot.platforms.feishu.long_connection import LongConnection

    return LongConnection


def create(parts: PlatformParts) -> FeishuPlatform:
    """Return the platform of the settings."""
    settings = parts.group(NAME, FeishuSettings, "app_id", "app_secret", hint="console_shows")
    return FeishuPlatform(settings, parts.clock, parts.bot_name)
