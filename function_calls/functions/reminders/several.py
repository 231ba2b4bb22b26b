"""Resolve references to several reminders: "both", "them all", "1 and 3", 前两个."""

from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.replies import replied_to
from function_calls.functions.reminders.which import latest_receipts
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.lookup.references import means_all
from services.reminders.lookup.several import Several, several_in
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

_LATELY: Final = timedelta(minutes=10)

Reminders = tuple[Reminder, ...]


async def several_meant(
    reference: str | None, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> Reminders:
    """Resolve a `reference` to several reminders; none where it names one, or all.

    "Both" are the only two, or the two that were set, changed or listed together last; "them" as many as these were.

    Raises:
        RequestRefused: `reminder_ambiguous(reference, candidates)`: it is not clear which; and as `get`.
    """
    named = several_in(reference or "")
    if named is None:
        return ()
    if named.kind != "spoken":
        return await reminders.several(ctx.chat, ctx.sender, reference or "")
    replied = await replied_to(ctx, reminders, history)
    if _fits(replied, named):
        return replied
    here = await reminders.open_in(ctx.chat)
    own = tuple(each for each in here if each.creator.id == ctx.sender.id)
    if named.count in {len(here), len(own)}:
        return here if len(here) == named.count else own
    group = await _recent_group(named, here, own, ctx, reminders)
    if group or named.count is None:
        return group
    if not here:
        raise RequestRefused("no_reminders")
    candidates = own if len(own) >= (named.count or 1) else here
    await reminders.show(ctx.chat, ctx.sender, candidates)
    raise RequestRefused("reminder_ambiguous", reference="", candidates=candidates)


def may_mean_all(reference: str | None) -> bool:
    """Return whether all of a person's reminders may be meant, if none was mentioned lately: "all", "them all", 都."""
    named = several_in(reference or "")
    return means_all(reference or "") or (named is not None and named.kind == "spoken" and named.count is None)


def is_of(reference: str | None, group: Reminders) -> bool:
    """Return whether `reference` means the ones mentioned last, and `group` may be those."""
    named = several_in(reference or "")
    return named is not None and named.kind == "spoken" and _fits(group, named)


async def with_others_told(
    told: ToolResult, reference: str | None, chosen: Reminders, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Append to `told` how many others of this person stay unchanged, where "them" may have meant those too."""
    others = [each for each in await reminders.open_in(ctx.chat) if each.creator.id == ctx.sender.id]
    rest = len({each.id for each in others} - {each.id for each in chosen})
    if not may_mean_all(reference) or not told.receipts or not rest:
        return told
    return replace(told, text="\n".join([told.text, say(ctx.language, "reminder.others_stay", count=rest)]))


def which_asked(reference: str | None) -> str:
    """Return the message key of the question for an unclear reference: which one is meant, or which ones."""
    return "reminder.which_one" if several_in(reference or "") is None else "reminder.which_ones"


async def _recent_group(
    named: Several, here: Reminders, own: Reminders, ctx: CallContext, reminders: ReminderService
) -> Reminders:
    """Return the reminders changed, set or listed together last; empty where that is unclear."""
    receipts = await latest_receipts(ctx)
    changed = tuple(each for each in here if each.id in {receipt.subject for receipt in receipts})
    lately = tuple(each for each in own if ctx.now - each.created_at <= _LATELY)
    group = changed if len(changed) > 1 else lately
    shown = await reminders.last_shown(ctx.chat, ctx.sender)
    listed = tuple(each for each in (own if named.count is None else here) if each.id in shown.ids)
    was_set = group == lately or all(
        receipt.action == "set" for receipt in receipts
    )  # only these changes have a known time
    if was_set and any(each.created_at >= shown.at for each in group):
        listed = ()
    fitting = [each for each in (listed, group) if _fits(each, named)]
    is_clear = was_set or len(set(fitting)) == 1
    return fitting[0] if fitting and is_clear else ()


def _fits(group: Reminders, named: Several) -> bool:
    return len(group) == named.count if named.count is not None else len(group) > 1
