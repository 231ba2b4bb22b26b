"""Create reminders, and update the reminder of a message that was edited after it was set."""

from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.functions.reminders.answers import confirm_change, delete_step, due_since_request, revert_step
from function_calls.language import date_format
from function_calls.language.date_format import zone_label
from function_calls.language.messages import say
from function_calls.models import ReminderArgs
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import add_follow_up, zone_name
from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.zones import ZoneService
from services.recurrence.schedule import Schedule
from services.reminders.model import EVERYONE, NewReminder, Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService

_MAX_NEW_REMINDERS: Final = 20
_SAME: Final = timedelta(minutes=1)  # "in ten minutes" was interpreted some seconds after it was sent


def draft_reminder(content: str, schedule: Schedule, ctx: CallContext) -> NewReminder:
    """Return a new reminder of the sender for themselves, in the chat of the call."""
    return NewReminder(
        request_key=ctx.call_id,
        address=ctx.chat,
        creator=ctx.sender,
        content=content,
        schedule=schedule,
        language=ctx.language,
        is_private=ctx.message.is_private,
    )


def new_reminder(args: ReminderArgs, schedule: Schedule, targets: tuple[Person, ...], ctx: CallContext) -> NewReminder:
    """Return the new reminder of the arguments, with the parsed `schedule` and the resolved `targets`."""
    draft = draft_reminder(args.content, add_follow_up(schedule, args.until_done), ctx)
    return replace(draft, targets=targets, is_urgent=bool(args.urgent), asked_at=ctx.message_time)


async def create_reminder(
    draft: NewReminder, ctx: CallContext, reminders: ReminderService, zones: ZoneService
) -> ToolResult:
    """Create the reminder `draft`; for an edited message update the reminder that its earlier version set.

    Raises:
        RequestRefused: as `ReminderService.create` and, for an edited message, `ReminderService.edit`.
    """
    corrected = await _update_edited(draft, ctx, reminders) if ctx.message.is_edited else None
    if corrected is not None:
        return corrected
    reminder = await reminders.create(draft)
    warnings = await _warnings(reminder, ctx, reminders, zones)
    return confirm_change(reminder, ctx, "set", delete_step(reminder), warnings=warnings)


async def _warnings(reminder: Reminder, ctx: CallContext, reminders: ReminderService, zones: ZoneService) -> list[str]:
    """Return a line for each of: other zones of its people, a delay by quiet hours, a duplicate reminder."""
    lines = await _other_clocks(reminder, ctx, zones)
    due = due_since_request(reminder, ctx)
    held_until = await reminders.quiet.held_until(reminder, None if due is None else ctx.clock.now())
    if held_until is not None:
        when = date_format.moment(ctx.language, held_until.astimezone(ctx.zone), ctx.now)
        lines.append(say(ctx.language, "reminder.held", when=when))
    duplicate = await reminders.finder.duplicate_of(reminder)
    if duplicate is not None:
        lines.append(say(ctx.language, "reminder.twice", id=duplicate.id))
    return lines


async def _other_clocks(reminder: Reminder, ctx: CallContext, zones: ZoneService) -> list[str]:
    """Return the next time of `reminder` on the clocks of its people, where they show another time than its own."""
    chat_zone = await zones.of_chat(ctx.chat)
    lines: list[str] = []
    for person in reminder.targets if reminder.next_fires else ():
        zone = chat_zone if person.id == EVERYONE else await zones.zone_of(ctx.chat, person)
        fire = reminder.next_fires[0].astimezone(zone)
        if fire.utcoffset() == fire.astimezone(ZoneInfo(reminder.schedule.zone)).utcoffset():
            continue
        when, label = date_format.moment(ctx.language, fire, ctx.now), zone_label(zone_name(zone))
        key = "theirs" if zone == chat_zone else "theirs_own"
        lines.append(say(ctx.language, f"reminder.{key}", when=when, zone=label, who=person.name))
    return list(dict.fromkeys(lines))


async def _update_edited(draft: NewReminder, ctx: CallContext, reminders: ReminderService) -> ToolResult | None:
    """Update the reminder with the same request key to `draft`; None if there is none.

    A reminder that has fired, or that equals `draft`, stays as it is, and nothing is answered.

    Raises:
        RequestRefused: as `ReminderService.edit`; `deleted_since(id)`.
    """
    same = await _find_equal(draft, reminders)
    if same is not None:
        return ToolResult(ok=True, value={"id": same.id}, ending="answered", is_unchanged=True)
    old = await reminders.of_request(draft.request_key)
    if old is None:
        return None
    if old.state is ReminderState.CANCELLED:
        raise RequestRefused("deleted_since", id=old.id)
    edit = _difference(old, draft)
    present = replace(ctx, now=ctx.clock.now().astimezone(ctx.zone))
    if old.state is ReminderState.DONE or edit == ReminderEdit():
        return ToolResult(ok=True, value={"id": old.id}, ending="answered", is_unchanged=True)
    changed = await reminders.edit(ctx.chat, ctx.sender, old.id, edit)  # a time in the past is refused on edits
    return confirm_change(changed, present, "changed", revert_step(old))


async def _find_equal(draft: NewReminder, reminders: ReminderService) -> Reminder | None:
    """Return a reminder of the message that equals `draft`; its number differs if an earlier request was removed."""
    message, _, _ = draft.request_key.rpartition(".")
    for place in range(_MAX_NEW_REMINDERS):
        reminder = await reminders.of_request(f"{message}.{place}")
        if reminder is None:
            return None
        if reminder.state is ReminderState.ACTIVE and _difference(reminder, draft) == ReminderEdit():
            return reminder
    return None


def _difference(old: Reminder, draft: NewReminder) -> ReminderEdit:
    """Return the edit that turns `old` into `draft`; people who joined the reminder stay."""
    is_for_oneself = not draft.targets and any(person.id == old.creator.id for person in old.targets)
    return ReminderEdit(
        content=None if draft.content == old.content else draft.content,
        schedule=None if _is_same(draft.schedule, old.schedule) else draft.schedule,
        targets=None if draft.targets == old.targets or is_for_oneself else draft.targets,
        is_urgent=None if draft.is_urgent == old.is_urgent else draft.is_urgent,
    )


def _is_same(new: Schedule, old: Schedule) -> bool:
    has_same_rule = (new.rule, new.zone, _pause_of(new)) == (old.rule, old.zone, _pause_of(old))
    return has_same_rule and abs(new.start - old.start) < _SAME


def _pause_of(schedule: Schedule) -> timedelta | None:
    """Return the pause between the follow-ups; None without any."""
    return None if schedule.follow_up is None else schedule.follow_up.every
