"""Connect to public IP addresses only."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence

import httpcore

from services.search.model import PageUnavailable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ISATAP_IDENTIFIERS = (0x0000_5EFE, 0x0200_5EFE)  # the upper half of the interface identifier
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in (
        "168.63.129.16/32",  # the metadata and DNS service inside Azure's networks
        "192.88.99.0/24",  # 6to4 relays
        "64:ff9b:1::/48",  # NAT64 of a local network
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing inside a provider
    )
)
_MAX_CONNECTIONS = 10


def is_public(address: Address) -> bool:
    """Return whether an IP address is public; an embedded IPv4 address decides about an IPv6 address."""
    if isinstance(address, ipaddress.IPv6Address):
        hidden = _find_embedded_ipv4(address)
        if hidden is not None:
            return is_public(hidden)
        if address.is_site_local:  # deprecated, and still in use
            return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _find_embedded_ipv4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address embedded in a mapped, 6to4, Teredo, NAT64 or ISATAP address."""
    if address.teredo is not None:
        return address.teredo[1]
    is_isatap = (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP_IDENTIFIERS
    if address in _NAT64 or is_isatap:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


async def resolve_public(host: str, port: int) -> tuple[Address, ...]:
    """Return the IP addresses of `host`, in the order of the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the checked IP address by TCP only; the host name is used for TLS only.

    `allows` checks addresses, `resolve` finds them; tests replace both.
    """

    def __init__(self, *, allows: Callable[[Address], bool] = is_public, resolve: Resolve = resolve_public) -> None:
        self._allows = allows
        self._resolve = resolve
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to `host` if all of its addresses are allowed.

        Raises:
            PageUnavailable: one of them is not allowed.
        """
        try:
            addresses = await self._resolve(host, port)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        # A private address among public ones is an attack or an error.
        if not addresses or not all(self._allows(address) for address in addresses):
            raise PageUnavailable("address", "not a public address")
        return await self._network.connect_tcp(str(addresses[0]), port, timeout, local_address, socket_options)


def open_guarded_pool(backend: GuardedBackend | None = None) -> httpcore.AsyncConnectionPool:
    """Return a guarded connection pool, for use as `async with`, without proxies of the environment."""
    return httpcore.AsyncConnectionPool(
        network_backend=backend or GuardedBackend(), max_connections=_MAX_CONNECTIONS, keepalive_expiry=5
    )
