"""The protocol between words and calls."""

from typing import Protocol

from function_calls.calls import Interpretation, Turn


class Interpreter(Protocol):
    """Reads a turn and chooses calls or words an answer; a language model is one, sentence patterns are another."""

    async def interpret(self, turn: Turn) -> Interpretation:
        """Say what `turn` asks for; an empty interpretation means that nothing was asked.

        Raises:
            ModelUnavailable: a model was needed and none answered.
        """
        ...
