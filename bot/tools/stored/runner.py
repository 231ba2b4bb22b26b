"""Run workers in processes of their own, among them one for each call of a stored tool."""

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
_LONGEST_ANSWER: Final = 1_000_000
_STARTING: Final = 5.0  # seconds that a process may take to begin, on top of what the tool may take
_MOST_AT_ONCE: Final = 4
_QUOTA_CHECK_SECONDS: Final = 0.05
_EXIT_CHECK_SECONDS: Final = 0.01
_LEAST_BYTES: Final = 4_096  # that an entry takes, however short it is
_DEEPEST: Final = 50  # folders within each other


def is_over_quota(folder: str, limit: int) -> bool:
    """Return True if the files below `folder` take more than `limit` bytes or are nested too deeply to be measured."""
    used = 0
    pending = [(folder, 0)]
    while pending:
        path, depth = pending.pop()
        if depth > _DEEPEST:
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
    """Remove `folder` with everything in it; `rm` copes with any depth, which `shutil.rmtree` does not."""
    process = await asyncio.create_subprocess_exec("rm", "-rf", "--", folder, stderr=asyncio.subprocess.DEVNULL)
    await process.wait()


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        return max(_LEAST_BYTES, entry.stat(follow_symlinks=False).st_size)
    except OSError:  # removed meanwhile
        return 0


class RunLimits(Struct, frozen=True, kw_only=True):
    """Limits of one call: its running time, its memory, and all files of its folder together."""

    seconds: float = 20.0
    megabytes: int = 512
    folder_megabytes: int = 20


class StoredCall(Struct, frozen=True, kw_only=True):
    """One call: which function of which source, with what."""

    source: str
    function: StoredFunction
    arguments: Mapping[str, object]
    valves: Mapping[str, object]
    person: Person
    language: str


class WorkerResult(Struct, frozen=True, kw_only=True):
    """The output of a worker, its status, and why it was ended; `is_cut` says that it wrote more than is returned."""

    output: bytes
    is_cut: bool
    exit_code: int
    ending: Literal["", "late", "full"] = ""


async def run_worker(
    module: str, request: Mapping[str, object], folder: str, limits: RunLimits, *, longest: int
) -> WorkerResult:
    """Run `main` of a worker's module with `request` on its standard input, and end it with all that it has started.

    Args:
        module: the module; it inherits neither environment nor open files.
        request: JSON; the limits are added to it.
        folder: its working directory, whose files together may have `limits.folder_megabytes`.
        limits: how long it may take, and how much.
        longest: bytes of its output that are returned.
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
    output = asyncio.create_task(_read(process.stdout, longest))
    ending: Literal["", "late", "full"] = ""
    request = {**request, "seconds": limits.seconds, "megabytes": limits.megabytes}
    try:
        async with asyncio.timeout(limits.seconds + _STARTING):
            await _write(process.stdin, json.dumps(request).encode())
            await _wait_exit(process)
    except TimeoutError:
        ending = "late"
    finally:
        is_full = full.done()
        full.cancel()
        _kill(process)
        await process.wait()
        written, is_cut = await output
    return WorkerResult(
        output=written, is_cut=is_cut, exit_code=process.returncode or 0, ending="full" if is_full else ending
    )


async def _wait_over_quota(folder: str, limit: int, process: asyncio.subprocess.Process) -> None:
    """End the process once its folder is over the quota; the kernel has limits for single files only."""
    while True:
        if await asyncio.to_thread(is_over_quota, folder, limit):
            _kill(process)
            return
        await asyncio.sleep(_QUOTA_CHECK_SECONDS)


async def _wait_exit(process: asyncio.subprocess.Process) -> None:
    """Wait for the process itself; its `wait` would wait for what it has started too, which holds its output open."""
    while True:
        if process.returncode is not None:
            return
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


async def _write(stream: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
        stream.close()


async def _read(stream: asyncio.StreamReader, longest: int) -> tuple[bytes, bool]:
    """Return the first `longest` bytes of all that is written, and whether there were more."""
    output, is_cut = bytearray(), False
    while chunk := await stream.read(65_536):
        is_cut = is_cut or len(output) + len(chunk) > longest
        output += chunk[: longest - len(output)]
    return bytes(output), is_cut


class ToolRunner:
    """Starts a worker for every call of a stored tool."""

    def __init__(self, limits: RunLimits | None = None) -> None:
        self._limits = limits or RunLimits()
        self._slots = asyncio.Semaphore(_MOST_AT_ONCE)

    async def run(self, call: StoredCall) -> ToolResult:
        """Run it; a crash, a hang, a refusal of the sandbox or a machine without one is a failed result."""
        try:
            check_kernel()
        except SandboxUnavailable as error:
            return ToolResult.failed(str(error))
        async with self._slots:
            folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="bubbles-tool-")
            try:
                result = await run_worker(_WORKER, _request(call), folder, self._limits, longest=_LONGEST_ANSWER)
            finally:
                await remove_folder(folder)
        return self._result(result)

    def _result(self, result: WorkerResult) -> ToolResult:
        if result.ending == "late":
            return ToolResult.failed(f"took longer than {self._limits.seconds:g} s", kind="timeout")
        if result.ending == "full":
            size = self._limits.folder_megabytes
            return ToolResult.failed(f"wrote more than the {size} MB that its files may have")
        return ToolResult.failed("the result is too large") if result.is_cut else _result(result.output)


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
    """End the worker and whatever it may have started, all of one session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _result(answer: bytes) -> ToolResult:
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return ToolResult.failed("the tool crashed or used more memory or time than it may")
    if "error" in said:
        return ToolResult.failed(str(said["error"]))
    value = said.get("result")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return ToolResult(ok=True, text=text[:1500], value=value if value is not None else {"result": None})
