"""Check that the language model, the web search and the platforms of the settings answer."""

import asyncio
import importlib
import importlib.util
import json
from contextlib import AsyncExitStack
from typing import Final, Protocol

from bot.app.language_models import language_model
from bot.app.services import create_search_service
from bot.config.platform_catalog import GROUPS
from bot.config.settings import ModelSettings, Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from services.kernel.clock import Clock
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest, LanguageModel
from services.search.model import SearchUnavailable

_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "reminder_list",
        "description": "List the reminders of this chat.",
        "parameters": {"type": "object", "properties": {}},
    },
}
_QUESTION: Final = "Which reminders do I have? Look them up with the tool."
_STEPS: Final = {
    "connection": "start the server, or correct model.base_url",
    "timeout": "try again, or raise model.timeout_seconds; a local model may still be loading",
    "rate_limited": "wait, or raise the limit of the account",
    "refused": "check the key (OPENAI_API_KEY), model.name and model.base_url",
    "malformed": "check that model.base_url is an OpenAI-compatible server and ends in /v1",
}
_QUERY: Final = "Wikipedia"

# What is imported to serve a platform; looked for and not imported, which takes seconds for some.
_LIBRARIES: Final = {
    "matrix": "nio",
    "xmpp": "slixmpp",
    "telegram": "aiogram",
    "onebot": "aiohttp",
    "discord": "discord",
    "slack": "slack_sdk",
    "dingtalk": "dingtalk_stream",
    "feishu": "lark_oapi",
}


async def examine_model(model: LanguageModel | None, settings: ModelSettings) -> list[Finding]:
    """Ask the model once; without one there is nothing wrong."""
    if model is None:
        return [good("model", "none is configured: the offline interpreter answers")]
    tools = json.dumps([_TOOL]).encode() if settings.function_calling in {"native", "auto"} else None
    request = CompletionRequest(messages=[{"role": "user", "content": _QUESTION}], tools=tools)
    try:
        completion = await model.complete(request)
    except ModelUnavailable as error:
        step = _STEPS.get(error.reason, "look at the server's own log; the offline interpreter answers meanwhile")
        return [problem("model", f"{settings.name} does not answer ({error})", step)]
    answers = good("model", f"{completion.model or settings.name} answers")
    return [answers, _on_tools(settings, has_called=bool(completion.calls), was_offered=tools is not None)]


def _on_tools(settings: ModelSettings, *, has_called: bool, was_offered: bool) -> Finding:
    if not was_offered:
        return good("model tools", f"offered by {settings.function_calling}, which any model can read")
    if has_called:
        return good("model tools", "it calls tools by itself")
    if settings.function_calling == "auto":
        return good("model tools", "it called none by itself; the bot finds another way of offering them")
    return problem(
        "model tools",
        "it called none although it was asked to",
        'set model.function_calling = "auto", or choose a model that is made for tools',
    )


class Examine(Protocol):
    """The function `examine` of the module `doctor` of a platform."""

    async def __call__(self, settings: Settings, prober: Prober) -> list[Finding]:
        """Ask the platform about the bot's account."""
        ...


async def examine_platform(name: str, settings: Settings, prober: Prober) -> list[Finding]:
    """Return what can be found out about an enabled platform without serving it."""
    if name not in GROUPS:
        return [good(name, "needs nothing")]
    library = _LIBRARIES.get(name)
    if library is not None and importlib.util.find_spec(library) is None:
        return [problem(name, f"{library} is not installed", f"pip install .[{name}]")]
    module = await asyncio.to_thread(importlib.import_module, f"bot.platforms.{name}.doctor")  # some take seconds
    examine: Examine = module.examine
    return await examine(settings, prober)


async def examine_part(part: str, settings: Settings, clock: Clock) -> list[Finding]:
    """Check one part of the bot: `model`, `search` or a platform, as `settings` describe it."""
    if part == "search":
        return [await _examine_search(settings, clock)]
    if part != "model":
        async with Prober(clock) as prober:
            return await examine_platform(part, settings, prober)
    model = language_model(settings.model)
    try:
        return await examine_model(model, settings.model)
    finally:
        if model is not None:
            await model.close()


async def _examine_search(settings: Settings, clock: Clock) -> Finding:
    """Search for a word with the engines of the settings."""
    async with AsyncExitStack() as resources:
        service = await create_search_service(settings.search, clock, resources)
        if not service.is_configured:
            return good("search", "no engine is set up")
        try:
            found = await service.search(_QUERY, "en")
        except SearchUnavailable as error:
            step = "check the key or the address of the engine"
            return problem("search", str(error), step)
    return good("search", f"{found.engine} answers")
