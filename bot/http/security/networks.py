"""Check the addresses that the server listens on, and map the address of a client to its network."""

import ipaddress
from functools import lru_cache
from typing import Final

from bot.config.field_errors import SettingInvalid
from bot.config.settings import HttpSettings

_PREFIX_BITS: Final = 64  # of an IPv6 network: a client with one address usually has all of the network
_CACHE_SIZE: Final = 4096
_MIN_TOKEN_LENGTH: Final = 16
_NEW_ONE: Final = 'python -c "import secrets; print(secrets.token_urlsafe(24))"'
LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def check_bind_policy(settings: HttpSettings) -> None:
    """Check that a server that other machines reach has a strong token.

    Raises:
        ConfigError: the server would be reached from other machines without such a token.
    """
    if settings.host in LOCAL_HOSTS:
        return
    token = settings.token.get_secret_value()
    if not token:
        raise SettingInvalid("settings", "http.host", "open_host", host=settings.host)
    if len(token) < _MIN_TOKEN_LENGTH:
        fields = {"host": settings.host, "shortest": _MIN_TOKEN_LENGTH, "command": _NEW_ONE}
        raise SettingInvalid("settings", "http.token", "short_token", **fields)


def page_address(host: str, port: int) -> str:
    """Return the address of the page for a browser on this machine."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://{shown}:{port}"


@lru_cache(_CACHE_SIZE)
def network_of(host: str) -> str:
    """Return the IPv4 address, or the /64 network of an IPv6 address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.ip_network((int(address), _PREFIX_BITS), strict=False))
