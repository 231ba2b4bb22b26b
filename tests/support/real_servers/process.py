"""A server program in a folder of its own, which tests start, stop and restart."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

HOST: Final = "127.0.0.1"
_STOP_SECONDS: Final = 15.0


def free_port() -> int:
    """Return a free port."""
    with closing(socket.socket()) as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def program(*names: str) -> str:
    """Return the first of `names` that is installed; skip the test if none is."""
    for name in names:
        found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if found:
            return found
    pytest.skip(f"needs {' or '.join(names)} (apt-get install {names[0]})")


class ServerProcess:
    """A program that listens on `port`, with its output in `server.log` of `folder`.

    The methods block: inside an event loop, call them by `asyncio.to_thread`.
    """

    def __init__(self, command: Sequence[str], folder: Path, port: int, *, patience: float = 60.0) -> None:
        self.folder = folder
        self.port = port
        self._command = command
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it listens.

        Raises:
            RuntimeError: it ended, or did not listen in time.
        """
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        end = time.monotonic() + self._patience
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > end:
                output = (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2000:]
                raise RuntimeError(f"{self._command[0]} does not listen on {self.port}:\n{output}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Terminate it, and kill it if it does not end."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def signal(self, number: int) -> None:
        """Send a signal to the program."""
        if self._process is not None:
            self._process.send_signal(number)

    def restart(self) -> None:
        """Stop it and start it again with its data."""
        self.stop()
        self.start()

    def _listens(self) -> bool:
        try:
            socket.create_connection((HOST, self.port), timeout=1).close()
        except OSError:
            return False
        return True
