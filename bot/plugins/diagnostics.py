"""Describe the failure of a plugin in one line, and the changes of a newer version."""

import builtins
import json
import re
import traceback
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from loguru import logger

from bot.plugins.contributions import Contributions
from function_calls.tools.calls import ToolSpec
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.validation.schema_walk import properties_of, required_of
from services.kernel.errors import AssistantError
from services.kernel.text import closest_names, shorten

_MAX_CHARACTERS: Final = 300  # of the text of an error
_PYTHON_TYPES: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list"}
_UNEXPECTED: Final = re.compile(r"nexpected keyword argument '(\w+)'")
_OWN_PACKAGES: Final = ("bot", "function_calls", "services")
_DISTRIBUTION: Final = "bubbles"
_NO_SUCH_PACKAGE: Final = (
    "there is no module bubbles: write `from function_calls import …` for tools and agents, and"
    " `from bot.plugins.contributions import …` for what setup(add) gets"
)
# Distributions by the modules that they install under another name.
_PACKAGES: Final = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "Crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "github": "PyGithub",
    "google.generativeai": "google-generativeai",
    "jwt": "PyJWT",
    "PIL": "pillow",
    "serial": "pyserial",
    "sklearn": "scikit-learn",
    "telegram": "python-telegram-bot",
    "yaml": "PyYAML",
}


def schema_changes(before: Iterable[ToolSpec], after: Iterable[ToolSpec]) -> list[str]:
    """Return a line for each function that is new, was removed or has another schema."""
    old, new = {spec.name: spec for spec in before}, {spec.name: spec for spec in after}
    lines = [f"+ {name}" for name in new if name not in old]
    lines += [f"- {name}" for name in old if name not in new]
    both = [(old[name], spec) for name, spec in new.items() if name in old]
    return lines + [f"~ {spec.name}: {change}" for was, spec in both for change in _changes(was, spec)]


def _changes(old: ToolSpec, new: ToolSpec) -> Iterator[str]:
    if old.description != new.description:
        yield "description"
    before, after = properties_of(old.parameters), properties_of(new.parameters)
    yield from (f"+ {key} {_to_json(after[key])}" for key in after if key not in before)
    yield from (f"- {key}" for key in before if key not in after)
    for key in after:
        if key in before and before[key] != after[key]:
            yield f"{key} {_to_json(before[key])} -> {_to_json(after[key])}"
    if required_of(old.parameters) != required_of(new.parameters):
        yield f"required {_to_json(required_of(new.parameters))}"


def _to_json(schema: object) -> str:
    return json.dumps(schema, ensure_ascii=False)


class PluginInvalid(AssistantError):
    """A plugin is invalid; the text describes the correction for its author."""


def report_failure(name: str, reason: str, error: BaseException | None = None) -> None:
    """Log why a plugin is not loaded; the traceback follows at DEBUG."""
    logger.error("plugin {} not loaded: {}", name, reason)
    if error is not None:
        logger.opt(exception=error).debug("traceback of plugin {}", name)


def describe_failure(error: BaseException, path: Path | None) -> str:
    """Explain `error` to the author of the plugin, or to its user.

    `path` is the file or folder of the plugin, None for one of an installed package.
    """
    if isinstance(error, SyntaxError):
        line = (error.text or "").strip()
        return f"{error.filename}, line {error.lineno}: {error.msg}" + (f": {line}" if line else "")
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _describe_missing_module(error.name, path)
    if isinstance(error, SystemExit):
        return f"it ends the program (sys.exit({error.code!r})) instead of raising an error{_location(error, path)}"
    if isinstance(error, AssistantError):
        return " ".join(str(error).split())  # it ends with the next step
    if isinstance(error, UnicodeDecodeError) and not _location(error, path):
        return f"its file is not UTF-8 text (byte {error.start + 1})"
    reason = shorten(" ".join(str(error).split()), _MAX_CHARACTERS)
    named = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return f"{named}{_suggest_name(error)}{_location(error, path)}"


def _describe_missing_module(module: str, path: Path | None) -> str:
    top = module.partition(".")[0]
    if top == _DISTRIBUTION:
        return _NO_SUCH_PACKAGE
    beside = path is not None and ((path.parent / f"{top}.py").is_file() or (path.parent / top).is_dir())
    if beside:
        return (
            f"it imports {top}, which lies beside it, where imports do not look: make a folder of the plugin"
            f" with __init__.py and {top}.py in it, and write `from . import {top}`"
        )
    if top in _OWN_PACKAGES or find_spec(top) is not None:
        return f"it imports {module}, and {top} has no such module; see the name, and which version is installed"
    package = _PACKAGES.get(module, _PACKAGES.get(top, top))
    return f"it needs the package {package}, which is not installed: pip install {package}"


def _suggest_name(error: BaseException) -> str:
    """Return the closest valid name for a misspelt attribute, name or option."""
    if isinstance(error, AttributeError) and isinstance(error.obj, Contributions):
        return _suggest_closest(error.name or "", Contributions.__struct_fields__, "add.")
    if isinstance(error, NameError):
        name = error.name or ""
        return (
            f"; did you mean {_PYTHON_TYPES[name]}?"
            if name in _PYTHON_TYPES
            else _suggest_closest(name, _available_names(error))
        )
    found = _UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
    return "" if found is None else _suggest_closest(found[1], ToolOptions.__struct_fields__)


def _suggest_closest(name: str, known: Iterable[str], before: str = "") -> str:
    near = closest_names(name, known, at_least=0.6)
    return f"; did you mean {before}{near[0]}?" if near else ""


def _available_names(error: BaseException) -> tuple[str, ...]:
    """Return the names that were available to the code that raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (*dir(builtins), *(trace.tb_frame.f_globals if trace is not None else ()))


def _location(error: BaseException, path: Path | None) -> str:
    """Return the innermost line of the plugin in the traceback; empty if there is none."""
    if path is None:
        return ""
    own = path.resolve()
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename).resolve()
        if file == own or own in file.parents:
            inside = "" if frame.name == "<module>" else f" in {frame.name}()"
            return f" ({frame.filename}, line {frame.lineno}{inside})"
    return ""
