"""Resolve the reminder that a reply means: a delivered reminder, or one in a confirmation."""

import re

from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

_THIS = frozenset(
    {"", "this", "it", "that", "this one", "that one", "the reminder", "this reminder", "that reminder"}
    | {"这个", "这条", "它", "那个", "那条", "这个提醒", "那个提醒", "这条提醒", "提醒"}
)
_ID = re.compile(r"\[([a-z][a-z0-9]{5,})\]")
_LOOKED_BACK = 200


def points(reference: str | None) -> bool:
    """Return whether the words only refer to the replied message, or are empty."""
    return (reference or "").strip().casefold() in _THIS


async def replied_to(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> tuple[Reminder, ...]:
    """Return the reminders of the replied message; none when it is no reply, or has no reminders."""
    message_id = ctx.message.reply_to
    if message_id is None:
        return ()
    said = await reminders.recent_deliveries.in_message(ctx.chat, message_id)
    return said or await _reminders_in(message_id, ctx, reminders, history)


async def meant(
    reference: str | None, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> str | None:
    """Return `reference`, or the id of the replied reminder where it is a pronoun; None when nothing is meant.

    Raises:
        RequestRefused: `reminder_ambiguous(reference, candidates)`: the message that is replied to had several.
    """
    if reference is not None and not points(reference):
        return reference
    found = await replied_to(ctx, reminders, history)
    if len(found) > 1:
        raise RequestRefused("reminder_ambiguous", reference=reference or "", candidates=found)
    return found[0].id if found else None


async def _reminders_in(
    message_id: str, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> tuple[Reminder, ...]:
    """Return the open reminders whose ids are in an earlier message of the bot."""
    before = await history.recent(ctx.chat, _LOOKED_BACK)
    text = next((each.text for each in before if each.id == message_id and each.sender.is_bot), "")
    found: list[Reminder] = []
    for reference in dict.fromkeys(_ID.findall(text)):
        try:
            found.append(await reminders.get(ctx.chat, ctx.sender, reference))
        except RequestRefused:
            continue  # a closed reminder, or no id of one
    return tuple(found)
