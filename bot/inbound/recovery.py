"""Resume messages that an earlier run left unanswered, except those that blocked its event loop."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.inbound.middleware import Middleware, Next
from bot.observability.watchdog import Watchdog
from bot.outbound.outbox import Outbox
from function_calls.language.date_format import clock
from function_calls.language.messages import say
from function_calls.tools.calls import Reply
from services.history.service import HistoryService, record_once
from services.kernel.chat import ChatMessage, Choice
from services.kernel.clock import Clock
from services.kernel.languages import language_of
from services.kernel.state import StateStore
from services.people.zones import ZoneService

ANSWERED_WITHIN: Final = timedelta(minutes=10)
"""The sender of an older message is asked to repeat it."""

NOTIFIED_WITHIN: Final = timedelta(days=1)
_MAX_BUTTON_LENGTH: Final = 200

Handle = Callable[[ChatMessage], Awaitable[object]]
Screen = Callable[[ChatMessage, Next], Awaitable[None]]
"""Runs the middlewares on a message, then the second argument."""

_DETECTION_LENGTH: Final = 200
"""Characters used to detect the language of an unreadable message."""


class Recovery(Struct, frozen=True, kw_only=True):
    """Handles an unanswered message again, or notifies its sender, who can repeat it with a button.

    A message is resumed once, as it may be the cause of a crash. If the bot stops before it has handled the message
    again, the sender is notified. If it has handled it and sent no answer, only the sender of a message for the bot is
    notified. A message that blocked the event loop (`watchdog`) is not resumed. `pending` are the unanswered messages
    at the start, or those taken over from another worker.
    """

    pending: Sequence[ChatMessage]
    outbox: Outbox
    state: StateStore
    clock: Clock
    language: str
    watchdog: Watchdog | None = None

    def pending_on(self, platform: str) -> Sequence[ChatMessage]:
        """Return the pending messages of a platform, oldest first."""
        return [each for each in self.pending if each.address.platform == platform]

    async def resume(self, platform: str, handle: Handle, screen: Screen) -> None:
        """Handle the pending messages of a platform in order, with `handle`; failures are logged."""
        for message in self.pending_on(platform):
            try:
                await self._resume_one(message, handle, screen)
            except Exception as error:  # noqa: BLE001 - a failed message must not stop the next
                log = logger.bind(chat=message.address.key, message=message.id)
                log.opt(exception=error).error("resuming a message failed")

    async def _resume_one(self, message: ChatMessage, handle: Handle, screen: Screen) -> None:
        is_unfinished = await self.state.get(_attempt_key(message))  # None without an attempt
        if self.watchdog is not None and self.watchdog.is_unreadable((message.address.key, message.id)):
            await handle(replace(message, is_recorded=True))  # which notifies its sender
        elif is_unfinished is None and self.clock.now() - message.sent_at <= ANSWERED_WITHIN:
            await self.state.set(_attempt_key(message), value=True, keep=NOTIFIED_WITHIN)
            logger.bind(chat=message.address.key, message=message.id).info("resuming a message of an earlier run")
            await handle(replace(message, is_recorded=True))
            await self.state.set(_attempt_key(message), value=False, keep=NOTIFIED_WITHIN)
        elif is_unfinished or message.is_for_bot:
            await screen(replace(message, is_recorded=True), self._notify_sender)

    async def _notify_sender(self, message: ChatMessage) -> None:
        language = language_of(message.text, self.language)
        again = Choice(label=say(language, "button.again"), says=message.text, for_people=(message.sender.id,))
        fits_button = 0 < len(message.text) <= _MAX_BUTTON_LENGTH
        reply = Reply(
            text=say(language, "notice.missed"),
            reply_to=message.id,
            mentions=(message.sender,),
            choices=(again,) if fits_button else (),
            can_retry=not fits_button,
        )
        await self.outbox.reply(message.address, reply)


def _attempt_key(message: ChatMessage) -> str:
    return f"taken_up:{message.address.key}#{message.id}"


class UnreadableMessages(Struct, frozen=True, kw_only=True):
    """Stops messages that blocked an earlier process, and notifies their senders; only `access` is checked.

    The `watchdog` notes the other messages while they are handled.
    """

    watchdog: Watchdog
    access: Middleware
    outbox: Outbox
    history: HistoryService
    zones: ZoneService
    language: str

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on a message, or notify its sender once that it could not be read."""
        key = (message.address.key, message.id)
        if not self.watchdog.is_unreadable(key):
            await self.watchdog.handle(key, call_next(message))
            return
        if message.is_recorded or await record_once(self.history, message):
            await self.access(message, self._notify_sender)
        self.watchdog.forget(key)

    async def _notify_sender(self, message: ChatMessage) -> None:
        zone = await self.zones.zone_of(message.address, message.sender)
        sent_at = message.sent_at.astimezone(zone).replace(second=0)
        language = language_of(message.text[:_DETECTION_LENGTH], self.language)
        text = say(language, "notice.unreadable", time=clock(sent_at))
        await self.outbox.reply(message.address, Reply(text=text, reply_to=message.id, mentions=(message.sender,)))
