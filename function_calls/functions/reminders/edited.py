"""Update the reminder of an edited message, whose call is repeated with other words."""

from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.answers import changed_told
from function_calls.functions.reminders.undo import put_back
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.recurrence.schedule import Schedule
from services.reminders.model import NewReminder, Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService

_MOST_SET: Final = 20
_SAME: Final = timedelta(minutes=1)  # "in ten minutes" was interpreted some seconds after it was sent


async def as_edited(wish: NewReminder, ctx: CallContext, reminders: ReminderService) -> ToolResult | None:
    """Update the reminder that this call of the message has set to `wish`; None where the call is new.

    A reminder that has fired is not changed any more; without a difference there is no answer.

    Raises:
        RequestRefused: as `ReminderService.edit` does; `deleted_since(id)`.
    """
    same = await _find_equal(wish, reminders)
    if same is not None:
        return ToolResult(ok=True, value={"id": same.id}, is_answered=True, is_unchanged=True)
    old = await reminders.of_request(wish.request_key)
    if old is None:
        return None
    if old.state is ReminderState.CANCELLED:
        raise RequestRefused("deleted_since", id=old.id)
    edit = _difference(old, wish)
    told = replace(ctx, now=ctx.clock.now().astimezone(ctx.zone))
    if old.state is ReminderState.DONE or edit == ReminderEdit():
        return ToolResult(ok=True, value={"id": old.id}, is_answered=True, is_unchanged=True)
    changed = await reminders.edit(ctx.chat, ctx.sender, old.id, edit)  # a time in the past is refused on edits
    return changed_told(changed, told, "changed", put_back(old))


async def _find_equal(wish: NewReminder, reminders: ReminderService) -> Reminder | None:
    """Return the reminder that a call of the message has set equal to `wish`.

    Calls move up where an earlier request was removed.
    """
    message, _, _ = wish.request_key.rpartition(".")
    for place in range(_MOST_SET):
        each = await reminders.of_request(f"{message}.{place}")
        if each is None:
            return None
        if each.state is ReminderState.ACTIVE and _difference(each, wish) == ReminderEdit():
            return each
    return None


def _difference(old: Reminder, wish: NewReminder) -> ReminderEdit:
    """Return the changes from the new words; people who joined the reminder stay."""
    is_for_oneself = not wish.targets and any(person.id == old.creator.id for person in old.targets)
    return ReminderEdit(
        content=None if wish.content == old.content else wish.content,
        schedule=None if _is_same(wish.schedule, old.schedule) else wish.schedule,
        targets=None if wish.targets == old.targets or is_for_oneself else wish.targets,
        is_urgent=None if wish.is_urgent == old.is_urgent else wish.is_urgent,
    )


def _is_same(new: Schedule, old: Schedule) -> bool:
    return (new.rule, new.zone) == (old.rule, old.zone) and abs(new.start - old.start) < _SAME
