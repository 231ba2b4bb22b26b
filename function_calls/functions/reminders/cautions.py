"""What somebody who has just set a reminder should know: that it comes later than its time, or twice.

Those who hear it with them may have other clocks.
"""

from function_calls.functions.reminders.answers import due_meanwhile
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.language.zone_text import zone_label
from function_calls.offline.reminder_times import zone_name
from function_calls.tools.context import CallContext
from services.people.zones import ZoneService
from services.reminders.model import Reminder
from services.reminders.service import ReminderService


async def cautions(reminder: Reminder, ctx: CallContext, reminders: ReminderService, zones: ZoneService) -> list[str]:
    """One line for each thing about `reminder` that is not as its words and its time make believe."""
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
