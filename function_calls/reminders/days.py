"""Deleting what is named by a day: of a reminder that comes on other days too only that day is left out."""

import re
from datetime import datetime
from typing import Final

from function_calls import phrasing, rule_words
from function_calls.calls import ToolResult
from function_calls.context import CallContext
from function_calls.conventions import time_reader
from function_calls.reminder_times import zone_name
from function_calls.reminders.all_of_them import to_each
from function_calls.reminders.handlers import leave_out
from function_calls.wording import say
from services.reminders.due_words import due_words
from services.reminders.model import Reminder
from services.reminders.nagging import without_nag
from services.reminders.references import all_of, is_in
from services.reminders.service import ReminderService

_WEEKDAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|周|週|星期|礼拜|禮拜", re.IGNORECASE)


async def on_that_day_only(reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult | None:
    """What becomes of "cancel the standup tomorrow" where the standup comes again; None where all of it is meant.

    Whether "the Monday meeting" of every Monday is to end, or one of them, is asked.

    Raises:
        RequestRefused: as `ReminderService.named` does.
    """
    words = all_of(reference) or reference
    read = due_words(words, ctx.now, zone_name(ctx.zone), time_reader(ctx))
    if read is None or not any(reading.has_day for reading in read.readings):
        return None
    named = await reminders.named(ctx.chat, ctx.sender, reference)
    if not named or not all(without_nag(each.schedule.rule) for each in named):
        return None
    if any(is_in(each.content, reference) for each in named):
        return None

    async def one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        if _WEEKDAY.search(reference) and len({fire.weekday() for fire in reminder.next_fires}) == 1:
            return _which_days(reminder, read.readings[0].start, ctx)
        return await leave_out(words, reminder, ctx, reminders)

    return await to_each(named, one, ctx, none="reminder.none")


def _which_days(reminder: Reminder, day: datetime, ctx: CallContext) -> ToolResult:
    rule, named = rule_words.rule(ctx.language, reminder), phrasing.date(ctx.language, day)
    asked = say(ctx.language, "reminder.one_day_or_all", id=reminder.id, content=reminder.content, rule=rule, day=named)
    return ToolResult(ok=False, text=asked, error="it comes on other days too", is_question=True)
