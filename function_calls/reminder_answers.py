"""Answers about reminders, worded from committed rows."""

from collections.abc import Sequence

from function_calls import phrasing
from function_calls.context import CallContext
from function_calls.reminder_times import zone_name
from function_calls.wording import say
from services.reminders.model import Reminder, Schedule


def set_confirmed(reminder: Reminder, ctx: CallContext) -> str:
    """What was set, for when, for whom; the next fires of a recurring one."""
    language = ctx.language
    note = phrasing.zone_note(language, reminder, zone_name(ctx.zone))
    whom = (
        say(language, "reminder.for_whom", who=phrasing.targets(language, reminder.targets)) if reminder.targets else ""
    )
    first = reminder.next_fires[0]
    if reminder.schedule.rule:
        fires = say(language, "rule.joint").join(
            phrasing.moment(language, each, ctx.now) for each in reminder.next_fires
        )
        return say(
            language,
            "reminder.set_recurring",
            id=reminder.id,
            rule=phrasing.rule(language, reminder),
            fires=fires,
            content=reminder.content,
            note=note,
            whom=whom,
        )
    return say(
        language,
        "reminder.set_once",
        id=reminder.id,
        when=phrasing.moment(language, first, ctx.now),
        distance=phrasing.distance(language, first - ctx.now),
        content=reminder.content,
        note=note,
        whom=whom,
    )


def which_time(choices: Sequence[Schedule], ctx: CallContext) -> str:
    """Ask which of several times was meant, numbered."""
    lines = [
        f"{number}. {phrasing.moment(ctx.language, schedule.start.replace(tzinfo=ctx.zone), ctx.now)}"
        for number, schedule in enumerate(choices, start=1)
    ]
    return "\n".join([say(ctx.language, "offline.which_time"), *lines])


def listed(reminders: Sequence[Reminder], ctx: CallContext) -> str:
    """A numbered list with ids, or one line that says there is nothing."""
    language = ctx.language
    if not reminders:
        return say(language, "reminder.none")
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
