"""Resolve the reminder that is meant when none is named."""

from datetime import timedelta

from function_calls.tools.calls import Receipt
from function_calls.tools.confirmation.change_log import Change
from function_calls.tools.context import CallContext
from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.reminders.model import Reminder, ReminderState
from services.reminders.service import ReminderService

_LATELY = timedelta(minutes=10)


async def the_one_spoken_of(ctx: CallContext, reminders: ReminderService) -> Reminder:
    """Resolve like `spoken_of` without a reference, but refuse several that were changed together.

    Raises:
        RequestRefused: as `ReminderService.get` does.
    """
    subjects = {receipt.subject for receipt in await latest_receipts(ctx)}
    here = [each for each in await reminders.open_in(ctx.chat) if each.id in subjects]
    if len(here) > 1:
        raise RequestRefused("reminder_ambiguous", reference="", candidates=tuple(here))
    return await spoken_of(None, ctx, reminders)


async def just_deleted(ctx: CallContext) -> tuple[str, ...]:
    """Return the ids of the reminders that this person deleted in this chat, if that was their last change."""
    return tuple(receipt.subject for receipt in await latest_receipts(ctx) if receipt.action == "deleted")


async def spoken_of(reference: str | None, ctx: CallContext, reminders: ReminderService) -> Reminder:
    """Return the reminder of a reference; without one the reminder that this person saw or changed last.

    Else it is the only one of the chat, or the only one for this person.

    Raises:
        RequestRefused: as `ReminderService.get` does.
    """
    if reference:
        return await reminders.get(ctx.chat, ctx.sender, reference)
    changes = await _latest_changes(ctx)
    mentioned = await _reminder_mentioned_since(changes, ctx, reminders)
    if mentioned is not None:
        return mentioned
    for receipt in (each for change in changes for each in change.receipts):
        try:
            return await reminders.get(ctx.chat, ctx.sender, receipt.subject)
        except RequestRefused:
            continue  # it is deleted, or it was no reminder
    try:
        return await reminders.get(ctx.chat, ctx.sender, "")
    except RequestRefused as refusal:
        candidates = refusal.fields.get("candidates")
        found = [each for each in candidates if isinstance(each, Reminder)] if isinstance(candidates, tuple) else []
        own = [each for each in found if _is_for(each, ctx.sender)] if len(found) > 1 else found
        if len(own) != 1:
            raise
        return own[0]


async def _reminder_mentioned_since(
    changes: tuple[Change, ...], ctx: CallContext, reminders: ReminderService
) -> Reminder | None:
    """Return the reminder that somebody else set for this person, or that came, in the last minutes.

    It is the one that they mean where none of their last `changes` is later; None where there is none, or several.
    """
    since = max((change.at for change in changes if change.at is not None), default=ctx.now - _LATELY)
    within = min(_LATELY, ctx.now - since)
    here = await reminders.open_in(ctx.chat)
    set_by_others = [
        each
        for each in here
        if each.creator.id != ctx.sender.id
        and ctx.now - each.created_at < within
        and each.targets
        and _is_for(each, ctx.sender)
    ]
    came = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, within)
    found = set_by_others or [each for each in came if each.state is ReminderState.ACTIVE]
    return found[0] if len(found) == 1 else None


def _is_for(reminder: Reminder, person: Person) -> bool:
    """Return whether a reminder is for `person`, who may be known by name only."""
    ids, name = target_ids(person), person.name.casefold()
    people = reminder.targets or (reminder.creator,)
    return any(each.id in ids or each.name.lstrip("@").casefold() == name for each in people)


async def latest_receipts(ctx: CallContext) -> tuple[Receipt, ...]:
    """Return the receipts of the last changes of this person in this chat."""
    return tuple(receipt for change in await _latest_changes(ctx) for receipt in change.receipts)


async def _latest_changes(ctx: CallContext) -> tuple[Change, ...]:
    """Return the last changes of this person in this chat; none where no changes are logged."""
    return () if ctx.policy is None else await ctx.policy.receipts.latest(ctx.conversation)
