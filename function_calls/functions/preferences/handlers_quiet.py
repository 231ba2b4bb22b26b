"""Handle the function that sets quiet hours, and its inverse."""

import re
from datetime import time

from function_calls.functions.preferences.models import QuietHoursArgs, QuietPutBackArgs, Whose
from function_calls.functions.preferences.scope import check_may_set_for
from function_calls.functions.reminders.occurrences import read_times
from function_calls.functions.reminders.schedule_changes import other_half
from function_calls.language.date_format import zone_label
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.lexicon import detect_language, load_lexicon
from function_calls.understanding.reading.times import parse_whole_time
from function_calls.understanding.reminder_times import time_reader, zone_name
from services.kernel.errors import RequestRefused
from services.reminders.quiet_hours import QuietHours
from services.reminders.service import ReminderService

_OFF = frozenset({"off", "none", "no", "end", "stop", "关闭", "关", "取消", "关掉", "没有", "无", "ninguna", "ninguno"})
_HALF_DAY = 12
_NIGHT = time(22), time(7)
_DAY_MINUTES = 24 * 60
_MAX_MINUTES_MOVED = 4 * 60
_TWO_FIGURES = re.compile(
    r"(\d{1,2})(?::(\d{2}))?\s*(?:-|–|—|~|到|至|to|until|(?:a|hasta|y)(?: las?)?(?= ))\s*(\d{1,2})(?::(\d{2}))?"
)
_SEPARATOR = re.compile(
    r"到|至|\bto\b|\buntil\b|\btill?\b|\band\b|\bhasta\b|\b[ay] (?=las?\b|\d)|[-–—~]", re.IGNORECASE
)
_FIRST_PREFIX = re.compile(
    r"^(?:from|between|during|at|after|before|(?:desde|de|entre)\b(?: las?\b)?|在|从)\s*", re.IGNORECASE
)
_END_PREFIX = re.compile(r"^(?:until|till?|(?:hasta|a)\b(?: las?\b)?|直?到)\s*", re.IGNORECASE)
_FILLER = re.compile(r"^(?:from|between|during|at|(?:desde|de|entre)\b(?: las?\b)?|在|从)\s*|[点时]", re.IGNORECASE)


@tool_function(name="quiet_hours", returns="reply", changes_state=True)
async def quiet_hours(args: QuietHoursArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """免打扰时段 / Set, end or tell the hours in which reminders wait, for a person or the whole chat."""
    before = await _current_hours(args.whose, ctx, reminders)
    if not args.hours:
        return ToolResult(ok=True, text=_describe(before, args.whose, ctx), is_unchanged=True)
    check_may_set_for(args.whose, ctx)
    hours = None if args.hours.strip().casefold() in _OFF else _parse_hours(args.hours, ctx, before)
    undo = UndoStep(name="quiet_hours_put_back", arguments=_arguments(before, args.whose))
    return await _set_hours(hours, args.whose, undo, ctx, reminders)


@tool_function(name="quiet_hours_put_back", returns="reply", changes_state=True, is_only_for_undo=True)
async def quiet_hours_put_back(args: QuietPutBackArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Restore the earlier quiet hours of a person or a chat."""
    check_may_set_for(args.whose, ctx)
    starts, ends = time.fromisoformat(args.starts), time.fromisoformat(args.ends)
    hours = QuietHours(starts=starts, ends=ends, zone=args.zone) if args.zone else None
    return await _set_hours(hours, args.whose, None, ctx, reminders)


async def _current_hours(whose: Whose, ctx: CallContext, reminders: ReminderService) -> QuietHours | None:
    if whose == "me":
        return await reminders.quiet.of_person(ctx.chat, ctx.sender)
    return await reminders.quiet.of_chat(ctx.chat)


async def _set_hours(
    hours: QuietHours | None, whose: Whose, undo: UndoStep | None, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Store `hours`, None for none, and confirm them."""
    if whose == "me":
        await reminders.quiet.set_for_person(ctx.chat, ctx.sender, hours)
    else:
        await reminders.quiet.set_for_chat(ctx.chat, hours)
    receipt = Receipt(action="quiet_hours", subject=whose, undo=undo)
    return ToolResult(ok=True, text=_describe(hours, whose, ctx, done="_set"), receipts=(receipt,))


def _parse_hours(words: str, ctx: CallContext, before: QuietHours | None) -> QuietHours:
    """Parse the hours in `words`, in the zone of the person; a single clock moves one end of the hours `before`.

    Where there are none, these are those of the night.

    Raises:
        RequestRefused: `quiet_hours_not_understood(hours)`.
    """
    night = QuietHours(starts=_NIGHT[0], ends=_NIGHT[1], zone=zone_name(ctx.zone))
    is_end = _END_PREFIX.match(words.strip()) is not None
    span = _parse_span(words, ctx) or _move_end(words, ctx, before or night, is_end=is_end and before is not None)
    if span is None or span[0] == span[1]:
        raise RequestRefused("quiet_hours_not_understood", hours=words)
    return QuietHours(starts=span[0], ends=span[1], zone=zone_name(ctx.zone))


def _parse_span(words: str, ctx: CallContext) -> tuple[time, time] | None:
    """Parse two clock times, as 24-hour figures ("22 to 7") or in words."""
    figures = _TWO_FIGURES.fullmatch(_FILLER.sub("", words.replace("：", ":")).strip())
    if figures is not None:
        first, last = (_make_clock(figures[1], figures[2]), _make_clock(figures[3], figures[4]))
        return None if first is None or last is None else (_evening_hour(first, last), last)
    return _parse_expression(words, ctx) or _parse_ends(words, ctx)


def _move_end(words: str, ctx: CallContext, before: QuietHours, *, is_end: bool) -> tuple[time, time] | None:
    """Return the hours `before` with the end that is nearest to the only clock in `words` at that clock.

    None where neither is near; with `is_end` it is the last one: "till 8".
    """
    bare = (_END_PREFIX if is_end else _FIRST_PREFIX).sub("", words.strip())
    clock = _parse_clock(bare, ctx)
    if clock is None:
        return None
    clocks = (clock, other_half(clock)) if _has_open_half(bare, ctx) else (clock,)
    first, last = (
        min(clocks, key=lambda each: _count_minutes_apart(each, end)) for end in (before.starts, before.ends)
    )
    apart = _count_minutes_apart(first, before.starts), _count_minutes_apart(last, before.ends)
    if min(apart) > _MAX_MINUTES_MOVED:
        return None
    return (first, before.ends) if apart[0] <= apart[1] and not is_end else (before.starts, last)


def _count_minutes_apart(first: time, second: time) -> int:
    apart = (_minutes(first) - _minutes(second)) % _DAY_MINUTES
    return min(apart, _DAY_MINUTES - apart)


def _parse_expression(words: str, ctx: CallContext) -> tuple[time, time] | None:
    readings = [reading for reading in read_times(words, ctx) if reading.has_clock]
    if len(readings) == 1 and readings[0].end is not None:
        first, last = _to_minute(readings[0].start.time()), _to_minute(readings[0].end.time())
    elif len(readings) == 2:
        first, last = (_to_minute(reading.start.time()) for reading in readings)
    else:
        return None
    return first, _earlier_end(first, last) if _has_open_half(_SEPARATOR.split(words)[-1].strip(), ctx) else last


def _parse_ends(words: str, ctx: CallContext) -> tuple[time, time] | None:
    """Parse both ends separately if they are not one time expression: "midnight to 7", "2300-0700"."""
    ends = [part.strip() for part in _SEPARATOR.split(_FIRST_PREFIX.sub("", words.strip()))]
    clocks = [_parse_clock(bound, ctx) for bound in ends] if len(ends) == 2 else []
    first, last = clocks or (None, None)
    if first is None or last is None:
        return None
    return first, _earlier_end(first, last) if _has_open_half(ends[-1], ctx) else last


def _has_open_half(words: str, ctx: CallContext) -> bool:
    """Return whether the half of the day of a clock time is unknown."""
    return any(map(is_clock_without_half, _forms(words, ctx)))


def _forms(words: str, ctx: CallContext) -> tuple[str, ...]:
    """Return the text of a clock time, and for a bare figure also a complete form."""
    return tuple(form.format(time=words) for form in load_lexicon(detect_language(words, ctx.language)).as_time[:2])


def _parse_clock(words: str, ctx: CallContext) -> time | None:
    """Parse `words` as a clock time; a bare figure is one."""
    for form in _forms(words, ctx):
        best = parse_whole_time(form, ctx.message_time, detect_language(form, ctx.language), time_reader(ctx).parse_all)
        if best is not None and best.has_clock and best.end is None and best.rrule is None:
            return _to_minute(best.start.time())
    return None


def _make_clock(hour: str, minute: str | None) -> time | None:
    try:
        return time(int(hour) % 24 if hour == "24" else int(hour), int(minute or 0))
    except ValueError:
        return None


def _evening_hour(first: time, last: time) -> time:
    """Return `first` in the evening if both are 12-hour figures and the morning would make the period longer."""
    is_of_half_days = 1 <= first.hour < _HALF_DAY and last.hour <= _HALF_DAY
    is_long = (_minutes(last) - _minutes(first)) % _DAY_MINUTES > _HALF_DAY * 60
    return first.replace(hour=first.hour + _HALF_DAY) if is_of_half_days and is_long else first


def _earlier_end(first: time, last: time) -> time:
    """Return the reading of the ambiguous `last` that ends the quiet hours earlier."""
    return min(last, other_half(last), key=lambda end: (_minutes(end) - _minutes(first)) % _DAY_MINUTES or _DAY_MINUTES)


def _minutes(clock: time) -> int:
    return clock.hour * 60 + clock.minute


def _to_minute(clock: time) -> time:
    return clock.replace(second=0, microsecond=0, tzinfo=None)


def _describe(hours: QuietHours | None, whose: Whose, ctx: CallContext, *, done: str = "") -> str:
    if hours is None:
        return say(ctx.language, f"quiet.none{done}_{whose}")
    zone = say(ctx.language, "time.zone", zone=zone_label(hours.zone)) if hours.zone != zone_name(ctx.zone) else ""
    clocks = {"starts": f"{hours.starts:%H:%M}", "ends": f"{hours.ends:%H:%M}"}
    return say(ctx.language, f"quiet.are{done}_{whose}", note=zone, **clocks)


def _arguments(hours: QuietHours | None, whose: Whose) -> dict[str, object]:
    if hours is None:
        return {"whose": whose}
    return {"whose": whose, "starts": f"{hours.starts:%H:%M}", "ends": f"{hours.ends:%H:%M}", "zone": hours.zone}
