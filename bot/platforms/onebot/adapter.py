"""Connect to QQ and other networks through a OneBot v11 client."""

import asyncio
from collections import deque
from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from loguru import logger
from msgspec.structs import replace

from bot.config.field_errors import SettingInvalid
from bot.config.platform_catalog import OneBotSettings
from bot.platforms.base import Capabilities, OutgoingMessage, Receive
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts
from bot.platforms.kit.connection import Backlog, Connection, listen
from bot.platforms.kit.events import mapping, parse_event
from bot.platforms.kit.pieces import send_in_order
from bot.platforms.onebot import requests
from bot.platforms.onebot.links import Answer, ForwardLink, HttpLink, ReverseLink
from bot.platforms.onebot.wire import NAME, Event, is_about_emoji, to_incoming, to_reactions
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_STALE_AFTER = timedelta(minutes=2)
_REMEMBERED_MESSAGES = 1000

# Valid requests that the client cannot fulfil: removed, muted, or the group is gone.
_PERMANENT = {100, 102, 110, 120, 1404}


class OneBotPlatform(NetworkPlatform):
    """An account of a client that speaks OneBot v11."""

    name = NAME
    capabilities = Capabilities(
        replies=True, max_length=requests.MAX_LENGTH, files=True, max_file_kilobytes=requests.MAX_FILE_KILOBYTES
    )

    def __init__(
        self, settings: OneBotSettings, clock: Clock, bot_name: str, *, stale_after: timedelta = _STALE_AFTER
    ) -> None:
        super().__init__(clock, bot_name, Connection(NAME, clock, stale_after=stale_after, probe=self._probe))
        self._settings = settings
        self._own_messages: deque[str] = deque(maxlen=_REMEMBERED_MESSAGES)
        self._link = self._make_link()
        self._backlog = Backlog()
        self._name_lookups: set[asyncio.Task[None]] = set()
        self.port = 0

    async def run(self, receive: Receive) -> None:
        """Receive events until cancelled."""
        try:
            async with self._backlog.forward(receive):
                if isinstance(self._link, ForwardLink):
                    await super().run(receive)
                    return
                async with listen(self._link.routes, self._settings.host, self._settings.port) as self.port:
                    await super().run(receive)
        finally:
            for lookup in list(self._name_lookups):
                lookup.cancel()
            await asyncio.gather(*self._name_lookups, return_exceptions=True)

    async def _session(self) -> None:
        await self._link.session()

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its pictures after its text and other files by name, and return its first piece's id."""
        others = [f"📎 {each.name} ({each.kilobytes} kB)" for each in message.files if not requests.is_picture(each)]
        text_message = replace(message, text="\n".join([message.text, *others]).strip())
        pieces = [*requests.messages(address, text_message), *requests.pictures(address, message)]
        return await send_in_order([partial(self._send, piece) for piece in pieces], self._clock)

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a group."""
        if not address.chat_id.isdecimal() or not person_id.isdecimal():
            return None
        return (await self._member(address.chat_id, person_id)).status == "ok"

    async def _send(self, params: Mapping[str, object]) -> str | None:
        answer = await self._link.call("send_msg", params)
        if answer.status == "failed":
            raise DeliveryFailed(f"onebot: {answer.reason}", is_permanent=answer.retcode in _PERMANENT)
        data = mapping(answer.data)
        if "message_id" not in data:
            return None  # `async`: taken, and done some time later
        sent = str(data["message_id"])
        self._own_messages.append(sent)
        return sent

    async def _take(self, raw: Mapping[str, object]) -> None:
        self._connection.note_received()
        event = parse_event(Event, raw, NAME)
        if event is None:
            return
        incoming = to_incoming(event, self._bot_name, self._own_messages)
        if incoming is not None:
            self._backlog.put(incoming)
        elif is_about_emoji(event):
            # The answer to a question comes over the connection that this event came over.
            self._name_lookups.add(
                lookup := asyncio.create_task(self._deliver_reactions(event), name="onebot reaction")
            )
            lookup.add_done_callback(self._name_lookups.discard)

    async def _deliver_reactions(self, event: Event) -> None:
        name = await self._name_of(str(event.group_id), str(event.user_id))
        for reaction in to_reactions(event, name):
            self._backlog.put(reaction)

    async def _name_of(self, group: str, person: str) -> str:
        """Return the name of a person in a group; the number where the client gives no name."""
        if not group.isdecimal() or not person.isdecimal():
            return person
        try:
            found = mapping((await self._member(group, person)).data)
        except DeliveryFailed as failure:
            logger.bind(platform=NAME).debug("could not fetch the name of a person: {}", failure)
            return person
        return str(found.get("card") or found.get("nickname") or person)

    async def _member(self, group: str, person: str) -> Answer:
        params = {"group_id": int(group), "user_id": int(person), "no_cache": True}
        return await self._link.call("get_group_member_info", params)

    async def _probe(self) -> None:
        """Provoke an answer; clients without heartbeats are silent in quiet chats."""
        await self._link.call("get_status", {})
        self._connection.note_received()

    def _make_link(self) -> ForwardLink | ReverseLink | HttpLink:
        settings = self._settings
        token = settings.token.get_secret_value()
        if settings.mode == "forward":
            return ForwardLink(self._take, url=settings.url, token=token)
        if settings.mode == "http":
            secret = settings.secret.get_secret_value()
            return HttpLink(self._take, url=settings.url, token=token, secret=secret)
        return ReverseLink(self._take, token=token)


def create(parts: PlatformParts) -> OneBotPlatform:
    """Return the platform of the settings."""
    settings = parts.group(NAME, OneBotSettings)
    wanted = {"forward": ("ws://", "wss://"), "http": ("http://", "https://")}.get(settings.mode)
    if wanted is not None and not settings.url.startswith(wanted):
        fields = {"mode": settings.mode, "scheme": wanted[0]}
        raise SettingInvalid("settings", "platforms.onebot.url", "onebot_url", **fields)
    guard = settings.secret if settings.mode == "http" else settings.token
    is_open = settings.mode != "forward" and settings.host not in {"127.0.0.1", "::1", "localhost"}
    if is_open and not guard.get_secret_value():
        key = "secret" if settings.mode == "http" else "token"
        raise SettingInvalid("settings", f"platforms.onebot.{key}", "onebot_token", host=settings.host)
    return OneBotPlatform(settings, parts.clock, parts.bot_name)
