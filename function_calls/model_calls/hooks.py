"""Run hooks before and after the interpretation of a turn, and when it fails."""

import inspect
from collections.abc import Awaitable, Callable

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Interpreter, Turn

BeforeModel = Callable[[Turn], Awaitable[Turn | Interpretation | None] | Turn | Interpretation | None]
AfterModel = Callable[[Turn, Interpretation], Awaitable[Interpretation | None] | Interpretation | None]
OnModelError = Callable[[Turn, Exception], Awaitable[Interpretation | None] | Interpretation | None]


class ModelHooks(Struct, kw_only=True):
    """Hooks around a model, in the order they were added.

    A `before` hook returns None to let the turn pass, a changed `Turn` for the model to see, or an `Interpretation`,
    which is then used without the model having been asked. An `after` hook returns None or the interpretation to use
    instead. An `on_error` hook returns None or an interpretation to go on with; the first one settles the matter.
    """

    before: list[BeforeModel] = field(default_factory=list)
    after: list[AfterModel] = field(default_factory=list)
    on_error: list[OnModelError] = field(default_factory=list)

    async def enter(self, turn: Turn) -> Turn | Interpretation:
        """Ask the `before` hooks; the first `Interpretation` ends the matter."""
        for hook in self.before:
            answer = hook(turn)
            if inspect.isawaitable(answer):
                answer = await answer
            if isinstance(answer, Interpretation):
                return answer
            turn = turn if answer is None else answer
        return turn

    async def leave(self, turn: Turn, interpretation: Interpretation) -> Interpretation:
        """Let the `after` hooks look at `interpretation` and change it."""
        for hook in self.after:
            changed = hook(turn, interpretation)
            if inspect.isawaitable(changed):
                changed = await changed
            interpretation = interpretation if changed is None else changed
        return interpretation

    async def fail(self, turn: Turn, error: Exception) -> Interpretation | None:
        """Ask the `on_error` hooks for something to go on with; None when the error stands."""
        for hook in self.on_error:
            answer = hook(turn, error)
            if inspect.isawaitable(answer):
                answer = await answer
            if answer is not None:
                return answer
        return None


class HookedInterpreter:
    """An `Interpreter` with hooks around it."""

    def __init__(self, interpreter: Interpreter, hooks: ModelHooks) -> None:
        self._interpreter = interpreter
        self._hooks = hooks

    async def interpret(self, turn: Turn) -> Interpretation:
        """Interpret `turn` between the `before` and `after` hooks."""
        entered = await self._hooks.enter(turn)
        if isinstance(entered, Interpretation):
            return _mark_decided(entered)
        try:
            made = await self._interpreter.interpret(entered)
        except Exception as error:
            answer = await self._hooks.fail(entered, error)
            if answer is None:
                raise
            return _mark_decided(answer)
        left = await self._hooks.leave(entered, made)
        return left if left is made else _mark_decided(left)


def _mark_decided(made: Interpretation) -> Interpretation:
    """Mark a hook's decision as final, so that silence counts as intended."""
    return made if made.calls or made.answer else replace(made, handled_elsewhere=True)
