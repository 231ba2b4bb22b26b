"""Map a client's address to its network, for limits per client."""

import ipaddress
from functools import lru_cache
from typing import Final

_ONE_NETWORK: Final = 64  # bits of an IPv6 address: whoever has one has all that begin with them
_REMEMBERED: Final = 4096


@lru_cache(_REMEMBERED)
def network_of(host: str) -> str:
    """Return the IPv4 address, or the /64 network of an IPv6 address, all of which one client may have."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.ip_network((int(address), _ONE_NETWORK), strict=False))
