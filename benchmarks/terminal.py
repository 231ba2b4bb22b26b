"""Run a program in a pseudo-terminal, type input and read its output."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

_MAX_READ_BYTES = 65_536
_VARIABLES = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}  # no cursor position is reported


class Terminal:
    """Runs a program with a terminal of its own for as long as the context lasts."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start `command` with the variables of `environment` and the type of the terminal, and no others."""
        self.output = ""
        """The output so far, with its control sequences."""
        self._primary, secondary = pty.openpty()
        variables = {**environment, **_VARIABLES}
        self.process = subprocess.Popen(command, env=variables, stdin=secondary, stdout=secondary, stderr=secondary)
        os.close(secondary)

    def __enter__(self) -> Self:
        """Return the terminal; the program may not have started yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Kill the program if it has not ended."""
        self.process.kill()
        self.process.wait()
        os.close(self._primary)

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        os.write(self._primary, f"{line}\r".encode())

    def send_eof(self) -> None:
        """Press Ctrl+D."""
        os.write(self._primary, b"\x04")

    def wait_for(self, text: str, seconds: float) -> None:
        """Wait until the output has `text`.

        Raises:
            TimeoutError: It does not within `seconds`; the message is the output.
            EOFError: The program ended before; the message is the output.
        """
        deadline = time.monotonic() + seconds
        while text not in self.output:
            if not select.select([self._primary], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError(self.output)
            try:
                self.output += os.read(self._primary, _MAX_READ_BYTES).decode(errors="replace")
            except OSError as error:  # Linux reports the end of the terminal in this way
                raise EOFError(self.output) from error
