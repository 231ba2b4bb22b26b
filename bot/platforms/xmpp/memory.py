"""Track the recent messages of rooms, and messages that their room has not reflected yet."""

import asyncio
from typing import Final
from xml.etree.ElementTree import Element

from slixmpp.stanza import Message

from bot.platforms.xmpp.wire import message_id, parse_reactions, sender_key
from services.kernel.bounded import BoundedDict
from services.kernel.errors import DeliveryFailed

_REMEMBERED: Final = 2_000

_TIMEOUT_SECONDS: Final = 30.0


class RecentMessages:
    """The last messages of others and of the bot, and the reactions under them.

    `own` are the bot's ids of its messages by the rooms' ids, `authors` who said the others, and `given_ids` the rooms'
    ids by those that their authors gave them.
    """

    def __init__(self) -> None:
        self.own: BoundedDict[str, str] = BoundedDict(_REMEMBERED)
        self.authors: BoundedDict[str, str] = BoundedDict(_REMEMBERED)
        self.given_ids: BoundedDict[str, str] = BoundedDict(_REMEMBERED)
        self._reactions: BoundedDict[str, frozenset[str]] = BoundedDict(_REMEMBERED)

    def has_received(self, stanza: Element) -> bool:
        """Return whether a message came before, as rooms repeat their history."""
        return message_id(stanza) in self.authors

    def remember(self, stanza: Element) -> None:
        """Remember a message of somebody."""
        self.authors[message_id(stanza)] = stanza.get("from", "")
        self.given_ids[sender_key(stanza, stanza.get("id", ""))] = message_id(stanza)

    def remember_own(self, room_id: str, own_id: str) -> None:
        """Note the id of the bot's last message in a room."""
        self.own[room_id] = own_id

    def update_reactions(self, stanza: Element) -> tuple[str, frozenset[str], frozenset[str]] | None:
        """Return the message, the sender's earlier reactions and the new ones; None if nothing changed."""
        found = parse_reactions(stanza)
        if found is None:
            return None
        message, after = found
        key = f"{message} {stanza.get('from', '')}"
        before = self._reactions.get(key, frozenset())
        self._reactions[key] = after
        return message, before, after


class Reflections:
    """A room has taken a message when it comes back; its id is then the room's."""

    def __init__(self) -> None:
        self._awaited: dict[str, asyncio.Future[str]] = {}

    async def send(self, stanza: Message) -> str:
        """Send `stanza` and return the id that the room gave it.

        Raises:
            DeliveryFailed: the room refused it, did not repeat it, or the connection ended meanwhile.
        """
        own_id = str(stanza["id"])
        self._awaited[own_id] = asyncio.get_running_loop().create_future()
        try:
            stanza.send()
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                return await self._awaited[own_id]
        except TimeoutError as error:
            raise DeliveryFailed("the room did not repeat the message", is_unknown=True) from error
        finally:
            del self._awaited[own_id]

    def resolve(self, stanza: Element) -> None:
        """Resolve the pending message that the room has reflected as `stanza`."""
        awaited = self._awaited.get(stanza.get("id", ""))
        if awaited is not None and not awaited.done():
            awaited.set_result(message_id(stanza))

    def fail(self, stanza: Element) -> None:
        """Fail the pending message to which the room has answered with an error."""
        conditions = [each.tag.rpartition("}")[2] for error in stanza.iter() for each in error if "stanzas" in each.tag]
        awaited = self._awaited.get(stanza.get("id", ""))
        if awaited is not None and not awaited.done():
            awaited.set_exception(DeliveryFailed(", ".join(conditions) or "refused", is_permanent=True))

    def fail_all(self) -> None:
        """Fail all pending messages as unknown, because the connection is gone."""
        for awaited in self._awaited.values():
            if not awaited.done():
                awaited.set_exception(DeliveryFailed("the connection ended", is_unknown=True))
