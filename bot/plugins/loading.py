"""Find plugins and set them up; report those that fail."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bot.config.settings import PluginSettings
from bot.plugins.contributions import Contributions
from bot.plugins.diagnostics import PluginInvalid, describe_failure, report_failure
from bot.plugins.validation import check_types
from services.kernel.clock import Clock
from services.language_model.ports import LanguageModel

ENTRY_POINTS: Final = "bubbles.plugins"
_PACKAGE: Final = "bubbles_plugins"  # the package of the modules in the folder, which keeps them from shadowing others


class FoundPlugin(Struct, frozen=True, kw_only=True):
    """A plugin that can be loaded.

    `path` is its file or folder, None for an installed package; `hides` are the origins of other plugins of its name.
    """

    name: str
    origin: str
    load: Callable[[], object]
    path: Path | None = None
    hides: tuple[str, ...] = ()


class LoadedPlugin(Struct, frozen=True, kw_only=True):
    """A plugin with its contributions; `error` is the reason why it has none, empty if it works."""

    found: FoundPlugin
    adds: Contributions
    error: str = ""

    @property
    def name(self) -> str:
        """Return the name in settings and chats."""
        return self.found.name


def find_enabled_plugins(settings: PluginSettings) -> list[FoundPlugin]:
    """List the enabled plugins: installed packages and files of the folder. A file overrides a package of its name."""
    return [each for each in find_plugins(settings) if each.name not in settings.disabled]


def find_plugins(settings: PluginSettings) -> list[FoundPlugin]:
    """List all plugins, including disabled ones."""
    found: dict[str, FoundPlugin] = {}
    for each in (*(_installed_plugins() if settings.installed else ()), *_in_folder(settings.folder)):
        other = found.get(each.name)
        found[each.name] = each if other is None else replace(each, hides=(*other.hides, other.origin))
    return [each for _, each in sorted(found.items())]


def load_plugin(
    found: FoundPlugin, settings: PluginSettings, clock: Clock, model: LanguageModel | None = None
) -> LoadedPlugin:
    """Import a plugin and run its `setup`; failures are in `error`."""
    options = settings.options.get(found.name, {})
    adds = Contributions(name=found.name, clock=clock, options=options)
    adds.model = model or adds.model
    try:
        _set_up(found.load(), adds)
        check_types(adds)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin is anybody's code; the bot starts without it
        reason = describe_failure(error, found.path)
        report_failure(found.name, reason, error)
        nothing = Contributions(name=found.name, clock=clock, on_close=adds.on_close)
        return LoadedPlugin(found=found, adds=nothing, error=reason)
    return LoadedPlugin(found=found, adds=adds)


def _set_up(module: object, adds: Contributions) -> None:
    """Run the `setup` of the plugin; without one its module is added as functions.

    Raises:
        PluginInvalid: its `setup` is asynchronous, or takes other arguments.
    """
    setup = getattr(module, "setup", None)
    if inspect.iscoroutinefunction(setup):
        raise PluginInvalid("setup(add) is not awaited; write it without async, and await in a job")
    if callable(setup):
        try:
            inspect.signature(setup).bind(None)
        except TypeError:
            raise PluginInvalid("its setup has to take what it adds to; write `def setup(add):`") from None
        setup(adds)
    else:
        adds.functions.append(module)


@cache
def _installed_plugins() -> tuple[FoundPlugin, ...]:
    """Return the plugins of installed packages; they do not change while a process lives."""
    points = entry_points(group=ENTRY_POINTS)
    return tuple(FoundPlugin(name=each.name, origin=f"package {each.value}", load=each.load) for each in points)


def _in_folder(folder: Path) -> Iterator[FoundPlugin]:
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith(("_", ".", "test_")):
            continue
        main = path / "__init__.py" if path.is_dir() else path
        if main.suffix == ".py" and main.is_file():
            yield FoundPlugin(name=path.stem, origin=str(path), load=partial(_import, path.stem, main), path=path)


def _import(name: str, main: Path) -> ModuleType:
    """Import the file without the modules and bytecode of an earlier version."""
    full = f"{_PACKAGE}.{name}"
    for known in [each for each in sys.modules if each == full or each.startswith(f"{full}.")]:
        del sys.modules[known]
    sys.modules.setdefault(_PACKAGE, ModuleType(_PACKAGE))
    importlib.invalidate_caches()
    spec = importlib.util.spec_from_file_location(
        full, main, submodule_search_locations=[str(main.parent)] if main.name == "__init__.py" else None
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{main} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    # The loader would use stale bytecode of a file with the same size and modification time in seconds.
    code = compile(main.read_text(encoding="utf-8"), str(main), "exec")
    exec(code, module.__dict__)  # noqa: S102 - a file of the operator
    return module
