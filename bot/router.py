"""The one door in: every message of every platform passes `MessageRouter.handle`."""

from collections.abc import Awaitable, Callable, Sequence

from loguru import logger

from bot.middleware import Middleware, chain
from bot.outbox import Outbox
from function_calls.assistant import Assistant
from function_calls.calls import Reply, Turn
from function_calls.wording import say
from services.chat import ChatMessage

TurnFor = Callable[[ChatMessage], Awaitable[Turn]]


class MessageRouter:
    """Passes a message through the middlewares to the assistant, and the answer to the outbox."""

    def __init__(
        self, assistant: Assistant, outbox: Outbox, turn_for: TurnFor, middlewares: Sequence[Middleware] = ()
    ) -> None:
        self._assistant = assistant
        self._outbox = outbox
        self._turn_for = turn_for
        self._handle = chain(middlewares, self._answer)

    async def handle(self, message: ChatMessage) -> None:
        """Handle one message; whatever goes wrong is logged and never becomes small talk."""
        log = logger.bind(chat=str(message.address), message=message.id)
        try:
            await self._handle(message)
        except Exception as error:  # noqa: BLE001 - the last line of defence of one message; the next one must work
            log.opt(exception=error).error("a message could not be handled")

    async def _answer(self, message: ChatMessage) -> None:
        turn = await self._turn_for(message)
        try:
            reply = await self._assistant.answer(turn)
        except Exception as error:  # noqa: BLE001 - told to whoever asked, logged for whoever runs the bot
            logger.bind(chat=str(message.address), message=message.id).opt(exception=error).error("no answer")
            reply = Reply(text=say(turn.language, "failed.routing")) if message.is_addressed else None
        if reply is not None:
            await self._outbox.reply(message.address, reply)
