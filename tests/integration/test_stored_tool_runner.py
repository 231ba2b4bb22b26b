"""Stored Python tools in separate, confined processes."""

import asyncio
import os
import platform
import re
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bot.tools.stored.runner import RunLimits, StoredCall, ToolRunner
from bot.tools.stored.sandbox import SandboxUnavailable, check_kernel
from function_calls.toolsets.stored.source import read_source
from services.kernel.chat import Person

pytestmark = pytest.mark.integration
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Landlock and seccomp")
ANN = Person(id="ann", name="Ann")


def method(body, head=""):
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return f'{head}\nclass Tools:\n    def go(self, given: str = "") -> str:\n        """Go."""\n{lines}\n'


async def run(source, arguments=None, *, valves=None, **limits):
    function = read_source(source).functions[0]
    call = StoredCall(
        source=source, function=function, arguments=arguments or {}, valves=valves or {}, person=ANN, language="en"
    )
    return await ToolRunner(RunLimits(**{"seconds": 3, **limits})).run(call)


async def test_method_is_run_with_its_arguments_and_settings():
    head = "from pydantic import BaseModel\nclass Valves(BaseModel):\n    word: str = 'hello'\n"

    result = await run(method('return f"{self.valves.word} {given}"', head), {"given": "世界"}, valves={"word": "你好"})

    assert result.value == "你好 世界"


async def test_decorated_function_gets_an_instance_of_its_model_and_the_person():
    source = (
        "from pydantic import BaseModel\nfrom function_calls.registry import tool_function\n"
        "class Args(BaseModel):\n    sides: int\n"
        "@tool_function()\nasync def roll(args: Args, ctx: 'CallContext') -> dict:\n"
        "    'Roll.'\n    return {'sides': args.sides, 'for': ctx.sender.name}\n"
    )

    assert (await run(source, {"sides": 6})).value == {"sides": 6, "for": "Ann"}


async def test_error_is_reported_with_its_line():
    result = await run(method('raise ValueError("no such city")'))

    assert result.error == "ValueError: no such city (line 5)"


async def test_printed_text_is_not_a_result():
    assert (await run(method('print("{\\"result\\": 1}")\nreturn "real"'))).value == "real"


async def test_tool_sees_no_secrets_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")

    result = await run(method("import os\nreturn str(dict(os.environ))"))

    assert "sk-very-secret" not in str(result.value)


@LINUX
@pytest.mark.parametrize(
    "path",
    [f"/proc/{os.getpid()}/environ", "/etc/passwd", str(Path(__file__)), "/proc/self/../../etc/hostname"],
    ids=["environment of the bot", "file of the system", "file of ours", "way around"],
)
async def test_tool_reads_only_its_own_files(path):
    result = await run(method(f"return open({path!r}, 'rb').read().decode('latin-1')"))

    assert not result.ok
    assert "Permission" in result.error


async def run_without_audit_hook(folder, *attempts):
    """Return "done" or "refused" for each attempt in a process that only the kernel confines."""
    script = (
        "import os, signal, socket, sys, threading\n"
        "from bot.tools.stored import sandbox\n"
        "sandbox.sys = type(sys)('sys'); sandbox.sys.platform = 'linux'; sandbox.sys.addaudithook = lambda hook: None\n"
        f"sandbox.confine(folder={str(folder)!r}, readable=[sys.prefix], seconds=2, megabytes=500)\n"
    )
    for attempt in attempts:
        script += f"try:\n    {attempt}\n    print('done')\nexcept PermissionError:\n    print('refused')\n"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    return output.decode().split()


@LINUX
async def test_kernel_refuses_calls_without_the_audit_hook(tmp_path):
    attempts = (
        "open('/etc/passwd')",
        "os.fork()",
        "socket.socket()",
        "os.kill(os.getppid(), 0)",
        "signal.pthread_kill(threading.get_ident(), 0)",
        "os.setpriority(os.PRIO_PROCESS, os.getpid(), 5)",
        "os.sched_setaffinity(0, {0})",
        "os.memfd_create('x')",
        "os.execv('/bin/id', ['id'])",
    )

    assert await run_without_audit_hook(tmp_path, *attempts) == ["refused"] * len(attempts)


@LINUX
async def test_kernel_prevents_changes_of_rights_and_times_of_files(tmp_path):
    own, others = tmp_path / "own", tmp_path / "bubbles.db"
    own.mkdir()
    others.write_text("kept")
    others.chmod(0o600)
    before = others.stat()

    path = str(others)
    done = await run_without_audit_hook(
        own, f"os.chmod({path!r}, 0o777)", f"os.utime({path!r}, (0, 0))", f"os.setxattr({path!r}, 'user.x', b'1')"
    )

    after = others.stat()
    assert done == ["done"] * 3
    assert (after.st_mode, after.st_mtime_ns, os.listxattr(others)) == (before.st_mode, before.st_mtime_ns, [])


@pytest.mark.parametrize("attempt", ["chmod({0!r}, 511)", "utime({0!r}, (0, 0))", "remove({0!r})", "link({0!r}, 'a')"])
async def test_tool_changes_only_its_own_files(attempt, tmp_path):
    others = tmp_path / "bubbles.db"
    others.write_text("kept")

    result = await run(method(f"import os\nos.{attempt.format(str(others))}"))

    assert "Permission" in result.error
    assert others.read_text() == "kept"


async def test_tool_copies_its_own_files():
    body = "import shutil\nopen('a', 'w').write('x')\nreturn open(shutil.copy2('a', 'b')).read()"

    assert (await run(method(body))).value == "x"


async def test_folder_of_a_tool_is_removed_after_its_call():
    body = "import pathlib\np = pathlib.Path('note.txt')\np.write_text('x')\nreturn str(p.resolve())"

    result = await run(method(body))

    assert result.ok, result.error
    assert not await asyncio.to_thread(Path(result.value).exists)


@pytest.mark.parametrize(
    "body",
    [
        "import socket\nsocket.create_connection(('127.0.0.1', 80))",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
        "import subprocess\nsubprocess.run(['id'])",
        "import os\nos.system('id')",
        "import os\nos.fork()",
        "import os\nos.kill(os.getppid(), 9)",
        "import multiprocessing as m\nm.Process(target=print).start()",
        "import ctypes\nctypes.CDLL(None).fork()",
    ],
)
async def test_tool_reaches_no_network_and_no_processes(body):
    result = await run(method(f"{body}\nreturn 'done'"))

    assert not result.ok


async def test_tool_that_never_returns_is_ended():
    started = time.monotonic()

    result = await run(method("while True: pass"), seconds=0.3)

    assert not result.ok
    assert time.monotonic() - started < 4


@pytest.mark.timeout(12)
async def test_sleeping_tool_is_ended():
    result = await run(method("import time\ntime.sleep(3600)"), seconds=-4)

    assert result.failure == "timeout"


async def test_time_limit_of_a_tool_excludes_its_start():
    result = await run(method("import time\ntime.sleep(2)"), seconds=0.5)

    assert result.failure == "timeout"


async def test_fork_bomb_is_refused():
    body = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        return 'refused'"

    result = await run(method(body))

    assert result.value == "refused"


async def test_tool_that_uses_all_memory_is_ended():
    result = await run(method("x = []\nwhile True: x.append(bytearray(10_000_000))"), megabytes=300)

    assert "MemoryError" in result.error


async def test_endless_file_is_a_failed_call():
    result = await run(method("with open('f', 'wb') as f:\n    while True: f.write(bytes(1_000_000))"))

    assert not result.ok


async def test_crash_of_the_interpreter_is_a_failed_call():
    result = await run(method("import os\nos.abort()"))

    assert not result.ok


async def test_huge_result_is_refused():
    result = await run(method("return 'x' * 3_000_000"))

    assert result.error == "the result is too large"


async def test_cancelled_call_ends_its_process():
    task = asyncio.create_task(run(method("import time\ntime.sleep(60)"), seconds=60))
    await asyncio.sleep(0.3)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def run_raw_calls(folder, attempts, *, landlock=None):
    """Return the errno names of raw system calls, made through the C library that a tool finds by `gc`.

    With `landlock` the kernel's rules for files are those of that older version.
    """
    older = (
        ""
        if landlock is None
        else (
            f"sandbox._ALL_FILE_RIGHTS = {{1: sandbox._ALL_FILE_RIGHTS[{landlock}]}}\n"
            "sandbox._TCP = sandbox._SIGNALS_AND_SOCKETS = 0\n"
        )
    )
    script = (
        "import ctypes, errno, gc, os, signal, socket, sys, fcntl\n"
        "from bot.tools.stored import sandbox\n"
        f"{older}"
        f"readable = [sys.prefix, {str(folder.parent)!r}]\n"
        f"sandbox.confine(folder={str(folder)!r}, readable=readable, seconds=2, megabytes=500)\n"
        "library = next(each for each in gc.get_objects() if isinstance(each, ctypes.CDLL))\n"
        "def raw(*arguments):\n"
        "    ctypes.set_errno(0)\n"
        "    return 'done' if library.syscall(*arguments) >= 0 else errno.errorcode[ctypes.get_errno()]\n"
    )
    for attempt in attempts:
        script += f"print({attempt})\n"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert not errors.decode(), errors.decode()
    return out.decode().split()


X86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="needs the system call numbers of x86-64")


@LINUX
@X86_64
@pytest.mark.parametrize("landlock", [1, None], ids=["Landlock 1", "this kernel"])
async def test_raw_system_calls_reach_no_other_files_and_processes(tmp_path, landlock):
    own, others = tmp_path / "own", tmp_path / "bubbles.db"
    own.mkdir()
    others.write_text("kept")
    path = str(others).encode()
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    server.bind(str(tmp_path / "inbox"))
    server.setblocking(False)
    with server:
        results = await run_raw_calls(
            own,
            [
                f"raw(76, {path!r}, 0)",  # truncate
                f"raw(2, {path!r}, os.O_TRUNC)",  # open for reading, emptied
                f"raw(257, -100, {path!r}, os.O_TRUNC, 0)",  # openat
                f"raw(437, -100, {path!r}, b'0' * 24, 24)",  # openat2
                f"raw(72, 0, fcntl.F_SETOWN, {os.getpid()})",
                f"raw(72, 0, 10, {int(signal.SIGKILL)})",  # F_SETSIG
                "raw(16, 0, 0x8901, ctypes.byref(ctypes.c_int(1)))",  # FIOSETOWN
                "raw(62, os.getppid(), 0)",  # kill
                "raw(46, 0, b'', 0)",  # sendmsg
                "raw(30, 0, 0, 0)",  # shmat
                "raw(59, b'/bin/true', 0, 0)",  # execve
            ],
            landlock=landlock,
        )
        address = b"\x01\x00" + str(tmp_path / "inbox").encode() + b"\x00"  # sockaddr_un
        pair = "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].fileno()"
        results += await run_raw_calls(
            own, [f"raw(44, {pair}, b'x', 1, 0, {address!r}, {len(address)})"], landlock=landlock
        )
        with pytest.raises(BlockingIOError):
            server.recv(1)

    assert set(results) <= {"EPERM", "ENOSYS"}
    assert others.read_text() == "kept"


async def test_many_small_files_exceed_the_quota_of_the_folder():
    body = "n = 0\nwhile True:\n    open(f'f{n}', 'wb').write(bytes(1_000_000))\n    n += 1"

    result = await run(method(body), folder_megabytes=5)

    assert result.error == "wrote more than the 5 MB that its files may have"


async def test_endless_folders_are_a_failed_call_and_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    body = "import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')"

    result = await run(method(body))

    assert not result.ok
    assert not any(tmp_path.iterdir())


async def test_tools_are_refused_on_a_machine_without_a_sandbox(monkeypatch):
    def refuse():
        raise SandboxUnavailable(
            "landlock", "stored tools need a kernel with Landlock (Linux 5.13 or newer, switched on)"
        )

    monkeypatch.setattr("bot.tools.stored.runner.check_kernel", refuse)

    result = await run(method("return 'ran'"))

    assert not result.ok
    assert "Landlock" in result.error


@LINUX
def test_level_of_the_sandbox_is_reported():
    assert re.fullmatch(r"Landlock \d+, seccomp", check_kernel())
