"""List reminders by day in pages, remember the page shown last, and describe one reminder."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.answers import listed, listed_lines, named, names_next
from function_calls.functions.reminders.people import names_of_sender
from function_calls.functions.reminders.replies import meant
from function_calls.functions.reminders.which import the_one_spoken_of
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import time_reader, zone_name
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.lookup.due_words import due_words
from services.reminders.model import Reminder, ReminderState, row_key
from services.reminders.service import ReminderService

_THAT = "this"


async def describe_one(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> ToolResult:
    """Describe the reminder replied to or mentioned last; all candidates where that is unknown."""
    try:
        reference = await meant(_THAT, ctx, reminders, history)
        one = await (reminders.get(ctx.chat, ctx.sender, reference) if reference else the_one_spoken_of(ctx, reminders))
    except RequestRefused as refusal:
        candidates = refusal.fields.get("candidates")
        found = candidates if isinstance(candidates, tuple) else ()
        return _result(found, listed(found, ctx) if found else say(ctx.language, "reminder.none"))
    return _result((one,), _describe(one, ctx))


def _result(found: tuple[Reminder, ...], text: str) -> ToolResult:
    value = {"reminders": [{"id": each.id, "content": each.content} for each in found]}
    return ToolResult(ok=True, text=text, value=value)


def _describe(reminder: Reminder, ctx: CallContext) -> str:
    """Word the next time and the time left; a paused or just delivered one is worded as in the list."""
    if not reminder.next_fires:
        return listed((reminder,), ctx)
    first, language = reminder.next_fires[0], ctx.language
    fields = {
        **named(reminder, ctx),
        "when": date_format.moment(language, first, ctx.now),
        "distance": date_format.distance(language, first - ctx.now),
    }
    if reminder.schedule.rule:
        return say(language, "reminder.that_recurring", **fields, rule=recurrence_text.rule(language, reminder))
    return say(language, "reminder.that_once", **fields)


PAGE = 15
_KEY = "reminders.page"
_SHOWN_FOR = timedelta(minutes=30)


class AskedPage(Struct, frozen=True, kw_only=True):
    """One page, 1 and up, of the reminders that `wanted` describes; `who_set` adds to each who has set it.

    `only_own` leaves out what the person has neither set nor is reminded of.
    """

    wanted: str
    number: int
    who_set: bool = False
    only_own: bool = False


async def show_page(
    asked: AskedPage, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """Return the requested page of the list, and remember it."""
    names = await names_of_sender(ctx, reminders, history) if asked.only_own else frozenset[str]()
    found = await _wanted(asked, ctx, reminders, names)
    others = await others_here(found, asked, ctx, reminders)
    value = {"reminders": [{"id": each.id, "content": each.content} for each in found]}
    shown, page, lines = found, asked, []
    if not found and asked.wanted and not _names_time(asked.wanted, ctx):
        everything = replace(asked, wanted="", number=1)
        instead = await _wanted(everything, ctx, reminders, names)
        if instead:
            shown, page = instead, everything
            lines = [say(ctx.language, "reminder.unknown", reference=asked.wanted)]
    remember_page(page, len(shown), ctx)
    lines += [list_page(shown, page, ctx, has_others=bool(others)), *others]
    return ToolResult(ok=True, text="\n".join(lines), value=value)


async def _wanted(
    asked: AskedPage, ctx: CallContext, reminders: ReminderService, names: frozenset[str]
) -> tuple[Reminder, ...]:
    """Return the reminders that `asked` describes, or the one of that number or id; `names` stand for the sender."""
    words = asked.wanted
    if words.isdecimal() or row_key(words) is not None:
        with suppress(RequestRefused):
            return (await reminders.get(ctx.chat, ctx.sender, words),)
    return await reminders.list(ctx.chat, ctx.sender, words, only_own=asked.only_own, names=names)


async def others_here(
    found: Sequence[Reminder], asked: AskedPage, ctx: CallContext, reminders: ReminderService
) -> list[str]:
    """Count the reminders that a list of one's own leaves out, if it was asked for without more words."""
    if not asked.only_own or asked.wanted:
        return []
    count = len(await reminders.open_in(ctx.chat)) - len(found)
    return [say(ctx.language, "reminder.others_here", count=count)] if count > 0 else []


def asked_page(
    wanted: str, page: int | None, ctx: CallContext, *, who_set: bool = False, only_own: bool = False
) -> AskedPage | None:
    """Return the requested page; 0 is the one after the last shown, None where none was shown lately."""
    if page != 0:
        return AskedPage(wanted=wanted, number=page or 1, who_set=who_set, only_own=only_own)
    shown = ctx.state.get(_KEY)
    if not isinstance(shown, dict):
        return None
    is_recent = ctx.now - datetime.fromisoformat(str(shown.get("at"))) <= _SHOWN_FOR
    if not is_recent:
        return None
    number = int(str(shown.get("number"))) + 1
    return AskedPage(wanted=str(shown.get("wanted")), number=number, only_own=bool(shown.get("own")))


def remember_page(asked: AskedPage, count: int, ctx: CallContext) -> None:
    """Remember the page shown, where there is another."""
    if asked.number * PAGE < count:
        ctx.state[_KEY] = {
            "wanted": asked.wanted,
            "number": asked.number,
            "own": asked.only_own,
            "at": ctx.now.isoformat(),
        }
    elif _KEY in ctx.state:
        del ctx.state[_KEY]


def list_page(found: Sequence[Reminder], asked: AskedPage, ctx: CallContext, *, has_others: bool = False) -> str:
    """Word one page of a numbered list, with a heading for each day when there are several.

    `has_others` says that other people have reminders here, where a list of one's own is empty.
    """
    language = ctx.language
    if not found:
        return say(language, _nothing(asked, ctx, has_others=has_others), wanted=asked.wanted)
    pages = -(-len(found) // PAGE)
    number = min(asked.number, pages)
    first = (number - 1) * PAGE
    numbered = list(enumerate(found[first : first + PAGE], start=first + 1))
    if asked.wanted.isdecimal() and len(found) == 1:
        numbered = [(int(asked.wanted), found[0])]
    lines = [_owned_line(*each, ctx) for each in numbered] if asked.who_set else _by_day(numbered, ctx)
    if asked.wanted and len(found) == 1 and not asked.who_set:
        lines += _next(found[0], ctx)
    if pages > 1:
        key = "reminder.page" if number < pages else "reminder.last_page"
        lines.append(say(language, key, number=number, pages=pages, count=len(found)))
    return "\n".join(lines)


def _next(reminder: Reminder, ctx: CallContext) -> list[str]:
    """Return when a reminder that repeats comes next, where its line says the rule alone."""
    if not reminder.schedule.rule or not reminder.next_fires or names_next(reminder, ctx):
        return []
    when = date_format.moment(ctx.language, reminder.next_fires[0], ctx.now)
    return [say(ctx.language, "reminder.next_line", when=when)]


def _owned_line(number: int, reminder: Reminder, ctx: CallContext) -> str:
    """Return the line of one reminder, and who has set it and when."""
    set_at = date_format.moment(ctx.language, reminder.created_at.astimezone(ctx.zone), ctx.now)
    told = say(ctx.language, "reminder.set_at", owner=reminder.creator.name, when=set_at)
    return "\n".join([*listed_lines([(number, reminder)], ctx), told])


def _nothing(asked: AskedPage, ctx: CallContext, *, has_others: bool) -> str:
    """Return the text for an empty list."""
    if not asked.wanted:
        return "reminder.none_of_own" if has_others else "reminder.none"
    return "reminder.none_due" if _names_time(asked.wanted, ctx) else "reminder.none_fits"


def _names_time(wanted: str, ctx: CallContext) -> bool:
    return due_words(wanted, ctx.message_time, zone_name(ctx.zone), time_reader(ctx)) is not None


def _by_day(numbered: Sequence[tuple[int, Reminder]], ctx: CallContext) -> list[str]:
    days = [(day, list(lines)) for day, lines in groupby(numbered, key=lambda each: _day(each[1], ctx))]
    if len(days) == 1:
        return listed_lines(numbered, ctx)
    return [line for day, lines in days for line in (_heading(day, ctx), *listed_lines(lines, ctx, is_under_day=True))]


def _heading(day: str, ctx: CallContext) -> str:
    return say(ctx.language, "reminder.day", day=day[:1].upper() + day[1:])


def _day(reminder: Reminder, ctx: CallContext) -> str:
    """Return the day of the next fire in the asker's zone."""
    if reminder.state is ReminderState.PAUSED:
        return say(ctx.language, "reminder.paused")
    if not reminder.next_fires:
        return say(ctx.language, "reminder.being_sent")
    return date_format.day(ctx.language, reminder.next_fires[0].astimezone(ctx.zone), ctx.now)
