"""Record turns and calls in the background, and find them."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from loguru import logger
from msgspec.structs import replace

from services.call_log.model import CONFIRMED, CallRecord, CallStore, CompletionRecord, Spent, ToolCallShape, TurnRecord
from services.call_log.secret_mask import SecretMask
from services.kernel.chat import ChatAddress
from services.kernel.text import replace_unstorable

_BATCH = 500
_MAX_WAITING = 20_000
_MAX_TEXT_LENGTH = 1_000_000
_MAX_SECRET_LENGTH = 4_000
# Seconds that a record may wait for others to share its transaction; reads do not wait.
_LINGER = 0.2

OnRecorded = Callable[[TurnRecord | CallRecord], None]


class CallLog:
    """The call log of every chat. Recording only queues the entry: it never fails and never waits for the disk.

    Reads include everything recorded before. Secrets are masked before entries are stored.
    """

    def __init__(
        self, store: CallStore, *, mask: SecretMask | None = None, on_recorded: OnRecorded | None = None
    ) -> None:
        """Create the log; `on_recorded` is called with every entry immediately."""
        self._store = store
        self._on_recorded = on_recorded
        self._mask = mask or SecretMask()
        self._waiting: deque[TurnRecord | CallRecord] = deque(maxlen=_MAX_WAITING)
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    def record(self, entry: TurnRecord | CallRecord) -> None:
        """Queue `entry` for storing."""
        if self._on_recorded is not None:
            self._on_recorded(entry)
        self._waiting.append(entry)
        if self._timer is None and not self._is_writing:
            self._timer = asyncio.get_running_loop().call_later(_LINGER, self._begin)

    async def drain(self) -> None:
        """Wait until all recorded entries are stored."""
        while self._waiting or self._is_writing:
            if not self._is_writing:
                self._begin()
            if self._writing is not None:
                await asyncio.wait([self._writing])  # unlike await, does not cancel the task if this one is cancelled

    async def turn(self, message_id: str, address: ChatAddress | None = None) -> TurnRecord | None:
        """Return the turn of a message, None without a record; `address` None means any chat."""
        await self.drain()
        return await self._store.turn(message_id, None if address is None else address.key)

    async def latest_turns(
        self, limit: int, *, address: ChatAddress | None = None, person_id: str | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the last `limit` turns (of a chat, of a person), latest first."""
        await self.drain()
        chat_key = None if address is None else address.key
        return await self._store.latest_turns(limit, chat_key=chat_key, person_id=person_id)

    async def calls_of(self, turn: TurnRecord) -> tuple[CallRecord, ...]:
        """Return the calls of a turn, in the order of their end."""
        await self.drain()
        return await self._store.calls(turn.address.key, [turn.message_id])

    async def of_message(self, address: ChatAddress, message_id: str) -> tuple[ToolCallShape, ...]:
        """Return the calls of a person's message in the form of the HTTP history.

        Calls by agents are in the `spawn_task` of the call that ran the agent.
        """
        records = await self.records_of_messages(address, [message_id])
        return tuple(record.as_tool_call() for record in records[message_id])

    async def records_of_messages(
        self, address: ChatAddress, message_ids: Sequence[str]
    ) -> Mapping[str, tuple[CallRecord, ...]]:
        """Return the calls of these messages; a message without calls has an empty entry."""
        await self.drain()
        found: dict[str, tuple[CallRecord, ...]] = dict.fromkeys(message_ids, ())
        calls = await self._store.calls(address.key, message_ids)
        for call in (call for call in calls if not call.is_nested):
            found[call.message_id] = (*found[call.message_id], call)
        return found

    async def confirmed_calls(self, address: ChatAddress, message_ids: Sequence[str]) -> tuple[CallRecord, ...]:
        """Return the calls of these messages that the person confirmed."""
        await self.drain()
        found = await self._store.calls(address.key, message_ids)
        return tuple(call for call in found if call.route == CONFIRMED)

    async def spent_since(self, moment: datetime) -> tuple[Spent, ...]:
        """Return the usage since `moment` (timezone-aware), one entry per person and chat."""
        await self.drain()
        return await self._store.spent_since(moment)

    async def forget(self, address: ChatAddress, message_id: str) -> None:
        """Delete the records of a message, except its usage."""
        await self.drain()
        await self._store.forget(address.key, message_id)

    async def purge(self, before: datetime) -> int:
        """Delete older records; return the number of turns. A failure is logged, and the next purge retries it."""
        try:
            return await self._store.purge(before)
        except Exception as error:  # noqa: BLE001 - any store may fail; old records are no reason to stop
            logger.opt(exception=error).error("could not delete old records")
            return 0

    @property
    def _is_writing(self) -> bool:
        return self._writing is not None and not self._writing.done()

    def _begin(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._writing = asyncio.create_task(self._write_waiting())

    async def _write_waiting(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
            turns = [self._mask_turn(record) for record in batch if isinstance(record, TurnRecord)]
            calls = [self._mask_call(record) for record in batch if isinstance(record, CallRecord)]
            try:
                await self._store.add(turns, calls)
            except Exception as error:  # noqa: BLE001 - any store may fail; a lost record must not stop the bot
                logger.opt(exception=error).error("could not store {} records", len(batch))

    def _mask_turn(self, turn: TurnRecord) -> TurnRecord:
        return replace(
            turn,
            text=self._prepare_text(turn.text),
            reply=self._prepare_text(turn.reply),
            error=self._prepare_text(turn.error),
            completions=tuple(self._mask_completion(completion) for completion in turn.completions),
        )

    def _mask_completion(self, completion: CompletionRecord) -> CompletionRecord:
        requested = tuple(
            replace(call, name=self._prepare_text(call.name), arguments=self._prepare_text(call.arguments))
            for call in completion.requested
        )
        refused = tuple(self._prepare_text(reason) for reason in completion.refused)
        return replace(
            completion,
            model=replace_unstorable(completion.model),
            finish_reason=replace_unstorable(completion.finish_reason),
            requested=requested,
            refused=refused,
        )

    def _mask_call(self, call: CallRecord) -> CallRecord:
        return replace(
            call,
            tool_name=self._prepare_text(call.tool_name),
            model=replace_unstorable(call.model),
            user_message=self._prepare_text(call.user_message),
            arguments=self._prepare_text(call.arguments),
            result=None if call.result is None else self._prepare_text(call.result),
            error=None if call.error is None else self._prepare_text(call.error),
            repairs=tuple(map(self._prepare_text, call.repairs)),
            said=self._prepare_text(call.said),
            spawn_task=None if call.spawn_task is None else self._prepare_text(call.spawn_task),
        )

    def _prepare_text(self, text: str) -> str:
        """Return `text` for storing: without unstorable characters, masked, and truncated if it is very long."""
        text = replace_unstorable(text)
        if len(text) <= _MAX_TEXT_LENGTH:
            return self._mask.text(text) if text else text
        # Mask before truncating, so that no part of a secret remains at the end.
        masked = self._mask.text(text[: _MAX_TEXT_LENGTH + _MAX_SECRET_LENGTH])
        return f"{masked[:_MAX_TEXT_LENGTH]}… [{len(text)} characters]"
