"""Define the errors of tool declarations, of call arguments and of agents."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from services.kernel.errors import AssistantError, RequestRefused

SAID: Final = "said"
"""The rule of an error with the message of a validator's author; `limit` is the text for the person."""


class ArgumentError(Struct, frozen=True, kw_only=True):
    """An error in one argument.

    `pointer` is the place (RFC 6901, `""` is the whole object); `expected` and `got` are short phrases; `suggestion` is
    the nearest valid value. `rule` is the violated keyword of JSON Schema (`required`, `maximum`…; empty without a
    single one) and `limit` its value, from which the messages for people are made.
    """

    pointer: str
    message: str
    expected: str = ""
    got: str = ""
    suggestion: str | None = None
    rule: str = ""
    limit: str = ""

    def __str__(self) -> str:
        place = self.pointer or "arguments"
        hint = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{place}: {self.message}.{hint}" if hint else f"{place}: {self.message}"


class ArgumentsInvalid(AssistantError):
    """The model must send other arguments; the error has all errors of the call."""

    def __init__(self, tool: str, errors: Iterable[ArgumentError]) -> None:
        self.tool = tool
        self.errors = tuple(errors)
        super().__init__(self.for_model())

    def for_model(self) -> str:
        """Return one line per error for the model."""
        of_tool = f" of '{self.tool}'" if self.tool else ""
        lines = "\n".join(f"- {error}" for error in self.errors)
        return f"The arguments{of_tool} are not valid:\n{lines}"


class ArgumentRefused(RequestRefused):
    """The model must correct the call, because the person did not ask for its arguments.

    The text is for the person, but the call is returned to the model first, even if the tool replies.
    """


class SignatureInvalid(AssistantError):
    """The author of a tool must correct its declaration.

    `parameter` is empty if the problem is not in a parameter.
    """

    def __init__(self, *, function: str, file: str, line: int, parameter: str, problem: str, fix: str) -> None:
        subject = f"parameter '{parameter}' of '{function}'" if parameter else f"'{function}'"
        super().__init__(f"{file}:{line}: {subject}: {problem}. {fix}")
        self.function = function
        self.file = file
        self.line = line
        self.parameter = parameter
        self.problem = problem
        self.fix = fix


class AgentFailed(AssistantError):
    """The run of an agent ended without its output. `text` is the last answer."""

    def __init__(self, agent: str, problem: str, text: str) -> None:
        super().__init__(f"agent '{agent}' {problem}: {text}" if text else f"agent '{agent}' {problem}")
        self.agent = agent
        self.text = text


class SchemaInvalid(AssistantError):
    """An external JSON Schema is invalid; `problem` has the place and the reason."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the JSON Schema cannot be used: {problem}")
        self.problem = problem
