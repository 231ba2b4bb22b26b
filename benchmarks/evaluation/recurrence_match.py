"""Whether two recurrence rules do the same: they are compared by when they fire, not by how they are spelt."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta

Rule = Mapping[str, str]
Window = tuple[int, int]

_COMPARED = 40
_YEARS_LOOKED_AT = 9
_SECONDS = {"SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3600, "DAILY": 86400}
_SHORT = ("SECONDLY", "MINUTELY", "HOURLY")
_ENDS = {"COUNT", "UNTIL"}


def fires_alike(wanted: str, given: str, reference: datetime, window: Window | None = None) -> bool:
    """Return whether `given` fires when `wanted` does, seen from `reference`; DTSTART and UNTIL may stand in both.

    Rules that do not name the clock are compared by their days. `window` are the hours (from, up to) that any clock
    of `given` must lie in.
    """
    expected, actual = _read(wanted), _read(given)
    if not expected or not actual:
        return False
    has_clock = any("BYHOUR" in rule for rule in expected)
    expected = [_with_minute(rule) if has_clock else rule for rule in expected]
    adjusted = [_comparable(rule, expected[0], has_clock=has_clock) for rule in actual]
    actual = [rule for rule in adjusted if rule is not None]
    if len(actual) < len(adjusted):
        return False
    for one, other in zip(expected, actual, strict=False):
        if one["FREQ"] in _SHORT or other["FREQ"] in _SHORT:
            return _same_fields(one, other)
    if window is not None and not all(_is_within(rule, window) for rule in actual):
        return False
    return _same_fires(expected, actual, reference, has_clock=has_clock)


def _read(text: str) -> list[Rule]:
    """The rules of a text, one a line; `RRULE:` before it and `DTSTART:` in it are understood."""
    rules: list[Rule] = []
    for line in text.upper().splitlines():
        plain = line.strip().replace("RRULE:", "").replace("DTSTART:", "DTSTART=")
        parts = (part.split("=", 1) for part in plain.split(";") if "=" in part)
        rule = {name.strip(): value.strip().replace("+", "") for name, value in parts}
        if "FREQ" in rule:
            rules.append(rule)
    return rules


def _comparable(rule: Rule, expected: Rule, *, has_clock: bool) -> Rule | None:
    """`rule` without what the expected one leaves open; None when one of them ends and the other does not."""
    if bool(_ENDS & expected.keys()) != bool(_ENDS & rule.keys()):
        return None
    made = dict(_with_minute(rule) if has_clock and "BYHOUR" in rule else rule)
    if "DTSTART" not in expected and not _starts_matter(expected):
        made.pop("DTSTART", None)
    last, wanted_last = _day(made.get("UNTIL", "")), _day(expected.get("UNTIL", ""))
    if last and wanted_last and abs(last - wanted_last) <= timedelta(days=1):
        made["UNTIL"] = expected["UNTIL"]  # whether the last day itself counts is a convention
    return made


def _starts_matter(rule: Rule) -> bool:
    """Return whether a different start gives different fires even so: "for the next five days"."""
    is_plain = rule["FREQ"] in ("WEEKLY", "DAILY") and int(rule.get("INTERVAL", "1")) == 1
    return is_plain and "BYDAY" not in rule and bool(rule.get("COUNT"))


def _with_minute(rule: Rule) -> Rule:
    return rule if "BYMINUTE" in rule or rule["FREQ"] in _SHORT else {**rule, "BYMINUTE": "0"}


def _same_fields(one: Rule, other: Rule) -> bool:
    """Periods shorter than a day: the length of the period and the limits on it."""
    if one["FREQ"] not in _SECONDS or other["FREQ"] not in _SECONDS:
        return False
    if _period(one) != _period(other) or _hours(one) != _hours(other):
        return False
    return one.get("BYDAY") == other.get("BYDAY") and one.get("COUNT") == other.get("COUNT")


def _period(rule: Rule) -> int:
    return _SECONDS[rule["FREQ"]] * int(rule.get("INTERVAL", "1"))


def _hours(rule: Rule) -> list[int]:
    return sorted(int(hour) for hour in rule.get("BYHOUR", "").split(",") if hour)


def _is_within(rule: Rule, window: Window) -> bool:
    return all(window[0] <= hour < window[1] for hour in _hours(rule))


def _same_fires(expected: Iterable[Rule], actual: Iterable[Rule], reference: datetime, *, has_clock: bool) -> bool:
    midnight = datetime.combine(reference.date(), time())
    try:
        wanted = {fire for rule in expected for fire in _fires(rule, midnight, has_clock=has_clock)}
        found = {fire for rule in actual for fire in _fires(rule, midnight, has_clock=has_clock)}
    except (ValueError, TypeError, KeyError):
        return False  # a rule that cannot be carried out does the same as none
    return bool(wanted) and sorted(wanted)[:_COMPARED] == sorted(found)[:_COMPARED]


def _fires(rule: Rule, midnight: datetime, *, has_clock: bool) -> list[tuple[date, time]]:
    """The first occurrences within nine years; without a clock, only their days."""
    start = _day(rule.get("DTSTART", "")) or midnight
    limit = start + timedelta(days=366 * _YEARS_LOOKED_AT)
    fires: list[tuple[date, time]] = []
    for fire in _expanded(rule, start, has_clock=has_clock):
        if fire > limit or len(fires) >= _COMPARED:
            break
        fires.append((fire.date(), fire.time() if has_clock else time()))
    return fires


def _expanded(rule: Rule, start: datetime, *, has_clock: bool) -> Iterable[datetime]:
    from dateutil.rrule import rrulestr

    kept = {name: value for name, value in rule.items() if name in _WRITTEN or (has_clock and name in _CLOCK)}
    last = _day(rule.get("UNTIL", ""))
    if last:
        kept.pop("COUNT", None)
        kept["UNTIL"] = f"{last + timedelta(hours=23, minutes=59):%Y%m%dT%H%M%S}"
    return rrulestr(";".join(f"{name}={value}" for name, value in kept.items()) + ";WKST=MO", dtstart=start)


_CLOCK = ("BYHOUR", "BYMINUTE")
_WRITTEN = (
    "FREQ", "INTERVAL", "COUNT", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYYEARDAY", "BYWEEKNO",
)  # fmt: skip


def _day(text: str) -> datetime | None:
    digits = text[:10].replace("-", "")[:8]
    return datetime.strptime(digits, "%Y%m%d") if len(digits) == 8 and digits.isdigit() else None  # noqa: DTZ007 - wall clock
