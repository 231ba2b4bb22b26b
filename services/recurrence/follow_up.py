"""Repeat fires until somebody reports the thing done: `NAG=10;NAGS=12` in a rule."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain

from msgspec import Struct

MOST_NAGS = 48
LONGEST_PAUSE_MINUTES = 24 * 60
_STAMP = "%Y%m%dT%H%M%SZ"
_OWN_PARTS = re.compile(r";?\b(?:NAG|NAGS|NAGAFTER)=[^;]*", re.IGNORECASE)
_AFTER = re.compile(r";?\bNAGAFTER=[^;]*", re.IGNORECASE)
_ONCE = "FREQ=DAILY;COUNT=1"


class FollowUp(Struct, frozen=True, kw_only=True):
    """Each fire is repeated every `every`, at most `times`, until the next one comes.

    Fires up to `done_until` (UTC) are dealt with and not repeated.
    """

    every: timedelta
    times: int
    done_until: datetime | None = None


def parse_follow_up(parts: dict[str, str]) -> FollowUp | None:
    """Take what is said of repeating out of the parts of a rule.

    Raises:
        ValueError: the numbers are out of range, or there is one part without the others.
    """
    minutes, times, after = parts.pop("NAG", ""), parts.pop("NAGS", ""), parts.pop("NAGAFTER", "")
    if not minutes and not times and not after:
        return None
    if not 1 <= int(minutes) <= LONGEST_PAUSE_MINUTES or not 1 <= int(times) <= MOST_NAGS:
        raise ValueError(f"NAG={minutes};NAGS={times}")
    done_until = datetime.strptime(after, _STAMP).replace(tzinfo=UTC) if after else None
    return FollowUp(every=timedelta(minutes=int(minutes)), times=int(times), done_until=done_until)


def with_follow_up(rule: str, *, minutes: int, times: int) -> str:
    """Return the rule, its fires repeated; of a once-reminder (an empty rule), one that fires once and is repeated."""
    return f"{without_follow_up(rule) or _ONCE};NAG={minutes};NAGS={times}"


def without_follow_up(rule: str) -> str:
    """Return the rule without repeating; empty for what fires once."""
    bare = _OWN_PARTS.sub("", rule).strip(";")
    return "" if bare == _ONCE else bare


def has_follow_up(rule: str) -> bool:
    """Return whether the rule repeats its fires until they are done."""
    return "NAG=" in rule.upper()


def follow_up_of(rule: str) -> FollowUp | None:
    """Return how the rule repeats its fires; None when it does not."""
    return parse_follow_up(dict(part.split("=", 1) for part in rule.upper().split(";") if part.startswith("NAG")))


def follow_up_like(rule: str, bare: str = "") -> str:
    """Return `bare` (empty for once) with the follow-ups of `rule`; `bare` itself when `rule` has none."""
    own = [part for part in rule.upper().split(";") if part.startswith(("NAG=", "NAGS="))]
    return ";".join([without_follow_up(bare) or _ONCE, *own]) if own else bare


def mark_done(rule: str, moment: datetime) -> str:
    """Return the rule once everything fired up to `moment` (timezone-aware) is done; without follow-ups itself."""
    if not has_follow_up(rule):
        return rule
    # Rounded up: the fire of this very second is dealt with as well.
    whole = (moment + timedelta(seconds=1) - timedelta(microseconds=1)).astimezone(UTC)
    return f"{_AFTER.sub('', rule)};NAGAFTER={whole.strftime(_STAMP)}"


def repeat_fires(nag: FollowUp, fires: Callable[[datetime], Iterator[datetime]], after: datetime) -> Iterator[datetime]:
    """Return fires and follow-ups strictly after `after`, ascending; `fires` gives fires strictly after an instant."""
    nagging: datetime | None = None
    for fire in chain(fires(after - nag.every * nag.times), [None]):
        if nagging is not None:
            yield from (again for again in _repeats(nag, nagging, fire) if again > after)
        if fire is not None and fire > after:
            yield fire
        nagging = fire


def _repeats(nag: FollowUp, fire: datetime, following: datetime | None) -> Iterator[datetime]:
    if nag.done_until is not None and fire <= nag.done_until:
        return
    for number in range(1, nag.times + 1):
        again = fire + nag.every * number
        if following is not None and again >= following:
            return
        yield again
