"""Which call style an endpoint gets: the one the operator names, or the best one that it is seen to do."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Literal

from loguru import logger

from function_calls.model_calls.instructions import Instructions
from function_calls.model_calls.styles.json_router import JsonRouterStyle
from function_calls.model_calls.styles.native import NativeStyle
from function_calls.model_calls.styles.prompted import PromptStyle
from function_calls.model_calls.styles.style import CallStyle, StyleSource
from services.kernel.errors import ModelUnavailable
from services.language_model.failures import Matter, RequestRejected
from services.language_model.ports import Completion, CompletionRequest, LanguageModel

FixedStyle = Literal["native", "json_router", "prompt"]
StyleName = Literal["native", "json_router", "prompt", "auto"]

_NEEDS: Mapping[FixedStyle, tuple[Matter, ...]] = {
    "native": ("tools",),
    "json_router": ("tools", "format"),
    "prompt": (),
}
_NUMBER = 7
_TOOL = "report_number"
_NUMBER_SCHEMA = {"type": "integer"}
_QUESTION = f"Report the number {_NUMBER} with the tool {_TOOL}."


def make_styles(name: StyleName, model: LanguageModel, instructions: Instructions | None = None) -> StyleSource:
    """Return the source of the style called `name` for the endpoint of `model`."""
    told = instructions or Instructions()
    return AutoDetectedStyle(model, told) if name == "auto" else FallbackStyle(name, told)


def make_style(name: FixedStyle, instructions: Instructions) -> CallStyle:
    """Return the style called `name`."""
    styles: dict[FixedStyle, CallStyle] = {
        "native": NativeStyle(instructions),
        "json_router": JsonRouterStyle(instructions),
        "prompt": PromptStyle(instructions),
    }
    return styles[name]


class FallbackStyle:
    """The style called `name` as long as the endpoint takes its requests; else the next that asks less of it."""

    def __init__(self, name: FixedStyle, instructions: Instructions) -> None:
        self._instructions = instructions
        self._use(name)

    async def current(self) -> CallStyle:
        """Return the style that has not been refused."""
        return self._style

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """Return the next style, where `rejection` is about what `style` needs of an endpoint."""
        if style is not self._style:  # another message has found it out meanwhile
            return self._style
        if rejection.matter not in _NEEDS[self._name]:
            return None
        name: FixedStyle = "json_router" if self._name == "native" else "prompt"
        logger.warning("the endpoint refuses what {} needs ({}); it is driven by {}", self._name, rejection, name)
        self._use(name)
        return self._style

    def _use(self, name: FixedStyle) -> None:
        self._name: FixedStyle = name
        self._style = make_style(name, self._instructions)


class AutoDetectedStyle:
    """Asks an endpoint once what it can do, and remembers; an endpoint that is down is asked again later."""

    def __init__(self, model: LanguageModel, instructions: Instructions) -> None:
        self._model = model
        self._instructions = instructions
        self._found: FallbackStyle | None = None
        self._probing = asyncio.Lock()

    async def current(self) -> CallStyle:
        """Return the first of native, json_router and prompt that the endpoint masters.

        Raises:
            ModelUnavailable: the endpoint is down.
        """
        if self._found is not None:
            return await self._found.current()
        async with self._probing:
            if self._found is None:
                name = await probe(self._model)
                logger.info("model {} is driven by {}", self._model.name, name)
                self._found = FallbackStyle(name, self._instructions)
            return await self._found.current()

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """Return the next style, should the endpoint refuse what it took when it was asked."""
        return None if self._found is None else self._found.after(style, rejection)


async def probe(model: LanguageModel) -> FixedStyle:
    """Find out with one or two small requests how `model` can be made to call a tool.

    Raises:
        ModelUnavailable: the endpoint is down, which says nothing about what it can do.
    """
    if await _masters(model, _native_request(), _is_called):
        return "native"
    if await _masters(model, _json_request(), _is_chosen):
        return "json_router"
    return "prompt"


async def _masters(model: LanguageModel, request: CompletionRequest, is_right: Callable[[Completion], bool]) -> bool:
    try:
        return is_right(await model.complete(request))
    except RequestRejected:
        return False  # it knows no such field
    except ModelUnavailable as error:
        if error.reason == "malformed":
            return False
        raise


def _native_request() -> CompletionRequest:
    tool = {"type": "function", "function": {"name": _TOOL, "description": "Report it.", "parameters": _schema()}}
    return CompletionRequest(messages=[{"role": "user", "content": _QUESTION}], tools=json.dumps([tool]).encode())


def _is_called(completion: Completion) -> bool:
    return any(call.name == _TOOL and _object(call.arguments) == {"number": _NUMBER} for call in completion.calls)


def _json_request() -> CompletionRequest:
    return CompletionRequest(
        messages=[{"role": "user", "content": _QUESTION}],
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "call", "schema": _schema(tool={"const": _TOOL})},
        },
    )


def _schema(**more: object) -> dict[str, object]:
    properties = {**more, "number": _NUMBER_SCHEMA}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _is_chosen(completion: Completion) -> bool:
    return _object(completion.text) == {"tool": _TOOL, "number": _NUMBER}


def _object(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
