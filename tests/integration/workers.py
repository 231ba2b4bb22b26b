"""Processes to be killed, forked off one that has imported all they need.

A fresh interpreter takes a second to import the database, and these tests need some two hundred processes. A fork is a
process of its own all the same: kill -9, SIGSTOP and its connections to the database are real.
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
    """A process that does `work(say_ready, *given)`; what it writes to standard error is in `log`."""

    def __init__(self, log: Path, work: Callable[..., None], *given: object) -> None:
        self._log = log
        self._ready, ready = _FORKS.Pipe(duplex=False)
        self._process = _FORKS.Process(target=_do, args=(log, work, ready, given), daemon=True)
        self._process.start()
        ready.close()

    async def ready(self) -> None:
        """Wait until the process has said that it is."""
        assert await asyncio.to_thread(self._is_ready), f"a worker ended: {self.said[-2000:]}"

    def send_signal(self, number: signal.Signals) -> None:
        """Stop it, let it go on, or end it."""
        if self._process.pid is not None and self._process.exitcode is None:
            os.kill(self._process.pid, number)

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.ended)

    def ended(self, within: float | None = None) -> int | None:
        """Wait until it has ended; its exit status, or the signal that ended it as a negative number."""
        self._process.join(within)
        return self._process.exitcode

    @property
    def said(self) -> str:
        """What it has written to standard error."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def _is_ready(self) -> bool:
        try:
            self._ready.recv()
        except EOFError:
            return False
        return True


def _do(log: Path, work: Callable[..., None], ready: Connection, given: tuple[object, ...]) -> None:
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
    work(lambda: ready.send(True), *given)
