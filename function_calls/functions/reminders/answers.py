"""Word answers about reminders from committed rows."""

from collections.abc import Sequence
from datetime import datetime

from function_calls.functions.reminders.replies import points
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import zone_name
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.edits import is_next_suspended
from services.recurrence.fires import known_until, next_fires, zone_of
from services.recurrence.schedule import FollowUp
from services.reminders.model import CatchUp, Reminder, ReminderState

_MOST_ASKED_ABOUT = 10
_MADE = frozenset({"set", "changed", "snoozed"})


def set_confirmed(reminder: Reminder, ctx: CallContext, *, verb: str = "set") -> str:
    """Confirm a change of a reminder (`set`, `changed`, `resume` …): when it fires now, for whom, how it behaves."""
    return "\n".join([_when_confirmed(reminder, ctx, verb), *_unusual_options(reminder, ctx.language)])


def changed_told(reminder: Reminder, ctx: CallContext, verb: str, undo: UndoStep | None) -> ToolResult:
    """Return the confirmation of a change, with its receipt; `undo` is its inverse."""
    return ToolResult(
        ok=True,
        text=set_confirmed(reminder, ctx, verb=verb),
        value={"id": reminder.id, "next": [fire.isoformat() for fire in reminder.next_fires]},
        receipts=(Receipt(action=verb, subject=reminder.id, undo=undo),),
    )


def named(reminder: Reminder, ctx: CallContext) -> dict[str, str]:
    """Return the fields of every confirmation: the reminder, its zone where it differs, and its targets."""
    language, people = ctx.language, date_format.targets(ctx.language, reminder.targets)
    return {
        "id": reminder.id,
        "content": reminder.content,
        "note": date_format.zone_note(language, reminder, zone_name(ctx.zone)),
        "whom": say(language, "reminder.for_whom", who=people) if people else "",
    }


def _when_confirmed(reminder: Reminder, ctx: CallContext, verb: str) -> str:
    language, told = ctx.language, named(reminder, ctx)
    bare = edits.drop_follow_up(reminder.schedule)
    if reminder.state is ReminderState.PAUSED and bare.rule:
        return say(language, "reminder.changed_paused", **told, rule=recurrence_text.rule(language, reminder))
    due = due_meanwhile(reminder, ctx) if verb in _MADE else None
    if due is not None:
        return say(language, f"reminder.{verb}_due", **told, when=date_format.moment(language, due, ctx.now))
    if not reminder.next_fires:
        return say(language, "reminder.changed_silent", **told)
    if bare.rule:
        coming = next_fires(bare, ctx.clock.now())
        fires = say(language, "rule.joint").join(date_format.moment(language, each, ctx.now) for each in coming)
        rule = recurrence_text.rule(language, reminder)
        return say(language, f"reminder.{verb}_recurring", **told, rule=rule, fires=fires)
    first = reminder.next_fires[0]
    when, distance = date_format.moment(language, first, ctx.now), date_format.distance(language, first - ctx.now)
    return say(language, f"reminder.{verb}_once", **told, when=when, distance=distance)


def due_meanwhile(reminder: Reminder, ctx: CallContext) -> datetime | None:
    """Return the time of a one-time reminder if it has come since it was asked for; None while it is paused."""
    if reminder.schedule.rule or reminder.state is ReminderState.PAUSED:
        return None
    due = reminder.schedule.start.replace(tzinfo=zone_of(reminder.schedule))
    return due if ctx.message_time < due <= ctx.clock.now() else None


def _unusual_options(reminder: Reminder, language: str) -> list[str]:
    """Describe unusual options: follow-ups until done, urgency, its own policy for missed times."""
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


def which_reminder(refusal: RequestRefused, reference: str, ctx: CallContext, *, ask: str) -> ToolResult:
    """Return the answer to a reference that matches no reminder or several; `ask` words the question for several.

    Raises:
        RequestRefused: it was refused for another reason.
    """
    candidates = refusal.fields.get("candidates")
    if not isinstance(candidates, tuple):
        raise refusal
    is_open = refusal.code == "reminder_ambiguous" or not reference or points(reference)
    key = ask if is_open else "reminder.unknown"
    asked = say(ctx.language, key, reference=reference)
    lines = [asked, listed(candidates[:_MOST_ASKED_ABOUT], ctx)]
    more = len(candidates) - _MOST_ASKED_ABOUT
    if more > 0:
        lines.append(say(ctx.language, "reminder.more", count=more))
    return ToolResult.refused(refusal.code, "\n".join(lines))


def listed(reminders: Sequence[Reminder], ctx: CallContext) -> str:
    """Return a numbered list with ids."""
    return "\n".join(listed_lines(list(enumerate(reminders, start=1)), ctx))


def listed_lines(
    numbered: Sequence[tuple[int, Reminder]], ctx: CallContext, *, is_under_day: bool = False
) -> list[str]:
    """Return one line per reminder; under the heading of its day with the clock time only."""
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
    """Return the targets of a reminder and who set it, unless that is the asker."""
    owner, who = reminder.creator, date_format.targets(ctx.language, reminder.targets)
    if not who:
        return owner.name
    return who if owner.id == ctx.sender.id else say(ctx.language, "reminder.set_by", who=who, owner=owner.name)


def names_next(reminder: Reminder, ctx: CallContext) -> bool:
    """Return whether the line of a reminder that repeats has its next time, as its rule does not tell that."""
    return recurrence_text.is_custom(reminder.schedule) or is_next_suspended(reminder.schedule, ctx.now)


def _when(reminder: Reminder, ctx: CallContext, *, is_under_day: bool) -> str:
    if reminder.schedule.rule:
        rule = recurrence_text.rule(ctx.language, reminder)
        if reminder.next_fires and names_next(reminder, ctx):
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
    # An instant, in the zone of the asker, like the day of its heading.
    first = reminder.next_fires[0].astimezone(ctx.zone)
    return date_format.clock(first) if is_under_day else date_format.moment(ctx.language, first, ctx.now)
