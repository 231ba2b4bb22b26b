"""Which reminder is meant when none is named."""

from function_calls.context import CallContext
from services.errors import RequestRefused
from services.reminders.model import Reminder
from services.reminders.service import ReminderService


async def spoken_of(reference: str | None, ctx: CallContext, reminders: ReminderService) -> Reminder:
    """The reminder that is meant; without a reference the one that this person changed last, or the only one.

    Raises:
        RequestRefused: as `ReminderService.get` does.
    """
    if reference:
        return await reminders.get(ctx.chat, ctx.sender, reference)
    changes = () if ctx.oversight is None else await ctx.oversight.receipts.latest(ctx.conversation)
    for subject in (receipt.subject for change in changes for receipt in change.receipts):
        try:
            return await reminders.get(ctx.chat, ctx.sender, subject)
        except RequestRefused:
            continue  # it is gone, or it was no reminder
    try:
        return await reminders.get(ctx.chat, ctx.sender, "")
    except RequestRefused as refusal:
        candidates = refusal.fields.get("candidates")
        if isinstance(candidates, tuple) and len(candidates) == 1 and isinstance(candidates[0], Reminder):
            return candidates[0]
        raise
