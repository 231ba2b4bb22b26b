"""Find the change to undo, and ask if it is ambiguous."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolCall, ToolResult
from function_calls.tools.confirmation.buttons import buttons_to_confirm
from function_calls.tools.confirmation.change_log import EDITED, ChangeLog, LoggedChange, change_id
from function_calls.tools.confirmation.pending_calls import PendingCall
from function_calls.tools.confirmation.reply_scope import scope_of_reply
from function_calls.tools.context import CallContext
from function_calls.understanding.acknowledgements import is_acknowledgement
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.reminders.lookup.references import is_in

_LOOKED_BACK: Final = 50


class UndoTarget(Struct, frozen=True, kw_only=True):
    """The change to undo: its id and the text of its confirmation.

    `is_doubtful` requires a question first. `is_of_others`: the message replies to the confirmation of somebody else's
    change.
    """

    change_id: str = ""
    text: str = ""
    is_doubtful: bool = False
    is_of_others: bool = False


async def find_target(
    context: CallContext, change_log: ChangeLog, history: HistoryService | None, within: timedelta, about: str = ""
) -> UndoTarget | None:
    """Return the change that the message of `context` replies to, else the last one; None without any.

    The last one is that of what `about` names. It is doubtful if there is none, if it is older than `within`, if the
    message replies to something else, if the person's previous message was a request that was not served, or if
    it would delete what was set before somebody else's change.
    """
    replied = await _replied_message(context, history)
    if replied is not None:
        for change in reversed(await change_log.all(context.conversation)):
            if change.message_id.partition(EDITED)[0] in {replied.id, replied.reply_to}:
                return _target(context, change)
        scope = None if history is None else await scope_of_reply(context.message, replied.id, history)
        if scope is not None and scope.asked is not None:
            return UndoTarget(is_of_others=True)
    changes = (await change_log.every(context.conversation))[::-1]
    if not changes:
        return None
    named = next((change for change in changes if any(_is_named(each, about) for each in change.receipts)), None)
    last = named or changes[0]
    is_old = last.at is None or context.clock.now() - last.at > within
    is_other = bool(about) and named is None
    is_doubtful = context.entry_point == "chat" and (
        is_old
        or is_other
        or replied is not None
        or await _follows_unserved_request(context, last, history)
        or (named is None and await _would_lose_older(context, last, change_log, history))
    )
    return _target(context, last, is_doubtful=is_doubtful)


def select_named(changes: Sequence[LoggedChange], about: str) -> list[LoggedChange]:
    """Return `changes` with only what `about` names, if all that they changed has names and some has this one."""
    named = [
        replace(change, receipts=tuple(receipt for receipt in change.receipts if _is_named(receipt, about)))
        for change in changes
    ]
    is_all_named = all(receipt.name for change in changes for receipt in change.receipts)
    return [change for change in named if change.receipts and is_all_named] or list(changes)


def _is_named(receipt: Receipt, about: str) -> bool:
    """Return whether `about` has an id or words of what was changed, as it is called now or was before."""
    before = "" if receipt.undo is None else str(receipt.undo.arguments.get("content", ""))
    names = [name for name in about.split(", ") if name]
    return any(name == receipt.subject or is_in(receipt.name, name) or is_in(before, name) for name in names)


async def _would_lose_older(
    context: CallContext, last: LoggedChange, change_log: ChangeLog, history: HistoryService | None
) -> bool:
    """Return whether an undo deletes what was set before somebody else's change, which the bot has answered last."""
    is_set = any(receipt.action == "set" for receipt in last.receipts)
    recent = () if history is None or not is_set else await history.recent(context.chat, _LOOKED_BACK)
    answered = next((message.reply_to for message in reversed(recent) if message.sender.is_bot), None)
    asker = next((message.sender for message in recent if message.id == answered), context.sender)
    made = await change_log.every(replace(context.conversation, person=asker))
    changed = {receipt.subject for change in made if change.message_id == answered for receipt in change.receipts}
    return bool(changed) and changed.isdisjoint(receipt.subject for receipt in last.receipts)


async def ask_which(target: UndoTarget, context: CallContext, about: str = "") -> ToolResult:
    """Ask for a confirmation to undo `target`."""
    call = ToolCall(id=context.call_id, name="undo", arguments={"change_id": target.change_id, "about": about})
    if context.policy is not None:
        await context.policy.confirmations.ask(PendingCall.of(call, context))
    choices = buttons_to_confirm(context.language, "", context.sender, context.clock.now())
    return ToolResult.question(say(context.language, "undo.ask", what=target.text), choices)


def _target(context: CallContext, change: LoggedChange, *, is_doubtful: bool = False) -> UndoTarget:
    changes_text = ", ".join(f"{receipt.action} {receipt.subject}".strip() for receipt in change.receipts)
    return UndoTarget(
        change_id=change_id(context.sender, change.message_id),
        text=change.text or changes_text,
        is_doubtful=is_doubtful,
    )


async def _replied_message(context: CallContext, history: HistoryService | None) -> ChatMessage | None:
    reply_to = context.message.reply_to
    return None if history is None or reply_to is None else await history.find(context.chat, reply_to)


def _remove_names(names: Collection[str], text: str) -> str:
    plain = text.casefold()
    for name in names:
        plain = plain.replace(name, " ")
    return plain.strip()


async def _follows_unserved_request(context: CallContext, last: LoggedChange, history: HistoryService | None) -> bool:
    """Return whether the person's latest message before this one, thanks left out, led to nothing.

    Replies to other people are not requests.
    """
    if history is None or context.policy is None:
        return False
    served = {last.message_id.partition(EDITED)[0], context.policy.last_message_ids.get(context.conversation.key)}
    recent = await history.recent(context.chat, _LOOKED_BACK)
    people = {recent_message.id: recent_message.sender for recent_message in recent}
    bot_names = {recent_message.sender.name.casefold() for recent_message in recent if recent_message.sender.is_bot}
    for message in reversed(recent):
        if message.sender.id != context.sender.id or message.id == context.message.id:
            continue
        if message.id in served:
            return False
        replied = people.get(message.reply_to or "")
        is_for_people = replied is not None and not replied.is_bot and replied.id != context.sender.id
        if not is_for_people and not is_acknowledgement(_remove_names(bot_names, message.text)):
            return True
    return False
