"""A server program in a folder of its own: started, stopped, killed and started again."""

import asyncio
import os
import shutil
import socket
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

HOST: Final = "127.0.0.1"
_STOP_SECONDS: Final = 15.0


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with closing(socket.socket()) as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def program(*names: str) -> str:
    """The first of `names` that is installed; the test is skipped when none is."""
    for name in names:
        found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if found:
            return found
    pytest.skip(f"needs {' or '.join(names)} (apt-get install {names[0]})")


class ServerProcess:
    """A program that listens on `port`; its output is `server.log` in `folder`."""

    def __init__(self, command: Sequence[str], folder: Path, port: int, *, patience: float = 30.0) -> None:
        self.folder = folder
        self.port = port
        self._command = command
        self._patience = patience
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it listens.

        Raises:
            RuntimeError: it ended, or did not listen in time.
        """
        with (self.folder / "server.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, cwd=self.folder, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            async with asyncio.timeout(self._patience):
                await self._listens()
        except TimeoutError as error:
            raise RuntimeError(f"{self._command[0]} does not listen on {self.port}:\n{self._said()}") from error

    async def stop(self) -> None:
        """End it, kindly at first."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def restart(self) -> None:
        """Stop it and start it again with what it has kept."""
        await self.stop()
        await self.start()

    async def _listens(self) -> None:
        while True:
            if self._process is None or self._process.returncode is not None:
                raise RuntimeError(f"{self._command[0]} ended:\n{self._said()}")
            try:
                _, writer = await asyncio.open_connection(HOST, self.port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                await writer.wait_closed()
                return

    def _said(self) -> str:
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2000:]
