"""Remember the recent messages of rooms, to which later stanzas refer."""

from typing import Final
from xml.etree.ElementTree import Element

from bot.platforms.xmpp.wire import given_id, message_id, reacted_to
from services.kernel.bounded import BoundedDict

_REMEMBERED: Final = 2_000


class Lately:
    """The last messages of others and of the bot, and the reactions under them.

    `own` are the bot's ids of its messages by the rooms' ids, `authors` who said the others, and `given_ids` the rooms'
    ids by those that their authors gave them.
    """

    def __init__(self) -> None:
        self.own: BoundedDict[str, str] = BoundedDict(_REMEMBERED)
        self.authors: BoundedDict[str, str] = BoundedDict(_REMEMBERED)
        self.given_ids: BoundedDict[str, str] = BoundedDict(_REMEMBERED)
        self._reactions: BoundedDict[str, frozenset[str]] = BoundedDict(_REMEMBERED)

    def has_heard(self, stanza: Element) -> bool:
        """Return whether a message came before, as rooms repeat their history."""
        return message_id(stanza) in self.authors

    def heard(self, stanza: Element) -> None:
        """Somebody has said something."""
        self.authors[message_id(stanza)] = stanza.get("from", "")
        self.given_ids[given_id(stanza, stanza.get("id", ""))] = message_id(stanza)

    def said(self, room_id: str, own_id: str) -> None:
        """Note the id of the bot's last message in a room."""
        self.own[room_id] = own_id

    def reacted(self, stanza: Element) -> tuple[str, frozenset[str], frozenset[str]] | None:
        """Return the message, the sender's earlier reactions and the new ones; None if nothing changed."""
        found = reacted_to(stanza)
        if found is None:
            return None
        message, after = found
        key = f"{message} {stanza.get('from', '')}"
        before = self._reactions.get(key, frozenset())
        self._reactions[key] = after
        return message, before, after
