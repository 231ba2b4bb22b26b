"""Processes for tests to kill, forked from a server that has imported their modules.

A fresh interpreter takes a second to import the database, and the tests start about two hundred processes.
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "psycopg",
        "sqlalchemy.dialects.postgresql.psycopg",
        "tests.integration.failpoint_worker",
        "tests.integration.reminder_worker",
    ]
)


class Worker:
    """A process that runs `work(say_ready, *given)` and writes its standard error to `log`."""

    def __init__(self, log: Path, work: Callable[..., None], *given: object) -> None:
        self._log = log
        self._ready, ready = _FORKS.Pipe(duplex=False)
        self._process = _FORKS.Process(target=_run, args=(log, work, ready, given), daemon=True)
        self._process.start()
        ready.close()

    async def ready(self) -> None:
        """Wait until the process reports that it is ready."""
        assert await asyncio.to_thread(self._is_ready), f"a worker ended: {self.stderr[-2000:]}"

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process if it runs."""
        if self._process.pid is not None and self._process.exitcode is None:
            os.kill(self._process.pid, number)

    async def kill(self) -> None:
        """Kill the process with SIGKILL, and wait for its end."""
        self.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.wait_for_end)

    def wait_for_end(self, within: float | None = None) -> int | None:
        """Wait for the end of the process; return its exit status, or the negative number of the signal."""
        self._process.join(within)
        return self._process.exitcode

    @property
    def stderr(self) -> str:
        """Return the standard error so far."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def _is_ready(self) -> bool:
        try:
            self._ready.recv()
        except EOFError:
            return False
        return True


def _run(log: Path, work: Callable[..., None], ready: Connection, given: tuple[object, ...]) -> None:
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
    work(lambda: ready.send(True), *given)
