"""Complete chats with any server that offers the OpenAI chat-completions API."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from services.kernel.network import pick_pause
from services.kernel.startup_imports import import_without_gc
from services.language_model.failures import CallsRejected, EndpointFailed, RequestRejected
from services.language_model.ports import Completion, CompletionRequest, Timeouts, Usage
from services.language_model.request_body import BodyForm, add_fallback
from services.language_model.stream import StreamGuard

if TYPE_CHECKING:
    from services.language_model.transport import Transport

Message = Mapping[str, object]

_CALL_MARKS = ("{", "<function")
_SHARE = 8
"""Each step drops at least one eighth of the earlier turns, so that the length is found after few refused requests."""
_MAX_RESULT_LENGTH = 1500  # characters of a tool's result in a request that was too long
_NOTE = "\n[… the middle is left out …]\n"


def _shorten(request: CompletionRequest) -> CompletionRequest | None:
    """Return `request` without its oldest part; None if it has only the person's current message."""
    for messages in (_without_oldest_turns(request.messages), [*map(_with_short_result, request.messages)]):
        if messages != list(request.messages):
            return replace(request, messages=messages)
    return None


def _size(messages: Sequence[Message]) -> int:
    """Return the number of characters in the texts of `messages`."""
    return sum(len(str(message.get("content") or "")) for message in messages)


def _without_oldest_turns(messages: Sequence[Message]) -> list[Message]:
    """Drop whole turns before the last one, each from a person's message on; system messages stay."""
    users = [place for place, message in enumerate(messages) if message.get("role") == "user"]
    if not users:
        return list(messages)
    wanted = _size(_without_system(messages[: users[-1]])) / _SHARE
    ends = (end for end in users if (dropped := _without_system(messages[:end])) and _size(dropped) >= wanted)
    end = next(ends, users[-1])
    return [*(each for each in messages[:end] if each.get("role") == "system"), *messages[end:]]


def _without_system(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.get("role") != "system"]


def _with_short_result(message: Message) -> Message:
    content = message.get("content")
    if message.get("role") != "tool" or not isinstance(content, str) or len(content) <= _MAX_RESULT_LENGTH:
        return message
    half = _MAX_RESULT_LENGTH // 2 - len(_NOTE)
    return {**message, "content": f"{content[:half]}{_NOTE}{content[-half:]}"}


class RequestRetries(Struct, frozen=True, kw_only=True):
    """The retries of a request, with pauses in seconds that double from `first_delay` to `max_delay`.

    `attempts` includes the first one. A server that asks for a longer wait than `max_wait` ends the attempts,
    because a person is waiting.
    """

    attempts: int = 3
    first_delay: float = 0.5
    max_delay: float = 8.0
    max_wait: float = 20.0

    def delay(self, attempt: int, retry_after: float | None) -> float | None:
        """Return the seconds to wait after the failure of `attempt` (from 1); None if no retry is left.

        `retry_after` is the wait that the server asked for.
        """
        if attempt >= self.attempts:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.max_wait else None
        return pick_pause(attempt, self.first_delay, self.max_delay)


class OpenAIModel:
    """A model named `model` on the server at `base_url`; safe to share between any number of messages.

    `extra` are fields for every request body, such as `temperature`.
    At most `slots` requests are in flight at once; the others wait their turn.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str = "",
        timeouts: Timeouts | None = None,
        retries: RequestRetries | None = None,
        slots: int = 32,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        self.name = model
        """The model's name as the server knows it."""
        self._base_url = base_url
        self._api_key = api_key
        self._timeouts = timeouts or Timeouts()
        self._retries = retries or RequestRetries()
        self._slots = asyncio.Semaphore(slots)
        self._form = BodyForm(extra=dict(extra or {}))
        self._refused_size: int | None = None  # that of the smallest request that was too long
        self._transport: Transport | None = None
        self._warming = asyncio.Lock()

    def __repr__(self) -> str:
        parts = urlsplit(self._base_url)
        return f"OpenAIModel({self.name!r} at {parts.scheme}://{parts.hostname or ''}{parts.path})"

    async def warm_up(self) -> None:
        """Import the SDK and create its client in a thread, so that the first message does not wait for it."""
        await self._ready()

    async def close(self) -> None:
        """Close the connections; the model can be used again afterwards."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, with retries after temporary failures.

        Raises:
            ModelUnavailable: no usable answer after the configured retries, or not within the total time.
        """
        try:
            async with asyncio.timeout(self._timeouts.total) as deadline, self._slots:
                return await self._persist(request)
        except TimeoutError:
            if not deadline.expired():
                raise
        raise EndpointFailed("timeout", f"no answer within {self._timeouts.total:g} s")

    async def _persist(self, request: CompletionRequest) -> Completion:
        transport = self._transport or await self._ready()
        request = self._fit(request)
        attempt = 1
        while True:
            guard, form = StreamGuard(request), self._form
            try:
                return await transport.send(self.name, guard.request, form)
            except RequestRejected as rejection:
                if guard.is_speaking:
                    raise
                request = self._adapt(request, form, rejection)
                continue
            except EndpointFailed as failure:
                if isinstance(failure, CallsRejected) and any(mark in failure.generation for mark in _CALL_MARKS):
                    text = failure.generation  # to be parsed for calls
                    return Completion(text=text, calls=(), finish_reason="stop", model=self.name, usage=Usage())
                is_final = guard.is_speaking or not failure.is_passing
                delay = None if is_final else self._retries.delay(attempt, failure.retry_after)
                if delay is None:
                    raise
            attempt += 1
            await asyncio.sleep(delay)

    def _fit(self, request: CompletionRequest) -> CompletionRequest:
        """Return `request` without its oldest turns until it is shorter than all that were too long."""
        while self._refused_size is not None and _size(request.messages) >= self._refused_size:
            shorter = _shorten(request)
            if shorter is None:
                break
            request = shorter
        return request

    def _adapt(self, request: CompletionRequest, sent: BodyForm, rejection: RequestRejected) -> CompletionRequest:
        """Return the request to send instead of `request`, which was refused in the form `sent`.

        Some models accept no `temperature`, some servers no system message, so the form is changed for all later
        requests. A request that is too long loses its oldest turns.

        Raises:
            RequestRejected: there is nothing to change.
        """
        if sent is not self._form:  # another request has changed it meanwhile
            return request
        if rejection.matter == "length":
            shorter = _shorten(request)
            if shorter is None:
                raise rejection
            self._refused_size = min(_size(request.messages), self._refused_size or sys.maxsize)
            return shorter
        named = next((field for field in sent.extra if field in rejection.message), None)
        if named is not None:
            logger.warning("model {} refuses {!r}; leaving it out from now on", self.name, named)
            extra = {field: value for field, value in sent.extra.items() if field != named}
            self._form = replace(sent, extra=extra)
            return request
        form = add_fallback(sent, self.name, request, rejection.message)
        if form is None:
            raise rejection
        logger.warning(
            "the server of model {} requires {}; applying it from now on", self.name, form.fallbacks[-1].name
        )
        self._form = form
        return request

    async def _ready(self) -> "Transport":
        async with self._warming:
            if self._transport is None:
                self._transport = await asyncio.to_thread(self._make_transport)
            return self._transport

    def _make_transport(self) -> "Transport":
        with import_without_gc():
            from services.language_model.transport import Transport

        return Transport(self._base_url, self._api_key, self._timeouts)


def model_of_environment(name: str) -> OpenAIModel:
    """Return the model `name` of the server in OPENAI_BASE_URL, OpenAI by default, with the key in OPENAI_API_KEY."""
    base_url = os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    return OpenAIModel(name, base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY", ""))
