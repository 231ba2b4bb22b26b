"""Handle the functions for the stored data of a person; in a private chat they apply to the whole platform."""

from pydantic import Field

from function_calls.functions.preferences.scope import check_may_set_for
from function_calls.functions.privacy.own_data import data_file
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import examples_of
from function_calls.models import Arguments
from function_calls.registry import tool_function
from function_calls.tools.calls import SILENT, Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext, is_for_bot
from services.history.service import HistoryService
from services.kernel.text import shorten
from services.people.account_links import PeopleService
from services.people.privacy import MAX_RETENTION_DAYS, DataScope, PersonData, PrivacyService

_SHOWN_MESSAGES = 100
_MAX_QUOTE_LENGTH = 500


class RetentionArgs(Arguments):
    """Arguments of `history_retention`."""

    days: int | None = Field(
        default=None,
        ge=0,
        le=MAX_RETENTION_DAYS,
        description="保留几天 / how many days to keep this chat's messages, 0 = for ever; leave it out to only ask",
    )


@tool_function(
    name="forget_me",
    returns="reply",
    changes_state=True,
    confirm=True,
    confirm_action="forget",
    examples=examples_of("forget_me"),
)
async def forget_me(ctx: CallContext, privacy: PrivacyService, people: PeopleService) -> ToolResult:
    """忘掉我 / Remove what is kept about the person who asks: messages, memories, records. Reminders stay."""
    erasure = await privacy.forget(_scope(ctx), ctx.now)
    if ctx.message.is_private:
        await people.unlink(ctx.chat, ctx.sender)
    counts = {
        "messages": erasure.messages,
        "replies": erasure.replies,
        "memories": erasure.memories,
        "records": erasure.records,
    }
    return ToolResult(
        ok=True,
        text=say(ctx.language, "privacy.forgotten", where=_where(ctx), **counts),
        value=counts,
        receipts=(Receipt(action="forgotten", subject=ctx.sender.id),),
    )


@tool_function(
    name="history_opt_out",
    returns="reply",
    changes_state=True,
    undo="history_opt_in",
    examples=examples_of("history_opt_out"),
)
async def history_opt_out(ctx: CallContext, privacy: PrivacyService, history: HistoryService) -> ToolResult:
    """不再记录我 / Keep no more messages of the person who asks; they are left out of history, search and summaries."""
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return SILENT
    is_new = await privacy.opt_out(_scope(ctx), ctx.now)
    return _change(ctx, "opted_out" if is_new else "was_out", is_new=is_new)


@tool_function(
    name="history_opt_in",
    returns="reply",
    changes_state=True,
    undo="history_opt_out",
    examples=examples_of("history_opt_in"),
)
async def history_opt_in(ctx: CallContext, privacy: PrivacyService, history: HistoryService) -> ToolResult:
    """恢复记录我 / Keep the messages of the person who asks again."""
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return SILENT
    is_new = await privacy.opt_in(_scope(ctx))
    if (await privacy.export(_scope(ctx), 1)).is_opted_out:  # in all chats of the platform
        return ToolResult.refused("out_everywhere", say(ctx.language, "privacy.out_everywhere"))
    return _change(ctx, "opted_in" if is_new else "was_in", is_new=is_new)


@tool_function(name="export_my_data", returns="reply", examples=examples_of("export_my_data"))
async def export_my_data(ctx: CallContext, privacy: PrivacyService) -> ToolResult:
    """导出我的数据 / Show the person who asks what is kept about them; in full only in a private chat."""
    data = await privacy.export(_scope(ctx))
    counts = {"messages": data.message_count, "memories": len(data.memories), "records": data.record_count}
    lines = [say(ctx.language, "privacy.data", where=_where(ctx), **counts)]
    if data.is_opted_out:
        lines.append(say(ctx.language, "privacy.is_out"))
    lines += _full_text(data, ctx) if ctx.message.is_private else [say(ctx.language, "privacy.ask_in_private")]
    files = (data_file(data),) if ctx.message.is_private else ()
    return ToolResult(ok=True, text="\n".join(lines), value=counts, files=files)


@tool_function(name="history_retention", returns="reply", changes_state=True, examples=examples_of("history_retention"))
async def history_retention(
    args: RetentionArgs, ctx: CallContext, privacy: PrivacyService, history: HistoryService
) -> ToolResult:
    """消息保留多久 / Say how many days this chat's messages are kept; only its admins may change that."""
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return SILENT
    before = await privacy.retention_days(ctx.chat)
    if args.days is None:
        return ToolResult(ok=True, text=_retention("kept", before, ctx), value={"days": before}, is_unchanged=True)
    check_may_set_for("chat", ctx)
    own = await privacy.own_retention_days(ctx.chat)
    undo = UndoStep(name="history_retention_revert", arguments={} if own is None else {"days": own})
    return await _set_retention(args.days, undo, ctx, privacy)


@tool_function(name="history_retention_revert", returns="reply", changes_state=True, is_only_for_undo=True)
async def history_retention_revert(args: RetentionArgs, ctx: CallContext, privacy: PrivacyService) -> ToolResult:
    """Restore the earlier retention of a chat; without days, that of the settings."""
    check_may_set_for("chat", ctx)
    return await _set_retention(args.days, None, ctx, privacy)


async def _set_retention(
    days: int | None, undo: UndoStep | None, ctx: CallContext, privacy: PrivacyService
) -> ToolResult:
    """Set the retention of the chat, with None that of the settings, and confirm it."""
    await privacy.set_retention_days(ctx.chat, days)
    present = await privacy.retention_days(ctx.chat)
    receipt = Receipt(action="retention", subject="history_retention", undo=undo)
    return ToolResult(ok=True, text=_retention("keep", present, ctx), value={"days": present}, receipts=(receipt,))


def _scope(ctx: CallContext) -> DataScope:
    return DataScope(address=ctx.chat, person=ctx.sender, is_everywhere=ctx.message.is_private)


def _where(ctx: CallContext) -> str:
    return say(ctx.language, "privacy.everywhere" if ctx.message.is_private else "privacy.here")


def _change(ctx: CallContext, key: str, *, is_new: bool) -> ToolResult:
    text = say(ctx.language, f"privacy.{key}", where=_where(ctx))
    if not is_new:
        return ToolResult(ok=False, text=text, error=key)
    return ToolResult(ok=True, text=text, value={"done": key})


def _retention(key: str, days: int, ctx: CallContext) -> str:
    shown = date_format.count(ctx.language, "day", days)
    return say(ctx.language, f"privacy.{key}_days" if days else f"privacy.{key}_for_ever", days=shown)


def _full_text(data: PersonData, ctx: CallContext) -> list[str]:
    """Return the memories and the latest messages, with chat and time."""
    lines = [say(ctx.language, "privacy.memory", id=memory.id, text=memory.text) for memory in data.memories]
    shown = data.messages[-_SHOWN_MESSAGES:]
    if data.message_count > len(shown):
        lines.append(say(ctx.language, "privacy.latest", count=len(shown)))
    for stored in shown:
        when = date_format.moment(ctx.language, stored.sent_at.astimezone(ctx.zone), ctx.now)
        quote = shorten(" ".join(stored.text.split()), _MAX_QUOTE_LENGTH)
        lines.append(say(ctx.language, "privacy.message", when=when, chat=stored.address.key, text=quote))
    return lines
