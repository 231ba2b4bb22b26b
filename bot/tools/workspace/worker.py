"""Run a command in a worker process: read the request, enter the sandbox, replace the process by the shell."""

import json
import os
import sys
from pathlib import Path
from typing import Final

from bot.tools.stored.sandbox import SandboxUnavailable, confine

_SHELL: Final = "/bin/sh"
_PROGRAMS: Final = (
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/lib",
)
_READABLE: Final = (
    "/usr/share",
    "/usr/include",
    "/usr/local/share",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
)
_NOT_CONFINED: Final = 126


def main() -> None:
    """Run the command on standard input, with its output on standard output."""
    request = json.load(sys.stdin)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(1, 2)
    python = (str(Path(sys.base_prefix) / name) for name in ("bin", "lib"))
    try:
        confine(
            folder=str(Path.cwd()),
            readable=filter(os.path.exists, _READABLE),
            programs=filter(os.path.exists, (*_PROGRAMS, *python)),
            seconds=request["seconds"],
            megabytes=request["megabytes"],
        )
    except SandboxUnavailable as error:
        print(error, flush=True)  # noqa: T201 - standard output is the command's result
        os._exit(_NOT_CONFINED)
    path = f"{os.defpath.lstrip(':')}:/usr/local/bin:{Path(sys.base_prefix) / 'bin'}"
    os.execve(_SHELL, [_SHELL, "-c", request["command"]], {**os.environ, "PATH": path})  # noqa: S606 - confined above
