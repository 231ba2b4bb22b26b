"""Validate the types of a plugin's contributions."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from bot.plugins.contributions import Contributions
from bot.plugins.diagnostics import PluginMistaken


class _Kind(Struct, frozen=True, kw_only=True):
    """What the things of a list are: `written` says it to an author, `fits` looks at one."""

    written: str
    fits: Callable[[object], bool]


def _with(written: str, *names: str) -> _Kind:
    return _Kind(written=written, fits=lambda each: all(hasattr(each, name) for name in names))


def _pair(written: str) -> _Kind:
    return _Kind(written=written, fits=_is_name_and_callable)


def _is_name_and_callable(each: object) -> bool:
    return isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) and callable(each[1])


_CALLED: Final = _Kind(written="a function", fits=callable)
_KINDS: Final = {
    "services": _Kind(written="an object of a class, such as Tea(…)", fits=lambda each: not isinstance(each, type)),
    "platforms": _with("a platform, an object with name, capabilities, run and send", "name", "run", "send"),
    "engines": _with("a search engine, an object with name and search", "name", "search"),
    "middlewares": _CALLED,
    "listeners": _pair("(event, function)"),
    "chat_commands": _CALLED,
    "cli_commands": _with("a command of click", "name", "invoke"),
    "pages": _CALLED,
    "jobs": _pair("(name, function)"),
    "on_close": _CALLED,
}
_TOOLSET: Final = _with("a toolset, an object with list_specs and call", "list_specs", "call")


def check_shape(adds: Contributions) -> None:
    """Look at everything that a plugin has added.

    Raises:
        PluginMistaken: something is not what its list holds.
    """
    for name in Contributions.__struct_fields__:
        held = getattr(adds, name)
        if name in {*_KINDS, "functions"} and not isinstance(held, list):
            raise PluginMistaken(f"add.{name} is a list, to which add.{name}.append(…) adds; it was made {held!r}")
    for name, kind in _KINDS.items():
        _check(f"add.{name}", kind, getattr(adds, name))
    _check("add.toolsets", _TOOLSET, adds.toolsets.values())
    for hooks, moments in ((adds.tool_hooks, "before after"), (adds.model_hooks, "before after on_error")):
        where = "add.tool_hooks" if hooks is adds.tool_hooks else "add.model_hooks"
        for moment in moments.split():
            _check(f"{where}.{moment}", _CALLED, getattr(hooks, moment))


def named_parts(adds: Contributions) -> list[str]:
    """Return what a plugin adds that no other may have the name of."""
    return [*(f"platform {each.name}" for each in adds.platforms), *(f"toolset {label}" for label in adds.toolsets)]


def _check(where: str, kind: _Kind, things: Iterable[object]) -> None:
    for each in things:
        if not kind.fits(each):
            raise PluginMistaken(f"{where} takes {kind.written}, not {each!r}")
