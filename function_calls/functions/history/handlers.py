"""Handle the functions that search the chat's history."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from typing import Annotated, Final

from pydantic import Field

from function_calls.functions.summary.answers import message_links
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import examples_of
from function_calls.models import Arguments
from function_calls.registry import Registrable, tool_function
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.lexicon import detect_language, load_lexicon
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.text import shorten

_MAX_TEXT_LENGTH: Final = 500
_ANSWERED_WITHIN: Final = 10
"""The number of messages after a question among which its answer is looked for."""
_ASKED_WITHIN: Final = 4
"""The number of messages after a request that may ask about it."""
_SHORT: Final = 3
"""The most words of a question right behind a request that is about it without a pronoun: "all day?"."""
_MAX_QUOTE_LENGTH = 200


async def search_before(ctx: CallContext, history: HistoryService, query: str, limit: int) -> list[ChatMessage]:
    """Find at most `limit` earlier messages that match `query`, best first; requests to the bot if nothing else does.

    The answers to a question come after it, and count as no match. Behind a request that is the best match come a
    question that people have asked about it, and its answers.
    """
    from services.summary.content import asks, find_answers, is_request

    found = await history.search(ctx.chat, query, 2 * limit + 1)
    earlier = [message for message in found if message.id != ctx.message.id]
    statements = [message for message in earlier if not is_request(message)]
    shown: dict[str, ChatMessage] = {}
    for match in (statements or earlier)[:limit]:
        shown[match.id] = match
        if statements and asks(match.text):
            answers = find_answers(match, await history.after(match, _ANSWERED_WITHIN))
            shown |= {answer.id: answer for answer in answers if answer.id != ctx.message.id}
    for request in [] if statements else earlier[:1]:
        following = await history.after(request, _ANSWERED_WITHIN)
        shown |= {message.id: message for message in _find_question_about(following, ctx.language)}
    return list(shown.values())


def _find_question_about(following: Sequence[ChatMessage], language: str) -> list[ChatMessage]:
    """Return a question about the request before the messages `following`, and its answers; empty for none.

    It is soon asked, and where words have spaces it says "it" or "that", as in "how much is it?", or comes at once.
    """
    from services.summary.content import asks, find_answers, is_request

    replies = [message for message in following if not message.sender.is_bot]
    for question in replies[:_ASKED_WITHIN]:
        words = load_lexicon(detect_language(question.text, language))
        parts = words.joint.join(re.findall(r"\w+", words.fold(question.text)))
        is_next = question == replies[0] and len(parts.split()) <= _SHORT
        points = not words.joint or is_next or words.has_any(words.demonstratives, parts)
        if points and asks(question.text) and not is_request(question):
            answers = find_answers(question, replies[replies.index(question) + 1 :])
            return [question, *answers] if answers else []
    return []


def format_observation(message: ChatMessage, zone: tzinfo) -> dict[str, str]:
    """Format a message for a model; the time is local to `zone`."""
    return {
        "id": message.id,
        "when": message.sent_at.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
        "who": message.sender.name,
        "text": text_with_attachments(message)[:_MAX_TEXT_LENGTH],
    }


def text_with_attachments(message: ChatMessage) -> str:
    """Return the text of a message with its attachments."""
    shown = [f"📎 {attachment.description or attachment.kind}" for attachment in message.attachments]
    return "\n".join([message.text, *shown]) if message.text else "\n".join(shown)


class HistorySearchArgs(Arguments):
    """Arguments of `history_search`."""

    query: str = Field(min_length=1, description="要找的词 / the words to look for")
    limit: int = Field(default=10, ge=1, le=50, description="最多几条 / how many messages at most")


@tool_function(name="history_search", returns_untrusted=True, examples=examples_of("history_search"))
async def history_search(args: HistorySearchArgs, ctx: CallContext, history: HistoryService) -> ToolResult:
    """查找本群以前的消息 / Search the earlier messages of this chat by words."""
    return await _search(args, ctx, history)


def history_tool(history: HistoryService, *, name: str = "history_search", limit: int = 10) -> Registrable:
    """Return a tool for agents that searches the history of its chat; `limit` is the default number of messages."""

    @tool_function(name=name, returns_untrusted=True)
    async def search(
        query: Annotated[str, Field(min_length=1, description="The words to look for.")],
        ctx: CallContext,
        limit: Annotated[int, Field(ge=1, le=50, description="How many messages at most.")] = limit,
    ) -> ToolResult:
        """Search the earlier messages of this chat by words."""
        return await _search(HistorySearchArgs(query=query, limit=limit), ctx, history)

    return search


async def _search(args: HistorySearchArgs, ctx: CallContext, history: HistoryService) -> ToolResult:
    earlier = await search_before(ctx, history, args.query, args.limit)
    value = {"messages": [format_observation(message, ctx.zone) for message in earlier]}
    if not earlier:
        return ToolResult(ok=True, text=say(ctx.language, "history.nothing", query=args.query), value=value)
    head = say(ctx.language, "history.found", query=args.query)
    return ToolResult(ok=True, text="\n".join([head, *(_line(message, ctx) for message in earlier)]), value=value)


def _line(message: ChatMessage, ctx: CallContext) -> str:
    line = say(
        ctx.language,
        "history.line",
        when=date_format.minute(ctx.language, message.sent_at, ctx.now),
        who=message.sender.name,
        text=shorten(" ".join(text_with_attachments(message).split()), _MAX_QUOTE_LENGTH),
    )
    return line + message_links([message.id], ctx)
