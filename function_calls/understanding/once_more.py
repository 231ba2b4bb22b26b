"""Set what was just set for another time as well: "and on Friday too", 提前一周也提醒我."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from function_calls.understanding.carried_days import halves
from function_calls.understanding.clauses import LONGEST
from function_calls.understanding.corrections import at_clock
from function_calls.understanding.matching import Match
from function_calls.understanding.reminder_request import ReminderReader, ReminderRequest
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests import Ear
from function_calls.understanding.same_time import without_same_time
from function_calls.understanding.time_words import TimeWords
from services.recurrence.fires import next_after
from services.recurrence.rules import WEEKDAYS
from services.recurrence.schedule import Schedule, read_schedule, rule_text
from services.time_expressions import Reading

_CLOCK = re.compile(r"(\d\d):(\d\d)")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_SHIFT = re.compile(r"([+-])(\d+):(\d\d)")
_RULE_CLOCK = re.compile(r"BYHOUR=[\d,]+;BYMINUTE=[\d,]+")
_WITHIN_A_DAY = re.compile(r"HOURLY|MINUTELY|SECONDLY|BYSETPOS|COUNT")
"""Rules of which another clock is another rule: of what comes so many times, the last one is another day."""
_UNTIL = re.compile(r"UNTIL=(\d{8}T\d{6})Z")
_STAMP = "%Y%m%dT%H%M%S"
_WRITTEN = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")


class JustSet(Struct, frozen=True, kw_only=True):
    """What was set last: of what, for whom, None for the one who asked, and when, if that is one known time.

    `wall` is the clock of the one who asked; `is_moved` says that, said once, it was set at another time first, and
    `clock` are the words of the hour it was moved to, where they leave open which half of the day is meant. What is
    said of other days of one that `is_repeating` changes its days; `rule` is the RRULE of one of which it is known, and
    `first` its first time where the rule alone does not tell the days.
    """

    content: str
    person: str | None = None
    wall: datetime | None = None
    is_moved: bool = False
    clock: str = ""
    is_repeating: bool = False
    rule: str = ""
    first: datetime | None = None

    def is_ahead_of(self, other: "JustSet") -> bool:
        """Whether it is of the same before the other: what is said then of a day before is of the other one."""
        is_same = (self.content, self.person) == (other.content, other.person)
        return is_same and self.wall is not None and other.wall is not None and self.wall < other.wall

    def is_coming(self, now: datetime) -> bool:
        """Whether it is not known to have been said: what was is put off instead."""
        return self.wall is None or self.wall > now.replace(tzinfo=None)


def just_set(call: ToolCall, before: JustSet | None) -> JustSet | None:
    """What `call` has set, or has made of what was set `before`; None where that is not told."""
    told = call.arguments
    wall = _wall(str(told.get("time", ""))) if "rrule" not in told and told.get("type", "once") == "once" else None
    if call.name == "reminder_set":
        person = None if told.get("person") is None else str(told["person"])
        made = JustSet(
            content=str(told["content"]),
            person=person,
            wall=wall,
            is_repeating=_repeats(told),
            rule=_rule(told),
            first=_wall(str(told.get("time", ""))),
        )
        return before if before is not None and made.is_ahead_of(before) else made
    if before is None or call.name != "reminder_update" or told.keys() & {"added", "reminder_id"}:
        return None
    is_moved = (before.is_moved or before.wall is not None) and not told.keys() & {"rrule", "type", "weekday"}
    moved_to = str(told.get("time", ""))
    is_known = _CLOCK.fullmatch(moved_to) or _DAY.fullmatch(moved_to) or _SHIFT.fullmatch(moved_to)
    clock = "" if wall or is_known else moved_to or before.clock
    wall = wall or _moved(before.wall, moved_to) if is_moved else wall
    content = str(told.get("content", before.content))
    is_repeating = _repeats(told) or (before.is_repeating and told.get("type") != "once")
    return JustSet(
        content=content,
        person=before.person,
        wall=wall,
        is_moved=is_moved,
        clock=clock,
        is_repeating=is_repeating,
        rule=(_rule(told) or ("" if told.get("type") == "weekly" else before.rule)) if is_repeating else "",
        first=before.first or before.wall,
    )


def _repeats(told: Mapping[str, object]) -> bool:
    return "rrule" in told or told.get("type", "once") != "once"


def _rule(told: Mapping[str, object]) -> str:
    """The RRULE that arguments name; nothing for none, and for one that is not known from them alone."""
    if "rrule" in told:
        return str(told["rrule"])
    weekday = told.get("weekday")
    if told.get("type") == "weekly":
        return f"FREQ=WEEKLY;BYDAY={WEEKDAYS[weekday]}" if isinstance(weekday, int) else ""
    return "FREQ=DAILY" if told.get("type") == "daily" else ""


def once_more(text: str, last: JustSet, ear: Ear) -> tuple[ReminderRequest, ...]:
    """The reminders of the same for the times that `text` names, where it says that and nothing else."""
    plain = ear.forms(text)[1]
    last = replace(last, wall=_exact(last, ear))
    if len(plain) > LONGEST:
        return ()
    clause = ear.clause(without_same_time(plain, ear.pack))
    folded = ear.pack.fold(clause.text)
    rest = ear.pack.alike.sub(" ", folded)
    reader = ReminderReader(clause, ear.pack, ear)
    if rest == folded or not clause.times or reader.remainder(rest):
        return ()
    leads = [time.lead for time in clause.times if time.lead is not None]
    if leads:
        early = _ahead(last, leads[0], ear) if len(clause.times) == 1 else None
        return () if early is None else (_same(last, replace(clause.times[0], readings=(early,), lead=None)),)
    found = reader.read(Match(intent="reminder_set", slots={"content": rest}))
    times = [each.time for each in found if each.time is not None and each.time.best is not None]
    if not ear.pack.just_once.search(folded):
        times = [_as_often(last, time, ear) or time for time in times]
    return tuple(_same(last, time) for time in times)


def _as_often(last: JustSet, time: TimeWords, ear: Ear) -> TimeWords | None:
    """The clock that `time` is, as often as the last one comes; None where it is more, or that one comes once."""
    best = time.best
    is_clock = best is not None and best.has_clock and not (best.has_day or best.rrule or best.end)
    daily = ear.repeat(time) if is_clock and last.rule and not _WITHIN_A_DAY.search(last.rule) else None
    if daily is None or daily.best is None:
        return None
    schedule = _at(daily.best.start, last, ear)
    coming = next_after(schedule, ear.now)
    if coming is None:
        return None
    reading = daily.best._replace(start=coming.astimezone(ear.now.tzinfo), rrule=rule_text(schedule))
    return replace(daily, readings=(reading,), is_ambiguous=False)


def _at(clock: datetime, last: JustSet, ear: Ear) -> Schedule:
    """When the last one comes, at the time of `clock`; every other week is counted from its own first day."""
    is_counted = "INTERVAL" in last.rule or "FREQ" not in last.rule
    first = last.first if last.first is not None and is_counted else ear.now.replace(tzinfo=None)
    start = first.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    rule = _RULE_CLOCK.sub(f"BYHOUR={clock.hour};BYMINUTE={clock.minute}", last.rule)
    rule = _UNTIL.sub(lambda until: _to_the_end_of(until[1], ear), rule)
    return read_schedule(start, zone_name(ear.now.tzinfo or UTC), rule)


def _to_the_end_of(until: str, ear: Ear) -> str:
    """The end of a rule, put off to the end of its day there, so that the last day has each clock."""
    last = datetime.strptime(until, _STAMP).replace(tzinfo=UTC).astimezone(ear.now.tzinfo)
    return f"UNTIL={last.replace(hour=23, minute=59, second=59).astimezone(UTC):{_STAMP}}Z"


def _same(last: JustSet, time: TimeWords) -> ReminderRequest:
    """What was set last at another time; a day without a clock keeps the clock that it had."""
    best = time.best
    if best is not None and last.wall is not None and not best.has_clock and not best.part:
        clock = best._replace(start=best.start.replace(hour=last.wall.hour, minute=last.wall.minute, second=0))
        time = replace(time, readings=(at_clock(best, clock),), is_ambiguous=False)
    return ReminderRequest(content=last.content, person=last.person, time=time)


def _exact(last: JustSet, ear: Ear) -> datetime | None:
    """When the last one is, of a bare hour in the half of the day in which it was before."""
    times = ear.clause(last.clock).times if last.clock else ()
    best = times[0].best if len(times) == 1 else None
    if last.wall is None or best is None:
        return last.wall
    both = [last.wall.replace(hour=half.start.hour, minute=half.start.minute) for half in halves(best)]
    wall = last.wall
    return min(both, key=lambda half: abs(half - wall))


def _ahead(last: JustSet, lead: timedelta, ear: Ear) -> Reading | None:
    """The time that is `lead` before the last one."""
    if last.wall is None:
        return None
    found = ear.read_times(f"{last.wall - lead:{_WRITTEN[0]}}", ear.now, language=ear.pack.language)
    return found[0].best if len(found) == 1 else None


def _moved(before: datetime | None, written: str) -> datetime | None:
    """The time that `before` becomes where a clock is named, or a day, or by how much; else the same."""
    if before is None or not written:
        return before
    clock, day = _CLOCK.fullmatch(written), _DAY.fullmatch(written)
    if clock is not None:
        return before.replace(hour=int(clock[1]), minute=int(clock[2]))
    if day is not None:
        return before.replace(year=int(day[1]), month=int(day[2]), day=int(day[3]))
    shift = _SHIFT.fullmatch(written)
    if shift is not None:
        return before + int(f"{shift[1]}1") * timedelta(hours=int(shift[2]), minutes=int(shift[3]))
    return before


def _wall(written: str) -> datetime | None:
    for form in _WRITTEN:
        try:
            return datetime.strptime(written, form)  # noqa: DTZ007
        except ValueError:
            continue
    return None
