"""Handle the five functions of the specification: reminders, search and summary."""

from function_calls.functions.reminders.creation import create_reminder, new_reminder
from function_calls.functions.reminders.deletion import delete_named
from function_calls.functions.reminders.pages import describe_one, request_page, show_page
from function_calls.functions.reminders.people import resolve_people
from function_calls.functions.reminders.references import is_pronoun
from function_calls.functions.summary.answers import SummaryProgress, format_summary
from function_calls.functions.summary.offers import reminder_offers
from function_calls.functions.summary.windows import asks_what_was_missed, requested_window
from function_calls.functions.web import search_web
from function_calls.models import PerplexityArgs, ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs
from function_calls.registry import tool_function
from function_calls.tools.calls import SILENT, ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import refuse_past, schedule_of_call
from services.history.service import HistoryService
from services.people.zones import ZoneService
from services.reminders.service import ReminderService
from services.search.service import SearchService
from services.summary.service import SummaryService


@tool_function(name="reminder_set", returns="reply", changes_state=True, is_deferrable=False)
async def reminder_set(
    args: ReminderArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService, zones: ZoneService
) -> ToolResult:
    """设置提醒 / Set a reminder: once, every day, or every week. Call it only when somebody asks to be reminded."""
    schedule = schedule_of_call(args, ctx)
    refuse_past(schedule, ctx)
    await reminders.load_calendar(schedule)
    targets = await resolve_people(args.person, ctx, history)
    return await create_reminder(new_reminder(args, schedule, targets, ctx), ctx, reminders, zones)


@tool_function(name="reminder_list", returns="reply", uses_state=True, is_deferrable=False)
async def reminder_list(
    args: ReminderListArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService, zones: ZoneService
) -> ToolResult:
    """列出提醒 / List the reminders of this chat with the IDs that `reminder_delete` takes."""
    if args.filter and is_pronoun(args.filter):
        return await describe_one(ctx, reminders, history, zones, who_set=args.who_set)
    request = request_page(args.filter or "", args.page, ctx, who_set=args.who_set, only_own=args.whose == "mine")
    if request is None:
        return SILENT
    return await show_page(request, ctx, reminders, history, zones)


@tool_function(name="reminder_delete", returns="reply", changes_state=True, uses_state=True, is_deferrable=False)
async def reminder_delete(
    args: ReminderDeleteArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """删除提醒 / Delete one of this chat's reminders, several, or all of one's own."""
    return await delete_named(args.reminder_id, ctx, reminders, history)


@tool_function(name="perplexity_search", returns="reply", timeout=60, returns_untrusted=True, is_deferrable=False)
async def perplexity_search(args: PerplexityArgs, ctx: CallContext, search: SearchService) -> ToolResult:
    """联网搜索 / Search the web and answer with numbered sources."""
    return await search_web(args.query, ctx, search)


@tool_function(name="summary", returns="reply", timeout=120, returns_untrusted=True, is_deferrable=False)
async def summary(
    args: SummaryArgs, ctx: CallContext, summaries: SummaryService, history: HistoryService
) -> ToolResult:
    """总结群聊 / Summarise messages of this chat: the recent ones, or those of a time, a person, a topic."""
    window = await requested_window(args, ctx, history)
    result = await summaries.summarize(
        ctx.chat, language=ctx.language, window=window, zone=ctx.zone, on_progress=SummaryProgress(ctx)
    )
    bullets = [{"text": bullet.text, "message_ids": list(bullet.message_ids)} for bullet in result.bullets]
    text, choices = format_summary(result, ctx, window, asker=ctx.sender), reminder_offers(result, ctx)
    is_private = asks_what_was_missed(args)
    return ToolResult(ok=True, text=text, value={"bullets": bullets}, is_private=is_private, choices=choices)
