"""Edit the excluded days and wall times of a rule: `EXDATE=20261225,20261231T090000` in its text."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

_PART: Final = "EXDATE="


def with_exceptions(rule: str, exceptions: Sequence[datetime], *, days_only: bool) -> str:
    """Exclude the wall times of `exceptions` from `rule` as well, or with `days_only` their whole days."""
    shape = "%Y%m%d" if days_only else "%Y%m%dT%H%M%S"
    known = (part[len(_PART) :].split(",") for part in rule.split(";") if _is_exceptions(part))
    left_out = {each.strftime(shape) for each in exceptions}.union(*known)
    return f"{without_exceptions(rule)};{_PART}{','.join(sorted(left_out))}"


def without_exceptions_from(rule: str, day: date) -> str:
    """Return `rule` with the excluded days and wall times before `day`, and none from then on."""
    known = (part[len(_PART) :].split(",") for part in rule.split(";") if _is_exceptions(part))
    first = f"{day:%Y%m%d}"
    kept = sorted({each for some in known for each in some if each < first})
    bare = without_exceptions(rule)
    return f"{bare};{_PART}{','.join(kept)}" if kept else bare


def without_exceptions(rule: str) -> str:
    """Return the rule text without its EXDATE part."""
    return ";".join(part for part in rule.split(";") if not _is_exceptions(part))


def _is_exceptions(part: str) -> bool:
    return part.upper().startswith(_PART)
