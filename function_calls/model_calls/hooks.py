"""Run hooks around the interpretation of a turn, and stop it where a client runs the tools."""

from collections.abc import Awaitable, Callable, Collection
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Interpreter, Step, ToolCall, Turn
from function_calls.tools.dispatch.hooks import run_hook

BeforeModel = Callable[[Turn], Awaitable[Turn | Interpretation | None] | Turn | Interpretation | None]
AfterModel = Callable[[Turn, Interpretation], Awaitable[Interpretation | None] | Interpretation | None]
OnModelError = Callable[[Turn, Exception], Awaitable[Interpretation | None] | Interpretation | None]

BEFORE_MODEL: Final = (Turn, Interpretation)
AFTER_MODEL: Final = (Interpretation,)


class ModelHooks(Struct, kw_only=True):
    """Hooks around a model, in the order they were added.

    A `before` hook returns None to let the turn pass, a changed `Turn` for the model to see, or an `Interpretation`,
    which replaces the request to the model. An `after` hook returns None or the interpretation to use instead. An
    `on_error` hook returns None or the interpretation to use; the first one is used.
    """

    before: list[BeforeModel] = field(default_factory=list)
    after: list[AfterModel] = field(default_factory=list)
    on_error: list[OnModelError] = field(default_factory=list)

    async def enter(self, turn: Turn) -> Turn | Interpretation:
        """Run the `before` hooks until one returns an interpretation; return it, else the turn."""
        for hook in self.before:
            answer = await run_hook(hook, "hook before the model", BEFORE_MODEL, turn)
            if isinstance(answer, Interpretation):
                return answer
            turn = turn if answer is None else answer
        return turn

    async def leave(self, turn: Turn, interpretation: Interpretation) -> Interpretation:
        """Run the `after` hooks; return the interpretation as they changed it."""
        for hook in self.after:
            changed = await run_hook(hook, "hook after the model", AFTER_MODEL, turn, interpretation)
            interpretation = interpretation if changed is None else changed
        return interpretation

    async def fail(self, turn: Turn, error: Exception) -> Interpretation | None:
        """Return the interpretation of the first `on_error` hook that has one; None if the error is raised."""
        for hook in self.on_error:
            answer = await run_hook(hook, "hook on a model's error", AFTER_MODEL, turn, error)
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
            interpretation = await self._interpreter.interpret(entered)
        except Exception as error:
            answer = await self._hooks.fail(entered, error)
            if answer is None:
                raise
            return _mark_decided(answer)
        left = await self._hooks.leave(entered, interpretation)
        return left if left is interpretation else _mark_decided(left)


def _mark_decided(interpretation: Interpretation) -> Interpretation:
    """Mark a hook's decision as final, so that silence counts as intended."""
    return (
        interpretation
        if interpretation.calls or interpretation.answer
        else replace(interpretation, handled_elsewhere=True)
    )


class ClientToolInterpreter:
    """Returns calls of the client's own tools to the client instead of running them.

    `calls` are the calls that the client is to make, `steps` the rounds that came before them; both are known once the
    turn has ended. Calls of our own that the same answer asked for are left out: it will ask for them again, knowing
    the results.
    """

    def __init__(self, inner: Interpreter, names: Collection[str]) -> None:
        self._inner = inner
        self._names = frozenset(names)
        self.calls: tuple[ToolCall, ...] = ()
        self.steps: tuple[Step, ...] = ()

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return the other interpreter's result for `turn`, without the client's calls."""
        interpretation = await self._inner.interpret(turn)
        chosen = tuple(call for call in interpretation.calls if call.name in self._names)
        if not chosen:
            return interpretation
        self.calls, self.steps = chosen, turn.steps
        return replace(interpretation, calls=(), handled_elsewhere=True)
