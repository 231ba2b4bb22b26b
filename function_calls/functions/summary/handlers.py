"""Handle the function that schedules summaries, as reminders with a summary as action."""

from function_calls.functions.reminders.answers import confirmation_text, delete_step
from function_calls.language.messages import say
from function_calls.models import ReminderArgs, SummaryScheduleArgs
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import schedule_from, time_reader
from services.reminders.model import NewReminder, ReminderAction
from services.reminders.service import ReminderService


@tool_function(name="summary_schedule", returns="reply", changes_state=True)
async def summary_schedule(args: SummaryScheduleArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """定时总结 / Post a summary of this chat at a coming time, once or regularly. For one now call `summary`."""
    content = say(ctx.language, "summary.scheduled")
    times = ReminderArgs(**args.model_dump(), content=content)
    schedule = schedule_from(times, now=ctx.message_time, zone=ctx.zone, language=ctx.language, times=time_reader(ctx))
    reminder = await reminders.create(
        NewReminder(
            request_key=ctx.call_id,
            address=ctx.chat,
            creator=ctx.sender,
            content=content,
            schedule=schedule,
            language=ctx.language,
            is_private=ctx.message.is_private,
            action=ReminderAction.SUMMARY,
        )
    )
    return ToolResult(
        ok=True,
        text=confirmation_text(reminder, ctx),
        value={"id": reminder.id, "next": [fire.isoformat() for fire in reminder.next_fires]},
        receipts=(Receipt(action="set", subject=reminder.id, undo=delete_step(reminder)),),
    )
