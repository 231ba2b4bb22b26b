"""An executor without a thread, for tests that fake the time."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class InlineExecutor(Executor):
    """Runs work at once, where it is submitted: with looptime, a thread's work would seem to take hours."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` and return its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - an executor hands every error to whoever waits for the result
            future.set_exception(error)
        return future
