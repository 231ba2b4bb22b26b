"""Parse and format the schedule of a reminder, with its follow-ups."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.rules import Rule, parse_rule


class FollowUp(Struct, frozen=True, kw_only=True):
    """The repetition of each fire every `every`, at most `times`, until the next fire.

    Fires up to `done_until` (UTC) are done and not repeated.
    """

    every: timedelta
    times: int
    done_until: datetime | None = None


class Schedule(Struct, frozen=True, kw_only=True):
    """The times at which a reminder fires.

    `start` is naive local time in `zone` (IANA name): DTSTART of the rule, or without a rule the only fire.
    """

    start: datetime
    zone: str
    rule: Rule | None = None
    follow_up: FollowUp | None = None

    @property
    def is_repeated(self) -> bool:
        """Return whether there may be more than one fire."""
        return self.rule is not None or self.follow_up is not None


def schedule_once(moment: datetime, zone: str) -> Schedule:
    """Return the schedule of a single fire at `moment` (timezone-aware) in `zone` (IANA name)."""
    return Schedule(start=moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None), zone=zone)


MAX_FOLLOW_UPS: Final = 48
MAX_PAUSE_MINUTES: Final = 24 * 60
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_ONCE: Final = "FREQ=DAILY;COUNT=1"
_PARTS: Final = ("NAG=", "NAGS=", "NAGAFTER=")


def read_schedule(start: datetime, zone: str, text: str) -> Schedule:
    """Parse a rule, with `NAG=10;NAGS=12;NAGAFTER=20261120T190000Z` for follow-ups.

    Raises:
        RequestRefused: as `parse_rule`; `rule_not_understood(rule, because)`: the follow-ups are out of range or
            incomplete.
    """
    own = {part.partition("=")[0].upper(): part.partition("=")[2] for part in text.split(";") if _is_own(part)}
    if not own:
        return Schedule(start=start, zone=zone, rule=parse_rule(text) if text else None)
    rule = ";".join(part for part in text.split(";") if not _is_own(part))
    if not rule:
        raise RequestRefused("rule_not_understood", rule=text, because="follow-ups without a rule")
    rule = "" if rule == _ONCE else rule
    try:
        follow_up = _follow_up(own)
    except ValueError as error:
        raise RequestRefused("rule_not_understood", rule=text, because=str(error)) from error
    return Schedule(start=start, zone=zone, rule=parse_rule(rule) if rule else None, follow_up=follow_up)


def rule_text(schedule: Schedule) -> str:
    """Return the rule and the follow-ups in the form of `read_schedule`; empty for a one-time schedule."""
    follow_up = schedule.follow_up
    rule = "" if schedule.rule is None else str(schedule.rule)
    if follow_up is None:
        return rule
    text = f"{rule or _ONCE};NAG={follow_up.every // timedelta(minutes=1)};NAGS={follow_up.times}"
    return text if follow_up.done_until is None else f"{text};NAGAFTER={follow_up.done_until.strftime(_STAMP)}"


def mark_done(schedule: Schedule, moment: datetime) -> Schedule:
    """Return `schedule` with all fires up to `moment` (timezone-aware) done; unchanged without follow-ups."""
    if schedule.follow_up is None:
        return schedule
    # Rounded up to include a fire in this second.
    whole = (moment + timedelta(seconds=1) - timedelta(microseconds=1)).astimezone(UTC).replace(microsecond=0)
    return replace(schedule, follow_up=replace(schedule.follow_up, done_until=whole))


def repeat_fires(
    follow_up: FollowUp, fires: Callable[[datetime], Iterator[datetime]], after: datetime
) -> Iterator[datetime]:
    """Yield fires and follow-ups strictly after `after`, ascending; `fires` yields fires strictly after an instant."""
    latest: datetime | None = None
    for fire in chain(fires(after - follow_up.every * follow_up.times), [None]):
        if latest is not None:
            yield from (again for again in _repeats(follow_up, latest, fire) if again > after)
        if fire is not None and fire > after:
            yield fire
        latest = fire


def _repeats(follow_up: FollowUp, fire: datetime, following: datetime | None) -> Iterator[datetime]:
    if follow_up.done_until is not None and fire <= follow_up.done_until:
        return
    for number in range(1, follow_up.times + 1):
        again = fire + follow_up.every * number
        if following is not None and again >= following:
            return
        yield again


def _is_own(part: str) -> bool:
    return part.upper().startswith(_PARTS)


def _follow_up(parts: dict[str, str]) -> FollowUp:
    minutes, times, after = (parts.get(name, "") for name in ("NAG", "NAGS", "NAGAFTER"))
    if not 1 <= int(minutes) <= MAX_PAUSE_MINUTES or not 1 <= int(times) <= MAX_FOLLOW_UPS:
        raise ValueError(f"NAG={minutes};NAGS={times}")
    done_until = datetime.strptime(after.upper(), _STAMP).replace(tzinfo=UTC) if after else None
    return FollowUp(every=timedelta(minutes=int(minutes)), times=int(times), done_until=done_until)
