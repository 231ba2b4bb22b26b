"""Make calls of requests to snooze, pause and resume reminders, to note them as done, and to take part in them."""

from collections.abc import Mapping
from datetime import timedelta

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.requests.arguments import changed_schedule, written
from function_calls.understanding.requests.new_reminders import set_beside_last, set_reminders
from function_calls.understanding.requests.references import IT, newest_shared, references_of, untagged_time
from function_calls.understanding.requests.request_context import Asked
from services.time_expressions import Reading


def snooze(asked: Asked) -> Interpretation | None:
    """Say a reminder again later; a bare figure is minutes."""
    pieces = asked.reading.pieces("WHEN") or asked.reading.pieces("LATER")
    until = [slots.without_words(piece, asked.words.until_words, asked.words.joint) for piece in pieces]
    if until != pieces:
        return _snooze_until(asked, slots.times(until, asked.words, asked.read))
    figure = next((_figure(piece, asked) for piece in pieces if not _is_until(piece, asked)), "")
    length = asked.length(figure) if figure else asked.amount("LATER") or asked.amount("WHEN")
    length = length or (None if pieces else asked.untagged_amount())
    times = [] if figure else slots.times(asked.reading.pieces("WHEN"), asked.words, asked.read)
    best = times[0].best if times else None
    arguments: dict[str, object] = {"reminder_id": ", ".join(references_of(asked))}
    if best is not None and best.has_day and asked.names(asked.words.same_time):
        arguments["time"] = f"{best.wall:%Y-%m-%d}"
    elif length is not None and (best is None or not slots.is_bare(best)):
        minutes = round(length.total_seconds() / 60)
        is_whole = length == timedelta(minutes=minutes)
        arguments["time"] = asked.words.as_length.format(minutes=minutes) if is_whole else written(asked.now + length)
    elif best is not None:
        is_day = best.has_day and not best.has_clock
        arguments["time"] = written(best.wall) if is_day else changed_schedule(_soonest(best, asked), asked.now)["time"]
    return asked.answering.one("reminder_snooze", arguments)


def _soonest(best: Reading, asked: Asked) -> Reading:
    """Return the next such hour of a clock that leaves open which half of the day is meant: "10:30" in the evening."""
    words = slots.bare_time(asked.reading.words("WHEN"), asked.words)
    earlier = best._replace(start=best.start - timedelta(hours=12))
    is_open = slots.is_bare(best) and is_clock_without_half(words) and best.start.hour != 0
    return earlier if is_open and earlier.start > asked.now else best


def _figure(piece: str, asked: Asked) -> str:
    """Return the number that `piece` is, "5" or "for 5"; "" for a clock such as "at 5"."""
    bare = slots.bare_time(piece, asked.words)
    return bare if slots.is_figure(bare) and (slots.is_figure(piece) or not asked.read(piece)) else ""


def _is_until(piece: str, asked: Asked) -> bool:
    """Return whether a word for "until" stands in front of `piece`: "until I'm back on Monday"."""
    start = asked.reading.text.find(piece) if piece else 0
    pairs = zip(asked.reading.tokens, asked.reading.tags, strict=True)
    before = asked.words.joint.join(token.form for token, tag in pairs if token.end <= start and tag == "O")
    words = before.split() if asked.words.joint else [before[-2:], before[-1:]]
    return any(word in words for word in asked.words.until_words if word != "to")


def _snooze_until(asked: Asked, times: list[TimeWords]) -> Interpretation | None:
    """Say a reminder again at the time behind "until"; a bare figure is an hour."""
    best = times[0].best if times else None
    if best is None:
        return None
    is_day = best.has_day and not best.has_clock
    time = written(best.wall) if is_day else changed_schedule(best, asked.now).get("time")
    return asked.answering.one("reminder_snooze", {"reminder_id": ", ".join(references_of(asked)), "time": time})


def pause(asked: Asked) -> Interpretation | None:
    """Pause reminders, until a time or during it."""
    when = asked.reading.words("WHEN") or asked.reading.words("UNTIL") or untagged_time(asked)
    bare = slots.without_words(when, asked.words.until_words, asked.words.joint)
    is_until = asked.reading.has("UNTIL") or bare != when or _is_until(when, asked)
    if not when or not (asked.read(bare) or asked.length(bare)):  # "until further notice"
        return state_of(asked, "pause")
    return state_of(asked, "pause", {"until": bare} if is_until else {"during": slots.bare_time(bare, asked.words)})


def resume(asked: Asked) -> Interpretation | None:
    """Let paused reminders go on."""
    return state_of(asked, "resume")


def done(asked: Asked) -> Interpretation | None:
    """Note that what a reminder is about was done."""
    return state_of(asked, "done")


def join(asked: Asked) -> Interpretation | None:
    """Remind the person who asks as well."""
    is_reminded = asked.last_set is not None and asked.last_set.arguments.get("person") is None and asked.may_point
    made = set_beside_last(asked)
    if made is not None:
        return made
    if is_reminded and asked.names(asked.words.calling) and not asked.names(asked.words.beside) and not _names(asked):
        return set_reminders(asked)
    return state_of(asked, "join")


def _names(asked: Asked) -> bool:
    return any(map(asked.reading.has, ("REF", "OLD", "WHEN")))


def leave(asked: Asked) -> Interpretation | None:
    """Remind the person who asks no longer: of the reminder for several people that was set last, if none is named."""
    reminder = None if references_of(asked) or asked.turn.message.reply_to is not None else newest_shared(asked)
    return state_of(asked, "leave", {} if reminder is None else {"reminder_id": reminder.id})


def state_of(asked: Asked, action: str, arguments: Mapping[str, object] | None = None) -> Interpretation:
    """Return the call that puts the reminder that is named, or the one spoken of last, into another state."""
    references = references_of(asked)
    if action in {"pause", "resume"} and not references and asked.names(asked.words.plural):
        references = ["all"]
    named = {"action": action, "reminder_id": ", ".join(references) or IT}
    return asked.answering.one("reminder_state", {**named, **(arguments or {})})
