"""What a running tool is given: who asks, where, when, and the services it may use."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeVar, cast

from services.chat import ChatAddress, ChatMessage, Person
from services.clock import Clock

Service = TypeVar("Service")


class Services:
    """The services of one bot, found by their class."""

    def __init__(self, *services: object) -> None:
        self._by_class: dict[type[object], object] = {type(service): service for service in services}

    def add(self, service: object) -> None:
        """Offer one more service."""
        self._by_class[type(service)] = service

    def get(self, wanted: type[Service]) -> Service:
        """Return the service that is a `wanted`.

        Raises:
            LookupError: no such service was wired in `build_app`.
        """
        found = self._by_class.get(wanted)
        if found is None:
            found = next((service for service in self._by_class.values() if isinstance(service, wanted)), None)
        if found is None:
            raise LookupError(f"no service of class {wanted.__name__}; pass it to build_app(services=…)")
        return cast("Service", found)

    def classes(self) -> Iterable[type[object]]:
        """The classes that a tool may name in its annotations."""
        return self._by_class.keys()


@dataclass(frozen=True, kw_only=True, slots=True)
class CallContext:
    """The circumstances of one call; injected by annotation, never part of a schema.

    `now` is timezone-aware in `zone`, the zone of the person who asks. `call_id` is unique per call and the same
    when the message is delivered twice, so it serves as a request key.
    """

    call_id: str
    message: ChatMessage
    services: Services
    clock: Clock
    now: datetime
    zone: tzinfo
    language: str

    @property
    def chat(self) -> ChatAddress:
        """The chat that the message was written in."""
        return self.message.address

    @property
    def sender(self) -> Person:
        """Who asked."""
        return self.message.sender
