"""Word answers and questions about reminders, with their receipts and undo steps."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from function_calls.functions.reminders.references import is_pronoun, which_question_key
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolCall, ToolResult, UndoStep
from function_calls.tools.confirmation.buttons import numbered_buttons
from function_calls.tools.confirmation.pending_calls import PendingCall
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import zone_name
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.edits import is_next_suspended
from services.recurrence.fires import known_until, next_fires, zone_of
from services.recurrence.schedule import FollowUp, Schedule, rule_text
from services.reminders.lookup.references import all_of, candidates_of
from services.reminders.model import CatchUp, Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService

_MAX_CHOICES = 10
_MADE = frozenset({"set", "changed", "snoozed"})


def confirmation_text(reminder: Reminder, ctx: CallContext, *, verb: str = "set") -> str:
    """Return the confirmation of a change (`set`, `changed`, `resume` …): next fires, people and unusual options."""
    return "\n".join([_confirmation_line(reminder, ctx, verb), *_unusual_options(reminder, ctx.language)])


def confirm_change(
    reminder: Reminder, ctx: CallContext, verb: str, undo: UndoStep | None, *, warnings: Sequence[str] = ()
) -> ToolResult:
    """Return the result of a change, with its receipt and the step that undoes it."""
    value: dict[str, object] = {"id": reminder.id, "next": [fire.isoformat() for fire in reminder.next_fires]}
    if warnings:
        value["warnings"] = [each.strip() for each in warnings]
    return ToolResult(
        ok=True,
        text="\n".join([confirmation_text(reminder, ctx, verb=verb), *warnings]),
        value=value,
        receipts=(Receipt(action=verb, subject=reminder.id, name=reminder.content, undo=undo),),
    )


async def apply_schedule(
    schedule: Schedule, old: Reminder, ctx: CallContext, reminders: ReminderService, *, verb: str = "changed"
) -> ToolResult:
    """Give `old` a new schedule, and confirm the change with the step that undoes it.

    Raises:
        RequestRefused: as `ReminderService.edit`.
    """
    changed = await reminders.edit(ctx.chat, ctx.sender, old.id, ReminderEdit(schedule=schedule))
    return confirm_change(changed, ctx, verb, revert_step(old))


def reminder_fields(reminder: Reminder, ctx: CallContext) -> dict[str, str]:
    """Return the fields that every confirmation has: id, content, targets, and the zone if it is not the person's."""
    language, people = ctx.language, date_format.targets(ctx.language, reminder.targets)
    return {
        "id": reminder.id,
        "content": reminder.content,
        "note": date_format.zone_note(language, reminder, zone_name(ctx.zone)),
        "whom": say(language, "reminder.for_whom", who=people) if people else "",
    }


def _confirmation_line(reminder: Reminder, ctx: CallContext, verb: str) -> str:
    language, fields = ctx.language, reminder_fields(reminder, ctx)
    bare = edits.drop_follow_up(reminder.schedule)
    if reminder.state is ReminderState.PAUSED and bare.rule:
        return say(language, "reminder.changed_paused", **fields, rule=recurrence_text.rule(language, reminder))
    due = due_since_request(reminder, ctx) if verb in _MADE else None
    if due is not None:
        return say(language, f"reminder.{verb}_due", **fields, when=date_format.moment(language, due, ctx.now))
    if not reminder.next_fires:
        return say(language, "reminder.changed_silent", **fields)
    if bare.rule:
        fires = date_format.moments(language, next_fires(bare, ctx.clock.now()), ctx.now)
        rule = recurrence_text.rule(language, reminder)
        return say(language, f"reminder.{verb}_recurring", **fields, rule=rule, fires=fires)
    first = reminder.next_fires[0]
    when, distance = date_format.moment(language, first, ctx.now), date_format.distance(language, first - ctx.now)
    return say(language, f"reminder.{verb}_once", **fields, when=when, distance=distance)


def due_since_request(reminder: Reminder, ctx: CallContext) -> datetime | None:
    """Return the due time of a one-time reminder that fell between the request and now; None while it is paused."""
    if reminder.schedule.rule or reminder.state is ReminderState.PAUSED:
        return None
    due = reminder.schedule.start.replace(tzinfo=zone_of(reminder.schedule))
    return due if ctx.message_time < due <= ctx.clock.now() else None


def _unusual_options(reminder: Reminder, language: str) -> list[str]:
    """Return one line for each unusual option: follow-ups, urgency, the policy for missed occurrences."""
    follow_up = reminder.schedule.follow_up
    lines = [] if follow_up is None else [_follow_up(language, follow_up)]
    if reminder.is_urgent:
        lines.append(say(language, "reminder.is_urgent"))
    if reminder.catch_up is not CatchUp.LATEST:
        lines.append(say(language, f"reminder.catch_up_{reminder.catch_up.value}"))
    known = known_until(reminder.schedule)
    if known is not None:
        lines.append(say(language, "reminder.known_until", day=date_format.date(language, known)))
    return lines


def _follow_up(language: str, follow_up: FollowUp) -> str:
    every = date_format.count(language, "minute", round(follow_up.every.total_seconds() / 60))
    return say(language, "reminder.until_done", every=every, times=follow_up.times)


async def ask_which_reminder(
    refusal: RequestRefused,
    reference: str | None,
    ctx: CallContext,
    reminders: ReminderService,
    *,
    ask: str = "",
    none: str = "",
) -> ToolResult:
    """Return the question after a reference matched no reminder or several, or an answer if there are no reminders.

    The numbers in the question name reminders from then on. `ask` and `none` are the message keys of the question about
    several, if it is not the usual one, and of the answer.

    Raises:
        RequestRefused: `refusal` itself, if it has no candidates.
    """
    if none and refusal.code == "no_reminders":
        return ToolResult.refused(refusal.code, say(ctx.language, none))
    if "candidates" not in refusal.fields:
        raise refusal
    candidates = candidates_of(refusal)
    await reminders.finder.remember(ctx.chat, ctx.sender, candidates)
    is_open = refusal.code == "reminder_ambiguous" or is_pronoun(reference)
    key = (ask or which_question_key(reference)) if is_open else "reminder.unknown"
    question = say(ctx.language, key, reference=all_of(reference or "") or reference)
    lines = [question, numbered_list(candidates[:_MAX_CHOICES], ctx)]
    more = len(candidates) - _MAX_CHOICES
    if more > 0:
        lines.append(say(ctx.language, "reminder.more", count=more))
    return ToolResult.refused(refusal.code, "\n".join(lines))


def numbered_list(reminders: Sequence[Reminder], ctx: CallContext) -> str:
    """Return a numbered list with ids."""
    return "\n".join(list_lines(list(enumerate(reminders, start=1)), ctx))


def list_lines(numbered: Sequence[tuple[int, Reminder]], ctx: CallContext, *, is_under_day: bool = False) -> list[str]:
    """Return one line per reminder; with `is_under_day`, below a heading for the day, the clock time only."""
    return [
        say(
            ctx.language,
            "reminder.line",
            number=number,
            id=reminder.id,
            when=_when(reminder, ctx, is_under_day=is_under_day),
            content=reminder.content,
            who=_whose(reminder, ctx),
        )
        for number, reminder in numbered
    ]


def _whose(reminder: Reminder, ctx: CallContext) -> str:
    """Return the targets of a reminder, and its creator unless that is the sender."""
    owner, who = reminder.creator, date_format.targets(ctx.language, reminder.targets)
    if not who:
        return owner.name
    return who if owner.id == ctx.sender.id else say(ctx.language, "reminder.set_by", who=who, owner=owner.name)


def has_next_in_line(reminder: Reminder, ctx: CallContext) -> bool:
    """Return whether the list line of a repeating reminder needs its next fire, because the rule does not imply it."""
    return recurrence_text.is_custom(reminder.schedule) or is_next_suspended(reminder.schedule, ctx.now)


def _when(reminder: Reminder, ctx: CallContext, *, is_under_day: bool) -> str:
    if reminder.schedule.rule:
        rule = recurrence_text.rule(ctx.language, reminder)
        if reminder.next_fires and has_next_in_line(reminder, ctx):
            when = date_format.moment(ctx.language, reminder.next_fires[0], ctx.now)
            rule = say(ctx.language, "reminder.rest_line", rule=rule, next=when)
        elif reminder.state is ReminderState.PAUSED and not is_under_day:
            rule = say(ctx.language, "reminder.paused_line", rule=rule)
        return rule + date_format.zone_note(ctx.language, reminder, zone_name(ctx.zone))
    if reminder.state is ReminderState.PAUSED:
        return say(ctx.language, "reminder.paused")
    if reminder.state is ReminderState.DONE:
        return say(ctx.language, "reminder.said")
    if not reminder.next_fires:
        return say(ctx.language, "reminder.being_sent")
    # In the sender's zone, like the heading with the day.
    first = reminder.next_fires[0].astimezone(ctx.zone)
    return date_format.clock(first) if is_under_day else date_format.moment(ctx.language, first, ctx.now)


def revert_step(reminder: Reminder, *, is_ended: bool = False) -> UndoStep:
    """Return the undo step that reverts `reminder` to its present values; `is_ended` if the change ends it."""
    return UndoStep(
        name="reminder_put_back",
        arguments={
            "reminder_id": reminder.id,
            "content": reminder.content,
            "start": reminder.schedule.start.isoformat(),
            "fold": reminder.schedule.start.fold,
            "zone": reminder.schedule.zone,
            "rule": rule_text(reminder.schedule),
            "targets": [{"id": person.id, "name": person.name} for person in reminder.targets],
            "urgent": reminder.is_urgent,
            "missed": reminder.catch_up.value,
            "ended": is_ended,
        },
    )


def restore_step(reminder: Reminder) -> UndoStep:
    """Return the undo step that restores a deleted `reminder`."""
    return UndoStep(name="reminder_restore", arguments={"reminder_id": reminder.id})


def delete_step(reminder: Reminder) -> UndoStep:
    """Return the undo step that deletes a new `reminder`."""
    return UndoStep(name="reminder_delete", arguments={"reminder_id": reminder.id})


class Option(Struct, frozen=True, kw_only=True):
    """A possible meaning of a request: its label and its call. Besides its number, `answers` choose it."""

    label: str
    call: str
    arguments: Mapping[str, object]
    answers: tuple[str, ...] = ()


async def ask_which_times(reminder: Reminder, options: Sequence[Option], ctx: CallContext) -> ToolResult:
    """Ask the person to choose one of `options`, and store their calls until the answer."""
    question = say(
        ctx.language,
        "reminder.which_times",
        id=reminder.id,
        content=reminder.content,
        rule=recurrence_text.rule(ctx.language, reminder),
    )
    for number, option in enumerate(options, start=1):
        call = ToolCall(id=ctx.call_id, name=option.call, arguments=option.arguments)
        await store_until_answer(call, (str(number), *option.answers), ctx)
    lines = [f"{number}. {option.label}" for number, option in enumerate(options, start=1)]
    choices = numbered_buttons([option.label for option in options], ctx.sender, ctx.clock.now())
    return ToolResult.question("\n".join([question, *lines]), choices)


async def store_until_answer(call: ToolCall, answers: tuple[str, ...], ctx: CallContext) -> None:
    """Store `call` until the person answers with one of `answers`; without `answers`, with a yes."""
    if ctx.policy is not None:
        await ctx.policy.confirmations.ask(PendingCall.of(call, ctx, answers=answers))
