"""Country of a zone, and versions of calendar data."""

import pytest

from services.recurrence.calendars import data_version
from services.recurrence.calendars.workdays import region_of


@pytest.mark.parametrize(
    ("zone", "country"),
    [("Europe/Berlin", "DE"), ("Asia/Shanghai", "CN"), ("America/New_York", "US"), ("UTC", None), ("Etc/GMT-8", None)],
)
def test_zone_belongs_to_one_country_or_none(zone: str, country: str | None):
    assert region_of(zone) == country


def test_the_version_names_zones_and_holidays():
    version = data_version.data_version()

    assert [part.rpartition(" ")[0] for part in version.split("; ")][1:] == ["holidays"]


def test_missing_calendar_is_its_own_version():
    assert data_version._package_version("no-such-library") == "none"
