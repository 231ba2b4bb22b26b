"""Return calls of tools that a client runs itself between two requests."""

from collections.abc import Collection

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Interpreter, Step, ToolCall, Turn


class ClientToolInterpreter:
    """Another interpreter, stopped where it calls tools of the client.

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
        made = await self._inner.interpret(turn)
        chosen = tuple(call for call in made.calls if call.name in self._names)
        if not chosen:
            return made
        self.calls, self.steps = chosen, turn.steps
        return replace(made, calls=(), handled_elsewhere=True)
