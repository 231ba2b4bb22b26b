"""Track the recent messages of rooms, and the reactions under them."""

from typing import Final
from xml.etree.ElementTree import Element

from bot.platforms.xmpp.wire import message_id, parse_reactions, sender_key
from services.kernel.bounded import BoundedDict

_REMEMBERED: Final = 2_000


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
