"""A program at a terminal, as somebody who sits there sees it: what it shows, and what is typed."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

_CHUNK = 65_536
_PLAIN = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}  # nobody tells the program where its cursor is


class Terminal:
    """Runs a program with a terminal of its own for as long as the context lasts."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """`environment` is all that the program is given, besides the kind of terminal."""
        self.shown = ""
        """Everything on the screen so far, with the codes that move the cursor."""
        self._here, there = pty.openpty()
        told = {**environment, **_PLAIN}
        self.process = subprocess.Popen(command, env=told, stdin=there, stdout=there, stderr=there)
        os.close(there)

    def __enter__(self) -> Self:
        """Return the terminal, with the program starting."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Kill the program if it has not ended."""
        self.process.kill()
        self.process.wait()
        os.close(self._here)

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        os.write(self._here, f"{line}\r".encode())

    def end(self) -> None:
        """Press Ctrl+D."""
        os.write(self._here, b"\x04")

    def wait_for(self, text: str, seconds: float) -> None:
        """Wait until `text` has been shown.

        Raises:
            TimeoutError: it was not, in that time; the message is what was.
            EOFError: the program ended without it; as above.
        """
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            if not select.select([self._here], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError(self.shown)
            try:
                self.shown += os.read(self._here, _CHUNK).decode(errors="replace")
            except OSError as error:  # Linux tells the end of a terminal so
                raise EOFError(self.shown) from error
