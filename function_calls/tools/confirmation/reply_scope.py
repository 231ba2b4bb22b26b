"""Find the earlier messages to whose answers a new message can refer."""

from itertools import takewhile
from typing import Final

from function_calls.tools.calls import ReplyScope
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage

_LOOKED_BACK: Final = 30


async def find_reply_scope(message: ChatMessage, history: HistoryService) -> ReplyScope:
    """Return the scope of `message`, which must be in `history`."""
    scope = None if message.reply_to is None else await scope_of_reply(message, message.reply_to, history)
    if message.is_private:
        return ReplyScope() if scope is None else ReplyScope(message_ids=scope.message_ids)
    if scope is not None:
        return scope
    if message.is_addressed:
        return ReplyScope()
    return ReplyScope(is_everything=False, message_ids=await _since_others(message, history))


async def _since_others(message: ChatMessage, history: HistoryService) -> frozenset[str]:
    """Return the ids of the sender's messages since the last message of another person.

    The history has no person for messages of people who opted out. If the sender opted out, such messages count as
    the sender's.
    """
    speakers = await history.speakers(message.address, _LOOKED_BACK)
    own_names = {
        message.sender.id,
        next((person for message_id, person in speakers if message_id == message.id), message.sender.id),
    }
    own = takewhile(lambda speaker: speaker[1] in own_names, reversed(speakers))
    return frozenset(message_id for message_id, _ in own if message_id != message.id)


async def scope_of_reply(message: ChatMessage, reply_to: str, history: HistoryService) -> ReplyScope:
    """Return the scope of `message`, a reply to the message with the id `reply_to`."""
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
