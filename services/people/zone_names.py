"""Parse names of time zones: "Berlin", 纽约, "UTC+8", "Pacific time", "Europe/Berlin"."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.kernel.text import closest_name

_TAILS = re.compile(
    r"(?:'s)?\s*(?:standard time|daylight time|time zone|timezone|time|标准时间|时间|时区|那边|这边|这里|市)$"
)
_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?")
_LEAST_HOURS, _MOST_HOURS = -12, 14


def zone_named(words: str) -> str | None:
    """Return the IANA name of the zone that `words` name; None when they name none that is known here."""
    said = _tidied(words)
    for each in (said, _tidied(_TAILS.sub("", said))):
        found = _known().get(each) or _by_offset(each)
        if found is not None and _exists(found):
            return found
    return None


def nearest_zone(words: str) -> str | None:
    """Return the zone that `words` name, or else the one whose name looks most like them."""
    near = closest_name(words, dict.fromkeys(_known().values()), at_least=0.7)
    return zone_named(words) or (near[0] if near else None)


def _tidied(words: str) -> str:
    return " ".join(words.casefold().replace("_", " ").strip(" .,!?。，！？").split())


def _by_offset(words: str) -> str | None:
    found = _OFFSET.fullmatch(words.replace("−", "-").replace("\uff0b", "+"))
    if found is None:
        return None
    sign, hours, minutes = found[1], int(found[2]), int(found[3] or 0)
    if minutes:
        return _places()["offsets"].get(f"{sign}{hours:02}:{minutes:02}")
    east = hours if sign == "+" else -hours
    if not _LEAST_HOURS <= east <= _MOST_HOURS:
        return None
    # The signs of these zones count westwards (POSIX).
    return f"Etc/GMT{-east:+d}" if east else "UTC"


def _exists(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


@cache
def _places() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("places.toml").read_text(encoding="utf-8"))


@cache
def _known() -> dict[str, str]:
    """Return every normalised name: IANA names, their cities, and additional places."""
    names = files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    whole = {_tidied(name): name for name in names}
    cities = {_tidied(name.rpartition("/")[2]): name for name in names if "/" in name and not name.startswith("Etc/")}
    places = _places()
    return {**cities, **whole, **places["countries"], **places["cities"], **places["short"]}
