"""Read lines that were typed at a terminal before the bot started."""

import os
import select
import sys
from typing import Final, TextIO

from msgspec import Struct

_LONGEST: Final = 4096  # bytes; a terminal keeps no longer line


class TypedEarly(Struct, frozen=True, kw_only=True):
    """Whole lines, and whether the input was ended after them (Ctrl+D). A line that is only begun stays there."""

    lines: tuple[str, ...] = ()
    has_ended: bool = False


def typed_early(terminal: TextIO) -> TypedEarly:
    """Take what `terminal` has shown and kept already, so that nobody shows it again.

    It hands over one line at a time, and nothing at all for the end of the input.
    """
    lines: list[str] = []
    if not _keeps_lines(terminal):
        return TypedEarly()
    while select.select([terminal], [], [], 0)[0]:
        line = os.read(terminal.fileno(), _LONGEST)
        if not line:
            return TypedEarly(lines=tuple(lines), has_ended=True)
        lines.append(line.decode(errors="replace"))
    return TypedEarly(lines=tuple(lines))


def _keeps_lines(terminal: TextIO) -> bool:
    """Return whether the terminal gathers what is typed until Enter, and does not hand over letter by letter."""
    if sys.platform == "win32":  # where only sockets tell whether there is something to read
        return False
    import termios

    flags: int = termios.tcgetattr(terminal)[3]
    return bool(flags & termios.ICANON)
