"""Track sent messages until their room reflects them."""

import asyncio
from typing import Final
from xml.etree.ElementTree import Element

from slixmpp.stanza import Message

from bot.platforms.xmpp.wire import message_id
from services.kernel.errors import DeliveryFailed

_PATIENCE_SECONDS: Final = 30.0


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
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await self._awaited[own_id]
        except TimeoutError as error:
            raise DeliveryFailed("the room did not repeat the message", is_unknown=True) from error
        finally:
            del self._awaited[own_id]

    def came_back(self, stanza: Element) -> None:
        """Resolve the pending message that the room has reflected as `stanza`."""
        awaited = self._awaited.get(stanza.get("id", ""))
        if awaited is not None and not awaited.done():
            awaited.set_result(message_id(stanza))

    def refused(self, stanza: Element) -> None:
        """Fail the pending message to which the room has answered with an error."""
        conditions = [each.tag.rpartition("}")[2] for error in stanza.iter() for each in error if "stanzas" in each.tag]
        awaited = self._awaited.get(stanza.get("id", ""))
        if awaited is not None and not awaited.done():
            awaited.set_exception(DeliveryFailed(", ".join(conditions) or "refused", is_permanent=True))

    def broke(self) -> None:
        """Fail all pending messages as unknown, because the connection is gone."""
        for awaited in self._awaited.values():
            if not awaited.done():
                awaited.set_exception(DeliveryFailed("the connection ended", is_unknown=True))
