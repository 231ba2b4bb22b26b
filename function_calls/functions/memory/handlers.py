"""Handle the functions that save, search and forget facts."""

from msgspec.structs import replace
from pydantic import Field

from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import examples_of
from function_calls.models import Arguments
from function_calls.registry import tool_function
from function_calls.tools.calls import SILENT, Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext, is_for_bot
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.people.account_links import PeopleService
from services.people.memory import Memory, MemoryService, MemoryViewer

_EVERYONE = frozenset(
    {"everyone", "everybody", "us", "all", "all of us", "the group", "this group", "the chat", "this chat", "chat"}
    | {"大家", "我们", "所有人", "全体", "群里", "本群", "这个群", "咱们"}
)
_EVERY = frozenset({"all", "notes", "all notes", "notas", "todo", "笔记", "所有笔记", "全部笔记", "所有", "全部"})
_NO_CONTENT = " 了吗呢吧啊么没哦，。！？,.!?"  # 记住了吗 is a question without a fact to remember


class MemorySaveArgs(Arguments):
    """Arguments of `memory_save`."""

    text: str = Field(min_length=1, description="要记住的内容 / what to remember, as one sentence that can stand alone")
    audience: str | None = Field(
        default=None,
        description="Who may see it: 'me' (only the person who asks, the default) or 'everyone' (all of this chat).",
    )


class MemorySearchArgs(Arguments):
    """Arguments of `memory_search`."""

    query: str | None = Field(default=None, description="要找的词 / the words to look for; leave it out to list all")


class MemoryForgetArgs(Arguments):
    """Arguments of `memory_forget`."""

    reference: str = Field(
        min_length=1, description="记忆的 ID 或其中的词 / the ID of the memory (m12), or words of it"
    )


@tool_function(name="memory_save", returns="reply", changes_state=True, examples=examples_of("memory_save"))
async def memory_save(args: MemorySaveArgs, ctx: CallContext, memory: MemoryService) -> ToolResult:
    """记住一件事 / Remember a fact. Only when somebody asks for it; for what is to be done later set a reminder."""
    if not ctx.message.is_for_bot:
        return SILENT
    if not args.text.strip(_NO_CONTENT):
        raise RequestRefused("memory_empty")
    is_shared = (args.audience or "").strip().casefold().lstrip("@") in _EVERYONE
    kept = await memory.save(_viewer(ctx), args.text, is_shared=is_shared, at=ctx.now)
    key = "memory.saved_shared" if kept.is_shared else "memory.saved"
    undo = UndoStep(name="memory_forget", arguments={"reference": kept.id})
    return ToolResult(
        ok=True,
        text=say(ctx.language, key, id=kept.id, text=kept.text),
        value={"id": kept.id},
        receipts=(Receipt(action="remembered", subject=kept.id, undo=undo),),
    )


@tool_function(name="memory_search", returns_untrusted=True, examples=examples_of("memory_search"))
async def memory_search(
    args: MemorySearchArgs, ctx: CallContext, memory: MemoryService, history: HistoryService, people: PeopleService
) -> ToolResult:
    """查找记住的事 / Find what was remembered for this person and this chat; without a query, all of it."""
    if not await is_for_bot(ctx, history):
        return SILENT
    found = await memory.search(await _with_all_accounts(ctx, people), args.query or "")
    value = {"memories": [{"id": memory.id, "text": memory.text, "of": memory.person.name} for memory in found]}
    if not found:
        key = "memory.nothing_about" if args.query else "memory.nothing"
        return ToolResult(ok=True, text=say(ctx.language, key, query=args.query or ""), value=value)
    return ToolResult(ok=True, text=_list_memories("memory.found", found, ctx), value=value)


@tool_function(name="memory_forget", returns="reply", changes_state=True, examples=examples_of("memory_forget"))
async def memory_forget(
    args: MemoryForgetArgs, ctx: CallContext, memory: MemoryService, history: HistoryService, people: PeopleService
) -> ToolResult:
    """忘掉一件记住的事 / Forget one thing that was remembered."""
    if not ctx.is_undoing and not await is_for_bot(ctx, history):
        return SILENT
    viewer, reference = await _with_all_accounts(ctx, people), args.reference.strip()
    reference = f"m{reference}" if reference.isdecimal() else reference  # "delete note 1"
    if reference.casefold() in _EVERY:
        own = [each for each in await memory.search(viewer) if viewer.may_forget(each)]
        if not own:
            return ToolResult(ok=True, text=say(ctx.language, "memory.nothing"), is_unchanged=True)
        if len(own) > 1:
            listed = _list_memories("memory.which", tuple(own), ctx, query=reference)
            return ToolResult.refused("memory_ambiguous", listed)
        reference = own[0].id
    try:
        gone = await memory.forget(viewer, reference)
    except RequestRefused as refusal:
        candidates = refusal.fields.get("candidates")
        if not isinstance(candidates, tuple):
            raise
        return ToolResult.refused(refusal.code, _list_memories("memory.which", candidates, ctx, query=args.reference))
    return ToolResult(
        ok=True,
        text=say(
            ctx.language, "memory.took_back" if ctx.is_undoing else "memory.forgotten", id=gone.id, text=gone.text
        ),
        value={"forgotten": gone.id},
        receipts=(Receipt(action="forgotten", subject=gone.id),),
    )


def _viewer(ctx: CallContext) -> MemoryViewer:
    return MemoryViewer(
        address=ctx.chat, person=ctx.sender, is_private=ctx.message.is_private, is_admin=ctx.sender.is_admin
    )


async def _with_all_accounts(ctx: CallContext, people: PeopleService) -> MemoryViewer:
    """Return the viewer, in a private chat with the linked accounts of the person."""
    others = (await people.accounts_of(ctx.chat, ctx.sender))[1:] if ctx.message.is_private else ()
    return replace(_viewer(ctx), others=others)


def _list_memories(head: str, memories: tuple[Memory, ...], ctx: CallContext, **fields: object) -> str:
    lines = [
        say(
            ctx.language,
            "memory.line_shared" if memory.is_shared else "memory.line",
            id=memory.id,
            text=memory.text,
            who=memory.person.name,
            when=date_format.minute(ctx.language, memory.created_at, ctx.now),
        )
        for memory in memories
    ]
    return "\n".join([say(ctx.language, head, **fields), *lines])
