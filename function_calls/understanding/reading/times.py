"""Combine the times that the words of a message name."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import product
from operator import attrgetter
from typing import Final, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from services.recurrence.rules import WEEKDAYS
from services.reminders.lookup.due_words import fits_time
from services.time_expressions import Grain, Reading, ReadTimes, TimeReadings

Span = tuple[int, int]

_MAX_INTENTS_TRIED: Final = 3
_LARGE: Final = re.compile(r"[2-9]\d|十")
_TENS: Final = "[三四五六七八九]十"
# Numbers that can be no hour, no minute, or not the day of every month, and one that always can.
_POSSIBLE: Final = (
    (re.compile(r"(?<![\d:：])(?:2[5-9]|[3-9]\d)(?=[:：]\d|\s*[点點时時])"), "5"),
    (re.compile(r"(?<=\d[:：点點时時])[6-9]\d(?!\d|分[钟鐘])"), "05"),
    (re.compile(r"(?<![\d:：.])(?:29|[3-9]\d)(?![\d:：.])"), "28"),
    (re.compile(rf"(?:二十[五六七八九]|{_TENS}[一二三四五六七八九]?)(?=[点點时時])"), "五"),
    (re.compile(r"(?<=[点點时時])[六七八九]十[一二三四五六七八九]?(?=分(?![钟鐘]))"), "五"),
    (re.compile(rf"(?:二十九|{_TENS}[一二三四五六七八九]?)(?=[号號日])"), "二十八"),
)

_DAY = timedelta(days=1)

HOURS_A_HALF = 12
_LATE_PARTS, _DAWN = frozenset({"evening", "night"}), 5
_PLACE = re.compile(r"([1-4])([A-Z]{2})")
_PICKED = frozenset({"BYHOUR", "BYMINUTE", "BYSETPOS"})


class TimeWords(Struct, frozen=True, kw_only=True):
    """Words that name a time.

    Attributes:
        words: As written, the parts joined by spaces.
        readings: Their possible times, best first.
        is_ambiguous: Two readings differ, and the person should be asked.
    """

    words: str
    readings: tuple[Reading, ...]
    is_ambiguous: bool = False

    @property
    def best(self) -> Reading:
        """Return the preferred reading."""
        return self.readings[0]


def split_rule(rrule: str | None) -> dict[str, str]:
    """Return the values of a repetition rule by the names of its parts; empty for None."""
    return dict(part.split("=", 1) for part in (rrule or "").split(";") if "=" in part)


def parse_until(text: str, zone: tzinfo | None) -> datetime:
    """Return the instant of `UNTIL` in a rule, such as 20261224T225959Z, in `zone`."""
    return datetime.strptime(text, "%Y%m%dT%H%M%S%z").astimezone(zone)


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return `text` with a space in place of each character within `spans`."""
    covered = {at for start, end in spans for at in range(start, end)}
    return "".join(" " if at in covered else letter for at, letter in enumerate(text))


def parse_whole_time(words: str, now: datetime, language: str, read: ReadTimes) -> Reading | None:
    """Return the time that the whole of `words` names; None where they name none, several, or have other words."""
    expressions = read(words, now, language=language)
    best = expressions[0].best if len(expressions) == 1 else None
    if best is None:
        return None
    return None if any(map(str.isalnum, blank_spans(words, best.spans))) else best


def complete_times(times: Sequence[TimeWords]) -> list[TimeWords]:
    """Return `times` with the clock or the part of the day of the last, or several with the first day.

    "On tuesday and thursday at 5pm", 周四、周五晚上.
    """
    last = times[-1].best if times else None
    if last is None or not (last.has_clock or last.part) or last.rrule:
        return list(times)
    day, *clocks = (time.best for time in times)
    if len(clocks) > 1 and names_only_day(day) and not any(clock.has_day or clock.rrule for clock in clocks):
        return [replace(time, readings=tuple(set_clock(day, each) for each in time.readings)) for time in times[1:]]
    return [_copy_clock(times[-1], time) for time in times]


def unite_repetitions(times: Sequence[TimeWords]) -> list[TimeWords]:
    """Return two repetitions as one where the second tells the clock: "every two weeks, on Fridays at 12"."""
    if len(times) != 2:
        return list(times)
    first, second = times[0].best, times[1].best
    if first.rrule is None or second.rrule is None or first.has_clock or not second.has_clock:
        return list(times)
    parts, others = split_rule(first.rrule), split_rule(second.rrule)
    if "INTERVAL" not in parts:
        return list(times)
    if parts.get("FREQ") == others.get("FREQ"):
        others["INTERVAL"] = parts["INTERVAL"]
    rule = ";".join(f"{name}={value}" for name, value in others.items())
    words = f"{times[0].words} {times[1].words}"
    return [replace(times[1], words=words, readings=(second._replace(rrule=rule),))]


def split_clocks(time: TimeWords) -> list[TimeWords]:
    """Split a repetition with single clock times into one time for each: "at 9:15 and at 17:45"."""
    best = time.best
    parts = split_rule(best.rrule)
    if parts.get("FREQ") == "MONTHLY" or not parts.keys() >= _PICKED:
        return [time]  # of a month, it is days that are picked: "on the last workday at 4pm"
    return [replace(time, readings=(one,)) for one in _expand_clocks(best, parts)]


def move_to_day(reading: Reading, day: date) -> Reading:
    """Return `reading` at its clock time on `day`, its end being moved with its start."""
    start = reading.start.replace(year=day.year, month=day.month, day=day.day)
    return reading._replace(start=start, end=reading.end and start + (reading.end - reading.start))


def set_clock(day: Reading, clock: Reading) -> Reading:
    """Return `day`, or the repetition that it is, at the clock time of `clock`."""
    at = clock.start
    parts = (day.rrule or "").split(";")
    replaced = ("BYHOUR", "BYMINUTE") if "FREQ=MONTHLY" in parts or "FREQ=YEARLY" in parts else tuple(_PICKED)
    others = [part for part in parts if part and not part.startswith(replaced)]
    rule = ";".join([*others, f"BYHOUR={at.hour}", f"BYMINUTE={at.minute}"]) if day.rrule else None
    start = day.start.replace(hour=at.hour, minute=at.minute, second=at.second)
    return day._replace(start=start, rrule=rule, has_clock=True, grain=clock.grain)


def keep_clock_in_part(reading: Reading, fires: Sequence[datetime]) -> Reading:
    """Return a part of the day as the clock of one of `fires` in it: "Tuesday morning" of a reminder at 7 is at 7.

    A part alone may be the other half of the day: "evening, I mean" of one at 7:30 is 19:30. The hours behind midnight
    are in every night and evening. A part that has neither is returned as it is.
    """
    if reading.has_clock or not reading.part:
        return reading
    part = reading._replace(has_day=False, rrule=None)
    due = next((each for each in fires if fits_time(each, part)), fires[0])
    is_late = (reading.rrule or "").startswith("FREQ=DAILY") and reading.part in _LATE_PARTS and due.hour < _DAWN
    other = due.replace(hour=(due.hour + HOURS_A_HALF) % (2 * HOURS_A_HALF))
    if not (is_late or fits_time(due, part)):
        if reading.has_day or other.hour < _DAWN or not fits_time(other, part):
            return reading
        due = other
    return set_clock(reading._replace(part="", end=None), part._replace(start=due, grain=Grain.MINUTE))


def is_clock_alone(reading: Reading) -> bool:
    """Return whether a reading names a clock and neither a day nor a repetition."""
    return reading.rrule is None and reading.has_clock and not reading.has_day


def names_hour(reading: Reading) -> bool:
    """Return whether a time names a clock or a part of the day."""
    return reading.has_clock or bool(reading.part)


def names_single_day(reading: Reading | None) -> TypeGuard[Reading]:
    """Return whether a time names a day and does not repeat."""
    return reading is not None and reading.has_day and reading.rrule is None


def names_only_day(reading: Reading | None) -> TypeGuard[Reading]:
    """Return whether a time names a day, no clock and no part of the day, and does not repeat."""
    return names_single_day(reading) and not names_hour(reading)


def list_halves(reading: Reading) -> tuple[Reading, ...]:
    """Return `reading` at the same figure in the morning and in the evening of its day."""
    hour = reading.start.hour % HOURS_A_HALF
    return tuple(
        reading._replace(start=reading.start.replace(hour=each), end=None) for each in (hour, hour + HOURS_A_HALF)
    )


def choose_nearer_half(clock: Reading, other: datetime) -> Reading:
    """Return `clock` in the half of its day that is nearer to the clock time of `other`."""
    minutes = other.hour * 60 + other.minute
    return min(list_halves(clock), key=lambda half: abs(half.start.hour * 60 + half.start.minute - minutes))


def _copy_clock(last: TimeWords, time: TimeWords) -> TimeWords:
    """Return a day alone at the clock of the `last` time, as ambiguous as that; other times as they are."""
    day = time.best
    if names_hour(day) or day.rrule:
        return time
    starts = [day.start.replace(hour=each.start.hour, minute=each.start.minute) for each in last.readings]
    readings = tuple(
        day._replace(start=start, has_clock=clock.has_clock, part=clock.part, grain=clock.grain)
        for start, clock in zip(starts, last.readings, strict=True)
    )
    return replace(time, readings=readings, is_ambiguous=last.is_ambiguous)


def _expand_clocks(reading: Reading, parts: dict[str, str]) -> Iterator[Reading]:
    """Yield the repetition at each of the clocks that its `BYSETPOS` picks, as one rule for each."""
    hours, minutes, places = ([int(number) for number in parts.pop(name).split(",")] for name in sorted(_PICKED))
    clocks = list(product(hours, minutes))
    bare = ";".join(f"{name}={value}" for name, value in parts.items())
    for hour, minute in (clocks[place - 1] for place in places):
        start = reading.start.replace(hour=hour, minute=minute)
        start = start if start >= reading.start else start + timedelta(days=1)
        yield reading._replace(start=start, rrule=f"{bare};BYHOUR={hour};BYMINUTE={minute}")


def carry_days(times: Iterable[tuple[str, tuple[Reading, ...]]], now: datetime) -> Iterator[tuple[Reading, ...]]:
    """Yield the readings of the times of one message; those that name no day are on the one named last.

    `now` is timezone-aware. A time that would be over by then stays as it was read. An hour that leaves its half of the
    day open is the first one after the time before: "wake me at 7am tomorrow, and at 8 remind me to eat", and without a
    day "at 7 to feed him and at 10 to let him out".
    """
    before: Reading | None = None
    for words, readings in times:
        carried = readings
        if readings and readings[0].rrule is None and not readings[0].has_day and before is not None:
            moved = tuple(move_to_day(reading, before.start.date()) for reading in readings)
            is_open = before.has_clock and is_clock_without_half(words)
            moved = _choose_half_after(before, moved) if is_open else moved
            moved = tuple(reading for reading in moved if reading.start > now)
            is_next = before.has_day or (is_open and bool(moved) and moved[0].start < readings[0].start)
            carried = moved or readings if is_next else readings
        if carried and carried[0].rrule is None:
            has_day = carried is not readings and before is not None and before.has_day
            before = carried[0]._replace(has_day=carried[0].has_day or has_day)
        yield carried


def _choose_half_after(before: Reading, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return the first half of the day in which `readings` come after `before`; none where none does."""
    later = sorted(
        (half for reading in readings for half in list_halves(reading) if half.start > before.start),
        key=attrgetter("start"),
    )
    return tuple(later[:1])


def subtract_lead(event: TimeWords, lead: timedelta, clock: TimeWords | None) -> TimeWords | None:
    """Return the time `lead` before `event`, at `clock` where one is named; None where that is not known.

    Of an event that repeats, it is a repetition as well.
    """
    best = event.best
    if lead < _DAY and not best.has_clock:
        return None
    start = best.start - lead
    if clock is not None and lead >= _DAY:
        start = start.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    early = best._replace(start=start, has_clock=True, has_day=True)
    if best.rrule is not None:
        rule = _shift_rule(best, early.start)
        if rule is None:
            return None
        early = early._replace(rrule=rule)
    return replace(event, readings=(early,), is_ambiguous=False)


def _shift_rule(event: Reading, start: datetime) -> str | None:
    """Return the rule of `event` moved to the clock, weekday or date of `start`; None where it has several of them."""
    if "FREQ=" not in (event.rrule or ""):
        return None
    parts = split_rule(event.rrule)
    days = (start.date() - event.start.date()).days
    if any("," in parts.get(name, "") for name in ("BYHOUR", "BYMONTHDAY", "BYMONTH")):
        return None
    if "BYHOUR" in parts:
        parts |= {"BYHOUR": str(start.hour), "BYMINUTE": str(start.minute)}
    if days and "BYDAY" in parts:
        weekdays = parts["BYDAY"].split(",")
        if (place := _PLACE.fullmatch(parts["BYDAY"])) and (last := int(place[1]) * 7 + days) >= 7:
            weekdays = [place[2]]  # the day before the third Thursday is a Wednesday from the 14th to the 20th
            parts["BYMONTHDAY"] = ",".join(map(str, range(last - 6, last + 1)))
        if not all(day in WEEKDAYS for day in weekdays):
            return None
        parts["BYDAY"] = ",".join(WEEKDAYS[(WEEKDAYS.index(day) + days) % 7] for day in weekdays)
    elif days and "BYMONTHDAY" in parts:
        is_dated = "BYMONTH" in parts or not parts["BYMONTHDAY"].isdecimal()
        day = start.day if is_dated else int(parts["BYMONTHDAY"]) + days
        parts["BYMONTHDAY"] = str(day if day > 0 else day - 1)  # the day before the first is the last
    if days and "BYMONTH" in parts:
        parts["BYMONTH"] = str(start.month)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def find_impossible_times(
    text: str, taken: Collection[Span], read: Callable[[str], Sequence[TimeReadings]]
) -> Iterator[Span]:
    """Yield the spans of impossible times in `text`, such as 25:00; the spans in `taken` hold times that were read.

    A reading that begins within a number (五点 of 二十五点) was misread.
    """
    if not _LARGE.search(text):
        return
    numbers = [(match.span(), possible) for pattern, possible in _POSSIBLE for match in pattern.finditer(text)]
    unread_numbers = [
        (span, possible) for span, possible in numbers if not any(begin <= span[0] < end for begin, end in taken)
    ]
    for (start, end), possible in unread_numbers[:_MAX_INTENTS_TRIED]:
        repaired = text[:start] + possible + text[end:]
        for first, last in iterate_spans(read(repaired)):
            if first <= start and start + len(possible) <= last:
                yield first, last - len(possible) + end - start


def iterate_spans(expressions: Iterable[TimeReadings]) -> Iterator[Span]:
    """Yield the spans of the preferred reading of each time; one that is over has its past reading."""
    for expression in expressions:
        readings = expression.readings or expression.past[:1]
        yield from readings[0].spans if readings else ()
