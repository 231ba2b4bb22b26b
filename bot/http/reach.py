"""From where the server can be reached."""

from typing import Final

from bot.settings import HttpSettings
from services.errors import ConfigError

LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def check_reach(settings: HttpSettings) -> None:
    """Let nobody be served by accident.

    Raises:
        ConfigError: the server would be reached from other machines, and there is no token.
    """
    if settings.host not in LOCAL_HOSTS and not settings.token.get_secret_value():
        problem = f"{settings.host} is reached from other machines; set BUBBLES_HTTP__TOKEN, or host = 127.0.0.1"
        raise ConfigError("settings", "http.host", problem)


def page_address(host: str, port: int) -> str:
    """Where a browser on this machine finds the page."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://{shown}:{port}"
