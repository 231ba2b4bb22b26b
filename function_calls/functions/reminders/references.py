"""Resolve the reminders that words, a reply or the last changes refer to."""

import re
from datetime import timedelta

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.confirmation.change_log import LoggedChange
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.reminders.lookup.references import candidates_of, means_all
from services.reminders.lookup.several import Several, several_in
from services.reminders.model import Reminder, ReminderState
from services.reminders.service import ReminderService

_PRONOUNS = frozenset(
    {"", "this", "it", "that", "this one", "that one", "the reminder", "this reminder", "that reminder"}
    | {"这个", "这条", "它", "那个", "那条", "这个提醒", "那个提醒", "这条提醒", "提醒"}
)
_ID = re.compile(r"\[([a-z][a-z0-9]{5,})\]")
_SEARCHED_MESSAGES = 200
_LATELY = timedelta(minutes=10)

Reminders = tuple[Reminder, ...]


def is_pronoun(reference: str | None) -> bool:
    """Return whether `reference` is empty or a pronoun ("this", 那个)."""
    return (reference or "").strip().casefold() in _PRONOUNS


async def replied_reminders(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> Reminders:
    """Return the reminders in the message that the sender replied to; empty if it is not a reply."""
    message_id = ctx.message.reply_to
    if message_id is None:
        return ()
    delivered = await reminders.recent_deliveries.in_message(ctx.chat, message_id)
    return delivered or await _reminders_in(message_id, ctx, reminders, history)


async def resolve_reference(
    reference: str | None, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> str | None:
    """Return `reference`, or for a pronoun the id of the reminder replied to; None if there is none.

    Raises:
        RequestRefused: `reminder_ambiguous(reference, candidates)`: the message replied to has several reminders.
    """
    if reference is not None and not is_pronoun(reference):
        return reference
    found = await replied_reminders(ctx, reminders, history)
    if len(found) > 1:
        raise RequestRefused("reminder_ambiguous", reference=reference or "", candidates=found)
    return found[0].id if found else None


async def _reminders_in(
    message_id: str, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> Reminders:
    """Return the open reminders whose ids stand in an earlier message of the bot."""
    before = await history.recent(ctx.chat, _SEARCHED_MESSAGES)
    text = next((earlier.text for earlier in before if earlier.id == message_id and earlier.sender.is_bot), "")
    found: list[Reminder] = []
    for reference in dict.fromkeys(_ID.findall(text)):
        try:
            found.append(await reminders.get(ctx.chat, ctx.sender, reference))
        except RequestRefused:
            continue  # the reminder is closed, or the text in brackets is not an id
    return tuple(found)


async def find_only_mentioned(ctx: CallContext, reminders: ReminderService) -> Reminder:
    """Return the reminder mentioned last, but refuse if several were changed together.

    Raises:
        RequestRefused: `reminder_ambiguous(reference, candidates)`, and as `ReminderService.get`.
    """
    subjects = {receipt.subject for receipt in await latest_receipts(ctx)}
    here = [reminder for reminder in await reminders.open_in(ctx.chat) if reminder.id in subjects]
    if len(here) > 1:
        raise RequestRefused("reminder_ambiguous", reference="", candidates=tuple(here))
    return await find_mentioned(ctx, reminders)


async def find_just_deleted(ctx: CallContext) -> tuple[str, ...]:
    """Return the ids of the reminders that the sender deleted with their last change in this chat."""
    return tuple(receipt.subject for receipt in await latest_receipts(ctx) if receipt.action == "deleted")


async def find_mentioned(ctx: CallContext, reminders: ReminderService) -> Reminder:
    """Return the reminder that the sender received or changed last.

    If there is none, return the only reminder of the chat, or the only one for the sender.

    Raises:
        RequestRefused: as `ReminderService.get`.
    """
    changes = await _latest_changes(ctx)
    mentioned = await _reminder_mentioned_since(changes, ctx, reminders)
    if mentioned is not None:
        return mentioned
    for receipt in (receipt for change in changes for receipt in change.receipts):
        try:
            return await reminders.get(ctx.chat, ctx.sender, receipt.subject)
        except RequestRefused:
            continue  # it is deleted, or the change was not of a reminder
    try:
        return await reminders.get(ctx.chat, ctx.sender, "")
    except RequestRefused as refusal:
        found = candidates_of(refusal)
        own = [reminder for reminder in found if len(found) == 1 or _is_for(reminder, ctx.sender)]
        if len(own) != 1:
            raise
        return own[0]


async def _reminder_mentioned_since(
    changes: tuple[LoggedChange, ...], ctx: CallContext, reminders: ReminderService
) -> Reminder | None:
    """Return the reminder set for or delivered to the sender in the last minutes, after the last of their `changes`.

    Return None if there is none, or several.
    """
    since = max((change.at for change in changes if change.at is not None), default=ctx.now - _LATELY)
    within = min(_LATELY, ctx.now - since)
    here = await reminders.open_in(ctx.chat)
    set_by_others = [
        reminder
        for reminder in here
        if reminder.creator.id != ctx.sender.id
        and ctx.now - reminder.created_at < within
        and reminder.targets
        and _is_for(reminder, ctx.sender)
    ]
    came = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, within)
    found = set_by_others or [reminder for reminder in came if reminder.state is ReminderState.ACTIVE]
    return found[0] if len(found) == 1 else None


def _is_for(reminder: Reminder, person: Person) -> bool:
    """Return whether a reminder is for `person`, by id or by name."""
    ids, name = target_ids(person), person.name.casefold()
    return any(target.id in ids or target.name.lstrip("@").casefold() == name for target in reminder.recipients)


async def own_reminders(ctx: CallContext, reminders: ReminderService) -> Reminders:
    """Return the open reminders set by the person of `ctx` in the chat, soonest first."""
    return _set_by_sender(await reminders.open_in(ctx.chat), ctx)


def _set_by_sender(here: Reminders, ctx: CallContext) -> Reminders:
    return tuple(reminder for reminder in here if reminder.creator.id == ctx.sender.id)


async def latest_receipts(ctx: CallContext) -> tuple[Receipt, ...]:
    """Return the receipts of the sender's last changes in this chat."""
    return tuple(receipt for change in await _latest_changes(ctx) for receipt in change.receipts)


async def _latest_changes(ctx: CallContext) -> tuple[LoggedChange, ...]:
    """Return the sender's last changes in this chat; empty if there is no change log."""
    return () if ctx.policy is None else await ctx.policy.change_log.latest(ctx.conversation)


async def resolve_several(
    reference: str | None, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> Reminders:
    """Resolve a `reference` to several reminders; empty if it names one reminder, or all.

    "Both" means the only two reminders, or the two set, changed or listed together last; "them" has no fixed number.

    Raises:
        RequestRefused: `reminder_ambiguous(reference, candidates)`, and as `ReminderService.get`.
    """
    named = several_in(reference or "")
    if named is None:
        return ()
    if named.kind != "spoken":
        return await reminders.finder.several(ctx.chat, ctx.sender, reference or "")
    replied = await replied_reminders(ctx, reminders, history)
    if _fits(replied, named):
        return replied
    here = await reminders.open_in(ctx.chat)
    own = _set_by_sender(here, ctx)
    if named.count in {len(here), len(own)}:
        return here if len(here) == named.count else own
    group = await _recent_group(named, here, own, ctx, reminders)
    if group or named.count is None:
        return group
    if not here:
        raise RequestRefused("no_reminders")
    candidates = own if len(own) >= (named.count or 1) else here
    raise RequestRefused("reminder_ambiguous", reference="", candidates=candidates)


def may_mean_all(reference: str | None) -> bool:
    """Return whether `reference` may mean all reminders of a person: "all", "them all", 都."""
    named = several_in(reference or "")
    return means_all(reference or "") or (named is not None and named.kind == "spoken" and named.count is None)


def may_refer_to(reference: str | None, group: Reminders) -> bool:
    """Return whether `reference` ("both", "them") fits `group`, the reminders mentioned last."""
    named = several_in(reference or "")
    return named is not None and named.kind == "spoken" and _fits(group, named)


async def append_others_count(
    result: ToolResult, reference: str | None, chosen: Reminders, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Add the number of the sender's unchanged reminders to `result`, if "them" may have included those."""
    if not may_mean_all(reference) or not result.receipts:
        return result
    chosen_ids = {reminder.id for reminder in chosen}
    count = sum(reminder.id not in chosen_ids for reminder in await own_reminders(ctx, reminders))
    if not count:
        return result
    return replace(result, text="\n".join([result.text, say(ctx.language, "reminder.others_stay", count=count)]))


def which_question_key(reference: str | None) -> str:
    """Return the message key of the question about an ambiguous reference, in singular or plural."""
    return "reminder.which_one" if several_in(reference or "") is None else "reminder.which_ones"


async def _recent_group(
    named: Several, here: Reminders, own: Reminders, ctx: CallContext, reminders: ReminderService
) -> Reminders:
    """Return the reminders changed, set or listed together last; empty if it is unclear which of these came last."""
    receipts = await latest_receipts(ctx)
    changed = tuple(reminder for reminder in here if reminder.id in {receipt.subject for receipt in receipts})
    lately = tuple(reminder for reminder in own if ctx.now - reminder.created_at <= _LATELY)
    group = changed if len(changed) > 1 else lately
    shown = await reminders.finder.last_shown(ctx.chat, ctx.sender)
    listed = tuple(reminder for reminder in (own if named.count is None else here) if reminder.id in shown.ids)
    was_set = group == lately or all(
        receipt.action == "set" for receipt in receipts
    )  # only these changes have a known time
    if was_set and any(reminder.created_at >= shown.at for reminder in group):
        listed = ()
    fitting = [candidates for candidates in (listed, group) if _fits(candidates, named)]
    is_clear = was_set or len(set(fitting)) == 1
    return fitting[0] if fitting and is_clear else ()


def _fits(group: Reminders, named: Several) -> bool:
    return len(group) == named.count if named.count is not None else len(group) > 1
