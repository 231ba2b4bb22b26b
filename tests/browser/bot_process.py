"""The one command, as a person runs it: `bubbles run` in a process of its own, killed and started as tests need it."""

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
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


class BotProcess:
    """A bot with its data in `folder`; it keeps its port through restarts. `settings` are environment variables.

    `clone` is a checkout where it is started as a newcomer does: with `make run`, its data where they are by default.
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
        """Start it, and wait until it has printed where the page is."""
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
        """End it as a power cut would, with what it has started."""
        if self._process is None or self._process.returncode is not None:
            return
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def terminate(self) -> None:
        """Ask it to end."""
        assert self._process is not None
        self._process.terminate()

    def end(self, seconds: float) -> tuple[int, str]:
        """Wait until it ends by itself; return its exit code and what it has printed since it was ready."""
        assert self._process is not None
        printed = self._process.communicate(timeout=seconds)[0]
        return self._process.returncode, printed.decode(errors="replace")

    def resident_megabytes(self) -> float:
        """The memory it holds."""
        assert self._process is not None
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def _await_address(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        said, end = b"", time.monotonic() + _START_SECONDS
        while self.address.encode() not in said:
            readable, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(process.stdout.fileno(), 4096) if readable else b""
            assert piece, f"the bot was not ready: {said.decode()}"
            said += piece
