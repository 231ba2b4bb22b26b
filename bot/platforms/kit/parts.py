"""Dependencies that a platform is created with."""

from msgspec import Struct

from bot.config.settings import Settings
from services.kernel.clock import Clock


class PlatformParts(Struct, frozen=True, kw_only=True):
    """What `create(parts)` of an adapter is given."""

    settings: Settings
    clock: Clock

    @property
    def bot_name(self) -> str:
        """The name that people call the bot by."""
        return self.settings.bot.name
