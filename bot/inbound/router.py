"""Route incoming messages of all platforms: `MessageRouter.handle` is the only entry point."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext

from loguru import logger
from msgspec import Struct, field

from bot.inbound.corrections import Corrections, EditedRequests
from bot.inbound.intake import Intake, StorageRetry, sanitize_text
from bot.inbound.middleware import Middleware, Next, chain
from bot.inbound.reactions import Reactions
from bot.inbound.turn_claims import TurnCoordinator
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from function_calls.conversation.assistant import Assistant
from function_calls.language.messages import say
from function_calls.tools.calls import Reply, Turn
from function_calls.tools.dispatch.execution import disk_full_text
from services.kernel.chat import ChatAddress, ChatMessage, ChatMoved, Correction, Incoming, MessageWithdrawn, Reaction
from services.kernel.errors import StorageFull, StorageUnavailable

TurnFor = Callable[[ChatMessage], Awaitable[Turn]]
_Key = tuple[str, str]


class MessageRouter(Struct, frozen=True, kw_only=True):
    """Passes messages through the middlewares to the assistant, and sends the answers.

    `intake` records messages as they arrive, `retry` repeats corrections while the database is unavailable, and
    `turn_claims` coordinates several workers (None for a single one).
    """

    assistant: Assistant
    outbox: Outbox
    turn_for: TurnFor
    middlewares: Sequence[Middleware]
    corrections: Corrections
    drafts: Drafts
    reactions: Reactions
    edited: EditedRequests
    intake: Intake
    retry: StorageRetry
    turn_claims: TurnCoordinator | None = None
    _tasks: dict[_Key, asyncio.Task[object]] = field(default_factory=dict)
    _cancelled: set[_Key] = field(default_factory=set)

    async def accept(self, incoming: Incoming) -> Incoming:
        """Return `incoming`, after committing it if it is a message or the new id of a chat."""
        if isinstance(incoming, ChatMessage):
            return await self.intake.record(sanitize_text(incoming))
        if isinstance(incoming, ChatMoved):
            await self.intake.move(incoming)
        return incoming

    async def handle(self, incoming: ChatMessage | Correction | Reaction) -> None:
        """Handle one message, correction or reaction; failures are logged.

        Withdrawing a message cancels its handling, except for a change that a tool has begun.
        """
        incoming = sanitize_text(incoming)
        if not isinstance(incoming, ChatMessage):
            await self._handle_change(incoming)
            return
        key, task = (incoming.address.key, incoming.id), asyncio.current_task()
        if task is not None:
            self._tasks.setdefault(key, task)
        is_first = self._tasks.get(key) is task
        try:
            await self.screen(incoming, self._answer)
        except asyncio.CancelledError:
            if task is None or key not in self._cancelled:
                raise
            task.uncancel()
            logger.bind(chat=key[0], message=key[1]).info("handling of a message was cancelled")
        except Exception as error:  # noqa: BLE001 - a failed message must not stop the next
            logger.bind(chat=key[0], message=key[1]).opt(exception=error).error("handling a message failed")
        finally:
            if is_first:
                self._tasks.pop(key, None)
        if is_first and self.turn_claims is not None:
            self.turn_claims.complete(key)

    async def screen(self, message: ChatMessage, last: Next) -> None:
        """Run the middlewares on `message`, then `last` instead of the assistant."""
        await chain(self.middlewares, last)(message)

    async def stop(self, address: ChatAddress, message_id: str) -> bool:
        """Cancel the answer to a message, except a change that a tool has begun; return whether it was in progress."""
        key = (address.key, message_id)
        is_handled = key in self._tasks
        await self._cancel(key)
        return is_handled

    async def _handle_change(self, change: Correction | Reaction) -> None:
        try:
            await (self.reactions.handle(change) if isinstance(change, Reaction) else self._correct(change))
        except Exception as error:  # noqa: BLE001 - a failure must not stop the next event
            kind = "reaction" if isinstance(change, Reaction) else "correction"
            log = logger.bind(chat=str(change.address), message=change.message_id)
            log.opt(exception=error).error("handling a {} failed", kind)

    async def _correct(self, correction: Correction) -> None:
        if not await self.retry.run(lambda: self.corrections.admits(correction)):
            return
        if isinstance(correction, MessageWithdrawn):
            await self._cancel((correction.address.key, correction.message_id))
        original = await self.retry.run(lambda: self._find_original(correction))
        await self.retry.run(lambda: self.corrections.apply(correction))
        if original is not None:
            await self.edited.apply(correction, original)

    async def _find_original(self, correction: Correction) -> ChatMessage | None:
        """Return the original message, after it is handled: its reminders are known only then."""
        task = self._tasks.get((correction.address.key, correction.message_id))
        if task is not None and task is not asyncio.current_task():
            await asyncio.wait([task])
        return await self.edited.find_original(correction)

    async def _cancel(self, key: _Key) -> None:
        task = self._tasks.get(key)
        if task is None:
            return
        self._cancelled.add(key)
        try:
            task.cancel()
            await asyncio.wait([task])
        finally:
            self._cancelled.discard(key)

    async def _answer(self, message: ChatMessage) -> None:
        turn = await self.turn_for(message)
        async with self.drafts.open(turn) as draft:
            reply = await self._reply_to(turn)
            if reply is not None and (self.turn_claims is None or await self.turn_claims.is_ours(message)):
                await draft.finish(reply)

    async def _reply_to(self, turn: Turn) -> Reply | None:
        message = turn.message
        is_awaited = message.is_for_bot
        try:
            async with self.outbox.typing(message.address) if is_awaited else nullcontext():
                return await self.assistant.answer(turn)
        except StorageFull as error:
            logger.bind(chat=str(message.address), message=message.id).error("could not answer a message: {}", error)
            return Reply(text=disk_full_text(turn.language), can_retry=True) if is_awaited else None
        except StorageUnavailable:
            raise  # `StorageRetry` handles the message again
        except Exception as error:  # noqa: BLE001 - the sender gets a reply, the operator a log entry
            log = logger.bind(chat=str(message.address), message=message.id)
            log.opt(exception=error).error("could not answer a message")
            return Reply(text=say(turn.language, "failed.routing"), can_retry=True) if message.is_addressed else None
