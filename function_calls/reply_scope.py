"""Find out which of the bot's questions and confirmations a message can be the answer to.

In a group people answer each other: a bare "yes" or "make it 8" goes to the bot only where nobody else wrote since the
bot answered its sender, where it replies to that answer, or where it calls the bot by name.
"""

from itertools import takewhile
from typing import Final

from msgspec import Struct

from services.history.service import HistoryService
from services.kernel.chat import ChatMessage, Person

_LOOKED_BACK: Final = 30


class ReplyScope(Struct, frozen=True, kw_only=True):
    """The earlier messages of a sender whose answers by the bot a new message can refer to.

    `is_everything` stands for all of them; else they are `message_ids`. `asked` is the other person to whom the bot had
    written the message that this one replies to.
    """

    is_everything: bool = True
    message_ids: frozenset[str] = frozenset()
    asked: Person | None = None

    def covers(self, *message_ids: str) -> bool:
        """Tell whether one of `message_ids` is among them."""
        return self.is_everything or not self.message_ids.isdisjoint(message_ids)


async def reply_scope(message: ChatMessage, history: HistoryService) -> ReplyScope:
    """Return the scope of `message`, which is in `history` already."""
    if message.is_private:
        return ReplyScope()
    if message.reply_to is not None:
        return await scope_of_reply(message, message.reply_to, history)
    if message.is_addressed:
        return ReplyScope()
    return ReplyScope(is_everything=False, message_ids=await _since_others(message, history))


async def _since_others(message: ChatMessage, history: HistoryService) -> frozenset[str]:
    """Return the ids of what the sender wrote since somebody else did.

    Of those who want nothing kept the history knows messages without a person. If the sender is one of them, such
    messages count as theirs.
    """
    speakers = await history.speakers(message.address, _LOOKED_BACK)
    own_names = {
        message.sender.id,
        next((person for each, person in speakers if each == message.id), message.sender.id),
    }
    own = takewhile(lambda each: each[1] in own_names, reversed(speakers))
    return frozenset(message_id for message_id, _ in own if message_id != message.id)


async def scope_of_reply(message: ChatMessage, reply_to: str, history: HistoryService) -> ReplyScope:
    """Return the scope of `message`, which replies to the message with the id `reply_to`."""
    replied = await history.find(message.address, reply_to)
    if replied is None or not replied.sender.is_bot:
        return ReplyScope(is_everything=message.is_addressed)
    if replied.reply_to is None:
        return ReplyScope(is_everything=False)
    question = await history.find(message.address, replied.reply_to)
    is_own = question is None or question.sender.id == message.sender.id
    return ReplyScope(
        is_everything=False,
        message_ids=frozenset({replied.reply_to}),
        asked=None if is_own or question is None else question.sender,
    )
