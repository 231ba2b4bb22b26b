"""Greet each group once: explain what the bot reads, stores and can do."""

from datetime import timedelta
from typing import Final

from msgspec import Struct, field

from bot.inbound.middleware import AccessFilter
from bot.outbound.outbox import Outbox
from bot.platforms.base import OutgoingMessage
from function_calls.language.messages import say
from services.kernel.chat import BotAdded
from services.kernel.state import StateStore

_REMEMBERED: Final = timedelta(days=3650)


class Welcome(Struct, frozen=True, kw_only=True):
    """Greets each group once, even if the bot is added again; groups that `access` does not serve are not greeted."""

    outbox: Outbox
    state: StateStore
    bot_name: str
    language: str
    listens_to_all: bool
    access: AccessFilter = field(default_factory=AccessFilter)
    _in_progress: set[str] = field(default_factory=set)

    async def greet(self, added: BotAdded) -> None:
        """Send the greeting, unless it was sent before."""
        key = f"welcomed:{added.address.key}"
        if not self.access.serves(added.address) or key in self._in_progress or await self.state.get(key):
            return
        self._in_progress.add(key)
        reads = "welcome.reads_all" if self.listens_to_all else "welcome.reads_addressed"
        language = added.language or self.language
        lines = (say(language, part, name=self.bot_name) for part in ("welcome.hello", reads, "welcome.keeps"))
        message = OutgoingMessage(text="\n".join(lines), idempotency_key=key)
        try:
            if await self.outbox.send_with_retries(added.address, message):
                await self.state.set(key, value=True, keep=_REMEMBERED)
        finally:
            self._in_progress.discard(key)
