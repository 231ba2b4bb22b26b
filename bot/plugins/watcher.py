"""Watch the plugin folder and reload changed plugins."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from loguru import logger

from bot.config.settings import PluginSettings, Settings
from bot.plugins.loading import find_enabled_plugins
from bot.plugins.manager import ReloadResult
from services.kernel.background_tasks import running_tasks

if TYPE_CHECKING:
    from bot.app.application import App

_INTERVAL_SECONDS: Final = 0.5

Report = Callable[[ReloadResult], None]
_State = tuple[tuple[str, int, int], ...]


class PluginWatch:
    """Watches the plugins' files and reloads changed plugins."""

    def __init__(self, settings: PluginSettings, app: "App", report: Report) -> None:
        self._settings = settings
        self._app = app
        self._report = report
        self._seen = self._states()

    async def run(self) -> None:
        """Check the files periodically until cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL_SECONDS)
            await self.check()

    async def check(self) -> None:
        """Reload every plugin whose files have changed."""
        now = self._states()
        changed = {name for name in now if now[name] != self._seen.get(name)}
        gone = self._seen.keys() - now.keys()
        self._seen = now
        for name in sorted(gone):
            await self._app.plugins.remove(name)
            self._report(ReloadResult(name=name, changes=("removed",)))
        for found in find_enabled_plugins(self._settings):
            if found.name in changed:
                self._report(await self._app.plugins.reload(found, self._app.calls, self._app.services))

    def _states(self) -> dict[str, _State]:
        found = find_enabled_plugins(self._settings)
        return {each.name: _state_of(each.path) for each in found if each.path is not None}


@asynccontextmanager
async def watch_plugins(app: "App", settings: Settings, *, is_wanted: bool) -> AsyncIterator[None]:
    """Reload plugins whose files change until the context ends, if `is_wanted`."""
    if not is_wanted:
        yield
        return
    watch = PluginWatch(settings.plugins, app, log_reload)
    async with running_tasks() as tasks:
        tasks.start(watch.run(), "watch the plugins")
        yield


def log_reload(reloaded: ReloadResult) -> None:
    """Log the result of loading a new version."""
    if reloaded.error:
        logger.error("plugin {} not reloaded: {}", reloaded.name, reloaded.error)
        return
    logger.info("plugin {} reloaded; {}", reloaded.name, "; ".join(reloaded.changes) or "same schemas")


def _state_of(path: Path) -> _State:
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    seen = []
    for file in files:
        try:
            status = file.stat()
        except OSError:  # deleted since it was listed
            continue
        seen.append((str(file), status.st_mtime_ns, status.st_size))
    return tuple(seen)
