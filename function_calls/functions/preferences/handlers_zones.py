"""Handle the function that sets the time zone of a person or a chat, and its inverse."""

from zoneinfo import ZoneInfo

from function_calls.functions.preferences.models import TimeZoneArgs, Whose, ZonePutBackArgs
from function_calls.functions.preferences.scope import check_may_set_for
from function_calls.functions.reminders.answers import revert_step
from function_calls.functions.reminders.people import resolve_people
from function_calls.language import date_format, recurrence_text
from function_calls.language.date_format import zone_label
from function_calls.language.messages import say
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import zone_name
from services.history.service import HistoryService
from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.zones import ZoneService
from services.reminders.model import EVERYONE, Reminder
from services.reminders.service import ReminderService

_MAX_SHOWN = 5


@tool_function(name="time_zone", returns="reply", changes_state=True)
async def time_zone(
    args: TimeZoneArgs, ctx: CallContext, zones: ZoneService, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """设置时区 / Set or tell the time zone in which a person, or the whole chat, means times."""
    others = await resolve_people(args.person, ctx, history) if args.person else ()
    if args.zone and any(person.id != ctx.sender.id for person in others):
        return ToolResult.refused("not_own_zone", say(ctx.language, "offline.own_setting"))
    if others and not args.zone:
        lines = [await _describe_other(person, ctx, zones) for person in others]
        return ToolResult(ok=True, text="\n".join(lines), is_unchanged=True)
    if not args.zone:
        return await _move_recurring(ctx, zones, reminders) if args.move_reminders else _describe(ctx)
    check_may_set_for(args.whose, ctx)
    before = await zones.own(ctx.chat, ctx.sender if args.whose == "me" else None)
    name = await _set(args.zone, args.whose, ctx, zones)
    undo = UndoStep(name="time_zone_put_back", arguments={"zone": before, "whose": args.whose})
    receipt = Receipt(action="time_zone", subject=_subject(args.whose), undo=undo)
    if args.move_reminders:
        followed = await _move_recurring(ctx, zones, reminders)
        return ToolResult(ok=True, text=followed.text, receipts=(receipt, *followed.receipts))
    text = "\n".join(
        [_confirmation_text(name, args.whose, ctx), *await _list_unchanged(name, args.whose, ctx, reminders)]
    )
    return ToolResult(ok=True, text=text, value={"zone": name}, receipts=(receipt,))


@tool_function(name="time_zone_put_back", returns="reply", changes_state=True, is_only_for_undo=True)
async def time_zone_put_back(args: ZonePutBackArgs, ctx: CallContext, zones: ZoneService) -> ToolResult:
    """Restore the earlier time zone of a person or a chat; an empty one removes it."""
    check_may_set_for(args.whose, ctx)
    if args.zone:
        await _set(args.zone, args.whose, ctx, zones)
    else:
        await zones.forget(ctx.chat, ctx.sender if args.whose == "me" else None)
    name = zone_name(await zones.zone_of(ctx.chat, ctx.sender))
    receipt = Receipt(action="time_zone", subject=_subject(args.whose))
    return ToolResult(ok=True, text=_confirmation_text(name, args.whose, ctx), receipts=(receipt,))


def _subject(whose: Whose) -> str:
    """Return the subject of a change, which differs from that of quiet hours."""
    return f"zone of {whose}"


async def _set(words: str, whose: Whose, ctx: CallContext, zones: ZoneService) -> str:
    if whose == "me":
        return await zones.set_for_person(ctx.chat, ctx.sender, words)
    return await zones.set_for_chat(ctx.chat, words)


def _confirmation_text(name: str, whose: Whose, ctx: CallContext) -> str:
    return say(ctx.language, f"zone.set_{whose}", zone=zone_label(name), clock=_clock_in(name, ctx))


def _describe(ctx: CallContext) -> ToolResult:
    name = zone_name(ctx.zone)
    text = say(ctx.language, "zone.now", zone=zone_label(name), clock=_clock_in(name, ctx))
    return ToolResult(ok=True, text=text, is_unchanged=True)


async def _describe_other(person: Person, ctx: CallContext, zones: ZoneService) -> str:
    """Return the clock in the zone of another person; that of the chat is said to be a guess."""
    zone = await (zones.of_chat(ctx.chat) if person.id == EVERYONE else zones.zone_of(ctx.chat, person))
    is_guess = zone == await zones.of_chat(ctx.chat) and not await zones.own(ctx.chat, person)
    name, key = zone_name(zone), "zone.of_chat" if is_guess else "zone.of_other"
    return say(ctx.language, key, who=person.name, zone=zone_label(name), clock=_clock_in(name, ctx))


def _clock_in(name: str, ctx: CallContext) -> str:
    """Return the current clock time in the zone `name`."""
    return f"{ctx.clock.now().astimezone(ZoneInfo(name)):%H:%M}"


async def _list_unchanged(name: str, whose: Whose, ctx: CallContext, reminders: ReminderService) -> list[str]:
    """List the reminders that keep their instants, because a new zone does not move existing reminders."""
    here = await reminders.open_in(ctx.chat)
    of_them = [reminder for reminder in here if whose == "chat" or reminder.creator.id == ctx.sender.id]
    kept = [reminder for reminder in of_them if reminder.schedule.zone != name]
    elsewhere = await reminders.finder.open_elsewhere(ctx.chat, ctx.sender) if whose == "me" else ()
    count = sum(_keeps_zone(reminder, name) for reminder in elsewhere)
    repeating = [reminder for reminder in kept if reminder.schedule.rule is not None]
    once = [reminder for reminder in kept if reminder.next_fires and reminder not in repeating]
    lines = []
    if once:
        lines.append(say(ctx.language, "zone.kept_once"))
        lines += [_unchanged_line(reminder, name, ctx) for reminder in once[:_MAX_SHOWN]]
    if len(once) > _MAX_SHOWN:
        lines.append(say(ctx.language, "reminder.more", count=len(once) - _MAX_SHOWN))
    if repeating:
        number = "one" if len(repeating) == 1 else "many"
        key = f"zone.kept_{number}" if whose == "me" else f"zone.kept_{number}_here"
        lines.append(say(ctx.language, key, count=len(repeating)))
    if count:
        lines.append(say(ctx.language, f"zone.kept_elsewhere_{'one' if count == 1 else 'many'}", count=count))
    return lines


def _keeps_zone(reminder: Reminder, name: str) -> bool:
    """Return whether `reminder` is open and in another zone than `name`."""
    return reminder.schedule.zone != name and bool(reminder.next_fires or reminder.schedule.rule is not None)


def _unchanged_line(reminder: Reminder, name: str, ctx: CallContext) -> str:
    """Format the next fire of `reminder` in the old and the new zone."""
    fire = reminder.next_fires[0]
    old, new = (fire.astimezone(ZoneInfo(zone)) for zone in (reminder.schedule.zone, name))
    return say(
        ctx.language,
        "zone.kept_line",
        id=reminder.id,
        content=reminder.content,
        old=date_format.moment(ctx.language, old, ctx.now),
        new=date_format.moment(ctx.language, new, ctx.now),
    )


async def _move_recurring(ctx: CallContext, zones: ZoneService, reminders: ReminderService) -> ToolResult:
    """Move the person's recurring reminders to their new zone."""
    name = zone_name(await zones.zone_of(ctx.chat, ctx.sender))
    here = {reminder.id: reminder for reminder in await reminders.open_in(ctx.chat)}
    try:
        moved = await reminders.move_to_zone(ctx.chat, ctx.sender, name)
    except RequestRefused as refusal:
        if refusal.code != "no_reminders":
            raise
        text = say(ctx.language, "zone.none_to_move", zone=zone_label(name))
        return ToolResult(ok=True, text=text, is_unchanged=True)
    lines = [
        f"• [{reminder.id}] {recurrence_text.rule(ctx.language, reminder)} · {reminder.content}" for reminder in moved
    ]
    receipts = (
        Receipt(action="changed", subject=reminder.id, undo=revert_step(here[reminder.id])) for reminder in moved
    )
    text = "\n".join([say(ctx.language, "zone.moved", zone=zone_label(name)), *lines])
    return ToolResult(ok=True, text=text, receipts=tuple(receipts))
