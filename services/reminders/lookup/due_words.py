"""Find reminders by their due time in words: "the 5pm one", "tomorrow's", 明天早上的."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from services.recurrence.fires import just_before, load_zone_or_utc, next_fires
from services.recurrence.rules import parse_rule
from services.reminders.model import Reminder
from services.time_expressions import Grain, Reading, ReadTimes

_MORNING, _NOON, _AFTERNOON, _EVENING = (4, 12), (11, 14), (12, 18), (17, 24)
_HOURS_OF_PARTS = {
    "dawn": (0, 8),
    "early": _MORNING,
    "morning": _MORNING,
    "forenoon": _MORNING,
    "noon": _NOON,
    "after_noon": _AFTERNOON,
    "afternoon": _AFTERNOON,
    "after_school": _AFTERNOON,
    "dusk": _EVENING,
    "evening": _EVENING,
    "night": _EVENING,
    "late": (20, 24),
}
# Words beside the time words that are not content: "(for) tomorrow('s one)", (明天)的那个.
_SMALL_WORDS = re.compile(
    r"\b(?:the|my|our|for|on|at|in|of|due|ones?|reminders?|próxim[oa]s|el|las?|del?)\b|'s\b|s'"
    r"|的|那个|那条|这个|提醒|设在|在|[^\w]",
    re.IGNORECASE,
)

_ONE = re.compile(r"\bones?\s*$", re.IGNORECASE)
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{2})(?![\d.])")  # a clock: "the 8.30 one"
_WEEKEND = re.compile(r"\bweekend|\bfin de semana|\bfinde\b|周末|週末", re.IGNORECASE)
_FROM_NOW = re.compile(r"\b(?:next|coming|próxim[oa]s?)\b|未来|接下来|今后|往后", re.IGNORECASE)
_UP_TO = re.compile(r"^(?:before|by|antes)\b|前$", re.IGNORECASE)
_SATURDAY = 5
_HALF_DAY = 12
_MAX_MONTHS = 6
"""The months behind the next one in which a day of the month is looked for."""


class DueWords(Struct, frozen=True, kw_only=True):
    """Resolved time words and the words beside them.

    `rest` are words of the content ("5pm meeting"); `readings` are in the zone of one reminder. `others` count where
    these fit nothing: those of an ambiguous clock time ("the 4 o'clock one") in the other half of the day, or those of
    a day without a month ("the one on the 15th") in the months behind the next one.
    """

    rest: str
    readings: tuple[Reading, ...]
    others: tuple[Reading, ...] = ()

    def fit(self, reminder: Reminder) -> bool:
        """Return whether one of the next fires of `reminder` is at the time of the words."""
        return self.find_fire(reminder) is not None

    def find_fire(self, reminder: Reminder) -> datetime | None:
        """Return the first of the next fires of `reminder` at the time of the words; None for none."""
        zone = load_zone_or_utc(reminder.schedule.zone)
        fires = (fire.astimezone(zone) for fire in (*reminder.next_fires, *self._later(reminder)))
        return next((fire for fire in fires if any(fits_time(fire, reading) for reading in self.readings)), None)

    def _later(self, reminder: Reminder) -> Iterator[datetime]:
        """Yield the first fire from each named day on that is after `next_fires`."""
        if reminder.next_fires and reminder.schedule.is_repeated:
            for reading in self.readings:
                midnight = reading.start.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
                day = midnight.replace(tzinfo=load_zone_or_utc(reminder.schedule.zone)).astimezone(UTC)
                if reading.has_day and day > reminder.next_fires[-1]:
                    yield from next_fires(reminder.schedule, just_before(day), 1)


def due_words(words: str, now: datetime, zone: str, times: ReadTimes) -> DueWords | None:
    """Read `words` in `zone` at `now` (timezone-aware) with `times`; None if they are not one time."""
    words = _DOTTED.sub(r"\1:\2", _ONE.sub("", words))
    found = times(words, now.astimezone(load_zone_or_utc(zone)), eager=True)
    readings = tuple(
        _whole(reading, words, now.astimezone(load_zone_or_utc(zone)))
        for expression in found
        for reading in expression.readings
        if reading.rrule is None
    )
    if len(found) != 1 or not readings:
        return None
    rest = words
    for start, end in sorted(readings[0].spans, reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    other = _in_other_half(words, readings[0], now.astimezone(load_zone_or_utc(zone)), times)
    other = other or _in_later_months(words, readings[0], times)
    return DueWords(rest=" ".join(_SMALL_WORDS.sub(" ", rest).split()), readings=readings, others=other)


def _in_other_half(words: str, reading: Reading, now: datetime, times: ReadTimes) -> tuple[Reading, ...]:
    """Return the readings of an ambiguous clock time in the half of the day that `reading` does not have.

    The next time is read: from midnight that of the morning, from noon that of the afternoon.
    """
    if reading.has_day or not reading.has_clock:
        return ()
    begin = _HALF_DAY if reading.start.hour < _HALF_DAY else 0
    found = times(words, now.replace(hour=begin, minute=0), eager=True)
    return tuple(
        other for every in found for other in every.readings if abs(other.start.hour - reading.start.hour) == _HALF_DAY
    )


def _in_later_months(words: str, reading: Reading, times: ReadTimes) -> tuple[Reading, ...]:
    """Return the readings of a day of the month without its month in the months after that of `reading`.

    Read a day later, the words name the same day of another month.
    """
    later: list[Reading] = []
    while reading.has_day and len(later) < _MAX_MONTHS:
        before = reading.start
        found = times(words, before + timedelta(days=1), eager=True)
        following = found[0].best if len(found) == 1 else None
        if following is None or following.start.day != before.day or following.start.month == before.month:
            break
        later.append(following)
        reading = following
    return tuple(later)


def find_due(
    words: str, here: Sequence[Reminder], now: datetime, times: ReadTimes
) -> tuple[list[Reminder], str] | None:
    """Return the reminders of `here` due at the time in `words`, and the rest of the words; None without a time."""
    fits: list[Reminder] = []
    rest = ""
    for zone in dict.fromkeys(reminder.schedule.zone for reminder in here):
        read = due_words(words, now, zone, times)
        if read is None:
            return None
        rest = read.rest
        of_zone = [reminder for reminder in here if reminder.schedule.zone == zone]
        fits += [reminder for reminder in of_zone if read.fit(reminder)] or [
            reminder for reminder in of_zone if replace(read, readings=read.others).fit(reminder)
        ]
    return [reminder for reminder in here if reminder in fits], rest


def find_by_rule(words: str, here: Sequence[Reminder], now: datetime, times: ReadTimes) -> list[Reminder]:
    """Return the reminders of `here` whose rule has all parts of the one in `words`, which have nothing else."""
    words = _ONE.sub("", words)
    found = times(words, now, eager=True)
    reading = found[0].readings[0] if len(found) == 1 and found[0].readings else None
    rule = None if reading is None or reading.rrule is None else parse_rule(reading.rrule)
    if reading is None or rule is None or (reading.has_clock and not rule.is_elapsed):
        return []
    between = (words[end:start] for (_, end), (start, _) in pairwise([(0, 0), *sorted(reading.spans), (len(words), 0)]))
    if any(_SMALL_WORDS.sub(" ", piece).split() for piece in between):
        return []
    wanted = rule.pattern.parts.items()
    return [each for each in here if each.schedule.rule is not None and wanted <= each.schedule.rule.parts.items()]


def is_weekend(reading: Reading, words: str) -> bool:
    """Return whether `words` mean both days of a weekend; the reading has only the first."""
    return reading.start.weekday() == _SATURDAY and reading.end is None and _WEEKEND.search(words) is not None


def _whole(reading: Reading, words: str, now: datetime) -> Reading:
    """Return the whole of a weekend, of the days from `now` on ("next 3 days") and of those up to one ("by Friday")."""
    is_from_now = reading.has_clock and reading.start.time() == now.time() and _FROM_NOW.search(words) is not None
    is_end = reading.grain is Grain.DAY and not reading.has_clock and _UP_TO.search(words.strip()) is not None
    if reading.end is None and reading.start > now and (is_from_now or is_end):
        end = reading.start if is_from_now else reading.start.replace(hour=0, minute=0) + timedelta(days=1)
        return reading._replace(start=now, end=end, has_clock=True)
    return reading._replace(end=reading.start + timedelta(days=1, hours=1)) if is_weekend(reading, words) else reading


def fits_time(fire: datetime, reading: Reading) -> bool:
    """Return whether a fire matches the day, clock time and part of the day of a reading."""
    if reading.has_day and not _is_on(fire.date(), reading):
        return False
    if reading.end is not None and reading.has_clock:
        return reading.start <= fire < reading.end
    if reading.has_clock:
        return (fire.hour, fire.minute) == (reading.start.hour, reading.start.minute)
    hours = _HOURS_OF_PARTS.get(reading.part)  # None if no part of the day was named
    return hours is None or hours[0] <= fire.hour < hours[1]


def _is_on(day: date, reading: Reading) -> bool:
    named = reading.start.date()
    if reading.grain is Grain.WEEK:
        return day.isocalendar()[:2] == named.isocalendar()[:2]
    if reading.grain in {Grain.MONTH, Grain.QUARTER}:
        return (day.year, day.month) == (named.year, named.month)
    if reading.grain is Grain.YEAR:
        return day.year == named.year
    last = named if reading.end is None else (reading.end - timedelta(seconds=1)).date()
    return named <= day <= last
