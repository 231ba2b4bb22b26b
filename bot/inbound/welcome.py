"""Greet each group once: explain what the bot reads, stores and can do."""

from datetime import timedelta
from typing import Final

from bot.outbound.outbox import Outbox
from bot.platforms.base import OutgoingMessage
from function_calls.language.messages import say
from services.kernel.chat import BotAdded
from services.kernel.state import StateStore

_REMEMBERED: Final = timedelta(days=3650)


class Welcome:
    """Greets each group once, even if the bot is added again."""

    def __init__(
        self, outbox: Outbox, state: StateStore, *, bot_name: str, language: str, listens_to_all: bool
    ) -> None:
        self._outbox = outbox
        self._state = state
        self._bot_name = bot_name
        self._language = language
        self._in_progress: set[str] = set()
        self._reads = "welcome.reads_all" if listens_to_all else "welcome.reads_addressed"

    async def greet(self, added: BotAdded) -> None:
        """Send the greeting, unless it was sent before."""
        key = f"welcomed:{added.address.key}"
        if key in self._in_progress or await self._state.get(key):
            return
        self._in_progress.add(key)
        try:
            await self._say(added, key)
        finally:
            self._in_progress.discard(key)

    async def _say(self, added: BotAdded, key: str) -> None:
        language = added.language or self._language
        lines = (say(language, part, name=self._bot_name) for part in ("welcome.hello", self._reads, "welcome.keeps"))
        message = OutgoingMessage(text="\n".join(lines), idempotency_key=key)
        if await self._outbox.send_with_retries(added.address, message):
            await self._state.set(key, value=True, keep=_REMEMBERED)
