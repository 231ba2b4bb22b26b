"""Apply edits and deletions of messages to the history and to the reminders that they have set."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bot.inbound.middleware import Middleware, chain
from bot.inbound.turns import TurnFactory
from bot.outbound.outbox import Outbox
from function_calls.conversation.agent_loop import join_texts
from function_calls.functions.reminders.answers import numbered_list
from function_calls.language.messages import say
from function_calls.tools.calls import Conversation, Reply, Step, Turn
from function_calls.tools.confirmation.buttons import buttons_to_undo
from function_calls.tools.confirmation.change_log import EDITED
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage, Correction, MessageWithdrawn
from services.kernel.errors import RequestRefused
from services.reminders.model import Reminder
from services.reminders.service import ReminderService
from services.summary.service import SummaryService

_EDIT_PERIOD: Final = timedelta(days=1)
_WITHDRAWAL_PERIOD: Final = timedelta(minutes=10)
_SET_TOOL: Final = "reminder_set"

Answer = Callable[[Turn], Awaitable[tuple[Step, ...]]]


class Corrections:
    """Applies edits and withdrawals to the history and the cached summaries.

    A withdrawn message is also removed from the call log.
    """

    def __init__(self, history: HistoryService, log: CallLog, summaries: SummaryService) -> None:
        self._history = history
        self._log = log
        self._summaries = summaries

    async def apply(self, correction: Correction) -> None:
        """Apply `correction`, which `admits` accepts, except to an unknown message."""
        self._summaries.forget_message(correction.address, correction.message_id)
        if isinstance(correction, MessageWithdrawn):
            await self._history.delete(correction.address, correction.message_id, at=correction.at)
            await self._log.forget(correction.address, correction.message_id)
        else:
            await self._history.edit(correction.address, correction.message_id, correction.text, at=correction.at)

    async def admits(self, correction: Correction) -> bool:
        """Return False if `correction` is by somebody else than the sender of the message."""
        if not correction.by:
            return True
        before = await self._history.find(correction.address, correction.message_id)
        return before is not None and before.sender.id == correction.by


class EditedRequests(Struct, frozen=True, kw_only=True):
    """Changes the reminders of a message that is edited or withdrawn.

    The new text is interpreted at the time of the original message, with only the tool for reminders: each call
    changes the reminder that the same call has set before. Reminders that the new text does not mention, or that were
    changed since, stay; the reply lists them. Edits are applied for a day. `middlewares` check access, order and rate
    limit.
    """

    turns: TurnFactory
    outbox: Outbox
    answer: Answer
    reminders: ReminderService
    middlewares: Sequence[Middleware]

    async def find_original(self, correction: Correction) -> ChatMessage | None:
        """Return the message before the correction; None if nothing changed or the correction is too late."""
        message = await self.turns.history.find(correction.address, correction.message_id)
        if message is None or message.sender.is_bot:
            return None
        age = self.turns.clock.now() - message.sent_at
        if isinstance(correction, MessageWithdrawn):
            return message if age <= _WITHDRAWAL_PERIOD else None
        return message if message.text != correction.text and age <= _EDIT_PERIOD else None

    async def apply(self, correction: Correction, before: ChatMessage) -> None:
        """Apply `correction` to the reminders of `before`."""
        if isinstance(correction, MessageWithdrawn):
            await chain(self.middlewares, self._report_remaining_reminders)(before)
        else:
            await chain(self.middlewares, self._change)(replace(before, text=correction.text, is_edited=True))

    async def _report_remaining_reminders(self, message: ChatMessage) -> None:
        kept, _ = await self._reminders_set_by(message)
        if kept:
            language = (await self.turns.turn(message)).language
            text = say(language, "edited.withdrawn", ids=", ".join(each.id for each in kept))
            await self.outbox.reply(message.address, Reply(text=text, mentions=(message.sender,)))

    async def _change(self, message: ChatMessage) -> None:
        kept, touched = await self._reminders_set_by(message)
        if not kept:
            return
        turn = await self.turns.turn(message)
        tools = tuple(each for each in turn.tools if each.name == _SET_TOOL)
        as_sent = replace(turn, now=message.sent_at.astimezone(turn.zone), tools=tools, on_text=None)
        steps = () if touched else await self.answer(as_sent)
        results = [result for step in steps for result in step.results]
        named = {result.value.get("id") for result in results if isinstance(result.value, dict)}
        stays = [each for each in kept if each.id not in named]
        lines = [join_texts(step) for step in steps if join_texts(step)]
        if stays:
            context = self.turns.context(turn, 0)
            lines += [say(turn.language, "edited.stays"), numbered_list(stays, context)]
        if not lines:
            return
        undo = buttons_to_undo(turn.language, results, message.sender)
        await self.outbox.reply(
            message.address,
            Reply(
                text="\n".join(lines),
                reply_to=message.id,
                choices=undo,
                hint=say(turn.language, "undo.hint") if undo else "",
            ),
        )

    async def _reminders_set_by(self, message: ChatMessage) -> tuple[list[Reminder], bool]:
        """Return the pending reminders of `message`, and whether another message changed them."""
        policy = self.turns.calls.policy
        conversation = Conversation(chat=message.address, person=message.sender)
        changes = () if policy is None else await policy.change_log.every(conversation)
        own = [each for each in changes if each.message_id.partition(EDITED)[0] == message.id]
        ids = [receipt.subject for each in own if each.tool == _SET_TOOL for receipt in each.receipts]
        others = {receipt.subject for each in changes if each not in own for receipt in each.receipts}
        found: list[Reminder] = []
        for each in dict.fromkeys(ids):
            try:
                found.append(await self.reminders.get(message.address, message.sender, each))
            except RequestRefused:
                continue  # finished or deleted
        return found, bool(others & set(ids))
