"""Check that the language model, the web search and the platforms of the settings answer."""

import asyncio
import importlib
import importlib.util
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final

from bot.app.language_models import language_model
from bot.app.services import create_search_service
from bot.config.platform_catalog import GROUPS
from bot.config.settings import ModelSettings, Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.kit.events import mappings
from function_calls.language.messages import Message, outage
from services.kernel.clock import Clock
from services.kernel.errors import ModelUnavailable
from services.kernel.text import closest_names
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
_NEXT_STEPS: Final = {
    "connection": "model_start",
    "timeout": "model_wait",
    "rate_limited": "model_limit",
    "refused": "model_check",
    "malformed": "model_address",
}
_QUERY: Final = "Wikipedia"
_MAX_MODELS: Final = 8

# The library of each platform; only looked up, as some take seconds to import.
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


async def examine_model(model: LanguageModel | None, settings: ModelSettings, prober: Prober) -> list[Finding]:
    """Request one answer from the model, if one is configured; a server without it is asked for its models."""
    if model is None:
        return [good("model", "model_none")]
    tools = json.dumps([_TOOL]).encode() if settings.function_calling in {"native", "auto"} else None
    request = CompletionRequest(messages=[{"role": "user", "content": _QUESTION}], tools=tools)
    try:
        completion = await model.complete(request)
    except ModelUnavailable as error:
        offered = await _offered_models(settings, prober) if error.reason == "refused" else []
        is_other = bool(offered) and settings.name not in offered
        step = "model_names" if is_other else _NEXT_STEPS.get(error.reason, "model_log")
        names = ", ".join(closest_names(settings.name, offered, count=_MAX_MODELS, at_least=0))
        return [problem("model", "silent", step, name=settings.name, reason=describe_outage(error), names=names)]
    answers = good("model", "answers", name=completion.model or settings.name)
    return [answers, _examine_tool_calls(settings, has_called=bool(completion.calls), was_offered=tools is not None)]


async def _offered_models(settings: ModelSettings, prober: Prober) -> list[str]:
    """Return the names of the models that the server of `model.base_url` lists, if it does."""
    if not settings.base_url:
        return []
    address = settings.base_url.rstrip("/").removesuffix("/chat/completions")
    answer = await prober.ask("GET", f"{address}/models", token=settings.api_key.get_secret_value())
    return [name for each in mappings(answer.body.get("data")) if isinstance(name := each.get("id"), str)]


def describe_outage(error: ModelUnavailable) -> Message | str:
    """Return the reason of `error`, with the words of the server if there are any."""
    reason = outage(error.reason)
    if error.reason in {"connection", "timeout"} or not error.detail:
        return reason
    return Message("outage.with_detail", {"reason": reason, "detail": error.detail})


def _examine_tool_calls(settings: ModelSettings, *, has_called: bool, was_offered: bool) -> Finding:
    if not was_offered:
        return good("model tools", "tools_prompted", style=settings.function_calling)
    if has_called:
        return good("model tools", "tools_native")
    if settings.function_calling == "auto":
        return good("model tools", "tools_other")
    return problem("model tools", "tools_none", "tools_auto")


Examine = Callable[[Settings, Prober], Awaitable[list[Finding]]]
"""The function `examine` of the module `doctor` of a platform, which checks the account of the bot there."""


async def examine_platform(name: str, settings: Settings, prober: Prober) -> list[Finding]:
    """Check an enabled platform without serving it."""
    if name not in GROUPS:
        return [good(name, "needs_nothing")]
    library = _LIBRARIES.get(name)
    if library is not None and importlib.util.find_spec(library) is None:
        return [problem(name, "not_installed", "install_extra", name=library, extra=name)]
    module = await asyncio.to_thread(importlib.import_module, f"bot.platforms.{name}.doctor")  # some take seconds
    examine: Examine = module.examine
    return await examine(settings, prober)


async def examine_part(part: str, settings: Settings, clock: Clock) -> list[Finding]:
    """Check one part of the bot: `model`, `search` or a platform, as `settings` describe it."""
    if part == "search":
        return [await _examine_search(settings, clock)]
    async with Prober(clock) as prober:
        if part != "model":
            return await examine_platform(part, settings, prober)
        model = language_model(settings.model)
        try:
            return await examine_model(model, settings.model, prober)
        finally:
            if model is not None:
                await model.close()


async def _examine_search(settings: Settings, clock: Clock) -> Finding:
    async with AsyncExitStack() as resources:
        service = await create_search_service(settings.search, clock, resources)
        if not service.is_configured:
            return good("search", "search_none")
        try:
            found = await service.search(_QUERY, "en")
        except SearchUnavailable as error:
            return problem("search", "silent", "search_check", name=error.engine, reason=outage(error.reason))
    return good("search", "answers", name=found.engine)
