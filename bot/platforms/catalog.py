"""Which platforms there are, and how each is made from the settings; imported only when it is used."""

from bot.platform import Platform
from bot.settings import Settings
from services.clock import Clock


def create_platforms(settings: Settings, clock: Clock) -> list[Platform]:
    """The platforms that the settings enable, in their order."""
    return [_create(name, settings, clock) for name in dict.fromkeys(settings.platforms.enabled)]


def _create(name: str, settings: Settings, clock: Clock) -> Platform:
    if name == "console":
        from bot.platforms.console import ConsolePlatform

        return ConsolePlatform(
            clock=clock, bot_name=settings.bot.name, room=settings.console.room, person=settings.console.person
        )
    raise LookupError(f"no platform named {name}")
