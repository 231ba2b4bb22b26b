"""From when the times of a message count: "in ten minutes" is ten minutes after it was said, also where it waited."""

from datetime import datetime, timedelta
from typing import Final

from services.kernel.chat import ChatMessage

# What comes at once is reckoned by the bot's own clock: platforms tell whole seconds, and theirs may be a little off.
_AT_ONCE: Final = timedelta(minutes=1)
# No platform keeps a message longer for a bot that was away; a clock that says so is wrong.
_LONGEST_WAIT: Final = timedelta(days=7)


def said_at(message: ChatMessage, now: datetime) -> datetime:
    """Return when `message` was said, in the zone of `now`: it may have waited until the bot was there again."""
    waited = now - message.sent_at
    return message.sent_at.astimezone(now.tzinfo) if _AT_ONCE < waited < _LONGEST_WAIT else now
