"""The country of a time zone: whose public holidays people there keep."""

from functools import cache
from importlib.resources import files


def region_of(zone: str) -> str | None:
    """The ISO 3166 code of the country that the zone (IANA name) belongs to; None for zones of no country.

    Source: the table `zone.tab` of the IANA time zone database.
    """
    return _countries().get(zone)


@cache
def _countries() -> dict[str, str]:
    lines = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {columns[2]: columns[0] for columns in rows}
