"""Declare the interface of language models, the values of requests and answers, and wrappers of models."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from services.kernel.errors import ModelUnavailable

TextListener = Callable[[str], Awaitable[None]]


async def ignore_text(text: str) -> None:
    """Ignore the text of a stream."""


class CompletionRequest(Struct, frozen=True, kw_only=True):
    """One request in the chat-completions form.

    `tools` is the tool list as JSON (UTF-8), serialised once for many requests; None offers no tools. `on_text` gets
    the pieces of the text and makes the request a streamed one. `model` names another model of the same server; empty
    is the usual one.
    """

    messages: Sequence[Mapping[str, object]]
    tools: bytes | None = None
    tool_choice: str | Mapping[str, object] | None = None
    response_format: Mapping[str, object] | None = None
    on_text: TextListener | None = None
    max_tokens: int | None = None
    model: str = ""


class RequestedCall(Struct, frozen=True, kw_only=True):
    """A call as the model wrote it; `arguments` is its text, not checked yet."""

    id: str
    name: str
    arguments: str


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one completion."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


class Completion(Struct, frozen=True, kw_only=True):
    """The model's answer. `finish_reason` is the server's: `stop`, `tool_calls`, `length`, `content_filter`."""

    text: str
    calls: tuple[RequestedCall, ...]
    finish_reason: str
    model: str
    usage: Usage


class Timeouts(Struct, frozen=True, kw_only=True):
    """The time that one answer may take, in seconds.

    `connect` is for reaching the server, `silence` for the longest pause in which nothing arrives, `total` for
    everything together: waiting for a free slot, retries and the waits between them.
    """

    connect: float = 5.0
    silence: float = 45.0
    total: float = 60.0


class LanguageModel(Protocol):
    """Anything that completes a chat."""

    @property
    def name(self) -> str:
        """The model's name as the server knows it."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`.

        Raises:
            ModelUnavailable: no usable answer after the configured retries.
        """


class NullModel:
    """A `LanguageModel` that is always unavailable."""

    name = "none"

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer nothing.

        Raises:
            ModelUnavailable: always.
        """
        del request
        raise ModelUnavailable("connection", "no language model is configured")


Ask = Callable[[LanguageModel, CompletionRequest], Awaitable[Completion]]
"""Passes a request to the instrumented model and returns its answer."""


class InstrumentedModel:
    """Passes every request for `inner` through `ask`."""

    def __init__(self, inner: LanguageModel, ask: Ask) -> None:
        self._inner = inner
        self._ask = ask

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`.

        Raises:
            ModelUnavailable: there was no usable answer.
        """
        return await self._ask(self._inner, request)
