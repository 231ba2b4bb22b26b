"""Compare a call that sets a reminder with the message: its time, its people, its working days."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.occurrences import read_times
from function_calls.functions.reminders.people import resolve_people
from function_calls.functions.reminders.references import find_mentioned
from function_calls.functions.reminders.snooze import clock_time
from function_calls.grounding.corrections import Grounded, as_written, correct_arguments
from function_calls.grounding.leftovers import ask_about_deadline, ask_about_leftover
from function_calls.grounding.message import ReadMessage
from function_calls.grounding.times import Verdict, compare_with_one, cross_check, without_same_time
from function_calls.models import ReminderArgs
from function_calls.tools.calls import SILENT, ToolCall, ToolResult
from function_calls.tools.confirmation.buttons import TimeOption, ask_which_time
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.execution import refusal_text
from function_calls.understanding.reminder_times import format_time, refuse_past, schedule_of_call, time_reader
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.rules import load_calendar
from services.recurrence.schedule import Schedule, rule_text
from services.reminders.service import ReminderService

_WORKDAYS: Final = re.compile(
    r"\b(?:work(?:ing)? ?days?|business days?)\b|工作日|上班日|节假日(?:都?不用|除外|不算|休息)|除了?(?:法定)?节假日"
    r"|\b(?:except|excluding|apart from|other than|besides|but)[a-z ]{0,24} holidays?\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]", re.IGNORECASE)
_ENOUGH: Final = 0.5
"""The least share of the words of a content that its request has; a model may word the rest in its own way."""


async def ground_set(call: ToolCall, args: ReminderArgs, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Compare `call`, a `reminder_set` with `args`, with the message.

    Raises:
        RequestRefused: the arguments name no time, or people who are not known for certain.
    """
    reminders = ctx.services.get(ReminderService)
    proposed = schedule_of_call(args, ctx)
    is_agreed = message.agrees(call)
    verdict = Verdict(schedule=proposed) if is_agreed else _compare(args.content, proposed, message, ctx)
    if verdict.choices or not verdict.is_named:
        refuse_past(proposed, ctx)
    if verdict.choices:
        return Grounded(call=call, instead_of_call=_ask_time(verdict, args.content, ctx))
    schedule = proposed if is_agreed else await _at_same_clock(verdict.schedule, ctx, reminders)
    if verdict.is_named:
        try:
            refuse_past(schedule, ctx)
        except RequestRefused as refusal:  # the message says so, which no other choice of a model can mend
            text = refusal_text(ctx.language, refusal, ctx.now)
            return Grounded(call=call, instead_of_call=ToolResult.refused(refusal.code, text))
    await reminders.load_calendar(_on_workdays(schedule, ctx.message.text))
    schedule = with_workdays(schedule, ctx.message.text)
    changes = {} if schedule == proposed else _time_arguments(schedule)
    call = correct_arguments(call, {**changes, "person": as_written(args.person, ctx.message.text)})
    targets = await resolve_people(args.person, ctx, ctx.services.get(HistoryService))
    question = await ask_about_leftover(call, args.content, schedule, targets, ctx)
    words = "\n".join(message.parts_for(call.name))
    question = question or await ask_about_deadline(call, args.content, schedule, targets, words, ctx)
    return Grounded(call=call, instead_of_call=question)


async def ask_about_words(call: ToolCall, args: ReminderArgs, ctx: CallContext) -> ToolResult | None:
    """Ask about words in the content of `call` that its other arguments leave out, and about a deadline.

    Raises:
        RequestRefused: the arguments name no time, or people who are not known for certain.
    """
    targets = await resolve_people(args.person, ctx, ctx.services.get(HistoryService))
    schedule = schedule_of_call(args, ctx)
    question = await ask_about_leftover(call, args.content, schedule, targets, ctx)
    return question or await ask_about_deadline(call, args.content, schedule, targets, ctx.message.text, ctx)


def _compare(content: str, proposed: Schedule, message: ReadMessage, ctx: CallContext) -> Verdict:
    """Compare the time of a reminder with the message, and with its own time where that sets several reminders."""
    calls = message.calls_of({"reminder_set"}) if message.is_clear else ()
    own = [schedule_of_call(ReminderArgs.model_validate(dict(call.arguments)), ctx) for call in calls]
    place = _best_match(content, [str(call.arguments.get("content", "")) for call in calls])
    if place is None and len(own) == 1 and len(message.calls) > 1:
        place = 0  # in another language or other words: the only candidate
    if place is not None and len(message.calls) > 1:
        return compare_with_one(proposed, own[place], message.text, ctx.message_time)
    return cross_check(
        proposed,
        message.text,
        now=ctx.message_time,
        zone=ctx.zone,
        language=ctx.language,
        times=time_reader(ctx),
        own=own,
    )


def _best_match(content: str, candidates: Sequence[str]) -> int | None:
    """Return the index of the one candidate with the most words of `content`; None on a tie."""
    wanted = set(_WORD.findall(content.lower()))
    shares = [len(wanted & set(_WORD.findall(each.lower()))) / max(len(wanted), 1) for each in candidates]
    best = max(shares, default=0.0)
    return shares.index(best) if best >= _ENOUGH and shares.count(best) == 1 else None


def with_workdays(schedule: Schedule, words: str) -> Schedule:
    """Return `schedule` on working days of its zone's country, where `words` name working days.

    It stays from Monday to Friday where no calendar knows the country, or none is installed.
    """
    wanted = _on_workdays(schedule, words)
    if wanted is None or wanted.rule is None:
        return schedule
    try:
        load_calendar(wanted.rule)
    except RequestRefused:
        return schedule
    return wanted


def _on_workdays(schedule: Schedule, words: str) -> Schedule | None:
    """Return `schedule` on working days; None where `words` name weekdays or other days."""
    rule = schedule.rule
    wanted = None if rule is None or not _WORKDAYS.search(words) else edits.on_workdays(rule, schedule.zone)
    return None if wanted is None else replace(schedule, rule=wanted)


def _ask_time(verdict: Verdict, content: str, ctx: CallContext) -> ToolResult:
    """Ask which of the times is meant; the reminder of an edited message stays as it is."""
    if ctx.message.is_edited:
        return SILENT
    options = [TimeOption(start=each.start.replace(tzinfo=ctx.zone), rule=rule_text(each)) for each in verdict.choices]
    question = ask_which_time(options, content=content, language=ctx.language, now=ctx.now, person=ctx.sender)
    return ToolResult.question(question.text, question.choices)


async def _at_same_clock(schedule: Schedule, ctx: CallContext, reminders: ReminderService) -> Schedule:
    """Return `schedule`, for "the same time" on a day at the clock of the reminder that was mentioned last."""
    if schedule.rule is not None or not names_same_time(ctx) or not names_only_a_day(ctx):
        return schedule
    try:
        last = await find_mentioned(ctx, reminders)
    except RequestRefused:
        return schedule  # there is no reminder to take the time from
    clock = clock_time(last.schedule, ctx.now)
    return Schedule(start=datetime.combine(schedule.start.date(), clock), zone=last.schedule.zone)


def names_same_time(ctx: CallContext) -> bool:
    """Return whether the message names the clock of a reminder: "tomorrow, same time"."""
    return without_same_time(ctx.message.text, ctx.language) != ctx.message.text


def names_only_a_day(ctx: CallContext) -> bool:
    """Return whether the message names one day and no clock."""
    named = read_times(ctx.message.text, ctx)
    return len(named) == 1 and named[0].has_day and not (named[0].has_clock or named[0].part)


def _time_arguments(schedule: Schedule) -> dict[str, object]:
    return {
        "type": "once",
        "time": format_time(schedule.start),
        "weekday": None,
        "rrule": rule_text(schedule) or None,
    }
