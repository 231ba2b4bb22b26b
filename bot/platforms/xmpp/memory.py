"""What was said in the rooms lately: later stanzas name it, or repeat it."""

from collections import OrderedDict
from typing import Final, TypeVar
from xml.etree.ElementTree import Element

from bot.platforms.xmpp.wire import given_id, message_id, reacted_to

_REMEMBERED: Final = 2_000

V = TypeVar("V")


class Lately:
    """The last messages of others and of the bot, and the reactions under them.

    `own` are the bot's ids of its messages by the rooms' ids, `authors` who said the others, and `given_ids` the rooms'
    ids by those that their authors gave them.
    """

    def __init__(self) -> None:
        self.own: OrderedDict[str, str] = OrderedDict()
        self.authors: OrderedDict[str, str] = OrderedDict()
        self.given_ids: OrderedDict[str, str] = OrderedDict()
        self._reactions: OrderedDict[str, frozenset[str]] = OrderedDict()

    def has_heard(self, stanza: Element) -> bool:
        """Whether a message came before, as rooms repeat their history."""
        return message_id(stanza) in self.authors

    def heard(self, stanza: Element) -> None:
        """Somebody has said something."""
        _remember(self.authors, message_id(stanza), stanza.get("from", ""))
        _remember(self.given_ids, given_id(stanza, stanza.get("id", "")), message_id(stanza))

    def said(self, room_id: str, own_id: str) -> None:
        """The bot has said something."""
        _remember(self.own, room_id, own_id)

    def reacted(self, stanza: Element) -> tuple[str, frozenset[str], frozenset[str]] | None:
        """The message under which somebody changes their reactions, and which they were and are; None for no change."""
        found = reacted_to(stanza)
        if found is None:
            return None
        message, after = found
        key = f"{message} {stanza.get('from', '')}"
        before = self._reactions.get(key, frozenset())
        _remember(self._reactions, key, after)
        return message, before, after


def _remember(memory: OrderedDict[str, V], key: str, value: V) -> None:
    memory[key] = value
    if len(memory) > _REMEMBERED:
        memory.popitem(last=False)
