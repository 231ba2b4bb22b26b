"""Names of time zones."""

from zoneinfo import ZoneInfo

import pytest

from services.people.zones import _places, find_zone


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        ("Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Los_Angeles", "America/Los_Angeles"),
        ("Pacific time", "America/Los_Angeles"),
        ("san francisco", "America/Los_Angeles"),
        ("EST", "America/New_York"),
        ("UTC", "UTC"),
        ("UTC+8", "Etc/GMT-8"),
        ("GMT-5", "Etc/GMT+5"),
        ("+05:30", "Asia/Kolkata"),
        ("纽约", "America/New_York"),
        ("柏林时间", "Europe/Berlin"),
        ("东八区", "Asia/Shanghai"),
        ("德国", "Europe/Berlin"),
        ("Tokio", "Asia/Tokyo"),
        ("Bogotá", "America/Bogota"),
        ("bogota", "America/Bogota"),
        ("ciudad de mexico", "America/Mexico_City"),
        ("Köln", "Europe/Berlin"),
    ],
)
def test_a_zone_is_known_by_its_city_name_or_offset(words: str, zone: str):
    assert find_zone(words) == zone


@pytest.mark.parametrize("words", ["", "a meeting", "开会", "Atlantis", "UTC+15", "+05:31", "lunch"])
def test_other_words_name_no_zone(words: str):
    assert find_zone(words) is None


def test_every_place_has_an_existing_zone():
    for table in _places().values():
        for name in table.values():
            assert ZoneInfo(name).key == name
