"""Report unknown plugins, platforms and folders in the settings, and invalid skills."""

from collections.abc import Collection, Iterable, Iterator

from bot.config.platform_catalog import NAMES, platform_names
from bot.config.settings import PluginSettings, Settings
from bot.platforms.kit.doctor import Finding, warning
from bot.plugins.loading import find_plugins
from bot.tools.skills import find_skills
from services.kernel.text import closest_names


def check_configured_names(settings: Settings, platforms: Iterable[str] = ()) -> list[Finding]:
    """Return a warning for each unknown plugin, platform or folder in `settings`, and each invalid skill.

    `platforms` are further known platforms, such as those of plugins.
    """
    known = {*NAMES, *platform_names(settings), *platforms}
    return [
        *_missing_folder(settings.plugins),
        *unknown_plugins(settings.plugins),
        *_unknown_platforms(settings, known),
        *(warning("skill", problem, skill=name) for name, problem in find_skills(settings.skills).problems),
    ]


def unknown_plugins(settings: PluginSettings) -> list[Finding]:
    """Return a warning for each unknown plugin in the settings."""
    if not settings.disabled and not settings.options:
        return []
    known = [each.name for each in find_plugins(settings)]
    named = [("plugins.disabled", name) for name in settings.disabled]
    named += [(f"plugins.options.{name}", name) for name in settings.options]
    return [_unknown_name(key, name, "plugin", known) for key, name in named if name not in known]


def _missing_folder(settings: PluginSettings) -> Iterator[Finding]:
    """Yield a warning if a configured plugin folder does not exist; the default folder is optional."""
    if "folder" in settings.model_fields_set and not settings.folder.is_dir():
        yield warning("plugins.folder", "no_folder", folder=settings.folder.absolute())


def _unknown_platforms(settings: Settings, known: Collection[str]) -> Iterator[Finding]:
    """Yield a warning for each unknown platform; a name unlike the known ones may be that of a disabled plugin."""
    places = {"bot.owners": settings.bot.owners, "router.allowed_chats": settings.router.allowed_chats}
    named = [(key, place.partition(":")[0].strip()) for key, listed in places.items() for place in listed]
    unknown = [(key, platform) for key, platform in named if platform not in known]
    if not unknown:
        return
    disabled = settings.plugins.disabled
    may_be_disabled = bool(disabled) and any(each.name in disabled for each in find_plugins(settings.plugins))
    for key, platform in unknown:
        if not may_be_disabled or closest_names(platform, known):
            yield _unknown_name(key, platform, "platform", known)


def _unknown_name(key: str, name: str, kind: str, known: Collection[str]) -> Finding:
    near = closest_names(name, known)
    state = f"no_{kind}_near" if near else f"no_{kind}"
    return warning(key, state, name=name, near=near[0] if near else "", known=", ".join(sorted(known)) or "–")
