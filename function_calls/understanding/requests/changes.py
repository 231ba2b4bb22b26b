"""Make calls of requests to change reminders that there are: move, reword, skip, delete."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import common_words
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.named_weekdays import are_all, names_weekday, weekdays_in
from function_calls.understanding.reading.reminder_words import stems_of
from function_calls.understanding.reading.tag_repair import is_time, with_same_time
from function_calls.understanding.reading.times import TimeWords, halves
from function_calls.understanding.reading.tokens import clauses_of
from function_calls.understanding.reminder_times import FROM_THEN, says
from function_calls.understanding.requests.arguments import changed_schedule, shift_argument, written
from function_calls.understanding.requests.new_reminders import (
    both_of_us,
    people_of,
    repeat_last,
    repeats,
    set_beside_last,
)
from function_calls.understanding.requests.options import interval_minutes, on_workdays
from function_calls.understanding.requests.reference_resolution import SEVERAL
from function_calls.understanding.requests.references import (
    IT,
    named_reminder,
    only_one,
    points,
    references_of,
    untagged_time,
)
from function_calls.understanding.requests.request_context import Asked
from function_calls.understanding.requests.request_times import end_of, leads_of, named_times, with_lead_tagged
from function_calls.understanding.requests.states import leave, state_of
from services.recurrence.schedule import rule_text
from services.reminders.lookup.due_words import DEFAULT_TIMES, due_words, fits_time
from services.reminders.model import EVERYONE, Reminder
from services.time_expressions import Reading

_LEAVING = 0.05
"""The probability that who deletes the reminder of somebody else only wants to be reminded no longer."""
_NEAR, _DAY = timedelta(hours=1), timedelta(days=1)
_LONGEST_NAME = 3
_LONGEST_WEEKDAY = 3
_LAST_HOUR = 12
_BOTH = 2
_DAY_OF_MONTH = re.compile(r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th|号|號|日)")
_WEEKDAY = re.compile(r"FREQ=WEEKLY;BYDAY=[A-Z]{2}")
_MARKS = r" ,，。.;；!！?？、"
_QUOTED = re.compile(r"[\"“「『]([^\"“”「」『』]{2,})[\"”」』]\s*[.!。！]*$")
_ELAPSED = {"MINUTELY": "minutes", "HOURLY": "hours"}
_FROM = re.compile(r"\bfrom\b|[从從]")


def delete(asked: Asked) -> Interpretation | None:
    """Delete the reminders that are named, or the one spoken of last; ask which, where neither is known."""
    if asked.reading.has("FROM"):
        return until(asked)
    references = references_of(asked, may_be_several=True)
    if not references and (asked.may_point or points(asked)) and not asked.names(asked.words.indefinite):
        references = [IT]
    if (asked.reading.probability("leave") >= _LEAVING or _says_remind_me(asked)) and _is_of_others(asked):
        return leave(asked)
    rest = _without_clock(asked)
    if rest is not None:
        return rest
    day = slots.bare_time(asked.reading.words("OLD") or asked.reading.words("WHEN"), asked.words)
    if len(references) == 1 and day and _is_name(references[0], day):
        references = [asked.words.on_day.format(name=references[0], day=day)]
    if not references:
        is_named = asked.is_addressed or any(word in asked.folded_text for word in asked.words.triggers)
        return asked.answering.which_reminder() if is_named else None
    calls = [asked.answering.one("reminder_delete", {"reminder_id": each}) for each in references]
    return Interpretation(calls=tuple(call for each in calls for call in each.calls), answer=calls[0].answer)


def _without_clock(asked: Asked) -> Interpretation | None:
    """Let a reminder of several times a day come no longer at the one that is named: 晚上那次取消."""
    reminder = named_reminder(asked)
    rule = None if reminder is None else reminder.schedule.rule
    time = slots.one_time(asked.reading.pieces("WHEN"), asked.words, asked.read)
    best = _time_in_name(asked) or (None if time is None else time.best)
    if reminder is None or rule is None or best is None or best.has_day or best.rrule or len(rule.hours) < _BOTH:
        return None
    fires = [reminder.schedule.start.replace(hour=hour, minute=next(iter(rule.minutes), 0)) for hour in rule.hours]
    kept = tuple(fire.hour for fire in fires if not fits_time(fire, best))
    if not 0 < len(kept) < len(rule.hours):
        return None
    changed = replace(reminder.schedule, rule=replace(rule, hours=kept))
    return asked.answering.one("reminder_update", {"rrule": rule_text(changed), "reminder_id": reminder.id})


def _says_remind_me(asked: Asked) -> bool:
    """Return whether the words say that the person who asks is to be reminded, or not: "don't remind me of it"."""
    words = asked.words
    calls = (f"{call}{words.joint}{own}" for call in words.calling for own in words.oneself)
    return words.has_any(calls, asked.folded_text)


def _is_of_others(asked: Asked) -> bool:
    """Return whether somebody else has set the reminder that is named, for the person who asks as well."""
    reminder, own = named_reminder(asked), asked.turn.message.sender.id
    people = set() if reminder is None else {each.id for each in reminder.targets}
    return reminder is not None and reminder.creator.id != own and bool(people & {own, EVERYONE})


def _is_name(reference: str, day: str) -> bool:
    """Return whether `reference` names a reminder beside the `day`, and is no number or word for several."""
    words = reference.split()
    return day not in reference and not reference.isdecimal() and words[0] not in {IT, "all", "both", "them", "last"}


def move(asked: Asked) -> Interpretation | None:
    """Change when a reminder comes: to a time, by an amount, to another repetition."""
    asked = asked.with_reading(with_same_time(asked.reading, asked.words))
    asked = _without_reasons(_with_denied_time(asked))
    reading = asked.reading
    name = _name_alone(asked)
    if name:
        return asked.answering.one("reminder_list", {"filter": slots.bare_time(name, asked.words)})
    if len(reading.pieces("LATER") + reading.pieces("EARLIER")) > 1:
        return None
    later, earlier = asked.amount("LATER"), asked.amount("EARLIER")
    if later is not None and _is_corrected_amount(later, asked):
        return update(asked, {"time": written(asked.now + later)})
    if (later is not None or earlier is not None) and not _names_clock(asked):
        shift = later or earlier or timedelta()
        return update(asked, {"time": shift_argument(-shift if later is None or _is_ahead(asked) else shift)})
    untagged = _untagged_shift(asked)
    if untagged is not None:
        return update(asked, {"time": shift_argument(untagged)})
    lead = asked.amount("LEAD")
    if lead is not None and not reading.has("WHEN") and not reading.has("EVENT"):
        return update(asked, {"time": shift_argument(-lead)})
    if asked.names(asked.words.only_once):
        return _move_once(asked)
    ahead = _days_ahead_of_itself(asked)
    return _move_to(asked) if ahead is None else update(asked, ahead)


def _is_corrected_amount(length: timedelta, asked: Asked) -> bool:
    """Return whether an amount of time takes the place of the one that was said: "sorry, I meant 20 minutes"."""
    is_shift = asked.names(asked.words.later) or asked.names(asked.words.earlier)
    reminder = None if is_shift else named_reminder(asked)
    is_soon = reminder is not None and bool(reminder.next_fires) and reminder.next_fires[0] - asked.now < _DAY
    return is_soon and length < _DAY and asked.words.has_any(asked.words.corrections, asked.folded_text)


def _untagged_shift(asked: Asked) -> timedelta | None:
    """Return the amount of time beside a word such as "earlier" or 推迟, where no word has a tag that says when."""
    if any(map(asked.reading.has, ("WHEN", "LEAD", "FROM", "UNTIL", "EVENT", "LATER", "EARLIER"))):
        return None
    is_earlier, is_later = asked.names(asked.words.earlier), asked.names(asked.words.later)
    length = asked.untagged_amount() if is_earlier != is_later else None
    return None if length is None else -length if is_earlier else length


def _names_clock(asked: Asked) -> bool:
    """Return whether a clock says to what time an amount of time leads: "half an hour earlier, so at 8:30"."""
    time = slots.one_time(asked.reading.pieces("WHEN"), asked.words, asked.read)
    return time is not None and time.best is not None and slots.is_bare(time.best)


def _days_ahead_of_itself(asked: Asked) -> dict[str, object] | None:
    """Return the time some days before that of the reminder: "to the day before at 8pm"."""
    leads = [] if asked.reading.has("EVENT") else leads_of(with_lead_tagged(asked), has_event=True)
    reminder = named_reminder(asked) if len(leads) == 1 else None
    if (
        reminder is None
        or not reminder.next_fires
        or reminder.schedule.rule is not None
        or leads[0][0] < timedelta(days=1)
    ):
        return None
    days, clock = leads[0]
    day = reminder.next_fires[0].astimezone(asked.now.tzinfo) - days
    if clock is not None and clock.best is not None:
        day = day.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    return {"time": written(day)}


def _move_to(asked: Asked) -> Interpretation | None:
    """Change when a reminder comes to the time that the words name."""
    reading = asked.reading
    since = slots.bare_time(reading.words("FROM"), asked.words)
    clock = _beside_hour(asked)
    if clock:
        return update(asked, {"time": clock})
    interval = _in_unit_of_rule(asked)
    if interval is not None:
        return update(asked, interval)
    times = named_times(asked) or slots.times(reading.pieces("FROM"), asked.words, asked.read)
    times = list({time.best: time for time in reversed(times)}.values())  # "I start at 10, change mine to 10"
    if len(times) != 1 or times[0].best is None:
        return None
    changed = (
        _amount_of(asked, times[0]) or _on_other_weekday(asked, times[0].best) or _ahead_of_hour(asked, times[0].best)
    )
    if changed is not None:
        return update(asked, changed)
    old, new = _from_range(times[0], asked)
    arguments = _schedule(new, asked)
    is_single = new.best is not None and new.best.has_day and new.best.rrule is None
    is_open = since or (is_single and says(FROM_THEN, asked.folded_text, ""))
    if is_open and new.best is not None and new.best.has_clock and not (since and reading.has("WHEN")):
        arguments, since = {"time": f"{new.best.wall:%H:%M}"}, f"{new.best.wall:%Y-%m-%d}"
    if old and new.best is not None and not new.best.has_clock:
        return update(asked, {**arguments, "occurrence": old})
    if is_single and not old and _is_for_good(asked):
        return update(asked, {**arguments, "occurrence": "all"})
    return update(asked, {**arguments, "since": since}, old=old)


def _on_other_weekday(asked: Asked, best: Reading) -> dict[str, object] | None:
    """Return the arguments for another weekday ("Thursdays") of a reminder that comes every two or more weeks."""
    reminder = named_reminder(asked) if _WEEKDAY.fullmatch(best.rrule or "") else None
    rule = None if reminder is None else reminder.schedule.rule
    if rule is None or rule.frequency != "WEEKLY" or rule.interval == 1 or asked.names(asked.words.each):
        return None
    return {"time": f"{best.wall:%Y-%m-%d}", "occurrence": "all"}


def _in_unit_of_rule(asked: Asked) -> dict[str, object] | None:
    """Return the arguments of a new interval in the unit of the present one: "every 4" of what comes every 3 hours."""
    words = asked.reading.words("WHEN")
    figure = slots.without_words(words, asked.words.each, asked.words.joint)
    reminder = named_reminder(asked) if figure != words and slots.is_figure(figure) else None
    rule = None if reminder is None else reminder.schedule.rule
    if rule is None or rule.interval == 1:
        return None
    arguments: dict[str, object] = {"rrule": f"FREQ={rule.frequency};INTERVAL={int(figure)}"}
    length = timedelta(**{_ELAPSED[rule.frequency]: int(figure)}) if rule.frequency in _ELAPSED else None
    return arguments if length is None else {"time": written(asked.now + length), **arguments}


def _ahead_of_hour(asked: Asked, best: Reading) -> dict[str, object] | None:
    """Return the hour ahead of an event without a day, on the day of the reminder: "it is at 4, an hour before"."""
    events = slots.times(asked.reading.pieces("EVENT"), asked.words, asked.read)
    if len(events) != 1 or not asked.reading.has("LEAD") or events[0].best is None or events[0].best.has_day:
        return None
    return {"time": f"{best.wall:%H:%M}"}


def _is_for_good(asked: Asked) -> bool:
    """Return whether another day is meant for all times to come.

    That is "from now on", the 28th of one on the 1st of the month, or Tuesday of one on another day of the week.
    """
    if asked.names(asked.words.always):
        return True
    reminder = named_reminder(asked)
    rule = None if reminder is None else reminder.schedule.rule
    if rule is None or asked.names(asked.words.one_time):
        return False
    words = [slots.bare_time(piece, asked.words).casefold() for piece in asked.reading.pieces("WHEN")]
    if rule.frequency == "WEEKLY" and len(rule.days) <= 1:
        bare = [slots.without_words(each, asked.words.articles, asked.words.joint) for each in words]
        return any(names_weekday(each, asked.now, asked.language, asked.times) for each in bare)
    return rule.frequency == "MONTHLY" and any(map(_DAY_OF_MONTH.fullmatch, words))


def _beside_hour(asked: Asked) -> str:
    """Return the clock that words without an hour name beside that of the reminder: "quarter to", 半; "" for none."""
    words, reminder = slots.bare_time(asked.reading.words("WHEN"), asked.words), named_reminder(asked)
    if not words or slots.is_figure(words) or asked.read(words) or reminder is None or not reminder.next_fires:
        return ""
    due = reminder.next_fires[0].astimezone(asked.now.tzinfo)
    found: list[datetime] = []
    for hour in (due.hour - 1, due.hour, due.hour + 1):
        phrase = asked.words.with_hour.format(time=words, hour=hour % _LAST_HOUR or _LAST_HOUR)
        time = slots.one_time([phrase], asked.words, asked.read)
        if time is not None and time.best is not None and slots.is_bare(time.best):
            found += [due.replace(hour=each.start.hour, minute=each.start.minute) for each in halves(time.best)]
    clock = min((each for each in found if each != due), key=lambda each: abs(each - due), default=None)
    return "" if clock is None else f"{clock:%H:%M}"


def _is_ahead(asked: Asked) -> bool:
    """Return whether untagged words say that an amount of time is to be taken off, though its tag does not."""
    pairs = zip(asked.reading.tokens, asked.reading.tags, strict=True)
    said = asked.words.joint.join(token.form if tag == NO_TAG else "," for token, tag in pairs)
    return asked.words.has_any(asked.words.earlier, said) and not asked.words.has_any(asked.words.later, said)


def _name_alone(asked: Asked) -> str:
    """Return the time of a request that is no more than that and a word that points at a reminder: 十二点那个."""
    name = asked.reading.words("WHEN") or slots.reference_name(asked.reading.words("REF"), asked.words)
    rest = asked.folded_text.strip(" 。!！?？").removeprefix(name)
    is_time = not asked.words.joint and bool(name) and len(asked.read(name)) == 1
    return name if is_time and rest in asked.words.reference_marks else ""


def _move_once(asked: Asked) -> Interpretation | None:
    """Move one time of one that repeats: the day that is named, or the next."""
    times = named_times(asked)
    if len(times) != 1 or times[0].best is None:
        return None
    _, new = _from_range(times[0], asked)
    new = _in_its_half(new, asked)
    day = slots.bare_time(asked.reading.words("OLD"), asked.words)
    return update(asked, {**_schedule(new, asked), "occurrence": day or "next"})


def _in_its_half(time: TimeWords, asked: Asked) -> TimeWords:
    """Return a clock that leaves open the half of the day in that of the reminder: "just this Wednesday at 8"."""
    pieces, reminder = asked.reading.pieces("WHEN"), named_reminder(asked)
    is_open = bool(pieces) and is_clock_without_half(slots.bare_time(pieces[-1], asked.words))
    if time.best is None or not time.best.has_day or reminder is None or not reminder.next_fires or not is_open:
        return time
    due = reminder.next_fires[0].astimezone(asked.now.tzinfo)
    minutes = due.hour * 60 + due.minute
    near = min(halves(time.best), key=lambda half: abs(half.start.hour * 60 + half.start.minute - minutes))
    return replace(time, readings=(near,))


def _without_reasons(asked: Asked) -> Asked:
    """Return a change without the times of a reason behind it, or in front of the clause that asks for the change.

    "Friday please, I'm busy on Thursday"; "I can start at 10, please change mine to 10".
    """
    asked = _with_time_of_change(asked)
    reading = asked.reading
    dated = [clause for clause in clauses_of(reading.tokens) if any(reading.tags[at] == "WHEN" for at in clause)]
    asks = [_asks_for_change(clause, asked) for clause in dated]
    others = dated[:-1] if asks[-1:] == [True] and not any(asks[:-1]) else dated[1:]
    reasons = {at for clause in others if _is_reason(clause, asked) for at in clause}
    if not reasons:
        return asked
    tags = tuple(NO_TAG if at in reasons and tag == "WHEN" else tag for at, tag in enumerate(reading.tags))
    return asked.with_tags(tags)


def _with_time_of_change(asked: Asked) -> Asked:
    """Return a change whose only untagged time in the clause that asks for it says when: 改为下午四点，门诊五点下班."""
    reading, clauses = asked.reading, clauses_of(asked.reading.tokens)
    changing = [clause for clause in clauses if _asks_for_change(clause, asked)]
    places = [at for clause in changing for at in clause if is_time(reading.tokens[at])]
    are_open = len(changing) == len(places) == 1 and reading.tags[places[0]] == NO_TAG
    if asked.words.joint or not are_open or not reading.has("WHEN"):
        return asked
    dated = [clause for clause in clauses if any(reading.tags[at] == "WHEN" for at in clause)]
    if not all(_is_reason(clause, asked) for clause in dated):
        return asked
    tags = [NO_TAG if tag == "WHEN" else tag for tag in reading.tags]
    tags[places[0]] = "WHEN"
    return asked.with_tags(tags)


def _asks_for_change(clause: Sequence[int], asked: Asked) -> bool:
    """Return whether the words of a clause ask to change something: "please change mine"."""
    said = asked.words.joint.join(asked.reading.tokens[at].form for at in clause)
    return asked.words.has_any(asked.words.change_it, said)


def _is_reason(clause: Sequence[int], asked: Asked) -> bool:
    """Return whether the words of a clause say more than when, and ask for no change."""
    words, reading = asked.words, asked.reading
    said = [reading.tokens[at].form for at in clause if not is_time(reading.tokens[at])]
    text = words.joint.join(said)
    is_change = any(word in text for word in words.skipping) or _asks_for_change(clause, asked)
    return not is_change and not slots.are_small(said, words)


def _amount_of(asked: Asked, time: TimeWords) -> dict[str, object] | None:
    """Return the arguments of an amount of time: "20 minutes sooner", or "20" behind "in 15 minutes"."""
    piece = asked.reading.words("WHEN")
    if slots.is_figure(piece):
        return _minutes(int(re.sub(r"\D", "", piece)), asked)
    if time.best is not None and time.best.has_clock and time.best.has_day and asked.names(asked.words.same_time):
        return {"time": f"{time.best.wall:%Y-%m-%d}"}
    is_earlier, is_later = asked.names(asked.words.earlier), asked.names(asked.words.later)
    length = asked.length(piece) if is_earlier or is_later else None
    if length is None or asked.length(time.words) is None:
        return None
    return {"time": shift_argument(-length if is_earlier else length)}


def _minutes(figure: int, asked: Asked) -> dict[str, object] | None:
    """Return the time so many minutes from now, where what was set last is so near that its amount is corrected."""
    last = None if asked.last_set is None else asked.last_set.arguments.get("time")
    found = asked.read(str(last)) if last else ()
    due = found[0].best.start if len(found) == 1 and found[0].best is not None else None
    is_near = due is not None and timedelta() < due - asked.now <= _NEAR
    is_amount = is_near and figure > _LAST_HOUR
    return {"time": written(asked.now + timedelta(minutes=figure))} if is_amount else None


def _schedule(time: TimeWords, asked: Asked) -> dict[str, object]:
    """Return the arguments of a new time; of a bare "7" the time that the reminder has tells the half of the day."""
    best = time.best
    if best is None:
        return {}
    words = slots.bare_time(time.words, asked.words)
    if slots.is_bare(best) and is_clock_without_half(words):
        is_figure = words[-1:].isdecimal() and words.isascii()  # "6:30" alone is a clock of 24 hours
        half = _half_named(asked)
        if half is not None:
            clock = halves(best)[half].start
            return {"time": f"{clock:%H:%M}"}
        is_read = not is_figure and bool(asked.read(words))
        return {"time": words if is_read else asked.words.as_time[1].format(time=words)}
    is_day = best.rrule is None and best.has_day and not (best.has_clock or best.part)
    if is_day and any(word in words for word in asked.words.last_day):
        return {"time": words}
    if is_day:
        best = best._replace(start=_in_its_week(best.start, words, asked))
    return changed_schedule(best, asked.now)


def _half_named(asked: Asked) -> int | None:
    """Return 0 or 1 for the half of the day of the reminder that is meant: 晚上的药改成七点; None for none."""
    best = _time_in_name(asked) or _untagged_part(asked)
    return int(best.start.hour >= _LAST_HOUR) if best is not None and best.part else None


def _time_in_name(asked: Asked) -> Reading | None:
    """Return the clock or part of the day in the words for a reminder: "the evening one"."""
    zone = str(asked.now.tzinfo)
    for piece in (*asked.reading.pieces("OLD"), *asked.reading.pieces("REF")):
        name = slots.bare_time(slots.reference_name(piece, asked.words), asked.words)
        found = due_words(name, asked.now, zone, DEFAULT_TIMES)
        if found is not None and len(found.readings) == 1:
            return found.readings[0]
    return None


def _untagged_part(asked: Asked) -> Reading | None:
    """Return the part of the day that stands untagged in the clause which says when: 阿公晚上吃药改成七点."""
    reading = asked.reading
    for clause in clauses_of(reading.tokens):
        parts = [at for at in clause if reading.tokens[at].form == "@part" and reading.tags[at] == NO_TAG]
        if len(parts) == 1 and any(reading.tags[at] == "WHEN" for at in clause):
            token = reading.tokens[parts[0]]
            time = slots.one_time([reading.text[token.start : token.end]], asked.words, asked.read)
            return None if time is None else time.best
    return None


def _in_its_week(day: datetime, words: str, asked: Asked) -> datetime:
    """Return the day of the week in which the reminder comes, where `words` name no more than a weekday."""
    reminder = named_reminder(asked)
    is_weekday = len(weekdays_in(words, asked.now, asked.language, asked.times)) == 1
    if reminder is None or not reminder.next_fires or reminder.schedule.rule is not None or not is_weekday:
        return day
    due = reminder.next_fires[0].astimezone(asked.now.tzinfo)
    same = day + (due.date() - timedelta(days=due.weekday()) + timedelta(days=day.weekday()) - day.date())
    return max(day, same)


def _from_range(time: TimeWords, asked: Asked) -> tuple[str, TimeWords]:
    """Return what stands in front of a new time and that, where both were read as a stretch: "5pm to 6pm"."""
    best, is_from = time.best, _FROM.search(asked.folded_text) is not None
    is_stretch = best is not None and (best.end is not None if best.rrule is None else is_from)
    parts = [slots.bare_time(part, asked.words) for part in re.split(asked.words.between_times, time.words)]
    new = slots.one_time(parts[1:], asked.words, asked.read) if is_stretch and len(parts) == _BOTH else None
    if best is None or new is None or new.best is None:
        return "", time
    old = slots.one_time(parts[:1], asked.words, asked.read)
    is_day = old is not None and old.best is not None and old.best.has_day and not old.best.has_clock
    is_same = old is not None and old.best is not None and old.best.start == new.best.start
    return parts[0] if (is_day or not is_from) and not is_same else "", new


def update(asked: Asked, arguments: Mapping[str, object], *, old: str = "") -> Interpretation | None:
    """Change the reminder that is named, or the one spoken of last; of one that repeats the day that is named."""
    references = references_of(asked)
    day = slots.bare_time(asked.reading.words("OLD"), asked.words)
    if references == ["all"] and day:
        references = [day]
    if old.isdecimal() and references:
        references = [*references, old]
    named: dict[str, object] = {"reminder_id": ", ".join(references) or old or only_one(asked)}
    if (
        day
        and not references
        and asked.known is not None
        and any(day in each.content for each in asked.known.reminders)
    ):
        references, day = [day], ""  # the words of a day begin its name: 周一周报
    is_weekday = bool(day and weekdays_in(day, asked.now, asked.language, asked.times))
    if is_weekday and references in ([], [day]) and _is_day_of_last(asked):
        is_weekday, references = False, []
    is_name = is_weekday and (not references or any(day in each for each in references))
    if day and not is_name and any(_is_day(each.best) for each in asked.read(day)):
        named["occurrence"] = day
    made = asked.answering.one("reminder_update", {**arguments, **named})
    return replace(made, calls=tuple(on_workdays(call, asked) for call in made.calls))


def _is_day_of_last(asked: Asked) -> bool:
    """Return whether a day whose time is changed is one of the repeating reminder set last: "move Friday's to 5"."""
    last, text = asked.last_set, asked.reading.text
    spans = asked.reading.spans("OLD")
    is_possessive = any(
        text[start:end].endswith(word) or text.startswith(word, end)
        for start, end in spans
        for word in asked.words.behind_time
    )
    return asked.may_point and last is not None and repeats(last) and is_possessive


def _is_day(reading: Reading | None) -> bool:
    return reading is not None and reading.has_day and reading.rrule is None


def reword(asked: Asked) -> Interpretation | None:
    """Replace what a reminder says, or one word of what was set last."""
    content, denied = _without_denial(_quoted(asked) or slots.content(asked.reading, asked.words), asked)
    person = "" if asked.words.joint else _people_with_replacement(asked)
    if person:
        return asked.answering.one("reminder_update", {"person": person, "reminder_id": IT})
    last = "" if asked.last_set is None else str(asked.last_set.arguments.get("content", ""))
    wrong = next((piece.strip() for piece in _wrong(asked) if piece.strip() and piece.strip() in last), "")
    wrong = wrong or (denied if denied in last else "")
    if content and wrong:
        content = (
            content if content.startswith(last.partition(wrong)[0]) and last != wrong else last.replace(wrong, content)
        )
        named = () if asked.known is None else asked.known.named(wrong)
        reminder_id = named[0].id if len(named) == 1 else IT
        return asked.answering.one("reminder_update", {"content": content, "reminder_id": reminder_id})
    replaced = _with_word_replaced(denied, content, asked)
    if replaced is not None:
        return replaced
    if not content or set(references_of(asked)) & SEVERAL:  # "call them" is no text for several reminders
        return None
    return update(asked, {"content": content})


def _quoted(asked: Asked) -> str:
    """Return the words in quotation marks that end a message and are part of the new text; "" for none."""
    quoted = _QUOTED.search(asked.reading.text)
    spans = asked.reading.spans("CONTENT")
    is_content = quoted and any(start < quoted.end(1) and quoted.start(1) < end for start, end in spans)
    return quoted[1] if quoted and is_content else ""


def _with_word_replaced(old: str, new: str, asked: Asked) -> Interpretation | None:
    """Replace `old` by `new` in the text of the reminder that has it; the whole text where `new` has it as well."""
    common = common_words(asked.language)
    reminder = asked.known.like(old, common) if old and asked.known is not None else None
    if reminder is None:
        return None
    bare = slots.without_words(old, asked.words.articles, asked.words.joint)
    is_part = bare in reminder.content and not stems_of(old, common) & stems_of(new, common)
    new = slots.tidied(new, asked.words.articles if is_part and bare != old else ())
    text = reminder.content.replace(bare, new) if is_part else new
    return asked.answering.one("reminder_update", {"content": text, "reminder_id": reminder.id})


def _without_denial(content: str, asked: Asked) -> tuple[str, str]:
    """Return a new text without what it takes back, and that: "tim not jim"."""
    for denial in asked.words.denials if asked.words.joint else ():
        kept, found, denied = content.partition(f" {denial.strip()} ")
        if found and kept and denied:
            return kept.rstrip(","), denied
    for word in asked.words.exchanging:
        denied, found, kept = content.partition(f" {word} ")
        if found and kept and asked.known is not None and asked.known.like(denied, common_words(asked.language)):
            return kept, denied
    return content, ""


def _with_denied_time(asked: Asked) -> Asked:
    """Return a request whose time in a clause with "not" is the old one, and the other the new one: "6, not 5"."""
    reading, tags = asked.reading, list(asked.reading.tags)
    denied = {at for clause in clauses_of(reading.tokens) if _is_denied(clause, asked) for at in clause}
    whens = {at for at, tag in enumerate(tags) if tag == "WHEN"}
    if "OLD" not in tags and whens & denied and whens - denied:
        return asked.with_tags("OLD" if at in whens & denied else tag for at, tag in enumerate(tags))
    times = [
        at for at, token in enumerate(reading.tokens) if is_time(token) and tags[at] == NO_TAG and at not in denied
    ]
    if "OLD" not in tags and whens and whens <= denied and len(times) == 1:
        return asked.with_tags("WHEN" if at in times else "OLD" if at in whens else tag for at, tag in enumerate(tags))
    are_swapped = all((at in denied) == (tag == "WHEN") for at, tag in enumerate(tags) if tag in {"WHEN", "OLD"})
    if not are_swapped or not {"WHEN", "OLD"} <= set(tags):
        return asked
    other = {"WHEN": "OLD", "OLD": "WHEN"}
    swapped = tuple(other.get(tag, tag) for tag in tags)
    return asked.with_tags(swapped)


def _is_denied(clause: Sequence[int], asked: Asked) -> bool:
    tokens = asked.reading.tokens
    words = {denial.strip() for denial in asked.words.denials}
    is_in_front = asked.words.joint.join(tokens[at].form for at in clause).startswith(asked.words.denials)
    return is_in_front or any(is_time(tokens[at]) and tokens[at - 1].form in words for at in clause[1:])


def _without_names(reading: MessageReading) -> MessageReading:
    tags = tuple("O" if tag in {"REF", "OLD"} else tag for tag in reading.tags)
    return reading.with_tags(tags)


def _wrong(asked: Asked) -> list[str]:
    """Return the words that are taken back."""
    return [*asked.reading.pieces("OLD"), *asked.reading.pieces("REF")]


def append(asked: Asked) -> Interpretation | None:
    """Add words to what a reminder says."""
    content = slots.content(asked.reading, asked.words)
    return update(asked, {"added": content}) if content else None


def person_add(asked: Asked) -> Interpretation | None:
    """Remind somebody else as well, or of something else at the same time."""
    return set_beside_last(asked) or _person(asked, "+", "join")


def person_remove(asked: Asked) -> Interpretation | None:
    """Remind somebody no longer; a day that is taken away is left out."""
    if asked.reading.has("WHEN") and not asked.reading.has("PERSON"):
        return skip(asked)
    return _person(asked, "-", "leave")


def person_set(asked: Asked) -> Interpretation | None:
    """Remind other people instead."""
    if not asked.reading.has("PERSON"):
        return None
    pieces = [piece.strip() for piece in asked.reading.pieces("PERSON")]
    people = _people_with_replacement(asked, asked.words.joint.join(pieces)) or people_of(asked)
    return update(asked, {"person": people or asked.turn.message.sender.name})


def _people_with_replacement(asked: Asked, names: str = "") -> str:
    """Return who is reminded where one of them is replaced: Bob for Ann in "swap Ann for Bob", 把阿芳换成大勇.

    `names` are those that are tagged as people; Chinese ones may stand untagged around the word that replaces.
    """
    reminder = named_reminder(asked) if asked.names(asked.words.replacing) else None
    people = [] if reminder is None else [each.name.lstrip("@") for each in reminder.targets]
    ahead, names = (names, names) if asked.words.joint else _around_replacing(asked)
    gone = next((name for name in people if asked.words.fold(name) in asked.words.fold(ahead)), "")
    left = re.sub(re.escape(gone), " ", names, flags=re.IGNORECASE) if gone else ""
    for word in sorted(asked.words.replacing, key=len, reverse=True):
        left = left.replace(word, " ")
    new = " ".join(left.split())
    joint = f" {asked.words.and_joint} " if asked.words.joint else asked.words.and_joint
    return joint.join([*(name for name in people if name not in {gone, new}), new]) if new else ""


def _around_replacing(asked: Asked) -> tuple[str, str]:
    """Return the words right in front of one that replaces, and those behind it up to a mark: 小王，换成大勇."""
    text = asked.reading.text
    word = next((each for each in sorted(asked.words.replacing, key=len, reverse=True) if each in text), "")
    before, _, behind = text.partition(word) if word else ("", "", "")
    ahead = re.split(f"[{_MARKS}]", before.rstrip(_MARKS))[-1]
    return ahead, re.split(f"[{_MARKS}]", behind.lstrip(_MARKS))[0]


def _person(asked: Asked, sign: str, own: str) -> Interpretation | None:
    if asked.names(asked.words.both_of_us) and not asked.reading.has("PERSON"):
        return update(asked, {"person": f"{sign}{both_of_us(asked)}"})
    if not asked.reading.has("PERSON"):
        return None
    who = people_of(asked)
    if who is not None and asked.words.fold(who) in asked.words.pronouns:
        return None
    return state_of(asked, own) if who is None else update(asked, {"person": f"{sign}{who}"})


def skip(asked: Asked) -> Interpretation | None:
    """Leave out a day of one that repeats; days that come again are left out for good."""
    words = _days_of(asked) or _weekday_named(asked) or untagged_time(asked)
    only = _only_time(asked, words)
    if only is not None:
        return leave(asked) if only.creator.id != asked.turn.message.sender.id else delete(asked)
    rest = _without_clock(asked) if _is_clock_alone(words, asked) else None
    if rest is not None:
        return rest
    references = [_repeating(name, asked) for name in references_of(asked) if not name.startswith("next")]
    arguments: dict[str, object] = {"reminder_id": ", ".join(references), "skip": words or "next"}
    named = weekdays_in(words, asked.now, asked.language, asked.times) if words else frozenset()
    is_rule = bool(words) and bool(are_all(words, asked.now, asked.language, asked.times))
    # "No stretching on Monday" is one day, with "Mondays" all of them; 周一 may be either.
    is_one_day = bool(asked.words.joint) and asked.reading.has("REF")
    is_skipped = is_one_day or asked.names(asked.words.skipping)
    if named and (is_rule or len(named) > 1):
        del arguments["skip"]
    if named and not ("skip" in arguments and is_skipped):
        arguments["days"] = f"-{words}"
    return asked.answering.one("reminder_update", arguments)


def _is_clock_alone(words: str, asked: Asked) -> bool:
    """Return whether words of time name a clock or a part of the day and no day."""
    best = next((each.best for each in asked.read(words)), None) if words else None
    return best is not None and not best.has_day and best.rrule is None


def _repeating(name: str, asked: Asked) -> str:
    """Return the id of the only reminder called `name` that repeats; else the name."""
    found = () if asked.known is None else asked.known.named(name)
    again = [each for each in found if each.schedule.rule is not None]
    return again[0].id if len(found) > 1 and len(again) == 1 else name


def _only_time(asked: Asked, words: str) -> Reminder | None:
    """Return the reminder that is named, where it comes only once, on the day that `words` name."""
    reminder = named_reminder(asked) if asked.reading.has("REF") else None
    if reminder is None or asked.known is None or reminder.schedule.rule is not None:
        return None
    return reminder if not words or asked.known.due(words, (reminder,)) else None


def _weekday_named(asked: Asked) -> str:
    """Return the shortest untagged words that name a day of the week, which is no time by itself: 周日不用."""
    tokens, tags = asked.reading.tokens, asked.reading.tags
    for length in range(1, _LONGEST_WEEKDAY + 1):
        for first in range(len(tokens) - length + 1):
            last = first + length
            words = asked.reading.text[tokens[first].start : tokens[last - 1].end]
            is_open = set(tags[first:last]) == {NO_TAG}
            if is_open and weekdays_in(words, asked.now, asked.language, asked.times):
                return words
    return ""


def _days_of(asked: Asked) -> str:
    """Return the words of the days that are left out; of two for one day, the last: "next week, skip the 2nd"."""
    pieces = [
        slots.bare_time(each, asked.words) for each in asked.reading.pieces("WHEN") or asked.reading.pieces("OLD")
    ]
    whole = asked.words.joint.join(pieces)
    if len(pieces) <= 1 or slots.one_time(pieces, asked.words, asked.read) is not None:
        return whole
    if len(weekdays_in(whole, asked.now, asked.language, asked.times)) > 1:
        return whole
    alone = [each for each in pieces if slots.one_time([each], asked.words, asked.read) is not None]
    return alone[-1] if alone else whole


def keep_days(asked: Asked) -> Interpretation | None:
    """Let one that repeats come on some days of the week only; one that comes once is moved to them."""
    words = slots.bare_time(_without_reasons(asked).reading.words("WHEN"), asked.words)
    if asked.last_set is not None and not repeats(asked.last_set) and not references_of(asked):
        return move(asked)
    return update(asked, {"days": words}) if words else None


def add_days(asked: Asked) -> Interpretation | None:
    """Let one that repeats come on more days of the week; of one that does not, set another one."""
    words = slots.bare_time(asked.reading.words("WHEN"), asked.words)
    if words.startswith("上") and asked.folded_text.partition(words)[0].endswith("加"):  # 加上周三 is no last week
        words = words.removeprefix("上")
    is_repeating = asked.last_set is not None and repeats(asked.last_set)
    if not words or (asked.last_set is not None and not is_repeating and not references_of(asked)):
        return repeat_last(asked)
    return update(asked, {"days": f"+{words}"})


def until(asked: Asked) -> Interpretation | None:
    """Let one that repeats end on a day, or after some times."""
    if asked.reading.has("UNTILDONE") and not asked.reading.has("UNTIL"):
        return nag(asked)
    before = _day_before(asked)
    if before:
        return update(asked, {"until": before})
    end = end_of(asked)
    if end.startswith("COUNT="):
        return update(asked, {"times": int(end.removeprefix("COUNT="))})
    if end and asked.length(asked.reading.words("UNTIL")) is not None:  # "for two weeks"
        last = datetime.strptime(end.removeprefix("UNTIL="), "%Y%m%dT%H%M%S%z").astimezone(asked.now.tzinfo)
        return update(asked, {"until": f"{last:%Y-%m-%d}"})
    words = asked.reading.words("UNTIL") or asked.reading.words("WHEN")
    if slots.is_figure(words) and asked.names(asked.words.times):
        return update(asked, {"times": int(re.sub(r"\D", "", words))})
    found = asked.read(words) if words else ()
    if found and slots.one_time([words], asked.words, asked.read) is None:
        words = slots.time_words(words, found[0]).words  # "until Sunday when the event ends"
    return update(asked, {"until": words}) if found else None


def _day_before(asked: Asked) -> str:
    """Return the last day of one that is not to come from a day on: "stop it from tomorrow on"."""
    times = slots.times(asked.reading.pieces("FROM"), asked.words, asked.read)
    best = times[0].best if len(times) == 1 else None
    return f"{best.start - timedelta(days=1):%Y-%m-%d}" if best is not None and best.has_day else ""


def stop_repeating(asked: Asked) -> Interpretation | None:
    """Let one that repeats come once more only; with a time, only one occurrence is moved: "at 7, just this once"."""
    times = {token for token in asked.reading.tokens if is_time(token)}
    if times and asked.names(asked.words.only_once):
        pairs = zip(asked.reading.tokens, asked.reading.tags, strict=True)
        return _move_once(asked.with_tags("WHEN" if token in times else tag for token, tag in pairs))
    return update(asked, {"type": "once"})


def urgent(asked: Asked) -> Interpretation | None:
    """Say a reminder in quiet hours as well."""
    return update(asked, {"urgent": True})


def not_urgent(asked: Asked) -> Interpretation | None:
    """Keep a reminder out of quiet hours."""
    return update(asked, {"urgent": False})


def nag(asked: Asked) -> Interpretation | None:
    """Repeat a reminder until it is done."""
    lengths = [asked.length(piece) for piece in _amounts(asked)]
    return update(asked, {"until_done": interval_minutes(next(filter(None, lengths), None))})


def _amounts(asked: Asked) -> list[str]:
    """Return the words for an interval without "every"."""
    pieces = asked.reading.pieces("WHEN")
    return [*pieces, *(slots.without_words(piece, asked.words.each, asked.words.joint) for piece in pieces)]


def catch_up(asked: Asked) -> Interpretation | None:
    """Choose what of a repeating one is said when the bot was down."""
    return update(asked, {"missed": asked.reading.intent.removeprefix("catch_up_")})
