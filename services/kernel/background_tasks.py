"""Run background tasks for the lifetime of the bot."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager


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
