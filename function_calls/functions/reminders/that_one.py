"""Describe one reminder: its next time, the time left, and its content."""

from function_calls.functions.reminders.answers import listed, named
from function_calls.functions.reminders.replies import meant
from function_calls.functions.reminders.which import the_one_spoken_of
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

_THAT = "this"


async def told_of_that(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> ToolResult:
    """Describe the reminder replied to or mentioned last; all candidates where that is unknown."""
    try:
        reference = await meant(_THAT, ctx, reminders, history)
        one = await (reminders.get(ctx.chat, ctx.sender, reference) if reference else the_one_spoken_of(ctx, reminders))
    except RequestRefused as refusal:
        candidates = refusal.fields.get("candidates")
        found = candidates if isinstance(candidates, tuple) else ()
        return _result(found, listed(found, ctx) if found else say(ctx.language, "reminder.none"))
    return _result((one,), _describe(one, ctx))


def _result(found: tuple[Reminder, ...], text: str) -> ToolResult:
    value = {"reminders": [{"id": each.id, "content": each.content} for each in found]}
    return ToolResult(ok=True, text=text, value=value)


def _describe(reminder: Reminder, ctx: CallContext) -> str:
    """Word the next time and the time left; a paused or just delivered one is worded as in the list."""
    if not reminder.next_fires:
        return listed((reminder,), ctx)
    first, language = reminder.next_fires[0], ctx.language
    fields = {
        **named(reminder, ctx),
        "when": date_format.moment(language, first, ctx.now),
        "distance": date_format.distance(language, first - ctx.now),
    }
    if reminder.schedule.rule:
        return say(language, "reminder.that_recurring", **fields, rule=recurrence_text.rule(language, reminder))
    return say(language, "reminder.that_once", **fields)
