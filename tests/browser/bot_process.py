"""A process of `bubbles run` that tests start and kill."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
_START_SECONDS = 40.0


def free_port() -> int:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


class BotProcess:
    """A bot with its data in `folder`, and the same port after a restart. `settings` are environment variables.

    With `clone`, a checkout, it is started there by `make run`, with its data in the default folder.
    """

    def __init__(self, folder: Path, *, clone: Path | None = None, **settings: str) -> None:
        self.folder = folder
        self._clone = clone
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start the process, and wait until it has printed the address of its page."""
        environment = {
            "PATH": os.environ["PATH"],
            "BUBBLES_BOT__TIMEZONE": "UTC",
            "BUBBLES_HTTP__PORT": str(self.port),
            **self._settings,
        }
        if self._clone is None:
            environment |= {"PYTHONPATH": str(ROOT), "BUBBLES_BOT__DATA_DIR": str(self.folder)}
        self._process = subprocess.Popen(
            ["make", "run"] if self._clone else [sys.executable, "-m", "bot", "run"],
            cwd=self._clone or self.folder,
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._await_address(self._process)

    def kill(self) -> None:
        """Kill the process and its children with SIGKILL."""
        if self._process is None or self._process.returncode is not None:
            return
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def terminate(self) -> None:
        """Send SIGTERM."""
        assert self._process is not None
        self._process.terminate()

    def wait_for_end(self, seconds: float) -> tuple[int, str]:
        """Wait for the end of the process; return its exit code and its output since it was ready."""
        assert self._process is not None
        printed = self._process.communicate(timeout=seconds)[0]
        return self._process.returncode, printed.decode(errors="replace")

    def resident_megabytes(self) -> float:
        """Return the resident memory of the process."""
        assert self._process is not None
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def _await_address(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        printed, end = b"", time.monotonic() + _START_SECONDS
        while self.address.encode() not in printed:
            readable, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(process.stdout.fileno(), 4096) if readable else b""
            assert piece, f"the bot was not ready: {printed.decode()}"
            printed += piece
