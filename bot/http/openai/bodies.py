"""Request and response bodies of the OpenAI-compatible endpoint, as far as the bot reads them.

Source: https://platform.openai.com/docs/api-reference/chat
"""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from bot.http.core.bodies import MAX_SESSION_LENGTH, SESSION_PATTERN, Answer
from function_calls.tools.calls import StyleName
from services.kernel.text import replace_unstorable

MODEL: Final = "bubbles"
"""The bot's name as a model."""


class Lenient(BaseModel):
    """A body whose unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    @field_validator("*", mode="after")
    @classmethod
    def _replace_unstorable(cls, value: object) -> object:
        """Replace lone surrogates, which clients leave when they truncate text, and NUL."""
        return replace_unstorable(value) if isinstance(value, str) else value


class CalledFunction(Lenient):
    """The function of a call, with its arguments as JSON text."""

    name: str = Field(max_length=64)
    arguments: str = Field("{}", max_length=200_000)


class CalledTool(Lenient):
    """A call of a tool of the client."""

    id: str = Field(max_length=200)
    type: Literal["function"] = "function"
    function: CalledFunction


class ContentPart(Lenient):
    """A part of a message; other types than text are refused."""

    type: str
    text: str = Field("", max_length=200_000)


class ChatTurn(Lenient):
    """A message of the client's conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = Field(None, max_length=200_000)
    name: str | None = Field(None, max_length=64)
    tool_calls: list[CalledTool] | None = Field(None, max_length=64)
    tool_call_id: str | None = Field(None, max_length=200)

    function_call: CalledFunction | None = None

    @property
    def text(self) -> str:
        """Return the text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class OfferedFunction(Lenient):
    """A function that the client can run."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str = Field("", max_length=20_000)
    parameters: dict[str, JsonValue] = Field(default_factory=dict)


class OfferedTool(Lenient):
    """A tool of the client."""

    type: Literal["function"] = "function"
    function: OfferedFunction


class StreamOptions(Lenient):
    """Options of a stream; with `include_usage` its last chunk has the tokens used."""

    include_usage: bool = False


class CompletionParams(Lenient):
    """Parameters of Open WebUI; of its two call styles `default` is `prompt`."""

    function_calling: Literal["native", "default", "prompt", "json_router", "auto"] | None = None

    @property
    def call_style(self) -> StyleName | None:
        """Return the requested call style; None leaves it to the settings."""
        return "prompt" if self.function_calling == "default" else self.function_calling


class CompletionBody(Lenient):
    """A request for an answer. `user` names the conversation that it is recorded in."""

    model: str = Field(MODEL, max_length=200)
    messages: list[ChatTurn] = Field(min_length=1, max_length=1000)
    tools: list[OfferedTool] | None = Field(None, max_length=128)
    tool_choice: JsonValue = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: str | None = Field(None, max_length=200)
    params: CompletionParams | None = Field(None, description="`function_calling`: the call style.")
    tool_servers: list[dict[str, JsonValue]] | None = Field(
        None,
        max_length=20,
        description="Servers whose tools the client's page in the room runs, each with `url` and `specs`.",
    )
    session_id: str | None = Field(None, pattern=SESSION_PATTERN, max_length=MAX_SESSION_LENGTH)
    variables: dict[str, JsonValue] | None = Field(
        None,
        max_length=64,
        description="Variables of Open WebUI; read are `{{USER_NAME}}`, `{{USER_LOCATION}}`, `{{CURRENT_TIMEZONE}}`.",
    )

    def variable(self, name: str) -> str:
        """Return the value of a variable; empty without one."""
        value = (self.variables or {}).get(f"{{{{{name}}}}}")
        return value if isinstance(value, str) else ""


class ModelEntry(Answer):
    """An available model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "bubbles"


class ModelList(Answer):
    """The available models: the bot."""

    object: Literal["list"] = "list"
    data: list[ModelEntry]
