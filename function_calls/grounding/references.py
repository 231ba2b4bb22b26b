"""Find the reminders that a message names, where a call names others or leaves them open."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from function_calls.functions.reminders.occurrences import day_words, has_fire_on, named_days
from function_calls.functions.reminders.references import (
    find_mentioned,
    is_pronoun,
    may_mean_all,
    own_reminders,
    resolve_reference,
    resolve_several,
)
from function_calls.grounding.message import ReadMessage
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.lookup.references import candidates_of, means_all
from services.reminders.lookup.several import several_in
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

_WORD: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_CHANGES: Final = frozenset({"reminder_delete", "reminder_update", "reminder_snooze", "reminder_state"})


class Target(Struct, frozen=True, kw_only=True):
    """The reference of a call after the comparison, and the reminders that it stands for, as far as they are known."""

    reference: str | None
    reminders: tuple[Reminder, ...] = ()

    @property
    def one(self) -> Reminder | None:
        """Return the only reminder that is meant."""
        return self.reminders[0] if len(self.reminders) == 1 else None


async def resolve_target(tool: str, reference: str | None, message: ReadMessage, ctx: CallContext) -> Target:
    """Return the reference that the message supports, and its reminders."""
    reminders, history = ctx.services.get(ReminderService), ctx.services.get(HistoryService)
    reference = name_together(reference, message)
    try:
        several = await resolve_several(reference, ctx, reminders, history)
        if several:
            return Target(reference=reference, reminders=several)
        if may_mean_all(reference):
            return Target(reference=reference, reminders=await own_reminders(ctx, reminders))
        reference = await correct_name(reference, message, ctx)
        found = await resolve_reference(reference, ctx, reminders, history)
        one = await (reminders.find(ctx.chat, ctx.sender, found) if found else find_mentioned(ctx, reminders))
    except RequestRefused as refusal:
        due = _due_on_named_day(refusal, message.parts_for(tool), ctx)
        return Target(reference=reference) if due is None else Target(reference=due.id, reminders=(due,))
    return Target(reference=reference, reminders=(one,))


def name_together(reference: str | None, message: ReadMessage) -> str | None:
    """Return `reference`, or "both", "1 and 3" as the message has it where the call has none, or all."""
    if reference and not means_all(reference):
        return reference
    words = ", ".join(_names(message))
    named = several_in(words)
    is_counted = named is not None and (named.kind != "each" or all(map(str.isdecimal, named.references)))
    return words if is_counted else reference


async def correct_name(reference: str | None, message: ReadMessage, ctx: CallContext) -> str | None:
    """Return the id of the one reminder that the message names instead of `reference`; models mix up ids.

    The message counts where it names one reminder and has none of the words of `reference`.
    """
    if reference is None or is_pronoun(reference):
        return reference
    if set(_WORD.findall(message.text.casefold())) & set(_WORD.findall(reference.casefold())):
        return reference
    names = _names(message)
    if len(names) != 1 or is_pronoun(names[0]) or names[0].isdecimal() or means_all(names[0]):
        return reference
    try:
        return (await ctx.services.get(ReminderService).get(ctx.chat, ctx.sender, names[0])).id
    except RequestRefused:
        return reference  # the words match none, or several: the model may have more context


def with_days_of_message(reference: str, tool: str, message: ReadMessage, ctx: CallContext) -> str:
    """Return `reference`, or all of a day where a model shortened "everything for tomorrow" to "all"."""
    days = [(day, words) for words in message.parts_for(tool) for day in named_days(words, "", ctx)]
    return f"all {day_words(*days[0])}" if len(days) == 1 else reference


def _names(message: ReadMessage) -> list[str]:
    """Return the references of a message that asks for one kind of change."""
    calls = message.calls_of(_CHANGES)
    if len({call.name for call in message.calls}) != 1:
        return []
    return [str(call.arguments["reminder_id"]) for call in calls if call.arguments.get("reminder_id")]


def _due_on_named_day(refusal: RequestRefused, parts: Sequence[str], ctx: CallContext) -> Reminder | None:
    """Return the only candidate of an ambiguous reference that fires on the day that the message names."""
    if refusal.code != "reminder_ambiguous":
        return None
    found: list[Reminder] = []
    for each in candidates_of(refusal):
        days = {day.start.date() for words in parts for day in named_days(words, each.content, ctx)}
        found += [each] if any(has_fire_on(day, each, ctx) for day in days) else []
    return found[0] if len(found) == 1 else None
