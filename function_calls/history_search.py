"""A tool that searches what was said in the chat before."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final, Protocol

from function_calls.class_tools import Tool
from function_calls.context import CallContext
from services.chat import ChatAddress, ChatMessage

_MOST: Final = 50
_USUAL: Final = 10
_LONGEST_TEXT: Final = 500


class MessageSearch(Protocol):
    """Finds earlier messages."""

    async def search(self, chat: ChatAddress, query: str, limit: int) -> Sequence[ChatMessage]:
        """At most `limit` messages of `chat` that fit `query`, the best first."""
        ...


def history_search_tool(search: MessageSearch, *, name: str = "history_search") -> Tool:
    """The tool for `search`; it finds messages of the chat that it is called in and of no other."""
    return _HistorySearch(search, name)


class _HistorySearch(Tool):
    description = "查找本群以前的消息 / Search the earlier messages of this chat by words."
    returns_untrusted = True

    def __init__(self, search: MessageSearch, name: str) -> None:
        self.name = name
        self.parameters = {
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "description": "要找的词 / words to look for"},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": _MOST,
                    "default": _USUAL,
                    "description": "最多几条 / how many messages at most",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        }
        self._search = search

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Look the words up; a message is never found by its own question."""
        wanted = args.get("limit")
        limit = int(wanted) if isinstance(wanted, int | float) else _USUAL
        earlier = await found_before(ctx, self._search, str(args["query"]), limit)
        return {"messages": [as_observation(message, ctx.zone) for message in earlier]}


async def found_before(ctx: CallContext, search: MessageSearch, query: str, limit: int) -> list[ChatMessage]:
    """At most `limit` messages of the chat that fit `query`, the best first; the question itself is left out.

    What was said to the bot comes last: whoever searched for the same words before is not what is looked for.
    """
    from services.summary.content import is_command

    found = await search.search(ctx.chat, query, 2 * limit + 1)
    earlier = [message for message in found if message.id != ctx.message.id]
    return sorted(earlier, key=lambda message: is_command(message.text))[:limit]


def as_observation(message: ChatMessage, zone: tzinfo) -> dict[str, str]:
    """A message as a model is told of it; the time is local to `zone`."""
    return {
        "id": message.id,
        "when": message.sent_at.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
        "who": message.sender.name,
        "text": with_attachments(message)[:_LONGEST_TEXT],
    }


def with_attachments(message: ChatMessage) -> str:
    """What a message says, and what came with it."""
    shown = [f"📎 {each.description or each.kind}" for each in message.attachments]
    return "\n".join([message.text, *shown]) if message.text else "\n".join(shown)
