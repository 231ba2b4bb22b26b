"""Choose the call style of an endpoint: the configured one, or the best that a probe finds."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from loguru import logger

from function_calls.model_calls.styles.json_router import JsonRouterStyle
from function_calls.model_calls.styles.native import NativeStyle
from function_calls.model_calls.styles.prompt_style import PromptStyle
from function_calls.model_calls.styles.style import CallStyle, StyleSource
from function_calls.model_calls.transcript import Instructions
from function_calls.tools.calls import StyleName as StyleName  # noqa: PLC0414 - agents find it beside the styles
from services.kernel.errors import ModelUnavailable
from services.language_model.failures import Matter, RequestRejected
from services.language_model.ports import Completion, CompletionRequest, LanguageModel

FixedStyle = Literal["native", "json_router", "prompt"]

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
    """Return the source of the style called `name` for the endpoint of `model`.

    Raises:
        ValueError: there is no such style.
    """
    if name not in get_args(StyleName):
        raise ValueError(f"there is no call style {name!r}; there are {', '.join(get_args(StyleName))}")
    instructions = instructions or Instructions()
    return AutoDetectedStyle(model, instructions) if name == "auto" else FallbackStyle(name, instructions)


def make_style(name: FixedStyle, instructions: Instructions) -> CallStyle:
    """Return the style called `name`."""
    styles: dict[FixedStyle, CallStyle] = {
        "native": NativeStyle(instructions),
        "json_router": JsonRouterStyle(instructions),
        "prompt": PromptStyle(instructions),
    }
    return styles[name]


class FallbackStyle:
    """The style called `name` while the endpoint accepts its requests; else the next simpler one."""

    def __init__(self, name: FixedStyle, instructions: Instructions) -> None:
        self._instructions = instructions
        self._use(name)

    async def current(self) -> CallStyle:
        """Return the style that has not been refused."""
        return self._style

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """Return the next style where `rejection` concerns a feature that `style` needs."""
        if style is not self._style:  # another message has switched meanwhile
            return self._style
        if rejection.matter not in _NEEDS[self._name]:
            return None
        name: FixedStyle = "json_router" if self._name == "native" else "prompt"
        logger.warning("endpoint rejects call style {} ({}); switching to {}", self._name, rejection, name)
        self._use(name)
        return self._style

    def _use(self, name: FixedStyle) -> None:
        self._name: FixedStyle = name
        self._style = make_style(name, self._instructions)


class AutoDetectedStyle:
    """Probes an endpoint once and caches the result; an endpoint that is down is probed again later."""

    def __init__(self, model: LanguageModel, instructions: Instructions) -> None:
        self._model = model
        self._instructions = instructions
        self._found: FallbackStyle | None = None
        self._probing = asyncio.Lock()

    async def current(self) -> CallStyle:
        """Return the first of native, json_router and prompt that the endpoint supports.

        Raises:
            ModelUnavailable: the endpoint is down.
        """
        if self._found is not None:
            return await self._found.current()
        async with self._probing:
            if self._found is None:
                name = await probe(self._model)
                logger.info("model {} uses call style {}", self._model.name, name)
                self._found = FallbackStyle(name, self._instructions)
            return await self._found.current()

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """Return the next style if the endpoint rejects a feature that it accepted in the probe."""
        return None if self._found is None else self._found.after(style, rejection)


async def probe(model: LanguageModel) -> FixedStyle:
    """Probe with one or two small requests how `model` can be made to call a tool.

    Raises:
        ModelUnavailable: the endpoint is down, so its features stay unknown.
    """
    if await _supports(model, _native_request(), _is_called):
        return "native"
    if await _supports(model, _json_request(), _is_chosen):
        return "json_router"
    return "prompt"


async def _supports(model: LanguageModel, request: CompletionRequest, is_right: Callable[[Completion], bool]) -> bool:
    try:
        return is_right(await model.complete(request))
    except RequestRejected:
        return False  # the endpoint does not support the field
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
