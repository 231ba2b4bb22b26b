"""Whether the bot is asked, and not somebody else in the chat."""

from function_calls.context import CallContext
from services.history.service import HistoryService


async def is_meant(ctx: CallContext, history: HistoryService) -> bool:
    """Whether the message is for the bot: by its name, in private, or because it comes right after the bot spoke."""
    if ctx.message.is_addressed or ctx.message.is_private:
        return True
    before = [each for each in await history.recent(ctx.chat, 2) if each.id != ctx.message.id]
    return bool(before) and before[-1].sender.is_bot
