"""Skip messages that blocked the event loop in an earlier run, and tell their senders."""

from typing import Final

from msgspec import Struct

from bot.inbound.middleware import Middleware
from bot.observability.watchdog import Watchdog
from bot.outbound.outbox import Outbox
from function_calls.language.date_format import clock
from function_calls.language.messages import say
from function_calls.tools.calls import Reply
from services.history.service import HistoryService, record_once
from services.kernel.chat import ChatMessage
from services.kernel.text import language_of
from services.people.zones import ZoneService

_LONGEST_LOOK: Final = 200
"""Characters of such a message that its language is told by."""


class UnreadableMessages(Struct, frozen=True, kw_only=True):
    """Knows them from the watchdog; `access` is asked whether the bot serves the chat, and nothing else reads them."""

    watchdog: Watchdog
    access: Middleware
    outbox: Outbox
    history: HistoryService
    zones: ZoneService
    language: str

    def has(self, message: ChatMessage) -> bool:
        """Return whether an earlier process stood still on `message`."""
        return self.watchdog.is_unreadable((message.address.key, message.id))

    async def tell(self, message: ChatMessage) -> None:
        """Tell its sender that `message` could not be read; nothing where it was told before."""
        if message.is_recorded or await record_once(self.history, message):
            await self.access(message, self._tell)
        self.watchdog.forget((message.address.key, message.id))

    async def _tell(self, message: ChatMessage) -> None:
        zone = await self.zones.zone_of(message.address, message.sender)
        sent_at = message.sent_at.astimezone(zone).replace(second=0)
        text = say(language_of(message.text[:_LONGEST_LOOK], self.language), "notice.unreadable", time=clock(sent_at))
        await self.outbox.reply(message.address, Reply(text=text, reply_to=message.id, mentions=(message.sender,)))
