"""Restrict a process to its folder, Python's files, and limits of memory and time.

This runs in the worker of a stored tool or a command before anything else, so it imports the standard library only. The
kernel is the boundary (Landlock for files, seccomp for system calls), since a tool can reach every function of the C
library through `gc`; the audit hook only gives clearer errors. If the kernel lacks either, nothing is run.

Sources: landlock(7), seccomp(2), https://docs.python.org/3/library/audit_events.html
"""

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bot.tools.stored.system_calls import (
    ARCHITECTURES,
    CLONE,
    CLONE3,
    FCNTL,
    IGNORED,
    IOCTL,
    OPEN,
    OPENAT2,
    REFUSED,
    REFUSED_FCNTL_COMMANDS,
    REFUSED_IOCTL_REQUESTS,
    SENDTO,
)

_NO_NEW_PRIVILEGES: Final = 38
_SET_SECCOMP: Final = 22
_FILTER_MODE: Final = 2
_ALLOW: Final = 0x7FFF0000
_FAIL: Final = 0x00050000
_KILL: Final = 0x80000000
_CLONE_THREAD: Final = 0x00010000
_CLONE_NAMESPACES: Final = 0x7E020000
_STARTS_PROGRAMS: Final = frozenset({"fork", "vfork", "execve"})
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_ARCHITECTURE, _NUMBER, _ARGUMENTS = 4, 0, 16
_Instruction = tuple[int, int, int, int]
_X32: Final = 0x40000000  # system calls of x86-64's other ABI, which would pass a filter by number

_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ: Final = 0b1100  # read files, list folders
_RUN: Final = 0b1101  # the same, and run programs
_WRITE: Final = 0b0110  # read and write files
_ALL_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_FILE_MEGABYTES: Final = 10  # how long a file may become
_PROCESSES: Final = 64  # and threads, that programs may be at once
_UNIX: Final = 1  # socket.AF_UNIX
_TCP: Final = 0b11
_SIGNALS_AND_SOCKETS: Final = 0b11

_REFUSED_EVENTS: Final = frozenset(
    {
        "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.kill",
        "os.killpg", "socket.__new__", "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname",
        "ctypes.dlopen", "ctypes.dlsym", "pty.spawn", "resource.setrlimit", "resource.prlimit",
    }
)  # fmt: skip
_CHANGING_EVENTS: Final = frozenset(
    {
        "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.removexattr", "os.rename", "os.rmdir",
        "os.setxattr", "os.symlink", "os.truncate", "os.utime",
    }
)  # fmt: skip


class SandboxUnavailable(Exception):
    """This machine cannot confine a process; `missing` is `system`, `landlock` or `seccomp`."""

    def __init__(self, missing: str, problem: str) -> None:
        super().__init__(problem)
        self.missing = missing


def check_kernel() -> str:
    """Return the confinement that this kernel supports, such as `Landlock 6, seccomp`.

    Raises:
        SandboxUnavailable: the kernel lacks Landlock or seccomp.
    """
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
        problem = f"stored tools need Linux on x86-64 or 64-bit ARM, and this is {sys.platform} on {platform.machine()}"
        raise SandboxUnavailable("system", problem)
    library = ctypes.CDLL(None, use_errno=True)
    landlock = library.syscall(_RULESET, None, ctypes.c_size_t(0), 1)
    if landlock < 1:
        problem = "stored tools need a kernel with Landlock (Linux 5.13 or newer, switched on)"
        raise SandboxUnavailable("landlock", problem)
    # With a null program a kernel that has filters answers EFAULT, one without EINVAL (seccomp(2)).
    library.prctl(_SET_SECCOMP, _FILTER_MODE, None, 0, 0)
    if ctypes.get_errno() != errno.EFAULT:
        problem = "stored tools need a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)"
        raise SandboxUnavailable("seccomp", problem)
    return f"Landlock {landlock}, seccomp"


def confine(
    *, folder: str, readable: Iterable[str], seconds: float, megabytes: int, programs: Iterable[str] = ()
) -> None:
    """Restrict this process for its lifetime to `folder`, the `readable` paths, and limits of time and memory.

    After `seconds` it gets SIGALRM, also as the program that replaces it.

    With `programs` (files and folders) it may run these, in processes with the same restrictions.

    Raises:
        SandboxUnavailable: the kernel refused a rule.
    """
    allowed, run = ([os.path.realpath(path) for path in paths] for paths in (readable, programs))
    _limit(seconds, megabytes, may_run=bool(run))
    granted = [(path, _READ) for path in allowed] + [(path, _RUN) for path in run]
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if not _restrict_files(library, folder, [*granted, *([(os.devnull, _WRITE)] if run else [])]):
        raise SandboxUnavailable("landlock", "the kernel did not take the rules for files (Landlock)")
    _drop_capabilities(library)
    if not _filter_calls(library, may_run=bool(run)):
        raise SandboxUnavailable("seccomp", "the kernel did not take the rules for system calls (seccomp)")
    if not run:
        sys.addaudithook(_AuditHook(os.path.realpath(folder), allowed))


def _limit(seconds: float, megabytes: int, *, may_run: bool) -> None:
    import resource  # Windows has no such module, and the bot imports this one there too

    limits = {
        resource.RLIMIT_CPU: max(1, int(seconds) + 1),
        resource.RLIMIT_AS: megabytes * 1_000_000,
        resource.RLIMIT_FSIZE: _FILE_MEGABYTES * 1_000_000,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
    }
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0))
    if may_run:
        limits[resource.RLIMIT_NPROC] = _count_threads() + _PROCESSES
    for kind, wanted in limits.items():
        _, maximum = resource.getrlimit(kind)
        value = wanted if maximum == resource.RLIM_INFINITY else min(wanted, maximum)
        resource.setrlimit(kind, (value, value))


def _count_threads() -> int:
    """Return the number of threads of this user, which count for the kernel's limit."""
    count = 0
    for each in Path("/proc").glob("[0-9]*"):
        try:
            count += len(list((each / "task").iterdir())) if each.stat().st_uid == os.getuid() else 0
        except OSError:  # the process has ended
            continue
    return count


def _restrict_files(library: ctypes.CDLL, folder: str, others: Iterable[tuple[str, int]]) -> bool:
    """Restrict files, TCP and signals by Landlock to `folder` and `others`; False if the kernel has none."""
    version = library.syscall(_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = _ALL_FILE_RIGHTS[max(each for each in _ALL_FILE_RIGHTS if each <= version)]
    wanted = struct.pack("QQQ", rights, _TCP if version >= 4 else 0, _SIGNALS_AND_SOCKETS if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = library.syscall(_RULESET, wanted, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    for path, granted in ((folder, rights), *others):
        _grant(library, ruleset, path, granted & rights)
    done = bool(library.syscall(_RESTRICT, ruleset, 0) == 0)
    os.close(ruleset)
    return done


def _grant(library: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rights = rights if Path(path).is_dir() else rights & 0b111
    library.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Drop the capabilities, which only root has."""
    number = {"x86_64": 126, "aarch64": 91}.get(platform.machine())
    if number is not None:
        library.syscall(number, struct.pack("Ii", 0x20080522, 0), bytes(24))


def _filter_calls(library: ctypes.CDLL, *, may_run: bool) -> bool:
    """Filter system calls by seccomp; return False if the kernel refuses the filter."""
    program = _program(platform.machine(), may_run=may_run)
    code = b"".join(struct.pack("HBBI", *each) for each in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer))
    return bool(library.prctl(_SET_SECCOMP, _FILTER_MODE, filter_, 0, 0) == 0)


def _program(machine: str, *, may_run: bool = False) -> list[_Instruction]:
    """Return the instructions of the filter: code, jump if true, jump if false, operand.

    With `may_run` a process may run programs.
    """
    refuse = (_RETURN, 0, 0, _FAIL | errno.EPERM)
    ignore = (_RETURN, 0, 0, _FAIL)  # a failure without a number looks like success
    missing = (_RETURN, 0, 0, _FAIL | errno.ENOSYS)  # the C library then makes an older call, which can be checked
    rows = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        refuse,
    ]
    for number in (CLONE3, OPENAT2):
        rows += [(_EQUAL, 0, 1, number), missing]
    for number, block in _argument_rules(machine, may_run=may_run):
        rows += [(_EQUAL, 0, len(block), number), *block]
    allowed = _STARTS_PROGRAMS if may_run else frozenset[str]()
    for numbers, answer in ((REFUSED, refuse), (IGNORED, ignore)):
        for number in sorted(number for name, number in numbers[machine].items() if name not in allowed):
            rows += [(_EQUAL, 0, 1, number), answer]
    return [*rows, (_RETURN, 0, 0, _ALLOW)]


def _argument_rules(machine: str, *, may_run: bool) -> Iterator[tuple[int, list[_Instruction]]]:
    """Yield the system calls that are allowed with some arguments only, each with its instructions."""
    allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL | errno.EPERM)
    if may_run:
        yield CLONE[machine], [_load(0), (_ANY_BIT, 1, 0, _CLONE_NAMESPACES), allow, refuse]
    else:
        yield CLONE[machine], [_load(0), (_ANY_BIT, 0, 1, _CLONE_THREAD), allow, refuse]
    # A destination address would reach any datagram socket of the user; without one the call is `send`.
    yield SENDTO[machine], [_load(4), (_EQUAL, 0, 3, 0), _load(4, upper=True), (_EQUAL, 0, 1, 0), allow, refuse]
    for numbers, refused in ((FCNTL, REFUSED_FCNTL_COMMANDS), (IOCTL, REFUSED_IOCTL_REQUESTS)):
        checks: list[_Instruction] = []
        for value in refused:
            checks += [(_EQUAL, 0, 1, value), refuse]
        yield numbers[machine], [_load(1), *checks, allow]
    # Before version 3 of Landlock a file that is opened for reading can be truncated.
    for number, place in OPEN[machine]:
        truncated = [(_ANY_BIT, 0, 3, os.O_TRUNC), (_AND, 0, 0, os.O_ACCMODE), (_EQUAL, 0, 1, os.O_RDONLY)]
        yield number, [_load(place), *truncated, refuse, allow]


def _load(argument: int, *, upper: bool = False) -> _Instruction:
    """Return the instruction that loads the lower or upper half of an argument, counted from 0."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument + 4 * upper)


class _AuditHook:
    """Refuses calls that the kernel refuses too, with clearer errors."""

    def __init__(self, folder: str, readable: list[str]) -> None:
        self._folder = folder
        self._readable = tuple(readable)

    def __call__(self, event: str, details: tuple[object, ...]) -> None:
        is_pair = event == "socket.__new__" and details[1:2] == (_UNIX,)  # the socket pair of an event loop
        if event in _REFUSED_EVENTS and not is_pair:
            raise PermissionError(errno.EPERM, f"a stored tool may not use {event}")
        if event == "open":
            flags = details[2] if len(details) > 2 and isinstance(details[2], int) else 0
            self._check(details[0], is_changed=bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)))
        elif event in _CHANGING_EVENTS:
            for path in details[:2]:
                self._check(path, is_changed=True)

    def _check(self, path: object, *, is_changed: bool) -> None:
        if not isinstance(path, str | bytes):  # an open file, or no path at all
            return
        real = os.path.realpath(os.fsdecode(path))
        if self._is_below(real, self._folder):
            return
        if is_changed or not any(self._is_below(real, root) for root in self._readable):
            raise PermissionError(errno.EACCES, "a stored tool may not open", os.fsdecode(path))

    @staticmethod
    def _is_below(path: str, root: str) -> bool:
        return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
