"""Schedule summaries as reminders, and create their text: a summary of the messages since the last one."""

import asyncio
from collections.abc import Callable
from datetime import UTC, timedelta, tzinfo
from functools import partial

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.answers import confirm_change, delete_step
from function_calls.functions.reminders.creation import draft_reminder
from function_calls.functions.summary.answers import SummaryReader, format_summary
from function_calls.language.messages import say
from function_calls.models import ReminderArgs, SummaryScheduleArgs
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import schedule_of_call
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.recurrence.fires import just_before
from services.reminders.model import DueNotice, ReminderAction
from services.reminders.service import ReminderService
from services.summary.model import Summary, SummaryWindow
from services.summary.service import SummaryService

_WITHOUT_A_RULE = timedelta(days=1)
_MAX_MESSAGES = 5_000


class Digests(Struct, frozen=True):
    """Creates digests with `summaries`, or without a model, with `quick`, if those take longer than `patience`.

    `patience` must be below the limit of a delivery, two minutes.
    """

    summaries: SummaryService
    quick: SummaryService
    clock: Clock
    link_of: Callable[[ChatAddress, str], str | None]
    patience: timedelta = timedelta(minutes=1)

    async def __call__(self, notice: DueNotice) -> str:
        """Return the text of the digest for `notice`."""
        zone = notice.due_at.tzinfo or UTC
        since = notice.covers_since or notice.due_at - _WITHOUT_A_RULE
        # A digest includes its first moment, which the one before excludes; stores return messages after a moment.
        window = SummaryWindow(since=just_before(since), until=notice.due_at, limit=_MAX_MESSAGES)
        summary = await self._summarized(notice, window, zone)
        if summary.is_empty:
            return say(notice.language, "summary.digest_empty")
        reader = SummaryReader(
            language=notice.language,
            zone=zone,
            now=self.clock.now().astimezone(zone),
            link_of=partial(self.link_of, notice.address),
        )
        return say(notice.language, "summary.digest", summary=format_summary(summary, reader, window))

    async def _summarized(self, notice: DueNotice, window: SummaryWindow, zone: tzinfo) -> Summary:
        make = partial(SummaryService.summarize, language=notice.language, window=window, zone=zone)
        try:
            async with asyncio.timeout(self.patience.total_seconds()):
                return await make(self.summaries, notice.address)
        except TimeoutError:
            logger.bind(chat=str(notice.address)).warning("digest timed out; making it without a model")
            return await make(self.quick, notice.address)


@tool_function(name="summary_schedule", returns="reply", changes_state=True)
async def summary_schedule(args: SummaryScheduleArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """定时总结 / Post a summary of this chat at a coming time, once or regularly. For one now call `summary`."""
    content = say(ctx.language, "summary.scheduled")
    times = ReminderArgs(**args.model_dump(), content=content)
    draft = draft_reminder(content, schedule_of_call(times, ctx), ctx)
    reminder = await reminders.create(replace(draft, action=ReminderAction.SUMMARY))
    return confirm_change(reminder, ctx, "set", delete_step(reminder))
