"""Check that the language model answers and calls tools, and how a running bot is connected."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.config.settings import HttpSettings, ModelSettings
from bot.platforms.kit.doctor import Finding, Prober, ProbeResult, good, problem
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest, LanguageModel

_ABOUT: Final = "running bot"
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - what a setting may say, not an address to listen on
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


async def examine_running(settings: HttpSettings, prober: Prober, *, data_dir: Path) -> list[Finding]:
    """Ask the bot of these settings about its platforms, where it runs and can be asked; `data_dir` is its folder."""
    if not settings.enabled or settings.port == 0:
        return []
    address = f"http://{_EVERYWHERE.get(settings.host, settings.host)}:{settings.port}"
    token = settings.token.get_secret_value()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = await prober.ask("GET", f"{address}/api/admin/adapters", headers=headers)
    found = answer.body.get("adapters")
    if not isinstance(found, list):
        return [good(_ABOUT, _why_not(address, answer))]
    own, other = _absolute(data_dir), answer.body.get("data_dir")
    if other and other != own:
        step = "set http.port of one of them to another port, or run the doctor with the settings of that bot"
        return [problem(_ABOUT, f"another bot answers at {address}: its data is in {other}, not in {own}", step)]
    platforms = [each for each in found if isinstance(each, dict)]
    broken = [_broken(each) for each in platforms if each.get("state") in {"deaf", "stopped"} or _is_partly_out(each)]
    if broken:
        return broken
    states = ", ".join(f"{each.get('name')} {each.get('state')}" for each in platforms)
    return [good(_ABOUT, f"its platforms: {states}" if states else "it serves no platforms")]


def _absolute(folder: Path) -> str:
    return str(folder.resolve())


def _why_not(address: str, answer: ProbeResult) -> str:
    if answer.problem:
        return f"none answers at {address}"
    return f"how its platforms are is not told at {address} ({answer.status})"


def _is_partly_out(platform: Mapping[str, object]) -> bool:
    """Tell whether a live connection reports a problem, such as a room that put the bot out."""
    return platform.get("state") == "live" and bool(platform.get("detail"))


def _broken(platform: Mapping[str, object]) -> Finding:
    name, detail = platform.get("name"), platform.get("detail") or "it does not say why"
    if platform.get("state") == "deaf":
        step = f"it is made again by itself; if it stays so, see whether {name} can be reached from here"
        return problem(_ABOUT, f"the connection to {name} is deaf: {detail}", step)
    if platform.get("state") == "live":
        step = (
            "it is tried again by itself; let an owner of the room admit the bot, or take the room out of the settings"
        )
        return problem(_ABOUT, f"{name} is connected, but {detail}", step)
    return problem(_ABOUT, f"{name} has stopped: {detail}", "put that right, and start the bot again")
