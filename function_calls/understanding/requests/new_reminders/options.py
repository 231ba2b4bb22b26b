"""Read the options of a new reminder: repetition until done, urgency, working days, and days that are left out."""

from collections.abc import Mapping
from datetime import UTC, timedelta

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, ToolCall
from function_calls.understanding.open_questions import ReminderRequest
from function_calls.understanding.reading.times import names_single_day, split_rule
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.rules import ELAPSED, load_calendar, parse_rule
from services.recurrence.schedule import Schedule, rule_text

_USUAL_MINUTES = 10
_SECONDS_A_MINUTE = _MINUTES_AN_HOUR = 60


def split_interval(request: RequestContext) -> tuple[RequestContext, timedelta | None]:
    """Split off the interval at which a request asks to be repeated until done: "every 5 minutes until I answer"."""
    if not request.reading.has("UNTILDONE"):
        return request, None
    for at, token in enumerate(request.reading.tokens):
        if is_time(token):
            length = _parse_interval(request.reading.text_of(token), request)
            if length is not None:
                others = [place for place in range(len(request.reading.tokens)) if place != at]
                return request.with_reading(request.reading.with_tokens(others)), length
    return request, None


def count_interval_minutes(length: timedelta | None) -> int:
    """Return the minutes of an interval, at least 1; ten where none was named."""
    return _USUAL_MINUTES if length is None else max(1, round(length.total_seconds() / _SECONDS_A_MINUTE))


def read_options(request: RequestContext, interval: timedelta | None) -> dict[str, object]:
    """Return the options of a reminder as arguments of `reminder_set`."""
    options: dict[str, object] = {}
    if request.reading.has("UNTILDONE"):
        options["until_done"] = count_interval_minutes(interval)
    untagged = request.reading.join_untagged(request.words.joint)
    if request.reading.has("URGENT") or any(word in untagged for word in request.words.urgent):
        options["urgent"] = not request.has_word(request.words.not_urgent)
    return options


def _parse_interval(text: str, request: RequestContext) -> timedelta | None:
    """Return the interval of elapsed time that `text` names: "every 5 minutes"; None for none."""
    best = request.read_only_time(text)
    rule = None if best is None else best.rrule
    parts = split_rule(rule)
    frequency = parts.get("FREQ")
    if rule is None or frequency not in ELAPSED or not parse_rule(rule).is_elapsed:
        return None
    unit_minutes = _MINUTES_AN_HOUR if frequency == "HOURLY" else 1
    return timedelta(minutes=unit_minutes * int(parts.get("INTERVAL", "1")))


def move_to_workdays(call: ToolCall, request: RequestContext) -> ToolCall:
    """Return `call` with its rule on working days; as it is where no calendar knows the country."""
    text = call.arguments.get("rrule")
    if text is None or not request.has_part(request.words.workdays):
        return call
    zone = zone_name(request.now.tzinfo or UTC)
    on_workdays = edits.on_workdays(parse_rule(str(text)), zone)
    if on_workdays is None:
        return call
    try:
        load_calendar(on_workdays)
    except RequestRefused:
        return call
    start = request.now.replace(tzinfo=None)
    return replace(
        call, arguments={**call.arguments, "rrule": rule_text(Schedule(start=start, zone=zone, rule=on_workdays))}
    )


def split_skipped_day(request: RequestContext) -> tuple[RequestContext, str] | None:
    """Split off a day that the repetition of a request skips: "… but not on 25 December"; None for none."""
    tokens, reading = request.reading.tokens, request.reading
    for at in range(1, len(tokens)):
        behind = request.words.fold(reading.text[tokens[at].start :])
        word = next((word for word in request.words.exclusion_words if behind.startswith(f"{word} ")), "")
        words = behind.removeprefix(word).strip(" .!")
        time = request.parse_time([words]) if word else None
        if time is not None and names_single_day(time.best):
            return request.with_reading(reading.with_tokens(range(at))), request.strip_time_words(words)
    return None


def split_excluded_days(request: RequestContext) -> tuple[RequestContext, str]:
    """Split off weekdays that the words behind them exclude: 每天…，周末别提醒; "" for none."""
    tokens, reading, endings = request.reading.tokens, request.reading, request.words.exclusion_endings
    days = [at for at, token in enumerate(tokens if endings else ()) if at and token.form == "@day"]
    for first in days:
        last = next(at for at in range(first, len(tokens) + 1) if at not in days)
        named = reading.text_of(tokens[first], tokens[last - 1])
        behind = request.words.fold(reading.text[tokens[last - 1].end :])
        request_ahead = request.with_reading(reading.with_tokens(range(first)))
        is_plea = behind.startswith(request.words.dont_forget_phrases)
        is_left_out = behind.startswith(endings) and request_ahead.reading.has("CONTENT") and not is_plea
        if is_left_out and request.find_weekdays(named):
            return request_ahead, named
    return request, ""


def exclude_days(reminder: ReminderRequest, days: str, request: RequestContext) -> ReminderRequest:
    """Return `reminder` without `days` of its repetition."""
    if reminder.time is None:
        return reminder
    phrase = request.words.exclusion_template.format(time=reminder.time.words, days=days)
    return replace(reminder, time=request.parse_time([phrase]) or reminder.time)


def skip_day(interpretation: Interpretation, day: str, request: RequestContext) -> Interpretation:
    """Return the calls that set a repetition, and a call that skips a day of it."""
    skipped = request.answers.call_tool("reminder_update", {"reminder_id": "it", "skip": day})
    return replace(interpretation, calls=(*interpretation.calls, *skipped.calls))


def add_options(interpretation: Interpretation, options: Mapping[str, object]) -> Interpretation:
    """Return the calls with `options` among the arguments of those that set a reminder."""
    calls = tuple(
        replace(call, arguments={**call.arguments, **options}) if call.name == "reminder_set" else call
        for call in interpretation.calls
    )
    return replace(interpretation, calls=calls)
