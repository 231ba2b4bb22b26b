"""A poll in the chat: ask, vote with a button or in words, see who leads. Copy it into `plugins/`.

`ann: poll: Pizza or pasta? pizza, pasta` – `bob: vote 2` – `ann: poll results`
"""

from typing import Annotated, Any

from pydantic import Field

from function_calls import CallContext, Choice, ToolFailed, ToolResult, tool_function

_MAX_OPTIONS = 10
_WORDS = {
    "en": {"none": "There is no poll in this chat.", "range": "Say a number from 1 to {maximum}.", "votes": "votes"},
    "zh": {"none": "这个群里没有投票。", "range": "请说 1 到 {maximum} 的数字。", "votes": "票"},
}


@tool_function(returns="reply", changes_state=True, examples=("poll: {question}", "投票：{question}"))
async def poll_create(
    question: Annotated[
        str, Field(min_length=1, max_length=300, description="What is asked, up to the question mark.")
    ],
    ctx: CallContext,
    options: Annotated[list[str], Field(max_length=_MAX_OPTIONS, description="What can be voted for.")] | None = None,
) -> ToolResult:
    """Begin a poll in this chat (发起投票); it takes the place of an earlier one."""
    title, choices = _split_question(question) if not options else (question, options)
    offered = [each.strip() for each in choices if each.strip()][:_MAX_OPTIONS]
    if len(offered) < 2:
        raise ToolFailed("A poll needs two options or more: poll: Pizza or pasta? pizza, pasta")
    ctx.state[_key(ctx)] = {"question": title, "options": offered, "votes": {}}
    return ToolResult(ok=True, text=_format_poll(ctx), choices=_buttons(offered))


@tool_function(returns="reply", changes_state=True, examples=("vote {number}", "vote for {number}", "投 {number}"))
async def poll_vote(
    number: Annotated[int, Field(ge=1, le=_MAX_OPTIONS, description="Which option, counted from 1.")], ctx: CallContext
) -> ToolResult:
    """Vote in the poll of this chat (投票); a second vote takes the place of the first."""
    poll = _poll(ctx)
    options = poll["options"]
    if number > len(options):
        raise ToolFailed(_say(ctx, "range").format(maximum=len(options)))
    votes = {**poll["votes"], ctx.sender.id: number - 1}
    ctx.state[_key(ctx)] = {**poll, "votes": votes}
    return ToolResult(ok=True, text=_format_poll(ctx), choices=_buttons(options))


@tool_function(returns="reply", examples=("poll results", "who leads the poll", "投票结果"))
async def poll_results(ctx: CallContext) -> ToolResult:
    """Show how the poll of this chat stands (投票结果)."""
    return ToolResult(ok=True, text=_format_poll(ctx), choices=_buttons(_poll(ctx)["options"]))


def _key(ctx: CallContext) -> str:
    """Return the key of the poll of a chat; state with a key that begins with `app:` is shared by all people."""
    return f"app:poll:{ctx.chat.key}"


def _poll(ctx: CallContext) -> dict[str, Any]:
    poll = ctx.state.get(_key(ctx))
    if not isinstance(poll, dict):
        raise ToolFailed(_say(ctx, "none"))
    return poll


def _format_poll(ctx: CallContext) -> str:
    poll = _poll(ctx)
    counts = [list(poll["votes"].values()).count(place) for place in range(len(poll["options"]))]
    lines = [
        f"{number}. {option} – {count} {_say(ctx, 'votes')}{' ◀' if count and count == max(counts) else ''}"
        for number, (option, count) in enumerate(zip(poll["options"], counts, strict=True), start=1)
    ]
    return "\n".join([f"📊 {poll['question']}", *lines])


def _buttons(options: list[str]) -> tuple[Choice, ...]:
    return tuple(Choice(label=option[:40], says=f"vote {number}") for number, option in enumerate(options, start=1))


def _split_question(text: str) -> tuple[str, list[str]]:
    """Split a sentence at the question mark into the question and the list of options."""
    for mark in ("?", "？"):
        question, found, rest = text.partition(mark)
        if found:
            return question + mark, rest.replace("，", ",").replace("、", ",").split(",")
    return text, []


def _say(ctx: CallContext, key: str) -> str:
    return _WORDS.get(ctx.language, _WORDS["en"])[key]
