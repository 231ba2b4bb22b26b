"""Search earlier messages of a chat, and format them for a model."""

from datetime import tzinfo
from typing import Final

from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage

_LONGEST_TEXT: Final = 500


async def search_before(ctx: CallContext, history: HistoryService, query: str, limit: int) -> list[ChatMessage]:
    """Find at most `limit` earlier messages that match `query`, best first, with messages to the bot last."""
    from services.summary.content import is_command

    found = await history.search(ctx.chat, query, 2 * limit + 1)
    earlier = [message for message in found if message.id != ctx.message.id]
    return sorted(earlier, key=lambda message: is_command(message.text))[:limit]


def format_observation(message: ChatMessage, zone: tzinfo) -> dict[str, str]:
    """Format a message for a model; the time is local to `zone`."""
    return {
        "id": message.id,
        "when": message.sent_at.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
        "who": message.sender.name,
        "text": text_with_attachments(message)[:_LONGEST_TEXT],
    }


def text_with_attachments(message: ChatMessage) -> str:
    """Return the text of a message with its attachments."""
    shown = [f"📎 {attachment.description or attachment.kind}" for attachment in message.attachments]
    return "\n".join([message.text, *shown]) if message.text else "\n".join(shown)
