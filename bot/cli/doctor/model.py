"""Check that the language model answers and calls tools."""

import json
from typing import Final

from bot.config.settings import ModelSettings
from bot.platforms.kit.doctor import Finding, good, problem
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest, LanguageModel

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
