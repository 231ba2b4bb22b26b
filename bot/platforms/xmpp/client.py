"""Wrap slixmpp: send and receive stanzas as XML elements. No other module imports it."""

import asyncio
import ssl
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from xml.etree.ElementTree import Element

import httpx
import slixmpp
from msgspec import Struct
from slixmpp.exceptions import IqError, IqTimeout, PresenceError
from slixmpp.stanza import Iq, Message
from slixmpp.xmlstream import StanzaBase
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import StanzaPath

from bot.config.platform_catalog import XmppSettings
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood
from bot.platforms.xmpp.wire import Occupant, occupant_id, upload_slot
from function_calls.language import messages
from services.kernel.chat import SentFile
from services.kernel.errors import DeliveryFailed

_LOGIN_SECONDS: Final = 60.0
_JOIN_SECONDS: Final = 30.0
_PING_SECONDS: Final = 20.0
_UPLOAD_SECONDS: Final = 60.0
_ROOM_IS_NEW: Final = 201
_OWN_PRESENCE: Final = 110
_NICK_CHANGED: Final = 303
_REASONS: Final = {
    301: "banned",
    307: "kicked",
    321: "no longer a member",
    322: "the room is for members only",
    332: "the service shuts down",
}
_MODERATORS: Final = frozenset({"moderator"})
_NOWHERE: Final = frozenset({"remote-server-not-found", "remote-server-timeout", "item-not-found", "not-allowed"})
_ROOMS: Final = "http://jabber.org/protocol/muc"
_OWNERS: Final = frozenset({"owner", "admin"})
_LASTING_IDS: Final = "urn:xmpp:occupant-id:0"


class ReceivedMessage(Struct, frozen=True, kw_only=True):
    """A message, and the occupants of its room at that time: they may have left before it is handled."""

    stanza: Element
    occupants: Mapping[str, Occupant]


class XmppClient(slixmpp.ClientXMPP):
    """A stream to a server.

    `received` has the messages, and None after the end of the stream; `left` has the rooms that removed the bot, with
    the reason (XEP-0045 sections 8.2, 9.1 and 15.6).
    """

    def __init__(self, settings: XmppSettings) -> None:
        plain = {"unencrypted_plain": True, "unencrypted_scram": True} if not settings.encrypted else {}
        # Without TLS the certificates of this machine need not be loaded, which takes a while.
        tls = None if settings.encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        super().__init__(
            settings.jid,
            settings.password.get_secret_value(),
            plugin_config={"feature_mechanisms": plain},
            ssl_context=tls,
        )
        self._settings = settings
        self.received: asyncio.Queue[ReceivedMessage | None] = asyncio.Queue()
        self.left: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._occupant_ids: dict[str, str] = {}
        self._rooms_with_ids: set[str] = set()
        for plugin in ("xep_0030", "xep_0045", "xep_0199", "xep_0363"):
            self.register_plugin(plugin)
        if not settings.encrypted:
            self.enable_direct_tls = self.enable_starttls = False
            self.enable_plaintext = True
        self.add_event_handler("session_start", self._on_start)
        self.add_event_handler("failed_all_auth", self._on_refusal)
        self.add_event_handler("connection_failed", self._on_end)
        self.add_event_handler("disconnected", self._on_end)
        # The events of slixmpp leave out stanzas without a body: reactions and retractions.
        self.register_handler(Callback("every message", StanzaPath("message"), self._on_message))
        self.register_handler(Callback("every presence", StanzaPath("presence"), self._on_presence))

    async def enter(self) -> None:
        """Connect and log in.

        Raises:
            ConnectionRefusedForGood: the password is wrong.
            ConnectionEnded: the server cannot be reached.
        """
        self.connect(self._settings.host or None, self._settings.port if self._settings.host else None)
        try:
            async with asyncio.timeout(_LOGIN_SECONDS):
                await self._entered
        except TimeoutError as error:
            raise ConnectionEnded(messages.Message("server.timeout")) from error
        self.send_presence()

    async def join(self, room: str, nick: str, since: datetime | None) -> str:
        """Enter a room and return the nickname there; `since` asks for later messages.

        Raises:
            ConnectionEnded: the room does not answer.
            PermissionError: the room does not let the bot in, or stays locked.
        """
        muc = self.plugin["xep_0045"]
        if await self._gives_ids(room):
            self._rooms_with_ids.add(room)
        wanted = {"maxstanzas": 0} if since is None else {"since": since}
        try:
            presence, *_ = await muc.join_muc_wait(slixmpp.JID(room), nick, timeout=_JOIN_SECONDS, **wanted)
            if _ROOM_IS_NEW in presence["muc"]["status_codes"]:
                await self._unlock(room)
        except (PresenceError, IqError, IqTimeout) as error:
            if error.condition == "conflict":
                return await self.join(room, f"{nick}_", since)
            raise PermissionError(f"{error.condition} {error.text}".strip()) from error
        except TimeoutError as error:
            raise ConnectionEnded(messages.Message("connection.room_silent", {"room": room})) from error
        return nick

    def occupants(self, room: str) -> Mapping[str, Occupant]:
        """Return the people of a room by nickname; empty where the bot is in no such room, as in a private chat."""
        try:
            nicks = self.plugin["xep_0045"].get_roster(slixmpp.JID(room))
        except ValueError:  # slixmpp 1.17 raises where earlier versions returned None
            return {}
        return {nick: self._occupant(room, nick) for nick in nicks or ()}

    async def has_service(self, room: str) -> bool:
        """Return whether the service of `room` hosts rooms; the room itself is created by the first to enter."""
        domain = slixmpp.JID(slixmpp.JID(room).domain)
        try:
            answer = await self.plugin["xep_0030"].get_info(jid=domain, timeout=_PING_SECONDS)
        except IqError as error:
            return error.condition not in _NOWHERE
        except (IqTimeout, TimeoutError):
            return False
        return _ROOMS in answer["disco_info"]["features"]

    async def upload(self, file: SentFile) -> str:
        """Upload `file` to the server and return its address. Source: XEP-0363.

        Raises:
            DeliveryFailed: the server has no service for files, or did not take this one.
        """
        try:
            async with asyncio.timeout(_UPLOAD_SECONDS):
                slot = upload_slot(await self._request_slot(file))
                if slot is None:
                    raise DeliveryFailed("the server gave no address for the upload of a file")
                async with httpx.AsyncClient(timeout=_UPLOAD_SECONDS) as web:
                    headers = {**slot.headers, "Content-Type": file.media_type}
                    response = await web.put(slot.put, content=file.content, headers=headers)
        except (IqError, IqTimeout, TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise DeliveryFailed(f"upload failed: {type(error).__name__} {error}".strip()) from error
        if not response.is_success:
            raise DeliveryFailed(f"the server did not take a file ({response.status_code})")
        return slot.get

    async def answers_ping(self) -> bool:
        """Return whether the server answers a ping."""
        try:
            await self.plugin["xep_0199"].ping(timeout=_PING_SECONDS)
        except (IqError, IqTimeout, TimeoutError):
            return False
        return True

    def message_to(self, jid: str, body: str, *, is_group: bool) -> Message:
        """Return an unsent message with an id of its own."""
        message = self.make_message(mto=slixmpp.JID(jid), mbody=body, mtype="groupchat" if is_group else "chat")
        message["id"] = self.new_id()
        return message

    async def leave(self) -> None:
        """Close the stream within a second."""
        await self.disconnect(wait=1.0)
        self.abort()

    async def _request_slot(self, file: SentFile) -> Element:
        """Request an upload slot for `file`; `upload_file` of the plugin would accept any address and header."""
        plugin = self.plugin["xep_0363"]
        service = await plugin.find_upload_service(timeout=_PING_SECONDS)
        if service is None:
            raise DeliveryFailed("the server has no service for files", is_permanent=True)
        size, kind = len(file.content), file.media_type
        answer: Iq = await plugin.request_slot(service["from"], file.name, size, kind, timeout=_PING_SECONDS)
        xml: Element = answer.xml
        return xml

    def _occupant(self, room: str, nick: str) -> Occupant:
        muc, jid = self.plugin["xep_0045"], slixmpp.JID(room)
        real = muc.get_jid_property(jid, nick, "jid")
        return Occupant(
            nick=nick,
            jid=slixmpp.JID(real).bare if real else "",
            occupant_id=self._occupant_ids.get(f"{room}/{nick}", ""),
            is_moderator=muc.get_jid_property(jid, nick, "role") in _MODERATORS
            or muc.get_jid_property(jid, nick, "affiliation") in _OWNERS,
        )

    async def _gives_ids(self, room: str) -> bool:
        """Return whether `room` assigns occupant ids (XEP-0421); in other rooms clients could forge them."""
        try:
            answer = await self.plugin["xep_0030"].get_info(jid=slixmpp.JID(room), timeout=_PING_SECONDS)
        except (IqError, IqTimeout, TimeoutError):
            return False
        return _LASTING_IDS in answer["disco_info"]["features"]

    async def _unlock(self, room: str) -> None:
        """Accept the configuration of a new room, which is locked until then. Source: XEP-0045 section 10.1.2."""
        muc = self.plugin["xep_0045"]
        form = await muc.get_room_config(slixmpp.JID(room))
        form["type"] = "submit"
        await muc.set_room_config(slixmpp.JID(room), form)

    def _on_start(self, _: object) -> None:
        if not self._entered.done():
            self._entered.set_result(None)

    def _on_refusal(self, _: object) -> None:
        if not self._entered.done():
            self._entered.set_exception(ConnectionRefusedForGood(messages.Message("connection.password_refused")))

    def _on_end(self, reason: object) -> None:
        self.cancel_connection_attempt()
        if not self._entered.done():
            self._entered.set_exception(
                ConnectionEnded(messages.Message("server.unreachable", {"reason": str(reason)}))
            )
        self.received.put_nowait(None)

    def _on_message(self, message: StanzaBase) -> None:
        self.received.put_nowait(ReceivedMessage(stanza=message.xml, occupants=self.occupants(message["from"].bare)))

    def _on_presence(self, presence: StanzaBase) -> None:
        sender = presence["from"]
        if presence["type"] == "unavailable":
            self._occupant_ids.pop(str(sender), None)
            codes = presence["muc"]["status_codes"]
            if _OWN_PRESENCE in codes and _NICK_CHANGED not in codes:
                reason = next((each for code, each in _REASONS.items() if code in codes), "left the room")
                self.left.put_nowait((sender.bare, reason))
        elif sender.bare in self._rooms_with_ids:
            self._occupant_ids[str(sender)] = occupant_id(presence.xml)
