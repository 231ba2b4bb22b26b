"""Whether whoever started the bot sits at a desktop, so that the page can be opened for them."""

import asyncio
import os
import sys
import webbrowser
from collections.abc import Mapping
from typing import Final

_WITH_WINDOWS: Final = frozenset({"darwin", "win32"})
_ELSEWHERE: Final = ("SSH_CONNECTION", "CI")


def has_desktop(system: str, environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Return whether a browser window would open where the person is: at a terminal of a desktop, not of a far machine.

    `system` is `sys.platform`.
    """
    if not is_terminal or any(environment.get(name) for name in _ELSEWHERE):
        return False
    return system in _WITH_WINDOWS or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def show_page(address: str) -> None:
    """Open `address` in a browser window, if there is a desktop; nobody waits for it."""
    if has_desktop(sys.platform, os.environ, is_terminal=sys.stdout.isatty()):
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)
