"""Apply edits and deletions of messages to the history."""

from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.chat import Correction, MessageEdited, MessageWithdrawn
from services.summary.service import SummaryService


class Corrections:
    """Keeps the history and what is remembered for summaries as the chat shows them.

    A withdrawn message leaves the record of calls too.
    """

    def __init__(self, history: HistoryService, log: CallLog, summaries: SummaryService) -> None:
        self._history = history
        self._log = log
        self._summaries = summaries

    async def apply(self, correction: Correction) -> None:
        """Follow `correction`; one of a message that is not known, or is somebody else's, changes nothing."""
        if isinstance(correction, MessageEdited) and correction.by and not await self._is_own(correction):
            return
        self._summaries.forget_message(correction.address, correction.message_id)
        if isinstance(correction, MessageWithdrawn):
            await self._history.delete(correction.address, correction.message_id, at=correction.at)
            await self._log.forget(correction.address, correction.message_id)
        else:
            await self._history.edit(correction.address, correction.message_id, correction.text, at=correction.at)

    async def _is_own(self, edit: MessageEdited) -> bool:
        before = await self._history.find(edit.address, edit.message_id)
        return before is not None and before.sender.id == edit.by
