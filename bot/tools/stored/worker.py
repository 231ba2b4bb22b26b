"""Run a call of a stored tool in a worker process: read it, enter the sandbox, run it, write the result."""

import asyncio
import inspect
import json
import os
import sys
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from bot.tools.stored.sandbox import confine

_MAX_ERROR_LENGTH: Final = 2_000
_NAME: Final = "stored_tool"
_ROOT: Final = Path(__file__).resolve().parents[3]


def main() -> None:
    """Run the call on standard input; write `{"result": …}` or `{"error": …}` to standard output."""
    call = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")  # half a surrogate pair is no UTF-8
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the output of a tool is not its result
        os.dup2(nowhere, stream)
    _import_libraries(call)
    try:
        confine(folder=str(Path.cwd()), readable=_readable(), seconds=call["seconds"], megabytes=call["megabytes"])
        text = json.dumps({"result": _to_json_value(_run(call))}, ensure_ascii=False)
    except BaseException as error:  # noqa: BLE001 - anything that a tool raises, SystemExit too, is its result
        text = json.dumps({"error": _describe_error(error)}, ensure_ascii=False)
    answer.write(text)
    answer.flush()
    os._exit(0)  # threads of the tool must not keep it alive


def _import_libraries(call: dict[str, Any]) -> None:
    """Import the libraries that the source names, which is faster outside of the sandbox."""
    if "pydantic" in call["source"]:
        import pydantic  # noqa: F401 - for the tool
    if "tool_function" in call["source"]:
        import function_calls.registry  # noqa: F401 - for the tool


def _readable() -> list[str]:
    """Return the readable paths: Python, its packages, the bot, time zones and devices."""
    own = [str(_ROOT / name) for name in ("bot", "function_calls", "services")]
    paths = [path for path in sys.path if Path(path) != _ROOT]
    python = [*sysconfig.get_paths().values(), *paths, sys.prefix, sys.base_prefix, str(Path(os.__file__).parent)]
    system = ["/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/etc/localtime"]
    devices = ["/dev/null", "/dev/urandom", "/dev/random", "/dev/zero"]
    return [path for path in (*own, *python, *system, *devices) if path and Path(path).exists()]


def _run(call: dict[str, Any]) -> object:
    module = ModuleType(_NAME)
    sys.modules[_NAME] = module
    exec(compile(call["source"], f"{_NAME}.py", "exec"), module.__dict__)  # noqa: S102 - the purpose of this process
    holder: Any = module
    if call["is_method"]:
        holder = module.Tools()
        valves = getattr(module.Tools, "Valves", None) or getattr(module, "Valves", None)
        if valves is not None:
            holder.valves = valves(**call["valves"])
    function = getattr(holder, call["attribute"])
    result = function(**_arguments(function, module, call))
    return asyncio.run(_await_result(result)) if inspect.isawaitable(result) else result


async def _await_result(result: Any) -> object:
    return await result


def _arguments(function: Any, module: ModuleType, call: dict[str, Any]) -> dict[str, Any]:
    """Build the arguments of the call, validated by the function's model if it has one, with injected values."""
    given: dict[str, Any] = dict(call["arguments"])
    person = call["person"]
    context = SimpleNamespace(sender=SimpleNamespace(**person), language=call["language"])
    arguments: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name.startswith("__") and name.endswith("__"):
            arguments[name] = person if name == "__user__" else None
        elif name == "tool_context" or getattr(parameter.annotation, "__name__", str(parameter.annotation)) in {
            "CallContext",
            "ToolContext",
        }:
            arguments[name] = context
        elif call["model"]:
            arguments[name] = getattr(module, call["model"])(**given)
        elif name in given:
            arguments[name] = given[name]
    return arguments


def _to_json_value(value: object) -> object:
    dump = getattr(value, "model_dump", None)
    value = dump(mode="json") if callable(dump) else value
    text = getattr(value, "text", None)
    if isinstance(text, str) and hasattr(value, "ok"):
        return text
    return json.loads(json.dumps(value, default=str))


def _describe_error(error: BaseException) -> str:
    lines = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == f"{_NAME}.py"]
    where = f" (line {lines[-1].lineno})" if lines else ""
    return f"{type(error).__name__}: {error}{where}"[:_MAX_ERROR_LENGTH]
