"""Handle the functions for people's own data; in a private chat they apply to the whole platform."""

from function_calls.functions.preferences.scope import check_may_set_for
from function_calls.functions.privacy.models import ExportArgs, ForgetMeArgs, OptInArgs, OptOutArgs, RetentionArgs
from function_calls.functions.privacy.own_data import data_file
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext, is_for_bot
from services.history.service import HistoryService
from services.people.account_links import PeopleService
from services.people.privacy import DataScope, PersonData, PrivacyService

_SHOWN_MESSAGES = 100
_LONGEST_QUOTE = 500


@tool_function(
    name="forget_me",
    returns="reply",
    changes_state=True,
    confirm=True,
    confirm_action="forget",
    examples=(
        "forget me",
        "forget all about me",
        "forget everything about me",
        "forget everything you know about me",
        "delete my data",
        "delete all my data",
        "delete everything about me",
        "erase my data",
        "忘了我",
        "忘掉我",
        "忘记我",
        "把我忘了",
        "删除我的数据",
        "删掉我的数据",
        "清除我的数据",
        "删除我的所有数据",
        "删除关于我的一切",
        "忘掉关于我的一切",
        "olvídame",
        "olvidame",
        "olvida todo sobre mí",
        "olvida todo lo que sabes de mí",
        "borra mis datos",
        "borra todos mis datos",
        "elimina mis datos",
    ),
)
async def forget_me(args: ForgetMeArgs, ctx: CallContext, privacy: PrivacyService, people: PeopleService) -> ToolResult:
    """忘掉我 / Remove what is kept about the person who asks: messages, memories, records. Reminders stay."""
    del args
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
    examples=(
        "opt out",
        "opt out of history",
        "opt out of the history",
        "opt me out",
        "don't keep my messages",
        "do not keep my messages",
        "stop keeping my messages",
        "don't store my messages",
        "stop storing my messages",
        "don't record me",
        "leave me out of summaries",
        "不要记录我的消息",
        "别记录我的消息",
        "不要保存我的消息",
        "别保存我的消息",
        "不要存我的消息",
        "总结里不要有我",
        "总结时不要算我",
        "no guardes mis mensajes",
        "no guardes más mis mensajes",
        "deja de guardar mis mensajes",
        "no registres mis mensajes",
    ),
)
async def history_opt_out(
    args: OptOutArgs, ctx: CallContext, privacy: PrivacyService, history: HistoryService
) -> ToolResult:
    """不再记录我 / Keep no more messages of the person who asks; they are left out of history, search and summaries."""
    del args
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return ToolResult(ok=True, is_answered=True)
    is_new = await privacy.opt_out(_scope(ctx), ctx.now)
    return _change(ctx, "opted_out" if is_new else "was_out", is_new=is_new)


@tool_function(
    name="history_opt_in",
    returns="reply",
    changes_state=True,
    undo="history_opt_out",
    examples=(
        "opt in",
        "opt in to history",
        "opt me in",
        "opt me in again",
        "keep my messages again",
        "store my messages again",
        "重新记录我的消息",
        "恢复记录我的消息",
        "可以记录我的消息",
        "可以保存我的消息",
        "guarda mis mensajes otra vez",
        "guarda otra vez mis mensajes",
        "vuelve a guardar mis mensajes",
        "puedes guardar mis mensajes",
    ),
)
async def history_opt_in(
    args: OptInArgs, ctx: CallContext, privacy: PrivacyService, history: HistoryService
) -> ToolResult:
    """恢复记录我 / Keep the messages of the person who asks again."""
    del args
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return ToolResult(ok=True, is_answered=True)
    is_new = await privacy.opt_in(_scope(ctx))
    return _change(ctx, "opted_in" if is_new else "was_in", is_new=is_new)


@tool_function(
    name="export_my_data",
    returns="reply",
    examples=(
        "export my data",
        "show my data",
        "show me my data",
        "what data do you have about me",
        "what do you store about me",
        "what have you stored about me",
        "give me my data",
        "导出我的数据",
        "给我看我的数据",
        "你存了我的什么数据",
        "你保存了我的哪些数据",
        "你有我的哪些数据",
        "muéstrame mis datos",
        "muestrame mis datos",
        "exporta mis datos",
        "dame mis datos",
        "qué datos tienes de mí",
        "que datos tienes de mi",
    ),
)
async def export_my_data(args: ExportArgs, ctx: CallContext, privacy: PrivacyService) -> ToolResult:
    """导出我的数据 / Show the person who asks what is kept about them; in full only in a private chat."""
    del args
    data = await privacy.export(_scope(ctx))
    counts = {"messages": data.message_count, "memories": len(data.memories), "records": data.record_count}
    lines = [say(ctx.language, "privacy.data", where=_where(ctx), **counts)]
    if data.is_opted_out:
        lines.append(say(ctx.language, "privacy.is_out"))
    lines += _full_text(data, ctx) if ctx.message.is_private else [say(ctx.language, "privacy.ask_in_private")]
    files = (data_file(data),) if ctx.message.is_private else ()
    return ToolResult(ok=True, text="\n".join(lines), value=counts, files=files)


@tool_function(
    name="history_retention",
    returns="reply",
    changes_state=True,
    examples=(
        "keep messages for {days} days",
        "keep the messages for {days} days",
        "keep the messages of this chat for {days} days",
        "how long do you keep messages",
        "how long do you keep our messages",
        "消息保留{days}天",
        "聊天记录保留{days}天",
        "消息保留多久",
        "聊天记录保留多久",
        "guarda los mensajes {days} días",
        "guarda los mensajes de este chat {days} días",
        "cuánto tiempo guardas los mensajes",
        "cuánto guardas los mensajes",
    ),
)
async def history_retention(
    args: RetentionArgs, ctx: CallContext, privacy: PrivacyService, history: HistoryService
) -> ToolResult:
    """消息保留多久 / Say how many days this chat's messages are kept; only its admins may change that."""
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return ToolResult(ok=True, is_answered=True)
    before = await privacy.retention_days(ctx.chat)
    if args.days is None:
        return ToolResult(ok=True, text=_retention("kept", before, ctx), value={"days": before}, is_unchanged=True)
    check_may_set_for("chat", ctx)
    await privacy.set_retention_days(ctx.chat, args.days)
    undo = UndoStep(name="history_retention", arguments={"days": before})
    return ToolResult(
        ok=True,
        text=_retention("keep", args.days, ctx),
        value={"days": args.days},
        receipts=(Receipt(action="set", subject="history_retention", undo=undo),),
    )


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
    return say(ctx.language, f"privacy.{key}_days" if days else f"privacy.{key}_for_ever", days=days)


def _full_text(data: PersonData, ctx: CallContext) -> list[str]:
    """Return the memories and the latest messages, with chat and time."""
    lines = [say(ctx.language, "privacy.memory", id=each.id, text=each.text) for each in data.memories]
    shown = data.messages[-_SHOWN_MESSAGES:]
    if data.message_count > len(shown):
        lines.append(say(ctx.language, "privacy.latest", count=len(shown)))
    for each in shown:
        when = date_format.moment(ctx.language, each.sent_at.astimezone(ctx.zone), ctx.now)
        text = " ".join(each.text.split())
        quote = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
        lines.append(say(ctx.language, "privacy.message", when=when, chat=each.address.key, text=quote))
    return lines
