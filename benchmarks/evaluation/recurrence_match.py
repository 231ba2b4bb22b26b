"""Compare recurrence rules by their occurrences."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta

Rule = Mapping[str, str]
Window = tuple[int, int]

_MAX_COMPARED = 40
_MAX_YEARS = 9
_SECONDS = {"SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3600, "DAILY": 86400}
_SHORT_FREQUENCIES = ("SECONDLY", "MINUTELY", "HOURLY")
_ENDS = {"COUNT", "UNTIL"}
_CLOCK_PARTS = ("BYHOUR", "BYMINUTE")
_DAY_PARTS = (
    "FREQ", "INTERVAL", "COUNT", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYYEARDAY", "BYWEEKNO",
)  # fmt: skip


def is_same_recurrence(wanted: str, given: str, reference: datetime, window: Window | None = None) -> bool:
    """Return whether two rules, which may have DTSTART and UNTIL, have the same occurrences after `reference`.

    Only the days are compared if `wanted` has no hours. `window` limits the hours of `given` (from, up to).
    """
    expected, actual = _parse_rules(wanted), _parse_rules(given)
    if not expected or not actual:
        return False
    has_clock = any("BYHOUR" in rule for rule in expected)
    expected = [_add_minute(rule) if has_clock else rule for rule in expected]
    normalized = [_normalize(rule, expected[0], has_clock=has_clock) for rule in actual]
    actual = [rule for rule in normalized if rule is not None]
    if len(actual) < len(normalized):
        return False
    for one, other in zip(expected, actual, strict=False):
        if one["FREQ"] in _SHORT_FREQUENCIES or other["FREQ"] in _SHORT_FREQUENCIES:
            return _has_same_period(one, other)
    if window is not None and not all(_is_within(rule, window) for rule in actual):
        return False
    return _has_same_fires(expected, actual, reference, has_clock=has_clock)


def _parse_rules(text: str) -> list[Rule]:
    """Return the rules of a text, one for each line, which may begin with `RRULE:` and have a `DTSTART:`."""
    rules: list[Rule] = []
    for line in text.upper().splitlines():
        plain = line.strip().replace("RRULE:", "").replace("DTSTART:", "DTSTART=")
        parts = (part.split("=", 1) for part in plain.split(";") if "=" in part)
        rule = {name.strip(): value.strip().replace("+", "") for name, value in parts}
        if "FREQ" in rule:
            rules.append(rule)
    return rules


def _normalize(rule: Rule, expected: Rule, *, has_clock: bool) -> Rule | None:
    """Return `rule` without the parts that `expected` leaves open; None if only one of them has an end."""
    if bool(_ENDS & expected.keys()) != bool(_ENDS & rule.keys()):
        return None
    normalized = dict(_add_minute(rule) if has_clock and "BYHOUR" in rule else rule)
    if "DTSTART" not in expected and not _is_start_relevant(expected):
        normalized.pop("DTSTART", None)
    last, wanted_last = _parse_day(normalized.get("UNTIL", "")), _parse_day(expected.get("UNTIL", ""))
    if last and wanted_last and abs(last - wanted_last) <= timedelta(days=1):
        normalized["UNTIL"] = expected["UNTIL"]  # it depends on the convention if the last day itself counts
    return normalized


def _is_start_relevant(rule: Rule) -> bool:
    """Return whether the occurrences depend on the start even without DTSTART: "for the next five days"."""
    is_plain = rule["FREQ"] in ("WEEKLY", "DAILY") and int(rule.get("INTERVAL", "1")) == 1
    return is_plain and "BYDAY" not in rule and bool(rule.get("COUNT"))


def _add_minute(rule: Rule) -> Rule:
    return rule if "BYMINUTE" in rule or rule["FREQ"] in _SHORT_FREQUENCIES else {**rule, "BYMINUTE": "0"}


def _has_same_period(one: Rule, other: Rule) -> bool:
    """Return whether rules of periods below a day have the same period and the same limits."""
    if one["FREQ"] not in _SECONDS or other["FREQ"] not in _SECONDS:
        return False
    if _compute_period_seconds(one) != _compute_period_seconds(other) or _list_hours(one) != _list_hours(other):
        return False
    return one.get("BYDAY") == other.get("BYDAY") and one.get("COUNT") == other.get("COUNT")


def _compute_period_seconds(rule: Rule) -> int:
    return _SECONDS[rule["FREQ"]] * int(rule.get("INTERVAL", "1"))


def _list_hours(rule: Rule) -> list[int]:
    return sorted(int(hour) for hour in rule.get("BYHOUR", "").split(",") if hour)


def _is_within(rule: Rule, window: Window) -> bool:
    return all(window[0] <= hour < window[1] for hour in _list_hours(rule))


def _has_same_fires(expected: Iterable[Rule], actual: Iterable[Rule], reference: datetime, *, has_clock: bool) -> bool:
    midnight = datetime.combine(reference.date(), time())
    try:
        wanted = {fire for rule in expected for fire in _list_fires(rule, midnight, has_clock=has_clock)}
        found = {fire for rule in actual for fire in _list_fires(rule, midnight, has_clock=has_clock)}
    except (ValueError, TypeError, KeyError):
        return False  # a rule that is not valid has no occurrences
    return bool(wanted) and sorted(wanted)[:_MAX_COMPARED] == sorted(found)[:_MAX_COMPARED]


def _list_fires(rule: Rule, midnight: datetime, *, has_clock: bool) -> list[tuple[date, time]]:
    """Return the first occurrences within nine years, without the time of day unless `has_clock`."""
    start = _parse_day(rule.get("DTSTART", "")) or midnight
    limit = start + timedelta(days=366 * _MAX_YEARS)
    fires: list[tuple[date, time]] = []
    for fire in _expand(rule, start, has_clock=has_clock):
        if fire > limit or len(fires) >= _MAX_COMPARED:
            break
        fires.append((fire.date(), fire.time() if has_clock else time()))
    return fires


def _expand(rule: Rule, start: datetime, *, has_clock: bool) -> Iterable[datetime]:
    from dateutil.rrule import rrulestr

    parts = {name: value for name, value in rule.items() if name in _DAY_PARTS or (has_clock and name in _CLOCK_PARTS)}
    last = _parse_day(rule.get("UNTIL", ""))
    if last:
        parts.pop("COUNT", None)
        parts["UNTIL"] = f"{last + timedelta(hours=23, minutes=59):%Y%m%dT%H%M%S}"
    return rrulestr(";".join(f"{name}={value}" for name, value in parts.items()) + ";WKST=MO", dtstart=start)


def _parse_day(text: str) -> datetime | None:
    digits = text[:10].replace("-", "")[:8]
    return datetime.strptime(digits, "%Y%m%d") if len(digits) == 8 and digits.isdigit() else None  # noqa: DTZ007 - wall clock
