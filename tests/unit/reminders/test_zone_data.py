"""Changed zone data: recurring reminders are rescheduled, single ones are kept."""

import asyncio
import zoneinfo
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.recurrence.calendars.data_version import zone_data_version
from services.recurrence.schedule import Schedule, read_schedule

NEXT_DAY = datetime(2026, 11, 21, 9, 0)


@pytest.fixture
def use_zone_data(tmp_path: Path) -> Iterator[Callable[[str, int], None]]:
    """Set `Test/Land` this many hours east of Greenwich, in data of this version."""
    before = zoneinfo.TZPATH

    def use(version: str, hours: int) -> None:
        folder = tmp_path / version
        (folder / "Test").mkdir(parents=True)
        (folder / "tzdata.zi").write_text(f"# version {version}\n", encoding="utf-8")
        (folder / "Test" / "Land").write_bytes(tzif(hours))
        zoneinfo.reset_tzpath([str(folder)])
        zoneinfo.ZoneInfo.clear_cache()

    yield use
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


def tzif(hours: int) -> bytes:
    """Return a zone without clock changes. Source: RFC 9636 section 3."""
    counts = [0, 0, 0, 0, 1, 4]
    header = b"TZif2" + bytes(15) + b"".join(count.to_bytes(4, "big") for count in counts)
    data = (hours * 3600).to_bytes(4, "big", signed=True) + bytes(2) + b"TST\0"
    return header + data + header + data + f"\n<T>{-hours}\n".encode()


def test_version_is_read_from_the_data(use_zone_data):
    use_zone_data("2099a", 1)

    assert zone_data_version() == "2099a"


def test_folder_without_a_version_file_has_a_version(tmp_path):
    before = zoneinfo.TZPATH
    (tmp_path / "UTC").write_bytes(tzif(0))
    zoneinfo.reset_tzpath([str(tmp_path)])

    try:
        assert zone_data_version().isdigit()
    finally:
        zoneinfo.reset_tzpath(before)


@pytest.mark.looptime
async def test_changed_zone_data_move_recurring_reminders_only(desk, use_zone_data):
    use_zone_data("2099a", 1)
    daily = await desk.set("daily", schedule=read_schedule(NEXT_DAY, "Test/Land", "FREQ=DAILY"))
    once = await desk.set("once", schedule=Schedule(start=NEXT_DAY, zone="Test/Land"))
    async with desk.running(desk.new_service(zone_data=zone_data_version())):
        await asyncio.sleep(1)
    use_zone_data("2099b", 2)

    async with desk.running(desk.new_service(zone_data=zone_data_version())):
        await asyncio.sleep(26 * 3600)

    times = dict(zip(desk.courier.texts, desk.courier.message_time, strict=True))
    assert once.next_fires == daily.next_fires[:1]
    assert times["daily"] - datetime(2026, 11, 21, 7, 0, tzinfo=UTC) < timedelta(seconds=1)
    assert times["once"] - datetime(2026, 11, 21, 8, 0, tzinfo=UTC) < timedelta(seconds=1)


@pytest.mark.looptime
async def test_unchanged_data_moves_nothing(desk, use_zone_data):
    use_zone_data("2099a", 1)
    await desk.set("daily", schedule=read_schedule(NEXT_DAY, "Test/Land", "FREQ=DAILY"))
    for _ in range(2):
        async with desk.running(desk.new_service(zone_data=zone_data_version())):
            await asyncio.sleep(1)

    assert await desk.store.follow_zone_data(zone_data_version(), desk.clock.now()) == 0
