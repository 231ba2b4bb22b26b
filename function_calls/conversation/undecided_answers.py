"""Recognise answers to the bot, and reply to those that confirm no call: incomplete, late or of another person."""

from collections.abc import Sequence
from typing import Final

from function_calls.conversation.form_answers import is_answer
from function_calls.conversation.slash_commands import parse_typed
from function_calls.language.messages import say
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Reply, ToolCall, Turn
from function_calls.tools.confirmation.buttons import buttons_to_confirm
from function_calls.tools.confirmation.reply_scope import find_reply_scope
from function_calls.tools.confirmation.yes_no import Answer, parse_short_answer
from function_calls.tools.policy import CallPolicy
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage

_MOVES: Final = frozenset({"reminder_update", "reminder_snooze"})


async def can_only_mean_bot(
    message: ChatMessage, calls: FunctionCallRouter, policy: CallPolicy, history: HistoryService, bot_name: str
) -> bool:
    """Return whether an unaddressed message is the command of a tool or the answer to a pending question."""
    typed = parse_typed(message.text, bot_name)
    if typed is not None and not typed.other_bot and calls.registry.get(typed.name) is not None:
        return True
    answer, scope = parse_short_answer(message.text, bot_name), await find_reply_scope(message, history)
    if answer is not None and await policy.confirmations.waits_for(message, answer, scope):
        return True
    pending = await policy.confirmations.open_form(message, scope)
    return pending is not None and pending.form is not None and is_answer(pending.form, message, bot_name)


async def reply_to_unmatched(turn: Turn, answer: Answer, policy: CallPolicy) -> Reply | None:
    """Return the reply to an answer that matches no pending call; None if it is about something else."""
    message, scope, confirmations = turn.message, turn.scope, policy.confirmations
    action = await confirmations.ask_for_words(message, answer, scope)
    if action:
        words = say(turn.language, f"button.yes_{action}_says")
        return Reply(
            text=say(turn.language, "confirm.words", words=words),
            reply_to=message.id,
            choices=buttons_to_confirm(turn.language, action, message.sender, turn.now),
        )
    for asked_in in scope.message_ids if scope.asked is not None else ():
        if scope.asked is not None and await confirmations.is_asked_of(scope.asked, message, asked_in):
            return Reply(text=say(turn.language, "confirm.not_yours", who=scope.asked.name), reply_to=message.id)
    return None


async def reply_to_closed(turn: Turn, answer: Answer, policy: CallPolicy) -> Reply | None:
    """Return the reply to an answer to a closed question, such as a late press of a button; None for other answers."""
    closed = await policy.confirmations.closed_question(turn.message, answer, turn.scope)
    return Reply(text=say(turn.language, f"confirm.{closed}"), reply_to=turn.message.id) if closed else None


async def drop_unread_question(turn: Turn, policy: CallPolicy | None) -> Reply | None:
    """Close the question without a call that the message replies to, and return the reply; None without any.

    The offline interpreter forgets its question with the next request, and when the process ends.
    """
    if policy is None or not await policy.confirmations.drop_question(turn.message, turn.scope):
        return None
    return Reply(text=say(turn.language, "confirm.closed"), reply_to=turn.message.id)


def is_out_of_scope(turn: Turn, calls: Sequence[ToolCall], policy: CallPolicy) -> bool:
    """Return whether `calls` move an unnamed reminder after another person wrote in the group.

    "Make it 8" is then addressed to that person, and does not refer to the bot's last change for the sender.
    """
    message = turn.message
    if turn.steps or message.is_addressed or turn.scope.is_everything or not calls:
        return False
    is_unnamed = all(call.name in _MOVES and not call.arguments.get("reminder_id") for call in calls)
    last = policy.last_message_ids.get(turn.conversation.key, "")
    return is_unnamed and bool(last) and not turn.scope.covers(last)
