"""List reminders by day in pages, remember the page shown last, and describe one reminder."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.answers import has_next_in_line, list_lines, numbered_list, reminder_fields
from function_calls.functions.reminders.occurrences import read_due_words
from function_calls.functions.reminders.people import names_of_sender
from function_calls.functions.reminders.references import find_only_mentioned, resolve_reference
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import zone_name
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.people.zones import ZoneService
from services.reminders.lookup.references import LAST, candidates_of
from services.reminders.model import Reminder, ReminderState, row_key
from services.reminders.service import ReminderService

_PAGE = 15
_KEY = "reminders.page"
_SHOWN_FOR = timedelta(minutes=30)


async def describe_one(
    ctx: CallContext, reminders: ReminderService, history: HistoryService, zones: ZoneService, *, who_set: bool = False
) -> ToolResult:
    """Describe the reminder replied to or mentioned last; if there is none, list the candidates."""
    try:
        reference = await resolve_reference("this", ctx, reminders, history)
        reminder = await (
            reminders.get(ctx.chat, ctx.sender, reference) if reference else find_only_mentioned(ctx, reminders)
        )
    except RequestRefused as refusal:
        found = candidates_of(refusal)
        await reminders.finder.remember(ctx.chat, ctx.sender, found)
        return _result(found, numbered_list(found, ctx) if found else say(ctx.language, "reminder.none"))
    text = _owned_line(1, reminder, ctx) if who_set else _describe(reminder, ctx)
    return _result((reminder,), "\n".join([text, *await _describe_clock(ctx, zones)]))


def _result(found: tuple[Reminder, ...], text: str) -> ToolResult:
    value = {"reminders": [{"id": reminder.id, "content": reminder.content} for reminder in found]}
    return ToolResult(ok=True, text=text, value=value)


def _describe(reminder: Reminder, ctx: CallContext) -> str:
    """Return the next fire in the sender's zone and the time until then; without a next fire, the list line."""
    if not reminder.next_fires:
        return numbered_list((reminder,), ctx)
    first, language = reminder.next_fires[0].astimezone(ctx.zone), ctx.language
    fields = {
        **reminder_fields(reminder, ctx),
        "when": date_format.moment(language, first, ctx.now),
        "distance": date_format.distance(language, first - ctx.now),
    }
    if reminder.schedule.rule:
        return say(language, "reminder.that_recurring", **fields, rule=recurrence_text.rule(language, reminder))
    return say(language, "reminder.that_once", **fields | {"note": ""})


class PageRequest(Struct, frozen=True, kw_only=True):
    """A page, counted from 1, of the reminders that match `words`, all without any; `who_set` adds the creators.

    `only_own` leaves out reminders that the person neither set nor receives.
    """

    words: str
    number: int
    who_set: bool = False
    only_own: bool = False


async def show_page(
    request: PageRequest, ctx: CallContext, reminders: ReminderService, history: HistoryService, zones: ZoneService
) -> ToolResult:
    """Return the requested page of the list, and remember it."""
    names = await names_of_sender(ctx, reminders, history) if request.only_own else frozenset[str]()
    found = await _find_matching(request, ctx, reminders, names)
    others = await _count_others(found, request, ctx, reminders)
    shown, page, lines = found, request, []
    if not found and request.words and read_due_words(request.words, ctx) is None:
        everything = replace(request, words="", number=1)
        instead = await _find_matching(everything, ctx, reminders, names)
        if instead:
            shown, page = instead, everything
            lines = [say(ctx.language, "reminder.unknown", reference=request.words)]
    _remember_page(page, len(shown), ctx)
    clock = await _describe_clock(ctx, zones) if shown else []
    lines += [_render_page(shown, page, ctx, has_others=bool(others)), *clock, *others]
    return _result(found, "\n".join(lines))


async def _describe_clock(ctx: CallContext, zones: ZoneService) -> list[str]:
    """Return a line with the zone of the times if others in the chat, whose zone is another, read them too."""
    chat_zone = await zones.of_chat(ctx.chat)
    if ctx.message.is_private or ctx.now.utcoffset() == ctx.now.astimezone(chat_zone).utcoffset():
        return []
    zone = date_format.zone_label(zone_name(ctx.zone))
    return [say(ctx.language, "reminder.clock_of", who=ctx.sender.name, zone=zone)]


async def _find_matching(
    request: PageRequest, ctx: CallContext, reminders: ReminderService, names: frozenset[str]
) -> tuple[Reminder, ...]:
    """Return the matching reminders, or the one with that number or id; `names` are ids that stand for the sender."""
    words = request.words
    if words.isdecimal() or row_key(words) is not None or words in LAST:
        with suppress(RequestRefused):
            return (await reminders.get(ctx.chat, ctx.sender, words),)
    return await reminders.list(ctx.chat, ctx.sender, words, only_own=request.only_own, names=names)


async def _count_others(
    found: Sequence[Reminder], request: PageRequest, ctx: CallContext, reminders: ReminderService
) -> list[str]:
    """Return a line with the number of reminders left out of a list of one's own, if it has no other filter."""
    if not request.only_own or request.words:
        return []
    count = len(await reminders.open_in(ctx.chat)) - len(found)
    return [say(ctx.language, "reminder.others_here", count=count)] if count > 0 else []


def request_page(
    words: str, page: int | None, ctx: CallContext, *, who_set: bool = False, only_own: bool = False
) -> PageRequest | None:
    """Return the requested page; `page` 0 is the one after the page shown last, None if none was shown lately."""
    if page != 0:
        return PageRequest(words=words, number=page or 1, who_set=who_set, only_own=only_own)
    shown = ctx.state.get(_KEY)
    if not isinstance(shown, dict):
        return None
    if ctx.now - datetime.fromisoformat(str(shown.get("at"))) > _SHOWN_FOR:
        return None
    number = int(str(shown.get("number"))) + 1
    return PageRequest(words=str(shown.get("wanted")), number=number, only_own=bool(shown.get("own")))


def _remember_page(request: PageRequest, count: int, ctx: CallContext) -> None:
    """Store the shown page in the state if another one follows; else delete the stored page."""
    if request.number * _PAGE < count:
        ctx.state[_KEY] = {
            "wanted": request.words,
            "number": request.number,
            "own": request.only_own,
            "at": ctx.now.isoformat(),
        }
    elif _KEY in ctx.state:
        del ctx.state[_KEY]


def _render_page(found: Sequence[Reminder], request: PageRequest, ctx: CallContext, *, has_others: bool = False) -> str:
    """Return one page of a numbered list, with headings if it covers several days.

    `has_others`: other people have reminders in the chat; it selects the text for an empty list of one's own.
    """
    language = ctx.language
    if not found:
        return say(language, _empty_page_key(request, ctx, has_others=has_others), wanted=request.words)
    pages = -(-len(found) // _PAGE)
    number = min(request.number, pages)
    first = (number - 1) * _PAGE
    numbered = list(enumerate(found[first : first + _PAGE], start=first + 1))
    if request.words.isdecimal() and len(found) == 1:
        numbered = [(int(request.words), found[0])]
    if request.who_set:
        lines = [_owned_line(*entry, ctx) for entry in numbered]
    else:
        due = read_due_words(request.words, ctx) if request.words else None
        fires = [(due and due.find_fire(each)) or next(iter(each.next_fires), None) for _, each in numbered]
        lines = _render_by_day(numbered, fires, request, ctx)
        if request.words and len(found) == 1:
            lines += _next_line(found[0], fires[0], ctx)
    if pages > 1:
        key = "reminder.page" if number < pages else "reminder.last_page"
        lines.append(say(language, key, number=number, pages=pages, count=len(found)))
    return "\n".join(lines)


def _next_line(reminder: Reminder, fire: datetime | None, ctx: CallContext) -> list[str]:
    """Return a line with `fire` of a repeating reminder if its list line shows only the rule; else no line.

    The rule is in the zone of the reminder, the line in that of the sender.
    """
    if not reminder.schedule.rule or fire is None or has_next_in_line(reminder, ctx):
        return []
    when = date_format.moment(ctx.language, fire.astimezone(ctx.zone), ctx.now)
    return [say(ctx.language, "reminder.next_line", when=when)]


def _owned_line(number: int, reminder: Reminder, ctx: CallContext) -> str:
    """Return the list line of one reminder, with its creator and time of creation."""
    set_at = date_format.moment(ctx.language, reminder.created_at.astimezone(ctx.zone), ctx.now)
    creation = say(ctx.language, "reminder.set_at", owner=reminder.creator.name, when=set_at)
    return "\n".join([*list_lines([(number, reminder)], ctx), creation])


def _empty_page_key(request: PageRequest, ctx: CallContext, *, has_others: bool) -> str:
    """Return the message key for an empty list."""
    if not request.words or request.words in LAST:
        return "reminder.none_of_own" if has_others else "reminder.none"
    return "reminder.none_fits" if read_due_words(request.words, ctx) is None else "reminder.none_due"


def _render_by_day(
    numbered: Sequence[tuple[int, Reminder]], fires: Sequence[datetime | None], request: PageRequest, ctx: CallContext
) -> list[str]:
    """Return the list lines under a heading for the day of each fire; no headings for one day or unordered fires.

    The fire of a repeating reminder may be a later one than the next: "what is on next week?".
    """
    entries = zip(numbered, fires, strict=True)
    days = [(day, list(each)) for day, each in groupby(entries, key=lambda entry: _day(entry[0][1], entry[1], ctx))]
    is_in_order = not request.words or [*fires] == sorted(fires, key=lambda fire: fire or ctx.now)
    if len(days) == 1 or not is_in_order:
        return list_lines(numbered, ctx)
    return [
        line
        for day, each in days
        for line in (_heading(day, ctx), *list_lines([entry for entry, _ in each], ctx, is_under_day=True))
    ]


def _heading(day: str, ctx: CallContext) -> str:
    return say(ctx.language, "reminder.day", day=day[:1].upper() + day[1:])


def _day(reminder: Reminder, fire: datetime | None, ctx: CallContext) -> str:
    """Return the heading for a reminder: the day of its `fire` in the sender's zone, or its state."""
    if reminder.state is ReminderState.PAUSED:
        return say(ctx.language, "reminder.paused")
    if fire is None:
        return say(ctx.language, "reminder.being_sent")
    return date_format.day(ctx.language, fire.astimezone(ctx.zone), ctx.now)
