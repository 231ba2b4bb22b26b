"""Word warnings about a new reminder: it comes later than its time, or twice.

Other people that it is for may be in other zones.
"""

from function_calls.functions.reminders.answers import due_meanwhile
from function_calls.language import date_format
from function_calls.language.date_format import zone_label
from function_calls.language.messages import say
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import zone_name
from services.people.zones import ZoneService
from services.reminders.model import Reminder
from services.reminders.service import ReminderService


async def cautions(reminder: Reminder, ctx: CallContext, reminders: ReminderService, zones: ZoneService) -> list[str]:
    """Return one line for each property of `reminder` that its text and time do not show."""
    lines = []
    theirs = await zones.of_chat(ctx.chat)
    if reminder.targets and reminder.next_fires and zone_name(theirs) != reminder.schedule.zone:
        fire = reminder.next_fires[0].astimezone(theirs)
        when, zone = date_format.moment(ctx.language, fire, ctx.now), zone_label(zone_name(theirs))
        lines.append(say(ctx.language, "reminder.theirs", when=when, zone=zone))
    due = due_meanwhile(reminder, ctx)
    held_until = await reminders.quiet.held_until(reminder, None if due is None else ctx.clock.now())
    if held_until is not None:
        when = date_format.moment(ctx.language, held_until.astimezone(ctx.zone), ctx.now)
        lines.append(say(ctx.language, "reminder.held", when=when))
    twin = await reminders.duplicate_of(reminder)
    if twin is not None:
        lines.append(say(ctx.language, "reminder.twice", id=twin.id))
    return lines
