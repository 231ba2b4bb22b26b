"""Put a repetition on the working days of a country, where a request names these and not the days of the week."""

from datetime import UTC

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.asked import Asked
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.rules import load_calendar, parse_rule
from services.recurrence.schedule import Schedule, rule_text


def on_workdays(call: ToolCall, asked: Asked) -> ToolCall:
    """Return `call` with its rule on working days; as it is where no calendar knows the country."""
    text = call.arguments.get("rrule")
    if text is None or not any(word in asked.folded_text for word in asked.words.workdays):
        return call
    zone = zone_name(asked.now.tzinfo or UTC)
    wanted = edits.on_workdays(parse_rule(str(text)), zone)
    if wanted is None:
        return call
    try:
        load_calendar(wanted)
    except RequestRefused:
        return call
    start = asked.now.replace(tzinfo=None)
    written = rule_text(Schedule(start=start, zone=zone, rule=wanted))
    return replace(call, arguments={**call.arguments, "rrule": written})
