"""Resolve the reminder that is meant when none is named."""

from function_calls.tools.calls import Receipt
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.reminders.model import Reminder
from services.reminders.service import ReminderService


async def the_one_spoken_of(ctx: CallContext, reminders: ReminderService) -> Reminder:
    """Resolve like `spoken_of` without a reference, but refuse several that were changed together.

    Raises:
        RequestRefused: as `ReminderService.get` does.
    """
    subjects = {receipt.subject for receipt in await latest_receipts(ctx)}
    here = [each for each in await reminders.list(ctx.chat, ctx.sender) if each.id in subjects]
    if len(here) > 1:
        raise RequestRefused("reminder_ambiguous", reference="", candidates=tuple(here))
    return await spoken_of(None, ctx, reminders)


async def just_deleted(ctx: CallContext) -> tuple[str, ...]:
    """Return the ids of the reminders that this person deleted in this chat, if that was their last change."""
    return tuple(receipt.subject for receipt in await latest_receipts(ctx) if receipt.action == "deleted")


async def spoken_of(reference: str | None, ctx: CallContext, reminders: ReminderService) -> Reminder:
    """Return the reminder of a reference; without one the reminder that this person changed last, or the only one.

    Raises:
        RequestRefused: as `ReminderService.get` does.
    """
    if reference:
        return await reminders.get(ctx.chat, ctx.sender, reference)
    for receipt in await latest_receipts(ctx):
        try:
            return await reminders.get(ctx.chat, ctx.sender, receipt.subject)
        except RequestRefused:
            continue  # it is deleted, or it was no reminder
    try:
        return await reminders.get(ctx.chat, ctx.sender, "")
    except RequestRefused as refusal:
        candidates = refusal.fields.get("candidates")
        if isinstance(candidates, tuple) and len(candidates) == 1 and isinstance(candidates[0], Reminder):
            return candidates[0]
        raise


async def latest_receipts(ctx: CallContext) -> tuple[Receipt, ...]:
    """Return the last changes of this person in this chat; none where no changes are logged."""
    changes = () if ctx.policy is None else await ctx.policy.receipts.latest(ctx.conversation)
    return tuple(receipt for change in changes for receipt in change.receipts)
