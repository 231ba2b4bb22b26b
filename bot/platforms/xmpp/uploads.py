"""Upload files to an XMPP server and send their address. Source: XEP-0363."""

from collections.abc import Mapping
from typing import Final, Protocol
from xml.etree.ElementTree import Element

import httpx
from msgspec import Struct

from services.kernel.chat import SentFile
from services.kernel.errors import DeliveryFailed

SPACE: Final = "urn:xmpp:http:upload:0"
"""The feature of a service that keeps files, and the namespace of what it is asked."""

_PATIENCE_SECONDS: Final = 60.0
_HEADERS: Final = {"authorization", "cookie", "expires"}
_ADDRESSES: Final = ("https://", "http://")


class Asks(Protocol):
    """Asks the services of a server."""

    async def service_for(self, feature: str) -> tuple[str, Element] | None:
        """Address and self-description of the service that has `feature`; None where there is none."""
        ...

    async def ask(self, service: str, question: Element) -> Element:
        """Return what `service` answers.

        Raises:
            DeliveryFailed: it refused, or did not answer.
        """
        ...


class _Slot(Struct, frozen=True, kw_only=True):
    """Where a file is put, with which headers, and where everybody gets it."""

    put: str
    headers: Mapping[str, str]
    get: str


async def keep(file: SentFile, server: Asks) -> str:
    """Give `file` to the server and return the address at which everybody finds it.

    Raises:
        DeliveryFailed: the server keeps no files, or not this one.
    """
    found = await server.service_for(SPACE)
    if found is None:
        raise DeliveryFailed("the server keeps no files", is_permanent=True)
    service, description = found
    size = len(file.content)
    if 0 < _limit(description) < size:
        raise DeliveryFailed(f"the server keeps no files of {size} bytes", is_permanent=True)
    slot = _slot(await server.ask(service, _request(file)))
    await _put(slot, file)
    return slot.get


def _request(file: SentFile) -> Element:
    asked = {"filename": file.name, "size": str(len(file.content)), "content-type": file.media_type}
    return Element(f"{{{SPACE}}}request", asked)


def _limit(description: Element) -> int:
    """Return the most bytes of a file, as the service describes itself; 0 where it does not say."""
    for field in description.iter("{jabber:x:data}field"):
        told = field.findtext("{jabber:x:data}value", "")
        if field.get("var") == "max-file-size" and told.isdigit():
            return int(told)
    return 0


def _slot(answer: Element) -> _Slot:
    put, get = (next(answer.iter(f"{{{SPACE}}}{name}"), Element(name)) for name in ("put", "get"))
    addresses = [each.get("url", "") for each in (put, get)]
    if not all(each.startswith(_ADDRESSES) for each in addresses):
        raise DeliveryFailed("the server named no place for a file")
    given = ((each.get("name", ""), each.text or "") for each in put.iter(f"{{{SPACE}}}header"))
    headers = {name: value.replace("\n", "") for name, value in given if name.lower() in _HEADERS}
    return _Slot(put=addresses[0], headers=headers, get=addresses[1])


async def _put(slot: _Slot, file: SentFile) -> None:
    headers = {**slot.headers, "Content-Type": file.media_type}
    try:
        async with httpx.AsyncClient(timeout=_PATIENCE_SECONDS) as client:
            response = await client.put(slot.put, content=file.content, headers=headers)
    except httpx.HTTPError as error:
        raise DeliveryFailed(f"a file could not be given to the server: {error}") from error
    if not response.is_success:
        raise DeliveryFailed(f"the server did not take a file ({response.status_code})")
