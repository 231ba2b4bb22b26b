"""Answers about reminders, worded from committed rows."""

from collections.abc import Sequence

from function_calls import phrasing
from function_calls.calls import ToolResult
from function_calls.context import CallContext
from function_calls.reminder_times import zone_name
from function_calls.wording import say
from services.errors import RequestRefused
from services.reminders.model import Reminder, Schedule


def set_confirmed(reminder: Reminder, ctx: CallContext, *, verb: str = "set") -> str:
    """What was done to a reminder (`set`, `changed`, `snoozed`, `restored`), when it fires now, and for whom."""
    language = ctx.language
    note = phrasing.zone_note(language, reminder, zone_name(ctx.zone))
    whom = (
        say(language, "reminder.for_whom", who=phrasing.targets(language, reminder.targets)) if reminder.targets else ""
    )
    told = {"id": reminder.id, "content": reminder.content, "note": note, "whom": whom}
    if not reminder.next_fires:
        return say(language, "reminder.changed_silent", **told)
    if reminder.schedule.rule:
        fires = say(language, "rule.joint").join(
            phrasing.moment(language, each, ctx.now) for each in reminder.next_fires
        )
        rule = phrasing.rule(language, reminder)
        return say(language, f"reminder.{verb}_recurring", **told, rule=rule, fires=fires)
    first = reminder.next_fires[0]
    when, distance = phrasing.moment(language, first, ctx.now), phrasing.distance(language, first - ctx.now)
    return say(language, f"reminder.{verb}_once", **told, when=when, distance=distance)


def which_reminder(refusal: RequestRefused, reference: str, ctx: CallContext, *, ask: str) -> ToolResult:
    """The answer to a reference that fits no reminder or several; `ask` words the question in the second case.

    Raises:
        RequestRefused: it was refused for another reason.
    """
    candidates = refusal.fields.get("candidates")
    if not isinstance(candidates, tuple):
        raise refusal
    key = ask if refusal.code == "reminder_ambiguous" or not reference else "reminder.unknown"
    asked = say(ctx.language, key, reference=reference)
    return ToolResult.failed(str(refusal.code), text="\n".join([asked, listed(candidates, ctx)]))


def which_time(choices: Sequence[Schedule], ctx: CallContext) -> str:
    """Ask which of several times was meant, numbered."""
    lines = [
        f"{number}. {phrasing.moment(ctx.language, schedule.start.replace(tzinfo=ctx.zone), ctx.now)}"
        for number, schedule in enumerate(choices, start=1)
    ]
    return "\n".join([say(ctx.language, "offline.which_time"), *lines])


def listed(reminders: Sequence[Reminder], ctx: CallContext, wanted: str = "") -> str:
    """A numbered list with ids, or one line that says there is nothing, or nothing that `wanted` describes."""
    language = ctx.language
    if not reminders:
        return say(language, "reminder.none_fits", wanted=wanted) if wanted else say(language, "reminder.none")
    return "\n".join(
        say(
            language,
            "reminder.line",
            number=number,
            id=reminder.id,
            when=_when(reminder, ctx),
            content=reminder.content,
            who=phrasing.targets(language, reminder.targets) or reminder.creator.name,
        )
        for number, reminder in enumerate(reminders, start=1)
    )


def _when(reminder: Reminder, ctx: CallContext) -> str:
    note = phrasing.zone_note(ctx.language, reminder, zone_name(ctx.zone))
    if reminder.schedule.rule:
        return phrasing.rule(ctx.language, reminder) + note
    if not reminder.next_fires:
        return say(ctx.language, "reminder.being_sent")
    return phrasing.moment(ctx.language, reminder.next_fires[0], ctx.now) + note
