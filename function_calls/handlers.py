"""Handle the built-in functions: read arguments, call one service, word one answer."""

from contextlib import suppress
from functools import partial

from msgspec.structs import asdict

from function_calls.functions.reminders.all_of_them import to_each
from function_calls.functions.reminders.answers import set_confirmed, which_reminder
from function_calls.functions.reminders.cautions import cautions
from function_calls.functions.reminders.days import deleted, on_that_day_only
from function_calls.functions.reminders.edited import as_edited
from function_calls.functions.reminders.pages import (
    AskedPage,
    asked_page,
    list_page,
    others_here,
    remember_page,
)
from function_calls.functions.reminders.people import named_people, names_of_sender
from function_calls.functions.reminders.replies import meant, points
from function_calls.functions.reminders.several import (
    may_mean_all,
    several_meant,
    which_asked,
    with_others_told,
)
from function_calls.functions.reminders.that_one import told_of_that
from function_calls.functions.reminders.undo import delete
from function_calls.functions.reminders.which import just_deleted, the_one_spoken_of
from function_calls.functions.summary.answers import SummaryProgress, summarised
from function_calls.functions.summary.offers import reminder_offers
from function_calls.functions.summary.windows import asked_window, asks_what_was_missed
from function_calls.language.messages import say
from function_calls.models import PerplexityArgs, ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import nagging, refuse_past, schedule_from, time_reader
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.people.zones import ZoneService
from services.reminders.lookup.several import several_in
from services.reminders.model import NewReminder, Reminder, row_key
from services.reminders.service import ReminderService
from services.search.model import SearchUnavailable
from services.search.service import SearchService
from services.summary.service import SummaryService

_NOT_FOUND = frozenset({"no_reminders", "reminder_unknown"})


@tool_function(name="reminder_set", returns="reply", changes_state=True)
async def reminder_set(
    args: ReminderArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService, zones: ZoneService
) -> ToolResult:
    """设置提醒 / Set a reminder: once, every day, or every week. Call it only when somebody asks to be reminded."""
    schedule = schedule_from(args, now=ctx.message_time, zone=ctx.zone, language=ctx.language, times=time_reader(ctx))
    refuse_past(schedule, ctx)
    await reminders.look_up(schedule)
    wish = NewReminder(
        request_key=ctx.call_id,
        address=ctx.chat,
        creator=ctx.sender,
        content=args.content,
        schedule=nagging(schedule, args.until_done),
        language=ctx.language,
        targets=await named_people(args.person, ctx, history),
        is_private=ctx.message.is_private,
        is_urgent=bool(args.urgent),
        asked_at=ctx.message_time,
    )
    corrected = await as_edited(wish, ctx, reminders) if ctx.message.is_edited else None
    if corrected is not None:
        return corrected
    reminder = await reminders.create(wish)
    return ToolResult(
        ok=True,
        text="\n".join([set_confirmed(reminder, ctx), *await cautions(reminder, ctx, reminders, zones)]),
        value={"id": reminder.id, "next": [fire.isoformat() for fire in reminder.next_fires]},
        receipts=(Receipt(action="set", subject=reminder.id, undo=delete(reminder)),),
    )


@tool_function(name="reminder_list", returns="reply", uses_state=True)
async def reminder_list(
    args: ReminderListArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """列出提醒 / List the reminders of this chat with the IDs that `reminder_delete` takes."""
    if args.filter and points(args.filter):
        return await told_of_that(ctx, reminders, history)
    asked = asked_page(args.filter or "", args.page, ctx, who_set=args.who_set, only_own=args.whose == "mine")
    if asked is None:
        return ToolResult(ok=True, is_answered=True)
    names = await names_of_sender(ctx, reminders, history) if asked.only_own else frozenset[str]()
    found = await _wanted(asked, ctx, reminders, names)
    remember_page(asked, len(found), ctx)
    value = {"reminders": [{"id": each.id, "content": each.content} for each in found]}
    others = await others_here(found, asked, ctx, reminders)
    listed = list_page(found, asked, ctx, has_others=bool(others))
    return ToolResult(ok=True, text="\n".join([listed, *others]), value=value)


async def _wanted(
    asked: AskedPage, ctx: CallContext, reminders: ReminderService, names: frozenset[str]
) -> tuple[Reminder, ...]:
    """Return the reminders that `asked` describes, or the one with that number or ID.

    `names` are the ids of targets without an account that stand for the sender.
    """
    words = asked.wanted
    if words.isdecimal() or row_key(words) is not None:
        with suppress(RequestRefused):
            return (await reminders.get(ctx.chat, ctx.sender, words),)
    return await reminders.list(ctx.chat, ctx.sender, words, only_own=asked.only_own, names=names)


@tool_function(name="reminder_delete", returns="reply", changes_state=True)
async def reminder_delete(
    args: ReminderDeleteArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """删除提醒 / Delete one of this chat's reminders, several, or all of one's own."""
    try:
        several = await several_meant(args.reminder_id, ctx, reminders, history)
        if several:
            told = await to_each(several, partial(_deleted_alone, reminders), ctx, none="reminder.none")
            return await with_others_told(told, args.reminder_id, several, ctx, reminders)
        reference = await meant(args.reminder_id, ctx, reminders, history)
        gone = await just_deleted(ctx) if reference is None else ()
        if gone:
            return ToolResult.failed("deleted already", text=say(ctx.language, "reminder.gone", ids=", ".join(gone)))
        reference = "all" if may_mean_all(reference) else reference
        reference = reference or (await the_one_spoken_of(ctx, reminders)).id
        day_only = await on_that_day_only(reference, ctx, reminders)
        if day_only is not None:
            return day_only
        return deleted(await reminders.delete(ctx.chat, ctx.sender, reference), ctx)
    except RequestRefused as refusal:
        return await _not_deleted(refusal, args.reminder_id, ctx, reminders)


async def _deleted_alone(reminders: ReminderService, reminder: Reminder, ctx: CallContext) -> ToolResult:
    day_only = await on_that_day_only(reminder.id, ctx, reminders)
    return day_only or deleted(await reminders.delete(ctx.chat, ctx.sender, reminder.id), ctx)


async def _not_deleted(
    refusal: RequestRefused, reference: str, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Return the reason why nothing was deleted: the reminder is closed, unknown, or one of several."""
    if points(reference) or several_in(reference) is not None:
        return which_reminder(refusal, "", ctx, ask=which_asked(reference))
    ended = await reminders.recent_deliveries.find_ended(ctx.chat, reference) if refusal.code in _NOT_FOUND else None
    if ended is not None:
        told = say(ctx.language, "reminder.over", id=ended.id, content=ended.content)
        return ToolResult.failed("over", text=told)
    return which_reminder(refusal, reference, ctx, ask="reminder.which")


@tool_function(name="perplexity_search", returns="reply", timeout=60, returns_untrusted=True)
async def perplexity_search(args: PerplexityArgs, ctx: CallContext, search: SearchService) -> ToolResult:
    """联网搜索 / Search the web and answer with numbered sources."""
    try:
        answer = await search.search(args.query, ctx.language, on_text=ctx.on_text)
    except RequestRefused as refusal:
        if refusal.code != "search_not_configured" or not ctx.sender.is_admin:
            raise
        lines = (say(ctx.language, f"refused.{refusal.code}"), say(ctx.language, "search.set_up"))
        return ToolResult.refused(refusal.code, "\n".join(lines))
    except SearchUnavailable as failure:
        tried = ", ".join(f"{engine}: {reason}" for engine, reason in failure.attempts)
        told = say(ctx.language, "search.unavailable", tried=tried)
        return ToolResult.failed(str(failure), text=told, cause="search_unavailable")
    value = {"answer": answer.text, "sources": [asdict(each) for each in answer.sources], "engine": answer.engine}
    if answer.is_already_answered and ctx.on_text is None:  # the listener got a draft of this answer
        return ToolResult(ok=True, value=value, is_answered=True)
    if answer.is_empty:
        return ToolResult(ok=True, value=value, text=say(ctx.language, "search.nothing", query=args.query))
    sources = [
        say(ctx.language, "search.source", number=number, title=source.title or source.url, url=source.url)
        for number, source in enumerate(answer.sources, start=1)
    ]
    return ToolResult(ok=True, text="\n".join([answer.text, *sources]), value=value)


@tool_function(name="summary", returns="reply", timeout=120, returns_untrusted=True)
async def summary(
    args: SummaryArgs, ctx: CallContext, summaries: SummaryService, history: HistoryService
) -> ToolResult:
    """总结群聊 / Summarise messages of this chat: the recent ones, or those of a time, a person, a topic."""
    window = await asked_window(args, ctx, history)
    result = await summaries.summarize(
        ctx.chat, language=ctx.language, window=window, zone=ctx.zone, on_progress=SummaryProgress(ctx)
    )
    bullets = [{"text": each.text, "message_ids": list(each.message_ids)} for each in result.bullets]
    return ToolResult(
        ok=True,
        text=summarised(result, ctx, window, asker=ctx.sender),
        value={"bullets": bullets},
        is_private=asks_what_was_missed(args),
        choices=reminder_offers(result, ctx),
    )
