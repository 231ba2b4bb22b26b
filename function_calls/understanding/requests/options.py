"""Read the options of a new reminder: repetition until done, urgency, working days."""

from datetime import UTC, timedelta

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.rules import ELAPSED, load_calendar, parse_rule
from services.recurrence.schedule import Schedule, rule_text

_USUAL_MINUTES = 10
_SECONDS = 60


def split_interval(request: RequestContext) -> tuple[RequestContext, timedelta | None]:
    """Split off the interval at which a request asks to be repeated until done: "every 5 minutes until I answer"."""
    if not request.reading.has("UNTILDONE"):
        return request, None
    for at, token in enumerate(request.reading.tokens):
        if is_time(token):
            length = _parse_interval(request.reading.text_of(token), request)
            if length is not None:
                kept = [place for place in range(len(request.reading.tokens)) if place != at]
                return request.with_reading(request.reading.with_tokens(kept)), length
    return request, None


def count_interval_minutes(length: timedelta | None) -> int:
    """Return the minutes of an interval, at least 1; ten where none was named."""
    return _USUAL_MINUTES if length is None else max(1, round(length.total_seconds() / _SECONDS))


def read_options(request: RequestContext, interval: timedelta | None) -> dict[str, object]:
    """Return the options of a reminder as arguments of `reminder_set`."""
    found: dict[str, object] = {}
    if request.reading.has("UNTILDONE"):
        found["until_done"] = count_interval_minutes(interval)
    if request.reading.has("URGENT") or _is_urgent(request):
        found["urgent"] = not request.has_word(request.words.not_urgent)
    return found


def _is_urgent(request: RequestContext) -> bool:
    """Return whether the untagged words have one for urgency."""
    text = request.reading.join_untagged(request.words.joint)
    return any(word in text for word in request.words.urgent)


def _parse_interval(text: str, request: RequestContext) -> timedelta | None:
    """Return the interval of elapsed time that `text` names: "every 5 minutes"; None for none."""
    best = request.read_only_time(text)
    rule = None if best is None else best.rrule
    parts = dict(part.split("=", 1) for part in (rule or "").split(";") if "=" in part)
    frequency = parts.get("FREQ")
    if rule is None or frequency not in ELAPSED or not parse_rule(rule).is_elapsed:
        return None
    hours = _SECONDS if frequency == "HOURLY" else 1
    return timedelta(minutes=hours * int(parts.get("INTERVAL", "1")))


def move_to_workdays(call: ToolCall, request: RequestContext) -> ToolCall:
    """Return `call` with its rule on working days; as it is where no calendar knows the country."""
    text = call.arguments.get("rrule")
    if text is None or not request.has_part(request.words.workdays):
        return call
    zone = zone_name(request.now.tzinfo or UTC)
    wanted = edits.on_workdays(parse_rule(str(text)), zone)
    if wanted is None:
        return call
    try:
        load_calendar(wanted)
    except RequestRefused:
        return call
    start = request.now.replace(tzinfo=None)
    written = rule_text(Schedule(start=start, zone=zone, rule=wanted))
    return replace(call, arguments={**call.arguments, "rrule": written})
