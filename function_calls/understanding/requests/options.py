"""Options of a new reminder: repetition until done, urgency, working days."""

from datetime import UTC, timedelta

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.tag_repair import is_time, runs
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.request_context import Asked
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.rules import ELAPSED, load_calendar, parse_rule
from services.recurrence.schedule import Schedule, rule_text

_USUAL_MINUTES = 10
_LONGEST_AMOUNT = 4
_SECONDS = 60


def with_interval(asked: Asked) -> tuple[Asked, timedelta | None]:
    """Return the request without the interval at which it is to be repeated until it is done, and that interval."""
    asked = _with_end(asked)
    if not asked.reading.has("UNTILDONE"):
        return asked, None
    for at, (token, tag) in enumerate(zip(asked.reading.tokens, asked.reading.tags, strict=True)):
        if is_time(token):
            length = _of_rule(asked.reading.text[token.start : token.end], asked)
            if length is not None:
                return asked.with_reading(_untagged(asked.reading, at, at + 1)), length
        elif token.form in asked.words.each and tag != "REF":
            found = _behind(asked, at)
            if found is not None:
                last, length = found
                return asked.with_reading(_untagged(asked.reading, at, last)), length
    return asked, None


def _with_end(asked: Asked) -> Asked:
    """Return the request with a time until which to repeat as its end, where it is tagged as "until done"."""
    tags = list(asked.reading.tags)
    for first, last in runs(asked.reading.tags, "UNTILDONE"):
        times = [token for token in asked.reading.tokens[first:last] if is_time(token)]
        texts = [asked.reading.text[token.start : token.end] for token in times]
        if times and all(_of_rule(text, asked) is None for text in texts):
            tags[first:last] = ["UNTIL"] * (last - first)
    return asked.with_tags(tags)


def interval_minutes(length: timedelta | None) -> int:
    """Return every how many minutes to repeat; ten where that was not named."""
    return _USUAL_MINUTES if length is None else max(1, round(length.total_seconds() / _SECONDS))


def manners_of(asked: Asked, interval: timedelta | None) -> dict[str, object]:
    """Return the arguments that say how a reminder is to behave."""
    found: dict[str, object] = {}
    if asked.reading.has("UNTILDONE"):
        found["until_done"] = interval_minutes(interval)
    if asked.reading.has("URGENT") or _is_urgent(asked):
        found["urgent"] = not asked.names(asked.words.not_urgent)
    return found


def _is_urgent(asked: Asked) -> bool:
    """Return whether a word for it stands among those without a tag."""
    pairs = zip(asked.reading.tokens, asked.reading.tags, strict=True)
    free = asked.words.joint.join(token.form if tag == "O" else "," for token, tag in pairs)
    return any(word in free for word in asked.words.urgent)


def _of_rule(text: str, asked: Asked) -> timedelta | None:
    """Return the interval that `text` names as elapsed time: "every 5 minutes"."""
    expressions = asked.read(text)
    rule = expressions[0].best.rrule if len(expressions) == 1 and expressions[0].best is not None else None
    parts = dict(part.split("=", 1) for part in (rule or "").split(";") if "=" in part)
    frequency = parts.get("FREQ")
    if rule is None or frequency not in ELAPSED or not parse_rule(rule).is_elapsed:
        return None
    hours = _SECONDS if frequency == "HOURLY" else 1
    return timedelta(minutes=hours * int(parts.get("INTERVAL", "1")))


def _behind(asked: Asked, at: int) -> tuple[int, timedelta] | None:
    """Return the length of time behind "every" at `at`, and where its words end."""
    tokens = asked.reading.tokens
    for last in range(min(at + 1 + _LONGEST_AMOUNT, len(tokens)), at + 1, -1):
        length = asked.length(asked.reading.text[tokens[at + 1].start : tokens[last - 1].end])
        if length is not None:
            return last, length
    return None


def _untagged(reading: MessageReading, first: int, last: int) -> MessageReading:
    """Return `reading` without tags from `first` up to `last` and on to the words "until …"."""
    behind = [at for at, tag in enumerate(reading.tags) if tag == "UNTILDONE" and at >= last]
    is_near = bool(behind) and {*reading.tags[last : behind[0]]} <= {NO_TAG}
    end = behind[0] if is_near and behind[0] - last <= _LONGEST_AMOUNT else last
    places = range(first, end)
    kept = [at for at in range(len(reading.tokens)) if at not in places]
    return reading.with_tokens(kept)


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
