"""Earlier messages of the chat: which ones are found, and how a model is told of them."""

from datetime import tzinfo
from typing import Final

from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage

_LONGEST_TEXT: Final = 500


async def found_before(ctx: CallContext, history: HistoryService, query: str, limit: int) -> list[ChatMessage]:
    """At most `limit` messages of the chat that fit `query`, the best first; the question itself is left out.

    What was said to the bot comes last: whoever searched for the same words before is not what is looked for.
    """
    from services.summary.content import is_command

    found = await history.search(ctx.chat, query, 2 * limit + 1)
    earlier = [message for message in found if message.id != ctx.message.id]
    return sorted(earlier, key=lambda message: is_command(message.text))[:limit]


def as_observation(message: ChatMessage, zone: tzinfo) -> dict[str, str]:
    """Return A message as a model is told of it; the time is local to `zone`."""
    return {
        "id": message.id,
        "when": message.sent_at.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
        "who": message.sender.name,
        "text": with_attachments(message)[:_LONGEST_TEXT],
    }


def with_attachments(message: ChatMessage) -> str:
    """Return what a message says, and what came with it."""
    shown = [f"📎 {each.description or each.kind}" for each in message.attachments]
    return "\n".join([message.text, *shown]) if message.text else "\n".join(shown)
