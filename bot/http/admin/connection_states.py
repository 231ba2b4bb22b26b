"""Tell the connection state of a platform as seen by this process."""

from bot.app.application import App
from bot.platforms.base import HasHealth, Platform


def state_of(app: App, platform: Platform) -> str:
    """Its health; `live` where it has no connection, `elsewhere` where another worker is connected to it."""
    if app.remote_outbox is not None and not app.remote_outbox.is_here(platform.name):
        return "elsewhere"
    return platform.health.state if isinstance(platform, HasHealth) else "live"
