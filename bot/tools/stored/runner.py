"""Run calls of stored tools, each in its own process and folder."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

import bot
from bot.tools.stored.sandbox import SandboxUnavailable, check_kernel
from function_calls.tools.calls import ToolResult
from function_calls.toolsets.stored.source import StoredFunction
from services.kernel.chat import Person

_ROOT: Final = str(Path(bot.__file__).resolve().parents[1])
_BEGIN: Final = f"import sys; sys.path.append({_ROOT!r}); from bot.tools.stored.worker import main; main()"
_LONGEST_ANSWER: Final = 1_000_000
_STARTING: Final = 5.0  # seconds that a process may take to begin, on top of what the tool may take
_MOST_AT_ONCE: Final = 4
_QUOTA_CHECK_SECONDS: Final = 0.05
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


class ToolRunner:
    """Starts a worker for every call; it inherits neither environment nor open files, and what it began ends too."""

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
                return await self._in(folder, call)
            finally:
                await remove_folder(folder)

    async def _in(self, folder: str, call: StoredCall) -> ToolResult:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-c",
            _BEGIN,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder,
            env={"HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
        )
        quota = asyncio.create_task(self._enforce_quota(folder, process))
        try:
            async with asyncio.timeout(self._limits.seconds + _STARTING):
                answer = await self._exchange(process, call)
        except TimeoutError:
            return ToolResult.failed(f"took longer than {self._limits.seconds:g} s", kind="timeout")
        finally:
            quota.cancel()
            _kill(process)
            await process.wait()
        if quota.done() and not quota.cancelled():
            return ToolResult.failed(f"wrote more than the {self._limits.folder_megabytes} MB that its files may have")
        return _result(answer)

    async def _enforce_quota(self, folder: str, process: asyncio.subprocess.Process) -> None:
        """End the process once its folder is over the quota; the kernel has limits for single files only."""
        limit = self._limits.folder_megabytes * 1_000_000
        while True:
            if await asyncio.to_thread(is_over_quota, folder, limit):
                _kill(process)
                return
            await asyncio.sleep(_QUOTA_CHECK_SECONDS)

    async def _exchange(self, process: asyncio.subprocess.Process, call: StoredCall) -> bytes:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        with suppress(ConnectionError):
            process.stdin.write(self._encode_call(call))
            await process.stdin.drain()
            process.stdin.close()
        answer = bytearray()
        while chunk := await process.stdout.read(65_536):
            answer += chunk
            if len(answer) > _LONGEST_ANSWER:
                return json.dumps({"error": "the result is too large"}).encode()
        return bytes(answer)

    def _encode_call(self, call: StoredCall) -> bytes:
        function = call.function
        told = {
            "source": call.source,
            "attribute": function.attribute,
            "is_method": function.is_method,
            "model": function.model,
            "arguments": dict(call.arguments),
            "valves": dict(call.valves),
            "person": {"id": call.person.id, "name": call.person.name, "role": "user"},
            "language": call.language,
            "seconds": self._limits.seconds,
            "megabytes": self._limits.megabytes,
        }
        return json.dumps(told).encode()


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
