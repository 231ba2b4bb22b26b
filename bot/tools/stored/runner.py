"""Run workers in separate processes with limits, such as one for each call of a stored tool."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

import bot
from bot.tools.stored.sandbox import SandboxUnavailable, check_kernel
from function_calls.tools.calls import ToolResult
from function_calls.toolsets.stored.source import StoredFunction
from services.kernel.chat import Person

_ROOT: Final = str(Path(bot.__file__).resolve().parents[1])
_WORKER: Final = "bot.tools.stored.worker"
_MAX_ANSWER_LENGTH: Final = 1_000_000
_START_SECONDS: Final = 5.0  # for the start of a process, and to end one that ignores the timer of the sandbox
_MAX_CONCURRENT: Final = 4
_QUOTA_CHECK_SECONDS: Final = 0.05
_EXIT_CHECK_SECONDS: Final = 0.01
_MIN_BYTES: Final = 4_096  # on disk, of each file or folder
_MAX_LEVELS: Final = 50  # of nested folders


def is_over_quota(folder: str, limit: int) -> bool:
    """Return whether the files below `folder` take more than `limit` bytes, or folders are nested too deeply."""
    used = 0
    pending = [(folder, 0)]
    while pending:
        path, depth = pending.pop()
        if depth > _MAX_LEVELS:
            return True
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    used += _size_of(entry)
                    if used > limit:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, depth + 1))
        except OSError:  # removed meanwhile
            continue
    return False


async def remove_folder(folder: str) -> None:
    """Remove `folder` with its content, by `rm`: `shutil.rmtree` fails for deeply nested folders."""
    process = await asyncio.create_subprocess_exec("rm", "-rf", "--", folder, stderr=asyncio.subprocess.DEVNULL)
    await process.wait()


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        return max(_MIN_BYTES, entry.stat(follow_symlinks=False).st_size)
    except OSError:  # removed meanwhile
        return 0


class RunLimits(Struct, frozen=True, kw_only=True):
    """Limits of a call: running time, memory, and the total size of the files in its folder."""

    seconds: float = 20.0
    megabytes: int = 512
    folder_megabytes: int = 20


class StoredCall(Struct, frozen=True, kw_only=True):
    """A call of a function of a source."""

    source: str
    function: StoredFunction
    arguments: Mapping[str, object]
    valves: Mapping[str, object]
    person: Person
    language: str


class WorkerResult(Struct, frozen=True, kw_only=True):
    """The output of a worker, truncated if `is_truncated`, its exit code, and the limit that ended it."""

    output: bytes
    is_truncated: bool
    exit_code: int
    ending: Literal["", "late", "full"] = ""


async def run_worker(
    module: str, request: Mapping[str, object], folder: str, limits: RunLimits, *, max_output_bytes: int
) -> WorkerResult:
    """Run `main` of a worker's module in `folder`, with `request` and `limits` as JSON on standard input.

    Its process inherits neither environment nor open files, and is killed with its own processes at the end. At most
    `max_output_bytes` of its output are returned.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.append({_ROOT!r}); from {module} import main; main()",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        env={"HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        start_new_session=True,
    )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the worker has no pipes")
    full = asyncio.create_task(_wait_over_quota(folder, limits.folder_megabytes * 1_000_000, process))
    output = asyncio.create_task(_read(process.stdout, max_output_bytes))
    ending: Literal["", "late", "full"] = ""
    request = {**request, "seconds": limits.seconds, "megabytes": limits.megabytes}
    try:
        async with asyncio.timeout(limits.seconds + _START_SECONDS):
            await _write(process.stdin, json.dumps(request).encode())
            await _wait_exit(process)
    except TimeoutError:
        ending = "late"
    finally:
        is_full = full.done()
        full.cancel()
        _kill(process)
        await process.wait()
        data, is_truncated = await output
    if process.returncode == -signal.SIGALRM:  # of the sandbox, which begins to count after the start
        ending = "late"
    return WorkerResult(
        output=data, is_truncated=is_truncated, exit_code=process.returncode or 0, ending="full" if is_full else ending
    )


async def _wait_over_quota(folder: str, limit: int, process: asyncio.subprocess.Process) -> None:
    """Kill the process when its folder is over the quota; the kernel limits single files only."""
    while True:
        if await asyncio.to_thread(is_over_quota, folder, limit):
            _kill(process)
            return
        await asyncio.sleep(_QUOTA_CHECK_SECONDS)


async def _wait_exit(process: asyncio.subprocess.Process) -> None:
    """Wait for the process; its `wait` would also wait for its children, which hold its output open."""
    while True:
        if process.returncode is not None:
            return
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


async def _write(stream: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
        stream.close()


async def _read(stream: asyncio.StreamReader, limit: int) -> tuple[bytes, bool]:
    """Read to the end; return the first `limit` bytes, and whether there were more."""
    output, is_truncated = bytearray(), False
    while chunk := await stream.read(65_536):
        is_truncated = is_truncated or len(output) + len(chunk) > limit
        output += chunk[: limit - len(output)]
    return bytes(output), is_truncated


class ToolRunner:
    """Starts a worker for every call of a stored tool."""

    def __init__(self, limits: RunLimits | None = None) -> None:
        self._limits = limits or RunLimits()
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)

    async def run(self, call: StoredCall) -> ToolResult:
        """Run a call; a crash, a timeout, a refusal of the sandbox or a missing sandbox is a failed result."""
        try:
            check_kernel()
        except SandboxUnavailable as error:
            return ToolResult.failed(str(error))
        async with self._slots:
            folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="bubbles-tool-")
            try:
                result = await run_worker(
                    _WORKER, _request(call), folder, self._limits, max_output_bytes=_MAX_ANSWER_LENGTH
                )
            finally:
                await remove_folder(folder)
        return self._result(result)

    def _result(self, result: WorkerResult) -> ToolResult:
        if result.ending == "late":
            return ToolResult.failed(f"took longer than {self._limits.seconds:g} s", kind="timeout")
        if result.ending == "full":
            size = self._limits.folder_megabytes
            return ToolResult.failed(f"wrote more than the {size} MB that its files may have")
        return ToolResult.failed("the result is too large") if result.is_truncated else _result(result.output)


def _request(call: StoredCall) -> dict[str, object]:
    function = call.function
    return {
        "source": call.source,
        "attribute": function.attribute,
        "is_method": function.is_method,
        "model": function.model,
        "arguments": dict(call.arguments),
        "valves": dict(call.valves),
        "person": {"id": call.person.id, "name": call.person.name, "role": "user"},
        "language": call.language,
    }


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill the worker and its processes, which are in its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _result(answer: bytes) -> ToolResult:
    try:
        data = json.loads(answer, parse_constant=lambda _: None)  # NaN and infinity have no form in JSON
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        return ToolResult.failed("the tool crashed or used more memory or time than it may")
    if "error" in data:
        return ToolResult.failed(str(data["error"]))
    value = data.get("result")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return ToolResult(ok=True, text=text[:1500], value=value if value is not None else {"result": None})
