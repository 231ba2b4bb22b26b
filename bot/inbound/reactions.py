"""Add or remove recipients of a reminder by reactions to it, such as thumbs up."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bot.inbound.middleware import Middleware, chain
from bot.inbound.turns import TurnFactory
from bot.outbound.outbox import Outbox
from function_calls.conversation.agent_loop import Outcome, make_reply
from function_calls.conversation.records.recorder import RecordTurn
from function_calls.tools.calls import Step, ToolCall
from services.kernel.chat import ChatAddress, ChatMessage, Reaction

_NAMES: Final = {"+1", "thumbsup", "thumbs_up", "heavy_plus_sign", "raising_hand", "raised_hand"}
_ME_TOO: Final = frozenset("👍➕🙋✋") | _NAMES
# Skin tones and the variation selector of coloured emoji.
_TONES: Final = dict.fromkeys((*range(0x1F3FB, 0x1F400), 0xFE0F))
_JOINER: Final = "\u200d"
_ADDED: Final = "+"
_TAKEN_BACK: Final = "-"


class Reactions(Struct, frozen=True, kw_only=True):
    """Adds people to reminders, and removes them, by reactions; `middlewares` check access, order and rate limit."""

    turns: TurnFactory
    outbox: Outbox
    record_turn: RecordTurn
    middlewares: Sequence[Middleware]

    async def handle(self, reaction: Reaction) -> None:
        """Add the person to the reminder, or remove them when the reaction was removed."""
        if is_join_request(reaction.emoji):
            reply = _as_reply(reaction, await self._place_of(reaction), self.turns.clock.now())
            await chain(self.middlewares, self._answer)(reply)

    async def _place_of(self, reaction: Reaction) -> ChatAddress:
        """Return the address of the message; the thread comes from the history, as most reactions lack it."""
        if reaction.address.thread_id is not None:
            return reaction.address
        message = await self.turns.history.find(reaction.address, reaction.message_id)
        return reaction.address if message is None else message.address

    async def _answer(self, message: ChatMessage) -> None:
        turn = await self.turns.turn(message)
        action = "join" if message.text.startswith(_ADDED) else "leave"
        call = ToolCall(id="reaction", name="reminder_state", arguments={"action": action})
        with self.record_turn(turn) as recorded:
            result = await self.turns.calls.dispatch(call, self.turns.context(turn, 0))
            # Reactions to people, and thanks for own reminders, change nothing and get no answer.
            if not any(receipt.undo for receipt in result.receipts):
                return
            answered_turn = replace(turn, steps=(Step(text="", calls=(call,), results=(result,)),))
            reply = make_reply(Outcome(turn=answered_turn, text=result.text))
            if reply is not None:
                recorded.reply = replace(reply, reply_to=message.reply_to, mentions=(message.sender,))
                await self.outbox.reply(message.address, recorded.reply)


def is_join_request(emoji: str) -> bool:
    """Return whether a reaction asks to join a reminder."""
    plain = emoji.strip(":").translate(_TONES).partition(_JOINER)[0].casefold()
    return plain in _ME_TOO


def _as_reply(reaction: Reaction, place: ChatAddress, now: datetime) -> ChatMessage:
    """Return the reaction as an unaddressed reply, which is not recorded."""
    text = f"{_ADDED if reaction.is_added else _TAKEN_BACK}{reaction.emoji}"
    return ChatMessage(
        id=f"{reaction.message_id}/{reaction.person.id}/{text}",
        address=place,
        sender=reaction.person,
        text=text,
        sent_at=now,
        reply_to=reaction.message_id,
    )
