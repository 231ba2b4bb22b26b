"""Run background tasks for the lifetime of the bot."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

from loguru import logger

from services.kernel.errors import AssistantError


class BackgroundTasks:
    """Starts tasks in one task group and cancels them together; a task that fails ends the bot."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._running: set[asyncio.Task[object]] = set()

    def start(self, work: Coroutine[object, object, object], name: str) -> asyncio.Task[object]:
        """Run `work` in the task group."""
        task = self._group.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def cancel_all(self) -> None:
        """Cancel all running tasks."""
        for task in tuple(self._running):
            task.cancel()


@asynccontextmanager
async def running_tasks() -> AsyncIterator[BackgroundTasks]:
    """Run background tasks within the context, and cancel them at its end."""
    async with asyncio.TaskGroup() as group:
        tasks = BackgroundTasks(group)
        try:
            yield tasks
        finally:
            tasks.cancel_all()


async def log_failure(work: Coroutine[object, object, object], name: str) -> None:
    """Await `work`; log its failure, so that it does not end the bot."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - the rest of the bot continues
        logger.opt(exception=error).error("{} failed", name)


@asynccontextmanager
async def run_beside(work: Coroutine[object, object, object], name: str) -> AsyncIterator[None]:
    """Run `work` within the context, and cancel it at its end; a failure that is none of ours is logged."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        (result,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(result, Exception) and not isinstance(result, AssistantError):
            logger.opt(exception=result).error("{} failed", name)


async def run_until(work: Coroutine[object, object, None], end: Coroutine[object, object, object], name: str) -> bool:
    """Run `work` until it ends or `end` does, and cancel the other; return whether `work` has ended.

    An exception of `work` is raised.
    """
    tasks = asyncio.create_task(work, name=name), asyncio.create_task(end, name=f"end of {name}")
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        has_ended = tasks[0].done()
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    if has_ended and isinstance(results[0], BaseException):
        raise results[0]
    return has_ended
