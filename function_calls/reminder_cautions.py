"""What somebody who has just set a reminder should know: that it comes later than its time, or twice."""

from function_calls import phrasing
from function_calls.context import CallContext
from function_calls.wording import say
from services.reminders.model import Reminder
from services.reminders.service import ReminderService


async def cautions(reminder: Reminder, ctx: CallContext, reminders: ReminderService) -> list[str]:
    """One line for each thing about `reminder` that is not as its words and its time make believe."""
    lines = []
    held_until = await reminders.quiet.held_until(reminder)
    if held_until is not None:
        when = phrasing.moment(ctx.language, held_until.astimezone(ctx.zone), ctx.now)
        lines.append(say(ctx.language, "reminder.held", when=when))
    twin = await reminders.twin_of(reminder)
    if twin is not None:
        lines.append(say(ctx.language, "reminder.twice", id=twin.id))
    return lines
