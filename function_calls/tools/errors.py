"""Define the errors of tool declarations, of call arguments and of agents."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from services.kernel.errors import AssistantError, RequestRefused

SAID: Final = "said"
"""The rule of an error whose author worded it: `limit` is the text for the person, in any language."""


class ArgumentError(Struct, frozen=True, kw_only=True):
    """One thing that is wrong with one argument.

    `pointer` says where (RFC 6901, `""` is the whole object); `expected` and `got` are short phrases;
    `suggestion` is the nearest thing that would have been right. `rule` is what it breaks, as JSON Schema calls it
    (`required`, `maximum`…; empty where no single rule says it), and `limit` that rule's value: what people are told in
    their own language is made of these.
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
    """The model must send other arguments: every error of the call at once."""

    def __init__(self, tool: str, errors: Iterable[ArgumentError]) -> None:
        self.tool = tool
        self.errors = tuple(errors)
        super().__init__(self.for_model())

    def for_model(self) -> str:
        """One line a field, naming the allowed values; no addresses, no copy of the whole input."""
        of_tool = f" of '{self.tool}'" if self.tool else ""
        lines = "\n".join(f"- {error}" for error in self.errors)
        return f"The arguments{of_tool} are not valid:\n{lines}"


class ArgumentRefused(RequestRefused):
    """The model that made the call must correct it: it chose something that the person did not say.

    Worded for the person like any refusal; the call goes back to the model first, even if its tool replies by itself.
    """


class SignatureInvalid(AssistantError):
    """The author of a tool must act: the function cannot be offered to a model as it is declared.

    `parameter` is empty when the fault is the function's own.
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
    """The run of an agent ended without its output: it used up its rounds, asks something, or answered in another form.

    `text` is the agent's last answer.
    """

    def __init__(self, agent: str, problem: str, text: str) -> None:
        super().__init__(f"agent '{agent}' {problem}: {text}" if text else f"agent '{agent}' {problem}")
        self.agent = agent
        self.text = text


class SchemaInvalid(AssistantError):
    """A JSON Schema from elsewhere cannot be used; `problem` says where it is broken."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the JSON Schema cannot be used: {problem}")
        self.problem = problem
