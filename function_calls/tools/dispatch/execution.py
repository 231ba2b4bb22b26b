"""Run a tool with timeout, retries and a limit of concurrent calls, and log a blocked event loop."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Final, Self

from loguru import logger
from msgspec.structs import replace

from function_calls.language import date_format
from function_calls.language.messages import knows, say
from function_calls.tools.calls import ToolResult, Turn
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.hooks import PLUGIN_ERRORS, raise_if_cancelled
from function_calls.tools.errors import ArgumentRefused
from function_calls.tools.validation.json_values import NotSerialisable, to_data
from services.kernel.chat import SentFile
from services.kernel.errors import AssistantError, RequestRefused, StorageFull, ToolFailed
from services.kernel.network import growing_pauses

Work = Callable[[], Awaitable[object]]

_FIRST_PAUSE: Final = 0.2  # seconds; doubled after each further failure
_MAX_PAUSE: Final = 5.0
_MAX_BLOCK_SECONDS: Final = 1.0
MAX_TEXT_LENGTH: Final = 12_000
"""The limit of characters of a result's text for people; a model receives the whole."""

_BREAKDOWNS: Final = frozenset({"crashed", "timed_out", "disk_full"})
_TEMPORARY: Final = _BREAKDOWNS | {"", "search_unavailable"}
_TICK_SECONDS: Final = 0.25


async def run_guarded(
    name: str,
    work: Work,
    context: CallContext,
    *,
    limit: float | None,
    retries: int = 0,
    slots: asyncio.Semaphore | None = None,
) -> ToolResult:
    """Run `work` for at most `limit` seconds; an exception, also `SystemExit`, becomes a failed result.

    The limit includes waiting for one of `slots`, the `retries` and the pauses between them.
    """
    try:
        async with asyncio.timeout(limit) as deadline, slots or nullcontext():
            return _complete_text(name, _as_result(await _run_watched(name, work, context, retries)), context)
    except NotSerialisable as error:
        logger.error("tool {} {}", name, error)
        return ToolResult.failed(f"Tool '{name}' {error}", text=_crash_text(name, context), cause="crashed")
    except TimeoutError as error:
        if limit is None or not deadline.expired():
            return report_crash(name, error, context)
        text = say(context.language, "failed.timeout", tool=name, seconds=f"{limit:g}")
        late = f"Tool '{name}' timed out after {limit:.1f}s"
        return ToolResult.failed(late, text=text, kind="timeout", cause="timed_out")
    except RequestRefused as error:
        text = refusal_text(context.language, error, context.now)
        refused = ToolResult.failed(str(error), text=text, cause=error.code)
        return replace(refused, is_correctable=isinstance(error, ArgumentRefused))
    except StorageFull as error:
        logger.error("tool {}: {}", name, error)
        full = f"Tool '{name}' could not store its data: the disk is full"
        return ToolResult.failed(full, text=disk_full_text(context.language), cause="disk_full")
    except AssistantError as error:
        return ToolResult.failed(str(error), text=say(context.language, "failed.tool", tool=name, why=error))
    except PLUGIN_ERRORS as error:
        raise_if_cancelled(error)
        return report_crash(name, error, context)


def _complete_text(name: str, result: ToolResult, context: CallContext) -> ToolResult:
    """Add a text for the person to a failure without one, and shorten a long text."""
    if len(result.text) > MAX_TEXT_LENGTH:
        left = len(result.text) - MAX_TEXT_LENGTH
        logger.warning("result of tool {} is too long; dropped {} of {} characters", name, left, len(result.text))
        rest = say(context.language, "failed.too_much", left=left)
        whole = result.text if result.value is None else result.value
        return replace(result, text=f"{result.text[:MAX_TEXT_LENGTH].rstrip()}\n{rest}", value=whole)
    if result.ok or result.text or result.ending == "answered":
        return result
    return replace(result, text=say(context.language, "failed.tool", tool=name, why=result.error))


def report_crash(name: str, error: BaseException, context: CallContext) -> ToolResult:
    """Log an exception with traceback, and return a failed result with a general text."""
    logger.opt(exception=error).error("tool {} raised", name)
    return crash_result(name, error, context)


def crash_result(name: str, error: BaseException, context: CallContext) -> ToolResult:
    """Return a failed result with a general text for an exception that has been logged."""
    error_text = f"Tool '{name}' failed: {type(error).__name__}"
    return ToolResult.failed(error_text, text=_crash_text(name, context), cause="crashed")


def _crash_text(name: str, context: CallContext) -> str:
    """Return the text for a crash, which differs if the call may have made a part of a change."""
    has_begun = context.change_flag is not None and context.change_flag.is_set
    return say(context.language, "failed.crash_midway" if has_begun else "failed.crash", tool=name)


def disk_full_text(language: str) -> str:
    """Return the text for a full disk."""
    return say(language, "failed.disk_full")


def is_breakdown(result: ToolResult) -> bool:
    """Return whether a call crashed, timed out or had no disk space, and was not refused."""
    return result.cause in _BREAKDOWNS


def can_retry(result: ToolResult) -> bool:
    """Return whether the same call may succeed later: it was not refused, and its arguments were valid."""
    is_refused = result.failure == "denied" or result.is_correctable or result.cause not in _TEMPORARY
    return not result.ok and not is_refused


def may_have_changed(turn: Turn) -> bool:
    """Return whether a call of this turn changed something, or may have outside of the bot or in an agent."""
    if not turn.steps:
        return False
    reading = {spec.name for spec in turn.tools if not spec.changes_state}
    return any(
        result.receipts or result.spawned is not None or (result.ok and call.name not in reading)
        for step in turn.steps
        for call, result in zip(step.calls, step.results, strict=False)
    )


def has_content(result: ToolResult) -> bool:
    """Return whether a result has something for the person, or the chat has the answer already."""
    return bool(result.text.strip() or result.files or result.ending == "answered" or result.choices)


def is_disk_full(result: ToolResult) -> bool:
    """Return whether a call failed because the disk is full."""
    return result.cause == "disk_full"


async def _run_watched(name: str, work: Work, context: CallContext, retries: int) -> object:
    """Run `work`, and log a warning if it blocks the event loop."""
    watchdog = EventLoopWatchdog()
    try:
        with watchdog:
            return await _run_with_retries(name, work, context, retries)
    finally:
        if watchdog.max_pause > _MAX_BLOCK_SECONDS:
            logger.warning(
                "event loop blocked for {:.1f} s while tool {} ran; write a tool that waits or computes as a plain def,"
                " which runs in a thread, or await what waits",
                watchdog.max_pause,
                name,
            )


async def _run_with_retries(name: str, work: Work, context: CallContext, retries: int) -> object:
    for left, pause in zip(range(retries, 0, -1), growing_pauses(_FIRST_PAUSE, _MAX_PAUSE), strict=False):
        try:
            return await work()
        except Exception as error:
            if isinstance(error, AssistantError) and not isinstance(error, ToolFailed):
                raise
            logger.warning("tool {} failed ({}), {} tries left", name, type(error).__name__, left)
        context.state.discard()
        await asyncio.sleep(pause)
    return await work()


def refusal_text(language: str, error: RequestRefused, now: datetime) -> str:
    """Return the refusal in the person's language, with formatted instants and durations."""
    key = f"refused.{error.code}"
    if not knows(key):
        return say(language, "refused.other", why=error)
    return say(language, key, **{name: _word_field(language, value, now) for name, value in error.fields.items()})


def _word_field(language: str, value: object, now: datetime) -> object:
    if isinstance(value, datetime):
        return date_format.moment(language, value.astimezone(now.tzinfo), now)
    return date_format.distance(language, value) if isinstance(value, timedelta) else value


def _as_result(value: object) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if value is None:
        return ToolResult(ok=True)
    files = (value,) if isinstance(value, SentFile) else value
    if isinstance(files, (list, tuple)) and files and all(isinstance(file, SentFile) for file in files):
        return ToolResult(ok=True, files=tuple(files))
    if isinstance(value, str):
        return ToolResult(ok=True, text=value, value=value, is_wrapped=True)
    given = to_data(value)
    text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict | list) else str(value)
    return ToolResult(ok=True, text=text, value=given if isinstance(given, dict) else {"result": given})


class EventLoopWatchdog:
    """Measures the longest block of the event loop within the context: `max_pause`, in seconds."""

    def __init__(self) -> None:
        self.max_pause = 0.0
        self._last = 0.0
        self._next: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        self._tick()
        return self

    def __exit__(self, *_: object) -> None:
        self._note()
        if self._next is not None:
            self._next.cancel()

    def _tick(self) -> None:
        self._note()
        self._next = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _note(self) -> None:
        now = time.monotonic()
        self.max_pause = max(self.max_pause, now - self._last - _TICK_SECONDS)
        self._last = now
